// tonno-opt --pass-pipeline='builtin.module(gpu.module(tonno-convert-nvgpu))'
gpu.module @m {
  func.func @f(%m: memref<16x16xf16, #gpu.address_space<workgroup>>, %i: index) -> vector<4x2xf16> {
    %0 = nvgpu.ldmatrix %m[%i, %i] {numTiles = 4 : i32, transpose = false} : memref<16x16xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
    return %0 : vector<4x2xf16>
  }
}
