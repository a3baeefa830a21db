//===- What a tuned kernel ships as ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/Emission.h"

#include "tonno/Backend/Compile.h"

using namespace mlir;
using namespace tonno;

static constexpr std::pair<Emission, llvm::StringLiteral> names[] = {
    {Emission::obj, "obj"},         {Emission::so, "so"},
    {Emission::llvm, "llvm"},       {Emission::ptx, "ptx"},
    {Emission::cubin, "cubin"},     {Emission::hsaco, "hsaco"},
    {Emission::header, "header"},   {Emission::plan, "plan"},
    {Emission::program, "program"}, {Emission::options, "options"}};

StringRef tonno::toString(Emission emission) {
  for (const auto &[known, name] : names)
    if (known == emission)
      return name;
  llvm_unreachable("unknown emission");
}

bool tonno::isBinary(Emission emission) {
  return llvm::is_contained(
      {Emission::obj, Emission::so, Emission::cubin, Emission::hsaco},
      emission);
}

Result<void> tonno::checkEmission(const Backend &backend, Emission emission) {
  // A header declares entry points for C, which only shared objects have.
  bool hasHeader = llvm::is_contained(backend.forms(), Emission::so);
  if (emission == Emission::plan ||
      (emission == Emission::header && hasHeader) ||
      llvm::is_contained(backend.forms(), emission))
    return {};
  std::string message = "the backend '" + backend.name().str() +
                        "' can't emit " + toString(emission).str() +
                        "; it has: ";
  for (Emission form : backend.forms())
    message += toString(form).str() + ", ";
  message += hasHeader ? "header, plan" : "plan";
  std::string remark = backend.remark();
  return Error{remark.empty() ? message : message + "; " + remark};
}

FailureOr<std::string> tonno::emitKernel(const Backend &backend,
                                         ModuleOp module, StringRef kernel,
                                         Emission emission) {
  FailureOr<LaunchPlan> plan = lowerKernel(backend, module, kernel);
  if (failed(plan))
    return failure();
  if (emission == Emission::header)
    return cHeader(*plan, kernel);
  if (emission == Emission::plan)
    return Json(*plan).dump(2) + "\n";
  FailureOr<Code> code = backend.emit(module, emission);
  if (failed(code))
    return failure();
  return std::move(code->bytes);
}
