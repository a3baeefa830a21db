// tonno-opt --tonno-extract -o /dev/null
#BM = #tonno.knob<"BM" from [32, 64] default 64>
func.func @f() attributes {tonno.constraints = [#tonno.constraint<"BM >= 32">]} {
  return {tonno.lowering_config = {workgroup = [#BM, 0]}}
}
