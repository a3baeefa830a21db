//===- Emission of tuned kernels ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/Emission.h"

#include "tonno/Backend/Compile.h"
#include "Host/ShapeLog.h"

using namespace mlir;
using namespace tonno;

static constexpr EmissionForm forms[] = {
    {Emission::obj, "obj", ".o", "an object", /*isBinary=*/true},
    {Emission::so, "so", ".so", "a shared object: what was measured",
     /*isBinary=*/true},
    {Emission::llvm, "llvm", ".ll", "optimised LLVM IR"},
    {Emission::ptx, "ptx", ".ptx", "NVIDIA's assembly"},
    {Emission::cubin, "cubin", ".cubin",
     "NVIDIA's machine code: what was measured", /*isBinary=*/true},
    {Emission::hsaco, "hsaco", ".hsaco",
     "AMD's machine code: what was measured", /*isBinary=*/true},
    {Emission::header, "header", ".h", "a header for C"},
    {Emission::plan, "plan", ".plan.json", "the launch plan"},
    {Emission::program, "program", ".clbin",
     "OpenCL's binary: what was measured", /*isBinary=*/true,
     /*isOpenClOnly=*/true},
    {Emission::options, "options", ".opts", "OpenCL's build options",
     /*isBinary=*/false, /*isOpenClOnly=*/true}};

llvm::ArrayRef<EmissionForm> tonno::emissionForms() { return forms; }

const EmissionForm &tonno::describe(Emission emission) {
  return *llvm::find_if(forms, [&](const EmissionForm &form) {
    return form.emission == emission;
  });
}

Result<void> tonno::checkEmission(const Backend &backend, Emission emission) {
  // A header declares entry points for C, which only shared objects have.
  bool hasHeader = llvm::is_contained(backend.forms(), Emission::so);
  if (emission == Emission::plan ||
      (emission == Emission::header && hasHeader) ||
      llvm::is_contained(backend.forms(), emission))
    return {};
  std::string message = "the backend '" + backend.name().str() +
                        "' cannot emit " + describe(emission).name.str() +
                        "; the forms are: ";
  for (Emission form : backend.forms())
    message += describe(form).name.str() + ", ";
  message += hasHeader ? "header, plan" : "plan";
  std::string remark = backend.remark();
  return Error{remark.empty() ? message : message + "; " + remark};
}

std::string tonno::planText(const LaunchPlan &plan, StringRef kernel,
                            StringRef target, StringRef chip) {
  Json json = plan;
  json["schema"] = 1;
  json["kernel"] = kernel.str();
  json["target"] = target.str();
  json["chip"] = chip.str();
  return printed(json, 2) + "\n";
}

FailureOr<std::string> tonno::emitKernel(const Backend &backend,
                                         ModuleOp module, StringRef kernel,
                                         Emission emission, AddedCode added) {
  FailureOr<LaunchPlan> plan = lowerKernel(backend, module, kernel);
  if (failed(plan))
    return failure();
  if (emission == Emission::header)
    return cHeader(*plan, kernel);
  if (added == AddedCode::shapeLog &&
      failed(addShapeLog(module, *plan, kernel)))
    return failure();
  FailureOr<Code> code = backend.emit(module, emission);
  if (failed(code))
    return failure();
  return std::move(code->bytes);
}
