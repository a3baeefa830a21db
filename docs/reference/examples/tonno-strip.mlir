// tonno-opt --tonno-strip
module attributes {tonno.constraints = [], x.k = #tonno.knob<"BM" from [32, 64]>} {
  func.func @f(%a: memref<4xf32, #tonno.knob<"space" = 3 from [1, 3]>>)
      attributes {tonno.tuned = {verdict = "tie", trials = 3}} {
    return {tonno.lowering_config = {workgroup = [#tonno.knob<"BM" from [32, 64] default 64>, 0]},
            x.a = 1, tonno.knobs = {x.a = #tonno.knob<"a" from [1]>}}
  }
}
