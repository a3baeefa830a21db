//===- Emits tuned kernels ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BACKEND_SHIPPING_H
#define TONNO_BACKEND_SHIPPING_H

#include "tonno/Backend/Backend.h"
#include "tonno/Backend/Emission.h"

#include <filesystem>

namespace tonno {

/// Returns the versions stored in `tonno.tuned`: "tonno 0.1.0, LLVM 22.1.8".
std::string compilerVersions();

/// Compares the SHA-256 of a binary with that in `tonno.tuned` of its kernel;
/// returns true if they are equal or the kernel has none, since it was never
/// measured. Otherwise warns at the kernel, with the reason if that is known,
/// and returns false.
bool isMeasuredBinary(mlir::func::FuncOp kernel, const Backend &backend,
                      llvm::StringRef hash);

/// Chooses the name of a kernel in the emitted binary: `rename` if there is
/// one, else its own. A kernel named `main`, as frontends name exported
/// functions, gets its module's name, or that of `file` up to the first dot,
/// since C reserves `main`. Fails, with the reason, if the name is invalid in
/// C.
mlir::FailureOr<std::string> chooseEmissionName(mlir::func::FuncOp kernel,
                                                llvm::StringRef rename,
                                                llvm::StringRef file);

/// Returns the file that one form of a kernel ships in: beside `output`, which
/// is "-" for stdout. The Error: nothing can be written there, or it is the
/// output itself.
Result<std::filesystem::path> chooseEmissionFile(const std::string &output,
                                                 llvm::StringRef name,
                                                 Emission emission);

/// Returns one form of a kernel under a name for C, with each knob at its
/// value: the selected one, else the default. For a kernel that was tuned, code
/// of any form is checked to be that which was measured: if not, a warning at
/// the kernel says why.
mlir::FailureOr<std::string> emitNamedKernel(mlir::func::FuncOp kernel,
                                             llvm::StringRef name,
                                             const Backend &backend,
                                             Emission emission,
                                             AddedCode added = AddedCode::none);

} // namespace tonno

#endif // TONNO_BACKEND_SHIPPING_H
