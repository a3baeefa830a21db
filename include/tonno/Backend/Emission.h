//===- Emission of tuned kernels ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BACKEND_EMISSION_H
#define TONNO_BACKEND_EMISSION_H

#include "tonno/Backend/Backend.h"

namespace tonno {

/// A form as users see it.
struct EmissionForm {
  Emission emission;
  llvm::StringLiteral name;   ///< the value of `--emit`
  llvm::StringLiteral ending; ///< of the file's name
  llvm::StringLiteral help;
  bool isBinary = false;     ///< no terminal should get it
  bool isOpenClOnly = false; ///< no backend has it
};

/// Returns all forms, in the order of `--help`.
llvm::ArrayRef<EmissionForm> emissionForms();

/// Returns the entry of emissionForms() for `emission`.
const EmissionForm &describe(Emission emission);

/// Fails, with the forms there are, if the backend has no such form.
Result<void> checkEmission(const Backend &backend, Emission emission);

/// Code that emitted kernels have beside what was measured.
enum class AddedCode {
  none,
  shapeLog, ///< counts the sizes of calls, and writes them to a file at exit
};

/// Returns the bytes of one form, other than the plan, of a kernel whose knobs
/// are resolved. `module` is the kernel's closure and is lowered in place: pass
/// a clone to keep it.
mlir::FailureOr<std::string> emitKernel(const Backend &backend,
                                        mlir::ModuleOp module,
                                        llvm::StringRef kernel,
                                        Emission emission,
                                        AddedCode added = AddedCode::none);

/// Returns true if a C and C++ function can have this name: an identifier that
/// is neither a keyword, nor reserved, nor `main`.
bool isFunctionName(llvm::StringRef name);

/// Returns the launch plan of a kernel as JSON, the form `plan`. Its members
/// are documented in docs/guide/json.md.
std::string planText(const LaunchPlan &plan, llvm::StringRef kernel,
                     llvm::StringRef target, llvm::StringRef chip);

/// Returns a C and C++ header that declares the entry point and states its
/// buffers.
std::string cHeader(const LaunchPlan &plan, llvm::StringRef kernel);

} // namespace tonno

#endif // TONNO_BACKEND_EMISSION_H
