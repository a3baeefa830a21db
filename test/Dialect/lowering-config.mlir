// RUN: tonno-opt %s -verify-diagnostics -split-input-file -o /dev/null

#BM = #tonno.knob<"BM" from [32, 64]>
#tiles = #tonno.knob<"tiles" from [[32, 32], [64, 16, 0]]>
func.func @valid() attributes {
  tonno.lowering_config = {workgroup = [#BM, 32, 0], subgroup = #tiles,
                           reduction = []},
  tonno.tuned = {verdict = "tie"}
} {
  return {tonno.lowering_config = {}}
}

// -----

// expected-error @+1 {{'func.func' op 'tonno.lowering_config' must be a dictionary}}
func.func private @f() attributes {tonno.lowering_config = [32, 32]}

// -----

// expected-error @+1 {{'func.func' op 'tonno.lowering_config' has unknown key 'workgroups'; the keys are: workgroup, reduction, subgroup}}
func.func private @f() attributes {tonno.lowering_config = {workgroups = [32]}}

// -----

// expected-error @+1 {{'tonno.lowering_config' key 'workgroup' is 32; write an array with a number for each loop, such as [32, 64, 0], or a knob with such options}}
func.func private @f() attributes {tonno.lowering_config = {workgroup = 32}}

// -----

// expected-error @+1 {{key 'reduction' has "32", for loop 1; a tile size is an integer}}
func.func private @f() attributes {tonno.lowering_config = {reduction = [32, "32"]}}

// -----

func.func @f(%a: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // expected-error @+1 {{'linalg.exp' op 'tonno.lowering_config' key 'workgroup' has -1, for loop 1 of 48 iterations; a tile size is at least 0}}
  %r = linalg.exp {tonno.lowering_config = {workgroup = [32, -1]}} ins(%a : tensor<64x48xf32>) outs(%a : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

#T = #tonno.knob<"T" from [[32, 8], [32, -8]]>
// expected-error @+1 {{key 'subgroup' has -8, from knob "T", for loop 1; a tile size is at least 0}}
func.func private @f() attributes {tonno.lowering_config = {subgroup = #T}}

// -----

// expected-error @+1 {{key 'workgroup' has 32 : ui8, for loop 0; a tile size is written without a type, such as 32}}
func.func private @f() attributes {tonno.lowering_config = {workgroup = [32 : ui8]}}

// -----

// expected-error @+1 {{key 'interchange' has true, for loop 1; the number of a loop is an integer}}
func.func private @f() attributes {tonno.lowering_config = {interchange = [0, true]}}

// -----

#tail = #tonno.knob<"tail" from ["mask", "split"]>
// expected-error @+1 {{key 'workgroup' has "mask", from knob "tail", for loop 0; a tile size is an integer}}
func.func private @f() attributes {tonno.lowering_config = {workgroup = [#tail]}}

// -----

// expected-error @+1 {{'func.func' op 'tonno.tuned' must be a dictionary}}
func.func private @f() attributes {tonno.tuned = "yes"}

// -----

#T = #tonno.knob<"T" from [1, 2, 4]>
func.func private @f() attributes {tonno.lowering_config = {threads = #T}}

// -----

// expected-error @+1 {{'tonno.lowering_config' key 'threads' must be an integer from 1 to 1024, or a knob with such options}}
func.func private @f() attributes {tonno.lowering_config = {threads = [2]}}

// -----

#T = #tonno.knob<"T" from [0, 2]>
// expected-error @+1 {{key 'threads' must be an integer from 1 to 1024}}
func.func private @f() attributes {tonno.lowering_config = {threads = #T}}
