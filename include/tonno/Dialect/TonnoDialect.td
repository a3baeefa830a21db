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
    replaces each knob by a value as a plain attribute, so that lowerings need
    not know about knobs; `tonno-strip` leaves nothing that only this dialect
    can read.

    These discardable attributes mean something to tonno:

    | attribute | on | value |
    | --- | --- | --- |
    | `tonno.lowering_config` | an operation | a dictionary, with the keys below |
    | `tonno.tuned` | a function | a dictionary: what tuning found, and where |

    Each key of `tonno.lowering_config` is a level of tiling. Its value is an
    array with a tile size for each loop of the operation, an integer that is
    not negative or a knob with such options; or one knob whose options are
    such arrays. 0, or a key that is not there, leaves a loop whole at that
    level.

    | key | the tile is what |
    | --- | --- |
    | `workgroup` | one core or workgroup computes: for caches, shared memory |
    | `reduction` | is summed up at a time, within the workgroup's tile |
    | `subgroup` | one vector unit or subgroup computes at a time: for registers |
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
