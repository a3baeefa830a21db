// RUN: tonno-opt %s --tonno-lower-vectors | FileCheck %s
// RUN: tonno-opt %s --tonno-lower-vectors=dots-bf16 | FileCheck %s --check-prefix=DOTS

// CHECK-LABEL: func.func @product(
// CHECK-NOT: vector.contract
// CHECK-NOT: vector.outerproduct
// CHECK-COUNT-2: vector.fma {{.*}} : vector<16xf32>
// CHECK-NOT: vector.fma
func.func @product(%a: vector<2x1xf32>, %b: vector<1x16xf32>, %c: vector<2x16xf32>) -> vector<2x16xf32> {
  %r = vector.contract {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
  } %a, %b, %c : vector<2x1xf32>, vector<1x16xf32> into vector<2x16xf32>
  return %r : vector<2x16xf32>
}

// CHECK-LABEL: func.func @rows(
// CHECK-COUNT-2: vector.load {{.*}} vector<16xf32>
func.func @rows(%m: memref<2x16xf32>) -> vector<2x16xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<2x16xf32>, vector<2x16xf32>
  return %r : vector<2x16xf32>
}

// A masked read of two dimensions, with what is outside as it says.
// CHECK-LABEL: func.func @masked(
// CHECK-NOT: vector.mask {{.*}}{
// CHECK: vector.maskedload
func.func @masked(%m: memref<10x20xf32>) -> vector<16x32xf32> {
  %c0 = arith.constant 0 : index
  %c10 = arith.constant 10 : index
  %c20 = arith.constant 20 : index
  %z = arith.constant 0.0 : f32
  %mask = vector.create_mask %c10, %c20 : vector<16x32xi1>
  %r = vector.mask %mask { vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<10x20xf32>, vector<16x32xf32> } : vector<16x32xi1> -> vector<16x32xf32>
  return %r : vector<16x32xf32>
}

// CHECK-LABEL: func.func @gathered(
// CHECK-COUNT-2: vector.gather {{.*}} vector<8xf32>
func.func @gathered(%m: memref<100xf32>, %i: vector<2x8xi32>, %mask: vector<2x8xi1>, %pass: vector<2x8xf32>) -> vector<2x8xf32> {
  %c0 = arith.constant 0 : index
  %r = vector.gather %m[%c0][%i], %mask, %pass : memref<100xf32>, vector<2x8xi32>, vector<2x8xi1>, vector<2x8xf32> into vector<2x8xf32>
  return %r : vector<2x8xf32>
}

// CHECK-LABEL: func.func @transposed(
// CHECK-NOT: affine_map
// CHECK-COUNT-4: vector.load {{.*}} vector<8xf32>
func.func @transposed(%m: memref<4x8xf32>) -> vector<8x4xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true], permutation_map = affine_map<(i, j) -> (j, i)>} : memref<4x8xf32>, vector<8x4xf32>
  return %r : vector<8x4xf32>
}

// A batch of products of half precision, summed in single.
// CHECK-LABEL: func.func @mixed_batch(
// CHECK-NOT: vector.contract
// CHECK-DAG: arith.extf {{.*}} : vector<2x1x1xf16> to vector<2x1x1xf32>
// CHECK-DAG: arith.extf {{.*}} : vector<2x1x16xf16> to vector<2x1x16xf32>
// CHECK-COUNT-2: vector.fma {{.*}} : vector<16xf32>
func.func @mixed_batch(%a: vector<2x1x1xf16>, %b: vector<2x1x16xf16>, %c: vector<2x1x16xf32>) -> vector<2x1x16xf32> {
  %r = vector.contract {
    indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"], kind = #vector.kind<add>
  } %a, %b, %c : vector<2x1x1xf16>, vector<2x1x16xf16> into vector<2x1x16xf32>
  return %r : vector<2x1x16xf32>
}

// Integers keep their sign.
// CHECK-LABEL: func.func @mixed_integers(
// CHECK-COUNT-2: arith.extsi {{.*}} to vector<{{.*}}xi32>
func.func @mixed_integers(%a: vector<2x1x1xi8>, %b: vector<2x1x16xi8>, %c: vector<2x1x16xi32>) -> vector<2x1x16xi32> {
  %r = vector.contract {
    indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"], kind = #vector.kind<add>
  } %a, %b, %c : vector<2x1x1xi8>, vector<2x1x16xi8> into vector<2x1x16xi32>
  return %r : vector<2x1x16xi32>
}

