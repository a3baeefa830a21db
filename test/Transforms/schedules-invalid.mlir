// RUN: tonno-opt %s --tonno-extract -verify-diagnostics -split-input-file -o /dev/null

module attributes {transform.with_named_sequence} {
  func.func @f() { return }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{a knob's name cannot contain ' '; write "tile_m" instead of "tile m"}}
    %b = transform.tune.knob<"tile m"> options = [1, 2] -> !transform.any_param
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @f() { return }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{has options that cannot be listed: affine_set<(d0) : (d0 - 2 >= 0)>; give an array, or for example #tonno.pow2<16 to 256>}}
    %b = transform.tune.knob<"bounded"> options = affine_set<(d0) : (d0 - 2 >= 0)> -> !transform.any_param
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @f() { return }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    // expected-error @+1 {{has selected 3, which is not an option; its options are: pow2<1 to 8>}}
    %b = transform.tune.knob<"b"> = 3 from options = #tonno.pow2<1 to 8> -> !transform.param<i64>
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @f() { return }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %b = transform.tune.knob<"b"> options = [1, 0] -> !transform.param<i64>
    // expected-error @+1 {{column 3: `(8 mod b)` divides by zero where b = 0; put a condition in front that excludes it}}
    transform.smt.constrain_params(%b) : (!transform.param<i64>) -> () {
    ^bb0(%v: !smt.int):
      %c8 = smt.int.constant 8
      %c0 = smt.int.constant 0
      %r = smt.int.mod %c8, %v
      %ok = smt.eq %r, %c0 : !smt.int
      smt.assert %ok
    }
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @f() { return }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %b = transform.tune.knob<"b"> options = [1, 2] -> !transform.param<i64>
    transform.smt.constrain_params(%b) : (!transform.param<i64>) -> () {
    ^bb0(%v: !smt.int):
      // expected-error @+1 {{cannot be written as a constraint over knobs; only integers, booleans and their operations can}}
      %f = smt.declare_fun : !smt.int
      %ok = smt.eq %f, %v : !smt.int
      smt.assert %ok
    }
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func @f() { return }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %k = transform.tune.knob<"k"> options = [1, 2] -> !transform.param<i64>
    %n = transform.num_associations %root : (!transform.any_op) -> !transform.param<i64>
    // expected-error @+1 {{an operand comes from 'transform.num_associations', not from a transform.tune.knob}}
    transform.smt.constrain_params(%n) : (!transform.param<i64>) -> () {
    ^bb0(%v: !smt.int):
      %c0 = smt.int.constant 0
      %ok = smt.int.cmp gt %v, %c0
      smt.assert %ok
    }
    transform.yield
  }
}

// -----

// expected-error @+1 {{'tonno.schedule' names @nowhere, which is not a transform.named_sequence with a body in this module}}
func.func @f() attributes {tonno.schedule = @nowhere, x.k = #tonno.knob<"k" from [1]>} { return }

// -----

// expected-error @+1 {{constraint "BX > 1": column 1: there is no knob BX; the knobs are: BM}}
func.func @f() attributes {tonno.constraints = [#tonno.constraint<"BX > 1">], x.k = #tonno.knob<"BM" from [1, 2]>} { return }

// -----

// expected-error @+1 {{the defaults {"BM":1,"BN":1} break constraint "BM + BN > 2"; a legal configuration is {"BM":1,"BN":2}}}
func.func @f() attributes {tonno.constraints = [#tonno.constraint<"BM + BN > 2">],
    x.k = [#tonno.knob<"BM" from [1, 2] default 1>, #tonno.knob<"BN" from [1, 2] default 1>]} { return }

// -----

// expected-error @+1 {{no configuration satisfies the constraints; the default {"BM":1} breaks "BM > 2"}}
func.func @f() attributes {tonno.constraints = [#tonno.constraint<"BM > 2">],
    x.k = #tonno.knob<"BM" from [1, 2]>} { return }

// -----

// expected-note @+1 {{here it has selected 1}}
func.func @f() attributes {x.k = #tonno.knob<"BM" = 1 from [1, 2]>} {
  // expected-error @+1 {{knob "BM" has selected 2, but knobs of one name are one variable}}
  return {x.k = #tonno.knob<"BM" = 2 from [1, 2]>}
}
