#INTERLEAVE = #tonno.knob<"INTERLEAVE" = 8 from [1, 2, 4, 8]>
#WIDTH = #tonno.knob<"WIDTH" = 16 from [1, 4, 8, 16] default 4>
module {
  func.func @row_sums(%arg0: tensor<256x4096xf32>) -> tensor<256xf32> attributes {knobs = [#WIDTH, #INTERLEAVE], tonno.tuned = {artifact = "c7904cc4789546ece18de51e8ced08106294dd434c803fdbb06bd264f0db8c7c", baseline_ns = 542482 : i64, chip = "znver3", device = "AMD EPYC", key = "6753ce612a341410013d9cdcc34b6cf4ce6a59bc54e09c7fc66bb4d468e2593f", median_ns = 483337 : i64, speedup = [1.0893429623404731, 1.1563948529225498], trials = 2 : i64, verdict = "faster", versions = "Debian clang version 14.0.6, tonno 0.1.0, LLVM 22.1.8"}} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<256xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<256xf32>) -> tensor<256xf32>
    %reduced = linalg.reduce { arith.addf } ins(%arg0 : tensor<256x4096xf32>) outs(%1 : tensor<256xf32>) dimensions = [1] 
    return %reduced : tensor<256xf32>
  }
}

