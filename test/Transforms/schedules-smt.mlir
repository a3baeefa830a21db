// Every operation of SMT over integers and booleans as a constraint, and what a
// schedule computes by it: a parameter that is known once the knobs are.

// RUN: tonno-opt %s --tonno-extract -o /dev/null | FileCheck %s --check-prefix=SPACE
// RUN: tonno-opt %s --tonno-apply='set=a=7,b=2,p=true' | FileCheck %s --check-prefix=APPLY --implicit-check-not=smt.
// RUN: not tonno-opt %s --tonno-apply='set=a=7,b=2,p=false' 2>&1 | FileCheck %s --check-prefix=ILLEGAL

// SPACE: "constraints": [
// SPACE-NEXT: "(not p or (((a == b)) or ((b != 0))))",
// SPACE-NEXT: "(p != (a <= 3))",
// SPACE-NEXT: "((a != b) and (a != 12) and (b != 12))",
// SPACE-NEXT: "(((((a - (a mod b)) floordiv b) >= (if (a - b) < 0 then -(a - b) else (a - b))) == (if p then false else true)))"

// ILLEGAL: error: the constraint `{{.*}}` does not hold where a = 7

module attributes {transform.with_named_sequence} {
  func.func @f(%m: tensor<4xf32>) { return }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %a = transform.tune.knob<"a"> options = [7, 3] -> !transform.param<i64>
    %b = transform.tune.knob<"b"> options = [2, -2] -> !transform.param<i64>
    %p = transform.tune.knob<"p"> options = [true, false] -> !transform.any_param
    %q, %r, %flag = transform.smt.constrain_params(%a, %b, %p)
        : (!transform.param<i64>, !transform.param<i64>, !transform.any_param) -> (!transform.param<i64>, !transform.param<i64>, !transform.any_param) {
    ^bb0(%va: !smt.int, %vb: !smt.int, %vp: !smt.bool):
      %c0 = smt.int.constant 0
      %c3 = smt.int.constant 3
      %c12 = smt.int.constant 12
      %eq = smt.eq %va, %vb : !smt.int
      %ne = smt.distinct %vb, %c0 : !smt.int
      %either = smt.or %eq, %ne
      %implied = smt.implies %vp, %either
      smt.assert %implied
      %small = smt.int.cmp le %va, %c3
      %one = smt.xor %vp, %small
      smt.assert %one
      %distinct = smt.distinct %va, %vb, %c12 : !smt.int
      smt.assert %distinct
      %quotient = smt.int.div %va, %vb
      %difference = smt.int.sub %va, %vb
      %magnitude = smt.int.abs %difference
      %large = smt.int.cmp ge %quotient, %magnitude
      %false = smt.constant false
      %true = smt.constant true
      %other = smt.ite %vp, %false, %true : !smt.bool
      %same = smt.eq %large, %other : !smt.bool
      smt.assert %same
      %rest = smt.int.mod %va, %vb
      smt.yield %quotient, %rest, %vp : !smt.int, !smt.int, !smt.bool
    }
    // APPLY-DAG: transform.param.constant 3 : i64 -> !transform.param<i64>
    // APPLY-DAG: transform.param.constant 1 : i64 -> !transform.param<i64>
    // APPLY: transform.debug.emit_param_as_remark
    transform.debug.emit_param_as_remark %q : !transform.param<i64>
    transform.debug.emit_param_as_remark %r : !transform.param<i64>
    transform.debug.emit_param_as_remark %flag : !transform.any_param
    transform.yield
  }
}
