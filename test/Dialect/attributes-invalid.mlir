// RUN: tonno-opt %s -verify-diagnostics -split-input-file

// expected-error @+1 {{constraint "BM <= ": column 7: }}
module attributes {x.c = #tonno.constraint<"BM <= ">} {}

// -----

// expected-error @+1 {{constraint "BM && 1": column 4: write `and` instead of `&&`}}
module attributes {x.c = #tonno.constraint<"BM && 1">} {}

// -----

// expected-error @+1 {{'builtin.module' op 'tonno.constraints' must be an array of #tonno.constraint}}
module attributes {tonno.constraints = ["BM < 3"]} {}

// -----

// expected-error @+1 {{input "unifrom(0, 1)": }}
module attributes {x.i = #tonno.input<"unifrom(0, 1)">} {}

// -----

// expected-error @+1 {{'tonno.input' belongs on an argument of a function}}
func.func @f() attributes {tonno.input = #tonno.input<"permutation">} { return }

// -----

// expected-error @+1 {{argument 1: 'tonno.input' must be #tonno.input<"...">, for example #tonno.input<"uniform(-1, 1)">}}
func.func @f(%a: f32, %b: f32 {tonno.input = "uniform(0, 1)"}) { return }

// -----

// expected-error @+1 {{argument 0: 'tonno.access' must be "read", "write" or "read_write"}}
func.func @f(%a: f32 {tonno.access = "rw"}) { return }

// -----

// expected-error @+1 {{argument 0: 'tonno.alignment' must be a power of two, in bytes}}
func.func @f(%a: f32 {tonno.alignment = 12}) { return }

// -----

// expected-error @+1 {{argument 0: 'tonno.inputs' is not an argument attribute of tonno; the attributes are: tonno.dims, tonno.input, tonno.access, tonno.alignment, tonno.constant}}
func.func @f(%a: f32 {tonno.inputs = 12}) { return }

// -----

// expected-error @+1 {{'tonno.constraint' is not an attribute of tonno; the attributes are: tonno.lowering_config, tonno.knobs, tonno.constraints, tonno.schedule, tonno.pipeline, tonno.reference, tonno.fp_contract, tonno.tuned}}
func.func @f() attributes {tonno.constraint = []} { return }

// -----

// expected-error @+1 {{'tonno.schedule' belongs on a function}}
module attributes {tonno.schedule = @f} {}

// -----

// expected-error @+1 {{'tonno.schedule' must be the symbol of a schedule}}
func.func @f() attributes {tonno.schedule = "main"} { return }

// -----

// expected-error @+1 {{'tonno.pipeline' must be a dictionary with the string 'passes'}}
func.func @f() attributes {tonno.pipeline = "canonicalize"} { return }

// -----

// expected-error @+1 {{'tonno.pipeline' has 'knob'; it may have the string 'passes' and the dictionary 'knobs'}}
func.func @f() attributes {tonno.pipeline = {passes = "cse", knob = {}}} { return }

// -----

// expected-error @+1 {{'tonno.fp_contract' must be "fast"}}
func.func @f() attributes {tonno.fp_contract = "off"} { return }

// -----

// expected-error @+1 {{'tonno.fp_contract' belongs on a function}}
module attributes {tonno.fp_contract = "fast"} {}

// -----

// expected-error @+1 {{'tonno.reference' must be the symbol of a function}}
func.func @f() attributes {tonno.reference = 1} { return }

// -----

func.func @f() {
  // expected-error @+1 {{'tonno.knobs' must be a dictionary}}
  return {tonno.knobs = [1]}
}

// -----

func.func @f() {
  // expected-error @+1 {{'tonno.knobs' has 'factor', which is not an attribute of the operation}}
  return {tonno.knobs = {factor = #tonno.knob<"U" from [1, 2]>}}
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error @+1 {{'tonno.knobs' has 'alignemnt', which is not an attribute of the operation; its attributes are: alignment}}
  %0 = memref.alloc() {alignment = 64 : i64, tonno.knobs = {alignemnt = #tonno.knob<"A" from [32, 64]>}} : memref<4xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'tonno.knobs' has 'x.y' without a knob}}
  return {x.y = 3, tonno.knobs = {x.y = 3}}
}

// -----

// expected-error @+1 {{argument 0: 'tonno.dims' must be an array of names, such as ["M", "K"]}}
func.func @f(%a: tensor<4xf32> {tonno.dims = "M"}) { return }

// -----

// expected-error @+1 {{argument 1: 'tonno.dims' needs a ranked tensor, memref or vector, not 'i32'; remove the attribute}}
func.func @f(%a: tensor<4xf32>, %n: i32 {tonno.dims = ["M"]}) { return }

// -----

// expected-error @+1 {{argument 0: 'tonno.dims' needs a ranked tensor, memref or vector, not 'tensor<*xf32>'; remove the attribute}}
func.func @f(%a: tensor<*xf32> {tonno.dims = ["M"]}) { return }

// -----

// expected-error @+1 {{argument 0: 'tonno.dims' has 1 names for 2 axes; give each axis one}}
func.func @f(%a: tensor<4x8xf32> {tonno.dims = ["M"]}) { return }

// -----

// expected-error @+1 {{argument 0: 'tonno.dims' has the name "2d"; use an identifier that is not a keyword of constraints, such as M}}
func.func @f(%a: tensor<4xf32> {tonno.dims = ["2d"]}) { return }

// -----

// expected-error @+1 {{argument 0: 'tonno.dims' has the name "mod"; use an identifier}}
func.func @f(%a: tensor<4xf32> {tonno.dims = ["mod"]}) { return }

// -----

// expected-error @+1 {{argument 0: 'tonno.dims' gives "M" the size 8, and an earlier axis gives it 4; rename one of them}}
func.func @f(%a: tensor<4x8xf32> {tonno.dims = ["M", "M"]}) { return }

// -----

// expected-error @+1 {{argument 1: 'tonno.dims' gives "K" the size 9, and an earlier axis gives it 8; rename one of them}}
func.func @f(%a: tensor<4x8xf32> {tonno.dims = ["M", "K"]}, %b: tensor<9xf32> {tonno.dims = ["K"]}) { return }

// -----

// expected-error @+1 {{argument 0: 'tonno.dims' has the name of knob "BM"; rename the dimension}}
func.func @f(%a: tensor<4xf32> {tonno.dims = ["BM"]}) {
  return {tonno.lowering_config = {workgroup = [#tonno.knob<"BM" from [1, 2]>]}}
}

// -----

// expected-error @+1 {{'tonno.dims' belongs on an argument of a function}}
func.func @f() attributes {tonno.dims = ["M"]} { return }

// -----

// expected-error @+1 {{argument 0: 'tonno.constant' must be on a tensor}}
func.func @constant_memref(%a: memref<4xf32> {tonno.constant}) { return }
