// tonno-opt --gpu-kernel-outlining --tonno-record-launches
func.func @scale(%x: memref<256xf32>) attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<256xf32>}]} {
  %one = arith.constant 1 : index
  %n = arith.constant 256 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%tx, %ty, %tz) in (%nx = %n, %ny = %one, %nz = %one) {
    %v = memref.load %x[%tx] : memref<256xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %x[%tx] : memref<256xf32>
    gpu.terminator
  }
  return
}
