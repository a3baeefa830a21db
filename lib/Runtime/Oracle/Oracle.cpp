//===- The correctness gate -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Oracle.h"
#include "tonno/Engine/Budget.h"
#include "tonno/Runtime/Elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace tonno;

/// tf32 has f16's significand and f32's exponents.
static constexpr double tensorFloatRoundoff = 0x1p-11;

Arithmetic Arithmetic::of(ElementType accumulator) {
  return {unitRoundoff(accumulator), largestExactInteger(accumulator),
          accumulator == ElementType::f16};
}

/// Returns the next lower precision than that of sums in `accumulator` with
/// inputs of `type`.
static Arithmetic getNextLowerPrecision(ElementType type,
                                        ElementType accumulator) {
  if (type == ElementType::f64)
    return Arithmetic::of(ElementType::f32);
  if (type == ElementType::f32 && accumulator != ElementType::f64)
    // Less than 2^24, as a sum may be a factor of the next product.
    return {tensorFloatRoundoff, 1 / tensorFloatRoundoff};
  // No chip accumulates in less than f16.
  return Arithmetic::of(bitWidth(type) <= 8 ? ElementType::f16 : type);
}

Arithmetic Arithmetic::lowered(ElementType accumulator,
                               const Signature &signature) {
  Arithmetic lowest = of(accumulator);
  for (const BufferSpec &buffer : signature) {
    if (!isInput(buffer) || !isFloatingPoint(buffer.elementType))
      continue;
    Arithmetic arithmetic =
        getNextLowerPrecision(buffer.elementType, accumulator);
    arithmetic.hasNarrowRange |= lowest.hasNarrowRange;
    if (arithmetic.roundoff > lowest.roundoff)
      lowest = arithmetic;
  }
  return lowest;
}

Oracle::Oracle(const Problem &problem, const Signature &signature,
               const OracleOptions &options, std::vector<OraclePass> passes)
    : signature(signature), options(options),
      arithmetic(Arithmetic::of(problem.accumulator)),
      lowered(Arithmetic::lowered(problem.accumulator, signature)),
      passes(std::move(passes)) {
  if (options.allowLowerPrecision)
    arithmetic = lowered;
}

Result<Oracle> Oracle::create(const Problem &problem,
                              const Signature &signature, uint64_t seed,
                              Device &host, const OracleOptions &options) {
  Oracle oracle(problem, signature, options, {});
  oracle.passes = TONNO_TRY(
      makePasses(problem, signature, oracle.arithmetic, options, seed, host));
  return oracle;
}

/// Notes whether the results of a launch on the pass's inputs have other bits
/// than the default's.
static void noteOtherBits(const OraclePass &pass, const Signature &signature,
                          const BufferContents &found, Verified &verified) {
  auto same = pass.checkBits(signature, found);
  if (same)
    return;
  verified.isOtherOnUsualInputs |= !pass.isForWinners;
  if (!verified.otherBits)
    verified.otherBits = same.error();
}

Result<Verified, Failure> Oracle::verify(Device &device, Executable &executable,
                                         const LaunchPlan &plan,
                                         Verification verification,
                                         const LaunchRepeats &repeats,
                                         double longLaunchSeconds) const {
  Candidate candidate = {device, executable, plan};
  auto made = judge(candidate, verification, repeats, longLaunchSeconds);
  bool isOfTrial = verification == Verification::brief ||
                   verification == Verification::trial;
  if (!made || isOfTrial || !device.guardsBlocks())
    return made;
  for (auto edge : {BufferSet::Edge::end, BufferSet::Edge::begin})
    TONNO_TRY(judgeAt(edge, candidate, *made));
  return made;
}

/// Compares bytes by memcmp; == of vectors compares one by one, 10 ms for 19
/// MB.
static bool areSame(std::span<const std::byte> one,
                    std::span<const std::byte> other) {
  return one.size() == other.size() &&
         std::memcmp(one.data(), other.data(), one.size()) == 0;
}

static Result<void, Failure> checkSame(const Signature &signature,
                                       const BufferContents &found,
                                       const BufferContents &first) {
  for (size_t i = 0; i < signature.size(); ++i)
    if (isOutput(signature[i]) && !areSame(found[i], first[i]))
      return Failure{
          Status::nondeterministic,
          "a second launch with the same inputs computes another " +
              signature[i].name +
              ", as racing threads and accesses outside of buffers do; if this "
              "is intended, give '--allow-nondeterminism'"};
  return {};
}

