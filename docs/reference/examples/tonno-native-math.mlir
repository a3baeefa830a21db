// tonno-opt --pass-pipeline='builtin.module(gpu.module(tonno-native-math))'
gpu.module @m {
  func.func @f(%x: f32) -> f32 {
    %a = math.rsqrt %x : f32
    return %a : f32
  }
}
