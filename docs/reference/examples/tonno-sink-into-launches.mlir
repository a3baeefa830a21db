// tonno-opt --tonno-sink-into-launches
func.func @sunk(%in: memref<8xf32>, %out: memref<8xf32>) {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %value = memref.load %in[%two] : memref<8xf32>
  %sum = arith.addf %value, %value : f32
  %view = memref.subview %out[2] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%tx, %ty, %tz) in (%nx = %two, %ny = %one, %nz = %one) {
    memref.store %sum, %view[%tx] : memref<4xf32, strided<[1], offset: 2>>
    gpu.terminator
  }
  return
}
