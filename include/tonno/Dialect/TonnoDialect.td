//===- TonnoDialect.td - The tonno dialect -----------------*- tablegen -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_DIALECT_TONNODIALECT_TD
#define TONNO_DIALECT_TONNODIALECT_TD

include "mlir/IR/DialectBase.td"

def Tonno_Dialect : Dialect {
  let name = "tonno";
  let cppNamespace = "::tonno";
  let summary = "Tunable values, and what tuning found, as attributes";
  let description = [{
    The dialect has no operations and no types. A tunable value is a
    [`#tonno.knob`](#knobattr), which stands where the value would stand: in a
    discardable attribute at any depth, in an inherent attribute that admits
    any attribute, in an attribute of a type.

    ```mlir
    #BM = #tonno.knob<"BM" from [32, 64, 128] default 64>
    #BN = #tonno.knob<"BN" from [32, 64]>

    func.func @matmul(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>,
                      %c: tensor<512x512xf32>) -> tensor<512x512xf32> {
      %0 = linalg.matmul
          {tonno.lowering_config = {workgroup = [#BM, #BN, 0]}}
          ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>)
          outs(%c : tensor<512x512xf32>) -> tensor<512x512xf32>
      return %0 : tensor<512x512xf32>
    }
    ```

    The knobs of one name in a function are one variable: wherever the name
    occurs, it has the same options and the same default. `tonno-apply`
    replaces each knob by a value as a plain attribute, `tonno-strip` by the
    value that it has already; neither leaves anything of this dialect behind,
    so that tools which don't know it read the result.

    These discardable attributes mean something to tonno:

    | attribute | on | value |
    | --- | --- | --- |
    | `tonno.lowering_config` | an operation | a dictionary, with the keys below |
    | `tonno.tuned` | a function | a dictionary: what tuning found, and where |

    The keys of `tonno.lowering_config`, each an array of integers that are not
    negative, or of knobs with such options (or one knob whose options are such
    arrays). An entry is for a loop of the operation, in order; loops without
    an entry, or with entry 0, are not tiled.

    | key | tile sizes |
    | --- | --- |
    | `workgroup` | of the outermost loops: what one core or workgroup computes |
    | `subgroup` | inside of these: what one vector unit or subgroup computes at a time |
    | `reduction` | of the reduction loops |
  }];

  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;

  let extraClassDeclaration = [{
    /// Names of the discardable attributes that mean something to tonno.
    static constexpr ::llvm::StringLiteral kLoweringConfig =
        "tonno.lowering_config";
    static constexpr ::llvm::StringLiteral kTuned = "tonno.tuned";
    static constexpr ::llvm::StringLiteral kConstraints = "tonno.constraints";
    static constexpr ::llvm::StringLiteral kKnobs = "tonno.knobs";

  private:
    void registerAttributes();

  public:
  }];
}

#endif // TONNO_DIALECT_TONNODIALECT_TD
