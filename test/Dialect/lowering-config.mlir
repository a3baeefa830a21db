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

// expected-error @+1 {{'tonno.lowering_config' key 'workgroup' must be an array of integers that are not negative, or of knobs with such options}}
func.func private @f() attributes {tonno.lowering_config = {workgroup = 32}}

// -----

// expected-error @+1 {{key 'reduction' must be an array of integers}}
func.func private @f() attributes {tonno.lowering_config = {reduction = [32, "32"]}}

// -----

// expected-error @+1 {{key 'workgroup' must be an array of integers that are not negative}}
func.func private @f() attributes {tonno.lowering_config = {workgroup = [32, -1]}}

// -----

#tail = #tonno.knob<"tail" from ["mask", "split"]>
// expected-error @+1 {{key 'workgroup' must be an array of integers}}
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