Result<void, Failure> Oracle::checkTimed(const BufferContents &outputs,
                                         BufferContents &first,
                                         bool acceptsOtherBits) const {
  bool isFirst = first.empty();
  if (!isFirst && !options.allowNondeterminism)
    return checkSame(signature, outputs, first);
  if (!isFirst && first == outputs)
    return {};
  first = outputs;
  TONNO_TRY(passes.back().check(signature, outputs, arithmetic.roundoff));
  return acceptsOtherBits ? Result<void, Failure>()
                          : passes.back().checkBits(signature, outputs);
}

Result<void, Failure> Oracle::judgeAt(BufferSet::Edge edge,
                                      const Candidate &candidate,
                                      Verified &verified) const {
  auto set = TONNO_TRY(BufferSet::allocateAtEdge(edge, candidate.device,
                                                 candidate.plan.buffers));
  auto found = TONNO_TRY(launch(candidate, set, passes.back()));
  TONNO_TRY(
      passes.back().check(signature, found.contents, arithmetic.roundoff));
  noteOtherBits(passes.back(), signature, found.contents, verified);
  return {};
}

bool Oracle::shouldRunPass(const OraclePass &pass,
                           Verification verification) const {
  constexpr int brief = 2;
  bool isBrief =
      !pass.isForWinners &&
      std::count_if(passes.data(), &pass, [](const OraclePass &before) {
        return !before.isForWinners;
      }) < brief;
  switch (verification) {
  case Verification::brief:
    return isBrief;
  case Verification::afterBrief:
    return !isBrief && &pass != &passes.back();
  case Verification::trial:
    return !pass.isForWinners;
  case Verification::afterTrial:
    return pass.isForWinners;
  case Verification::winner:
    break;
  }
  return true;
}

Result<BufferSet, Failure> Oracle::placeBuffers(const Candidate &candidate,
                                                DeviceBlock &block) {
  std::mt19937_64 layout(0);
  return BufferSet::place(candidate.device, candidate.plan.buffers,
                          block.start(), layout, BufferSet::Redzones::bare,
                          BufferSet::Starts::promised);
}

Result<Verified, Failure> Oracle::judge(const Candidate &candidate,
                                        Verification verification,
                                        const LaunchRepeats &repeats,
                                        double longLaunchSeconds) const {
  auto &[device, executable, plan] = candidate;
  auto block = TONNO_TRY(
      DeviceBlock::allocate(device, BufferSet::bytesFor(plan.buffers)));
  auto set = TONNO_TRY(placeBuffers(candidate, block));
  BufferContents last;
  Verified verified;
  verified.launchSeconds = std::numeric_limits<double>::infinity();
  for (const OraclePass &pass : passes) {
    if (!shouldRunPass(pass, verification))
      continue;
    auto found = TONNO_TRY(launch(candidate, set, pass));
    if (auto right = pass.check(signature, found.contents,
                                pass.exact ? 0 : arithmetic.roundoff);
        !right)
      return explain(right.error(), pass, found.contents, candidate, set);
    noteOtherBits(pass, signature, found.contents, verified);
    verified.launchSeconds = std::min(verified.launchSeconds, found.seconds);
    // A candidate with other bits is not timed, so that all passes are left to
    // this function.
    if (verified.otherBits && verification == Verification::brief)
      verification = Verification::trial;
    else if (verification == Verification::trial && !verified.otherBits &&
             found.seconds >= longLaunchSeconds)
      verification = Verification::brief;
    last = std::move(found.contents);
  }
  verified.made = verification;
  bool endsRealValued = verification == Verification::trial ||
                        verification == Verification::winner;
  if (options.allowNondeterminism || !endsRealValued)
    return verified;
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats.most; ++i) {
    if (i >= repeats.least &&
        std::chrono::steady_clock::now() - begin >= repeats.time)
      break;
    TONNO_TRY(repeat(candidate, set, last));
  }
  return verified;
}

