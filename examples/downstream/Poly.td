//===- A dialect of one op ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef POLY_TD
#define POLY_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Poly_Dialect : Dialect {
  let name = "poly";
  let cppNamespace = "::poly";
}

def Poly_EvalOp : Op<Poly_Dialect, "eval", [Pure, SameOperandsAndResultType]> {
  let summary = "Evaluates a polynomial on each element of a tensor";
  let description = [{
    ```mlir
    %y = poly.eval %x {scheme = "horner",
                       coefficients = [1.0 : f32, 1.0 : f32, 0.5 : f32]}
         : tensor<65536xf32>

    ```

    `coefficients` begins with the constant term. `scheme` is "horner", which
    takes the fewest operations, or "estrin", which takes the shortest chain of
    dependent operations. `scheme` accepts any attribute, so that it can be a
    knob.
  }];

  let arguments = (ins RankedTensorOf<[AnyFloat]>:$input,
                       F32ArrayAttr:$coefficients, AnyAttr:$scheme);
  let results = (outs RankedTensorOf<[AnyFloat]>:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

#endif // POLY_TD
