//===- Why a reference may crash ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReferenceCrash.h"
#include "RunnerExit.h"

#include <csignal>

using namespace tonno;

static bool isInteger(ElementType type) {
  return type == ElementType::i64 || type == ElementType::i32 ||
         type == ElementType::i16 || type == ElementType::i8;
}

static bool isReal(ElementType type) {
  return type == ElementType::f64 || type == ElementType::f32 ||
         type == ElementType::f16 || type == ElementType::bf16;
}

/// Returns the names of the arguments that hold such elements and are only
/// read, as divisors and indices are.
static std::vector<std::string> findRead(const Signature &signature,
                                         bool (*isWanted)(ElementType)) {
  std::vector<std::string> names;
  for (const BufferSpec &buffer : signature)
    if (buffer.access == Access::read && isWanted(buffer.elementType))
      names.push_back(buffer.name);
  return names;
}

/// Returns ", perhaps by what arg0 or arg1 holds; state other data, such as
/// ...".
static std::string adviseInputs(const std::vector<std::string> &names,
                                const std::string &data) {
  if (names.empty())
    return "";
  std::string list;
  for (size_t i = 0; i < names.size(); ++i)
    list += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
  return ", perhaps by what " + list + " holds; state other data, such as " +
         "--inputs='" + names.back() + "=" + data + "'";
}

/// Assertions are of indices, mostly; without integers they are of reals.
static std::string adviseOnAssertion(const Signature &signature) {
  auto integers = findRead(signature, isInteger);
  return "; an assertion of the kernel (cf.assert) fails" +
         (integers.empty()
              ? adviseInputs(findRead(signature, isReal), "uniform(0.1, 1)")
              : adviseInputs(integers, "integers(0, 99)"));
}

static bool isOutsideOfBuffers(const ProcessEnd &end) {
  return end.signal == SIGSEGV || end.signal == SIGBUS ||
         end.exitStatus == runnerReachedBefore ||
         end.exitStatus == runnerReachedBehind;
}

std::string tonno::adviseOnCrash(const ProcessEnd &end,
                                 const RunnerSession &session) {
  std::vector<std::string> integers = findRead(session.signature, isInteger);
  std::string advice;
  if (end.signal == SIGFPE)
    advice = "; the reference divides an integer by 0" +
             adviseInputs(integers, "integers(1, 100)");
  else if (end.signal == SIGILL || end.signal == SIGTRAP) // LLVM's trap
    advice = adviseOnAssertion(session.signature);
  else if (isOutsideOfBuffers(end))
    advice = "; the reference accesses memory outside its buffers" +
             adviseInputs(integers, "integers(0, 99)");
  // One that computes in the candidates' types is the default of them.
  if (session.problem.isRounded)
    advice += "; it is the default configuration: do its accesses stay in its "
              "buffers, --arg, for this --global-size and these --inputs?";
  return advice;
}