// What is summed up along rows is so row by row; across rows, row upon row.
// CHECK-LABEL: func.func @row_sums(
// CHECK-NOT: vector.shuffle
// CHECK-COUNT-2: vector.reduction <add>, {{.*}} : vector<16xf32> into f32
// CHECK-NOT: vector.reduction
func.func @row_sums(%a: vector<2x16xf32>, %sums: vector<2xf32>) -> vector<2xf32> {
  %r = vector.multi_reduction <add>, %a, %sums [1] : vector<2x16xf32> to vector<2xf32>
  return %r : vector<2xf32>
}

// CHECK-LABEL: func.func @column_sums(
// CHECK-NOT: vector.reduction
// CHECK-COUNT-2: arith.addf {{.*}} : vector<16xf32>
// CHECK-NOT: vector.reduction
func.func @column_sums(%a: vector<2x16xf32>, %sums: vector<16xf32>) -> vector<16xf32> {
  %r = vector.multi_reduction <add>, %a, %sums [0] : vector<2x16xf32> to vector<16xf32>
  return %r : vector<16xf32>
}

// CHECK-LABEL: func.func @row_maxima(
// CHECK-COUNT-2: vector.reduction <maximumf>, {{.*}} fastmath<nsz> : vector<16xf32> into f32
func.func @row_maxima(%a: vector<2x16xf32>, %most: vector<2xf32>) -> vector<2xf32> {
  %r = vector.multi_reduction <maximumf>, %a, %most [1] : vector<2x16xf32> to vector<2xf32>
  return %r : vector<2xf32>
}

