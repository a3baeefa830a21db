//===- RoundingNudge.h - How far roundings move results ------- -*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_LIB_BACKEND_HOST_ROUNDINGNUDGE_H
#define TONNO_LIB_BACKEND_HOST_ROUNDINGNUDGE_H

#include "mlir/IR/BuiltinOps.h"

namespace tonno {

/// Makes each rounded operation in a reference in f64, in linalg ops or in
/// loops, give a little more or less, by at most `roundingNudge` of its result,
/// each another share; of a sum, each term. What that does to the results tells
/// how far they may move by the roundings of a candidate: of 1 + tanh(x) for
/// large negative x, and of what is left of a sum after its largest term is
/// subtracted, by much more than by a movement of the inputs. False if there is
/// at most one such operation, which moves results no further than inputs do.
bool nudgeRoundings(mlir::ModuleOp reference);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_HOST_ROUNDINGNUDGE_H
