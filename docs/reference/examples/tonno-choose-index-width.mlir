// tonno-opt --pass-pipeline='builtin.module(gpu.module(tonno-choose-index-width))'
gpu.module @m {
  gpu.func @f(%a: memref<1000x1000xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 3907, 1, 1>} {
    %c256 = arith.constant 256 : index
    %b = gpu.block_id x
    %t = gpu.thread_id x
    %p = arith.muli %b, %c256 : index
    %i = arith.addi %p, %t : index
    gpu.return
  }
}