// Two steps side by side: each pair of a row by those of all columns, products
// added in pairs. All columns are read at once.
#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (n, k)>
#sums = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: func.func @pairs(
// CHECK-COUNT-2: vector.load {{.*}}, vector<2xi8>
// CHECK: vector.load {{.*}}, vector<32xi16>
// CHECK: vector.shuffle {{.*}} [0, 1, 0, 1, {{.*}}, 0, 1] : vector<2xi16>, vector<2xi16>
// CHECK: %[[PRODUCTS:.+]] = arith.muli {{.*}} : vector<32xi32>
// CHECK: %[[EVEN:.+]], %[[ODD:.+]] = vector.deinterleave %[[PRODUCTS]] : vector<32xi32> -> vector<16xi32>
// CHECK: arith.addi %[[EVEN]], %[[ODD]] : vector<16xi32>
// CHECK: vector.deinterleave
// CHECK-NOT: vector.deinterleave
// CHECK-NOT: vector.outerproduct
func.func @pairs(%a: memref<2x2xi8>, %b: memref<16x2xi16>, %sums: vector<2x16xi32>) -> vector<2x16xi32> {
  %i = arith.constant 0 : index
  %z8 = arith.constant 0 : i8
  %z16 = arith.constant 0 : i16
  %x = vector.transfer_read %a[%i, %i], %z8 {in_bounds = [true, true]} : memref<2x2xi8>, vector<2x2xi8>
  %y = vector.transfer_read %b[%i, %i], %z16 {in_bounds = [true, true]} : memref<16x2xi16>, vector<16x2xi16>
  %xw = arith.extsi %x : vector<2x2xi8> to vector<2x2xi32>
  %yw = arith.extsi %y : vector<16x2xi16> to vector<16x2xi32>
  %r = vector.contract {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %xw, %yw, %sums : vector<2x2xi32>, vector<16x2xi32> into vector<2x16xi32>
  return %r : vector<2x16xi32>
}

// They are written so, too.
// CHECK-LABEL: func.func @write_pairs(
// CHECK: vector.store {{.*}}, vector<32xi16>
// CHECK-NOT: vector.store
func.func @write_pairs(%b: memref<16x2xi16>, %y: vector<2x16xi16>) {
  %i = arith.constant 0 : index
  %t = vector.transpose %y, [1, 0] : vector<2x16xi16> to vector<16x2xi16>
  vector.transfer_write %t, %b[%i, %i] {in_bounds = [true, true]} : vector<16x2xi16>, memref<16x2xi16>
  return
}

// With the instruction for it, those of bf16; without, as ever.
// CHECK-LABEL: func.func @bf16_pairs(
// CHECK-NOT: llvm.call_intrinsic
// CHECK: vector.fma
// DOTS-LABEL: func.func @bf16_pairs(
// DOTS-COUNT-4: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"({{.*}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
// DOTS-NOT: vector.fma
// DOTS: return
func.func @bf16_pairs(%x: vector<2x2xbf16>, %y: vector<32x2xbf16>, %sums: vector<2x32xf32>) -> vector<2x32xf32> {
  %xw = arith.extf %x : vector<2x2xbf16> to vector<2x2xf32>
  %yw = arith.extf %y : vector<32x2xbf16> to vector<32x2xf32>
  %r = vector.contract {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %xw, %yw, %sums : vector<2x2xf32>, vector<32x2xf32> into vector<2x32xf32>
  return %r : vector<2x32xf32>
}

// Columns may be those of the first operand.
// DOTS-LABEL: func.func @columns_first(
// DOTS: vector.extract %arg1[1] : vector<2xbf16> from vector<2x2xbf16>
// DOTS: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.256"
func.func @columns_first(%y: vector<8x2xbf16>, %x: vector<2x2xbf16>, %sums: vector<2x8xf32>) -> vector<2x8xf32> {
  %xw = arith.extf %x : vector<2x2xbf16> to vector<2x2xf32>
  %yw = arith.extf %y : vector<8x2xbf16> to vector<8x2xf32>
  %r = vector.contract {indexing_maps = [#columns, #rows, #sums], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %yw, %xw, %sums : vector<8x2xf32>, vector<2x2xf32> into vector<2x8xf32>
  return %r : vector<2x8xf32>
}

// Neither what would not hold a sign, nor sums of another type or kind, nor f32.
// CHECK-LABEL: func.func @no_pairs(
// CHECK-NOT: vector.deinterleave
// DOTS-LABEL: func.func @no_pairs(
// DOTS-NOT: llvm.call_intrinsic
// DOTS: return
func.func @no_pairs(%x: vector<2x2xi16>, %y: vector<16x2xi16>, %u: vector<2x2xbf16>, %v: vector<12x2xbf16>,
                    %s: vector<2x16xi32>, %l: vector<2x16xi64>, %t: vector<2x12xf32>) -> (vector<2x16xi32>, vector<2x16xi64>, vector<2x16xi32>, vector<2x12xf32>) {
  %xu = arith.extui %x : vector<2x2xi16> to vector<2x2xi32>
  %yw = arith.extsi %y : vector<16x2xi16> to vector<16x2xi32>
  %r = vector.contract {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %xu, %yw, %s : vector<2x2xi32>, vector<16x2xi32> into vector<2x16xi32>
  %xl = arith.extsi %x : vector<2x2xi16> to vector<2x2xi64>
  %yl = arith.extsi %y : vector<16x2xi16> to vector<16x2xi64>
  %q = vector.contract {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %xl, %yl, %l : vector<2x2xi64>, vector<16x2xi64> into vector<2x16xi64>
  %xw = arith.extsi %x : vector<2x2xi16> to vector<2x2xi32>
  %p = vector.contract {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<maxsi>}
    %xw, %yw, %s : vector<2x2xi32>, vector<16x2xi32> into vector<2x16xi32>
  %uw = arith.extf %u : vector<2x2xbf16> to vector<2x2xf32>
  %vw = arith.extf %v : vector<12x2xbf16> to vector<12x2xf32>
  %o = vector.contract {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %uw, %vw, %t : vector<2x2xf32>, vector<12x2xf32> into vector<2x12xf32>
  return %r, %q, %p, %o : vector<2x16xi32>, vector<2x16xi64>, vector<2x16xi32>, vector<2x12xf32>
}

// Squares of words by shuffles of two rows; other elements and sizes as one.
// CHECK-LABEL: func.func @square(
// CHECK-NOT: vector<256xf32>
// CHECK-COUNT-64: vector.shuffle {{.*}} : vector<16xf32>, vector<16xf32>
// CHECK-NOT: vector.shuffle
func.func @square(%a: vector<16x16xf32>) -> vector<16x16xf32> {
  %r = vector.transpose %a, [1, 0] : vector<16x16xf32> to vector<16x16xf32>
  return %r : vector<16x16xf32>
}

// CHECK-LABEL: func.func @wide_square(
// CHECK-COUNT-1: vector.shuffle {{.*}} : vector<256xf64>, vector<256xf64>
// CHECK-NOT: vector.shuffle
func.func @wide_square(%a: vector<16x16xf64>) -> vector<16x16xf64> {
  %r = vector.transpose %a, [1, 0] : vector<16x16xf64> to vector<16x16xf64>
  return %r : vector<16x16xf64>
}

// CHECK-LABEL: func.func @rectangle(
// CHECK-COUNT-1: vector.shuffle {{.*}} : vector<128xf32>, vector<128xf32>
// CHECK-NOT: vector.shuffle
func.func @rectangle(%a: vector<8x16xf32>) -> vector<16x8xf32> {
  %r = vector.transpose %a, [1, 0] : vector<8x16xf32> to vector<16x8xf32>
  return %r : vector<16x8xf32>
}

// Indices, whose width is the target's, are neither squares of words nor narrow pairs.
// CHECK-LABEL: func.func @indices(
// CHECK-COUNT-1: vector.shuffle {{.*}} : vector<256xindex>, vector<256xindex>
// CHECK-COUNT-4: vector.store {{.*}}, vector<2xindex>
// CHECK-NOT: vector.store
func.func @indices(%a: vector<16x16xindex>, %pairs: vector<4x2xindex>, %m: memref<4x2xindex>) -> vector<16x16xindex> {
  %i = arith.constant 0 : index
  %r = vector.transpose %a, [1, 0] : vector<16x16xindex> to vector<16x16xindex>
  vector.transfer_write %pairs, %m[%i, %i] {in_bounds = [true, true]} : vector<4x2xindex>, memref<4x2xindex>
  return %r : vector<16x16xindex>
}

// What upstream lowers by rows only; sums are for any rank.
// CHECK-LABEL: func.func @by_rows(
// CHECK-COUNT-2: math.ctlz {{.*}} : vector<16xi32>
// CHECK-COUNT-2: math.cttz {{.*}} : vector<16xi32>
// CHECK-COUNT-2: math.absi {{.*}} : vector<16xi32>
// CHECK-COUNT-2: arith.mulsi_extended {{.*}} : vector<16xi32>
// CHECK-COUNT-2: arith.mului_extended {{.*}} : vector<16xi32>
// CHECK-COUNT-2: arith.addui_extended {{.*}} : vector<16xi32>, vector<16xi1>
// CHECK: arith.addi {{.*}} : vector<2x1x16xi32>
func.func @by_rows(%a: vector<2x1x16xi32>) -> (vector<2x1x16xi1>, vector<2x1x16xi32>) {
  %b = math.ctlz %a : vector<2x1x16xi32>
  %c = math.cttz %b : vector<2x1x16xi32>
  %d = math.absi %c : vector<2x1x16xi32>
  %e, %f = arith.mulsi_extended %d, %d : vector<2x1x16xi32>
  %g, %h = arith.mului_extended %e, %f : vector<2x1x16xi32>
  %i, %j = arith.addui_extended %g, %h : vector<2x1x16xi32>, vector<2x1x16xi1>
  %k = arith.addi %i, %i : vector<2x1x16xi32>
  return %j, %k : vector<2x1x16xi1>, vector<2x1x16xi32>
}

// Outer products, whichever of the factors has the rows.
#second = affine_map<(m, n, k) -> (k, n)>
#first = affine_map<(m, n, k) -> (m, k)>
#result = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: func.func @rows_second(
// CHECK-NOT: vector.reduction
// CHECK-COUNT-2: vector.fma {{.*}} : vector<16xf32>
// CHECK-NOT: vector.reduction
// CHECK: return
func.func @rows_second(%x: vector<1x16xf32>, %w: vector<2x1xf32>, %sums: vector<2x16xf32>) -> vector<2x16xf32> {
  %r = vector.contract {indexing_maps = [#second, #first, #result], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %x, %w, %sums : vector<1x16xf32>, vector<2x1xf32> into vector<2x16xf32>
  return %r : vector<2x16xf32>
}

// Every other element, none of them behind the last.
// CHECK-LABEL: func.func @every_other(
// CHECK-DAG: %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG: %[[C7:.+]] = arith.constant 7 : index
// CHECK: %[[ROW:.+]] = memref.reinterpret_cast {{.*}}, sizes: [15], strides: [1]
// CHECK: %[[LOW:.+]] = vector.load %[[ROW]][%[[C0]]] : {{.*}}, vector<8xf32>
// CHECK: %[[HIGH:.+]] = vector.load %[[ROW]][%[[C7]]] : {{.*}}, vector<8xf32>
// CHECK: vector.shuffle %[[LOW]], %[[HIGH]] [0, 2, 4, 6, 9, 11, 13, 15]
// CHECK-NOT: memref.load
func.func @every_other(%a: memref<4x8xf32, strided<[40, 2], offset: ?>>, %i: index) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%i, %c0], %zero {in_bounds = [true]} : memref<4x8xf32, strided<[40, 2], offset: ?>>, vector<8xf32>
  return %r : vector<8xf32>
}

// Of what may end before, each element is read by itself.
// CHECK-LABEL: func.func @perhaps_less(
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @perhaps_less(%a: memref<?xf32, strided<[2]>>, %i: index) -> vector<8xf32> {
  %zero = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%i], %zero : memref<?xf32, strided<[2]>>, vector<8xf32>
  return %r : vector<8xf32>
}

// Short rows that lie side by side are written together.
// CHECK-LABEL: func.func @short_rows(
// CHECK: vector.store {{.*}}, vector<16xf32>
// CHECK-NOT: vector.store
// CHECK: return
func.func @short_rows(%v: vector<8x2xf32>, %a: memref<8x2xf32>) {
  %c0 = arith.constant 0 : index
  vector.transfer_write %v, %a[%c0, %c0] {in_bounds = [true, true]} : vector<8x2xf32>, memref<8x2xf32>
  return
}
