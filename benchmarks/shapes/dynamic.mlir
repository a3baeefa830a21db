// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @product(%a: tensor<?x512xf32> {tonno.dims = ["M", "K"]}, %b: tensor<512x512xf32>) -> tensor<?x512xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x512xf32>
  %e = tensor.empty(%m) : tensor<?x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x512xf32>) -> tensor<?x512xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x512xf32>, tensor<512x512xf32>) outs(%f : tensor<?x512xf32>) -> tensor<?x512xf32>
  return %r : tensor<?x512xf32>
}

func.func @dense(%a: tensor<?x256xf32> {tonno.dims = ["M", "K"]}, %b: tensor<256x1024xf32>, %bias: tensor<1024xf32>) -> tensor<?x1024xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x256xf32>
  %e = tensor.empty(%m) : tensor<?x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x256xf32>, tensor<256x1024xf32>) outs(%f : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<?x1024xf32>, tensor<1024xf32>) outs(%e : tensor<?x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %z = arith.constant 0.0 : f32
    %q = arith.maximumf %s, %z : f32
    linalg.yield %q : f32
  } -> tensor<?x1024xf32>
  return %r : tensor<?x1024xf32>
}

func.func @batch(%a: tensor<?x64x64xf32> {tonno.dims = ["M", "I", "K"]}, %b: tensor<?x64x64xf32>) -> tensor<?x64x64xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x64x64xf32>
  %e = tensor.empty(%m) : tensor<?x64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64x64xf32>) -> tensor<?x64x64xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<?x64x64xf32>, tensor<?x64x64xf32>) outs(%f : tensor<?x64x64xf32>) -> tensor<?x64x64xf32>
  return %r : tensor<?x64x64xf32>
}

func.func @softmax(%x: tensor<?x1024xf32> {tonno.dims = ["M", "N"]}) -> tensor<?x1024xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x1024xf32>
  %e = tensor.empty(%m) : tensor<?x1024xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x1024xf32>) outs(%e : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  return %r : tensor<?x1024xf32>
}

#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @layernorm(%x: tensor<?x768xf32> {tonno.dims = ["M", "N"]}) -> tensor<?x768xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x768xf32>
  %e = tensor.empty(%m) : tensor<?x768xf32>
  %v = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%v : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x768xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %square = linalg.generic {indexing_maps = [#rows, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : tensor<?x768xf32>, tensor<?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %t: f32, %o: f32):
    %n = arith.constant 768.0 : f32
    %mean = arith.divf %t, %n : f32
    %d = arith.subf %a, %mean : f32
    %q = arith.mulf %d, %d : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#rows, #row, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %square : tensor<?x768xf32>, tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?x768xf32>) {
  ^bb0(%a: f32, %t: f32, %q: f32, %o: f32):
    %n = arith.constant 768.0 : f32
    %eps = arith.constant 1.0e-5 : f32
    %mean = arith.divf %t, %n : f32
    %variance = arith.divf %q, %n : f32
    %positive = arith.addf %variance, %eps : f32
    %scale = math.rsqrt %positive : f32
    %d = arith.subf %a, %mean : f32
    %s = arith.mulf %d, %scale : f32
    linalg.yield %s : f32
  } -> tensor<?x768xf32>
  return %r : tensor<?x768xf32>
}

func.func @exp(%x: tensor<?x1024xf32> {tonno.dims = ["M", "N"]}) -> tensor<?x1024xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x1024xf32>
  %e = tensor.empty(%m) : tensor<?x1024xf32>
  %r = linalg.exp ins(%x : tensor<?x1024xf32>) outs(%e : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  return %r : tensor<?x1024xf32>
}

func.func @add(%x: tensor<?x1024xf32> {tonno.dims = ["M", "N"]}, %y: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x1024xf32>
  %e = tensor.empty(%m) : tensor<?x1024xf32>
  %r = linalg.add ins(%x, %y : tensor<?x1024xf32>, tensor<?x1024xf32>) outs(%e : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  return %r : tensor<?x1024xf32>
}

// Queries of any number, against 256 keys.
func.func @attention(%q: tensor<?x64xf32> {tonno.dims = ["M", "D"]}, %k: tensor<64x256xf32>, %v: tensor<256x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %q, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x256xf32>) -> tensor<?x256xf32>
  %s = linalg.matmul ins(%q, %k : tensor<?x64xf32>, tensor<64x256xf32>) outs(%f : tensor<?x256xf32>) -> tensor<?x256xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<?x256xf32>) outs(%e : tensor<?x256xf32>) -> tensor<?x256xf32>
  %o = tensor.empty(%m) : tensor<?x64xf32>
  %g = linalg.fill ins(%zero : f32) outs(%o : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = linalg.matmul ins(%p, %v : tensor<?x256xf32>, tensor<256x64xf32>) outs(%g : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
