//===- Shipping.h - From a tuned kernel to its files ------------*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_BACKEND_SHIPPING_H
#define TONNO_BACKEND_SHIPPING_H

#include "tonno/Backend/Emission.h"

namespace tonno {

/// Fails, with the reason, if the kernel's name can't be that of a function in
/// C, and of a file: if it is no identifier.
mlir::LogicalResult checkShippable(mlir::func::FuncOp kernel);

/// One form of a shippable kernel, with each knob at its value: the selected
/// one, else the default. For a kernel that was tuned, code of any form is
/// checked to be that which was measured: if not, a warning at the kernel says
/// why.
mlir::FailureOr<std::string> shipKernel(mlir::func::FuncOp kernel,
                                        const Backend &backend,
                                        Emission emission);

/// The ending of the file's name: ".o", ".so", ".ll", ".h", ".plan.json".
llvm::StringRef fileEnding(Emission emission);

} // namespace tonno

#endif // TONNO_BACKEND_SHIPPING_H
