//===- A knob of a command line -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_KNOBOPTION_H
#define TONNO_TUNER_KNOBOPTION_H

#include "tonno/Core/Result.h"
#include "tonno/Dialect/TonnoAttrs.h"

namespace tonno {

/// The knob that `--knob` states: "NAME=domain", the domain as in
/// `#tonno.knob`, perhaps with a default; or numbers separated by commas. The
/// Error names the option.
Result<KnobAttr> parseKnobOption(llvm::StringRef given,
                                 mlir::MLIRContext *context);

} // namespace tonno

#endif // TONNO_TUNER_KNOBOPTION_H
