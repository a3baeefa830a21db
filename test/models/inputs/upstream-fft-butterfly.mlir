// expect: verified
// Complex numbers inside of a kernel whose buffers are real.
func.func @butterfly(%re: memref<2x32xf32>, %im: memref<2x32xf32>, %angle: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  affine.for %i = 0 to 32 {
    %a = affine.load %re[0, %i] : memref<2x32xf32>
    %b = affine.load %im[0, %i] : memref<2x32xf32>
    %c = affine.load %re[1, %i] : memref<2x32xf32>
    %d = affine.load %im[1, %i] : memref<2x32xf32>
    %t = affine.load %angle[%i] : memref<32xf32>
    %cos = math.cos %t : f32
    %sin = math.sin %t : f32
    %x = complex.create %a, %b : complex<f32>
    %y = complex.create %c, %d : complex<f32>
    %w = complex.create %cos, %sin : complex<f32>
    %p = complex.mul %y, %w : complex<f32>
    %s = complex.add %x, %p : complex<f32>
    %m = complex.sub %x, %p : complex<f32>
    %sr = complex.re %s : complex<f32>
    %si = complex.im %s : complex<f32>
    %mr = complex.re %m : complex<f32>
    %mi = complex.im %m : complex<f32>
    affine.store %sr, %re[0, %i] : memref<2x32xf32>
    affine.store %si, %im[0, %i] : memref<2x32xf32>
    affine.store %mr, %re[1, %i] : memref<2x32xf32>
    affine.store %mi, %im[1, %i] : memref<2x32xf32>
  }
  return
}
