// tonno-opt --tonno-apply="set=BM=64"
#BM = #tonno.knob<"BM" from [32, 64]>
#BN = #tonno.knob<"BN" from [16, 32] default 32>
func.func @f() {
  return {tonno.lowering_config = {workgroup = [#BM, #BN]}}
}