Result<void> Oracle::requireBits(Device &device, const Artifact &ofDefault) {
  const std::string what =
      "the default configuration, whose bits '--bits=same' requires, ";
  auto failed = [&](const Failure &failure) {
    return Error{what + "fails, '" + std::string(toString(failure.status)) +
                 "': " + failure.message};
  };
  auto executable = device.load(ofDefault);
  if (!executable)
    return failed(executable.error());
  Candidate candidate = {device, **executable, ofDefault.plan};
  auto block = DeviceBlock::allocate(
      device, BufferSet::bytesFor(ofDefault.plan.buffers));
  if (!block)
    return failed(block.error());
  auto set = placeBuffers(candidate, *block);
  if (!set)
    return failed(set.error());
  for (OraclePass &pass : passes) {
    auto results = launchTwice(candidate, *set, pass);
    if (!results && results.error().status == Status::nondeterministic)
      return Error{what + "is not deterministic: " + results.error().message +
                   "; leave out '--bits=same', or choose a default that gives "
                   "the same bits at each launch"};
    if (!results)
      return failed(results.error());
    pass.ofDefault = std::move(*results);
  }
  return {};
}

Result<BufferContents, Failure>
Oracle::launchTwice(const Candidate &candidate, BufferSet &set,
                    const OraclePass &pass) const {
  auto first = TONNO_TRY(launch(candidate, set, pass));
  auto second = TONNO_TRY(launch(candidate, set, pass));
  for (size_t i = 0; i < signature.size(); ++i)
    if (isOutput(signature[i]) &&
        !areSame(first.contents[i], second.contents[i]))
      return Failure{Status::nondeterministic,
                     "a second launch computes another " + signature[i].name +
                         " (" + pass.name + " pass)"};
  return std::move(first.contents);
}

Result<Oracle::Launched, Failure> Oracle::launch(const Candidate &candidate,
                                                 BufferSet &set,
                                                 const OraclePass &pass) const {
  TONNO_TRY(set.swapRedzones());
  TONNO_TRY(set.fill(pass.inputs));
  TONNO_TRY(set.setInputsWritable(false));
  double begin = steadySeconds();
  auto launched = candidate.device.launch(candidate.executable, set.pointers());
  double elapsed = steadySeconds() - begin;
  TONNO_TRY(set.setInputsWritable(true));
  if (!launched)
    return launched.error();
  TONNO_TRY(set.checkRedzones());
  auto found = TONNO_TRY(set.download());
  for (size_t i = 0; i < signature.size(); ++i)
    if (signature[i].access == Access::read &&
        !areSame(found[i], pass.inputs[i]))
      return Failure{Status::out_of_bounds,
                     "wrote into its input " + signature[i].name};
  return Launched{std::move(found), elapsed};
}

Result<void, Failure> Oracle::repeat(const Candidate &candidate, BufferSet &set,
                                     const BufferContents &first) const {
  // The inputs were just seen to be unchanged.
  TONNO_TRY(set.reset(passes.back().inputs));
  TONNO_TRY(candidate.device.launch(candidate.executable, set.pointers()));
  auto found = TONNO_TRY(set.downloadOutputs());
  return checkSame(signature, found, first);
}

/// Returns true if all finite results are right for less precise sums.
static bool isLessPrecise(OraclePass pass, const Signature &signature,
                          const BufferContents &found, double roundoff) {
  pass.isOpen.resize(signature.size());
  for (size_t i = 0; i < signature.size(); ++i)
    if (isOutput(signature[i]))
      for (double result : decode(signature[i].elementType, found[i]))
        pass.isOpen[i].push_back(!std::isfinite(result));
  return pass.check(signature, found, roundoff).ok();
}

Failure Oracle::explain(Failure wrong, const OraclePass &pass,
                        const BufferContents &results,
                        const Candidate &candidate, BufferSet &set) const {
  if (pass.name != wideExactPass || lowered.roundoff <= arithmetic.roundoff ||
      !isLessPrecise(pass, signature, results, lowered.roundoff))
    return wrong;
  const OraclePass &real = passes.back();
  auto found = launch(candidate, set, real);
  if (found && real.check(signature, found->contents, lowered.roundoff))
    wrong.message +=
        "; the result is correct for sums of lower precision than the "
        "kernel's; to accept these, give '--allow-lower-precision'";
  return wrong;
}
