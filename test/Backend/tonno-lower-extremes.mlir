// RUN: tonno-opt %s --tonno-lower-extremes | FileCheck %s
// RUN: tonno-opt %s --tonno-lower-extremes=widen-bf16 --tonno-round-each-op | FileCheck %s --check-prefix=BF16

// One comparison, with the constant first: where `%x` is NaN it is false.
// CHECK-LABEL: func.func @constant(
// CHECK-SAME: %[[X:.+]]: vector<16xf32>
// CHECK:      %[[ONE:.+]] = arith.constant dense<1.0
// CHECK:      %[[LESS:.+]] = arith.cmpf olt, %[[ONE]], %[[X]]
// CHECK-NEXT: %[[R:.+]] = arith.select %[[LESS]], %[[ONE]], %[[X]]
// CHECK-NEXT: return %[[R]]
func.func @constant(%x: vector<16xf32>) -> vector<16xf32> {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %r = arith.minimumf %one, %x : vector<16xf32>
  return %r : vector<16xf32>
}

// Which of two zeros it is may matter, and f16 has no such instruction.
// CHECK-LABEL: func.func @kept(
// CHECK: arith.maximumf
// CHECK: arith.maximumf
// CHECK: arith.maximumf {{.*}} : f16
func.func @kept(%x: f32, %y: f32, %z: f16) -> (f32, f32, f16) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f16
  %a = arith.maximumf %x, %zero : f32
  %b = arith.maximumf %x, %y : f32
  %c = arith.maximumf %z, %one : f16
  return %a, %b, %c : f32, f32, f16
}

// Only the second comparison waits for what the loop has found.
// CHECK-LABEL: func.func @loop(
// CHECK:      scf.for {{.*}} iter_args(%[[FOUND:.+]] =
// CHECK-NEXT:   %[[X:.+]] = vector.load
// CHECK-NEXT:   %[[NAN:.+]] = arith.cmpf uno, %[[X]], %[[X]]
// CHECK-NEXT:   %[[MORE:.+]] = arith.cmpf ogt, %[[X]], %[[FOUND]]
// CHECK-NEXT:   %[[BEST:.+]] = arith.select %[[MORE]], %[[X]], %[[FOUND]]
// CHECK-NEXT:   %[[R:.+]] = arith.select %[[NAN]], %[[X]], %[[BEST]]
// CHECK-NEXT:   scf.yield %[[R]]
func.func @loop(%m: memref<64xf32>, %first: vector<16xf32>) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %r = scf.for %i = %c0 to %c64 step %c16 iter_args(%found = %first) -> (vector<16xf32>) {
    %x = vector.load %m[%i] : memref<64xf32>, vector<16xf32>
    %s = arith.maximumf %found, %x fastmath<nsz> : vector<16xf32>
    scf.yield %s : vector<16xf32>
  }
  return %r : vector<16xf32>
}

// CHECK-LABEL: func.func @reduction(
// CHECK-SAME: %[[X:.+]]: vector<16xf32>
// CHECK-DAG:  %[[NAN:.+]] = arith.constant 0x7FC00000 : f32
// CHECK-DAG:  %[[ARE:.+]] = arith.cmpf uno, %[[X]], %[[X]]
// CHECK-DAG:  %[[IS:.+]] = vector.reduction <or>, %[[ARE]]
// CHECK-DAG:  %[[BEST:.+]] = vector.reduction <maximumf>, %[[X]] fastmath<nnan,nsz>
// CHECK:      arith.select %[[IS]], %[[NAN]], %[[BEST]]
func.func @reduction(%x: vector<16xf32>) -> f32 {
  %r = vector.reduction <maximumf>, %x fastmath<nsz> : vector<16xf32> into f32
  return %r : f32
}

// Between two extremes of bf16, nothing is rounded. Their result needs no
// rounding either, so `tonno-round-each-op` keeps the flag.
// BF16-LABEL: func.func @clamp(
// BF16-SAME:  %[[X:.+]]: vector<16xbf16>
// BF16:       %[[WIDE:.+]] = arith.extf %[[X]] fastmath<contract> : vector<16xbf16> to vector<16xf32>
// BF16-NEXT:  arith.cmpf
// BF16-NEXT:  %[[LEAST:.+]] = arith.select
// BF16-NEXT:  arith.cmpf
// BF16-NEXT:  %[[MOST:.+]] = arith.select
// BF16-NEXT:  %[[R:.+]] = arith.truncf %[[MOST]] fastmath<contract> : vector<16xf32> to vector<16xbf16>
// BF16-NEXT:  return %[[R]]
// CHECK-LABEL: func.func @clamp(
// CHECK: arith.maximumf {{.*}} : vector<16xbf16>
func.func @clamp(%x: vector<16xbf16>) -> vector<16xbf16> {
  %one = arith.constant dense<1.0> : vector<16xbf16>
  %six = arith.constant dense<6.0> : vector<16xbf16>
  %a = arith.maximumf %x, %one : vector<16xbf16>
  %b = arith.minimumf %a, %six : vector<16xbf16>
  return %b : vector<16xbf16>
}

// BF16-LABEL: func.func @largest(
// BF16-SAME:  %[[X:.+]]: vector<16xbf16>
// BF16:       %[[WIDE:.+]] = arith.extf %[[X]] fastmath<contract> : vector<16xbf16> to vector<16xf32>
// BF16:       vector.reduction <maximumf>, %[[WIDE]] fastmath<nnan> : vector<16xf32> into f32
// BF16:       arith.truncf {{.*}} : f32 to bf16
func.func @largest(%x: vector<16xbf16>) -> bf16 {
  %r = vector.reduction <maximumf>, %x : vector<16xbf16> into bf16
  return %r : bf16
}

// Each extreme reads the one before twice. That takes no 2^40 steps.
// BF16-LABEL: func.func @chain(
// BF16:       arith.truncf {{.*}} fastmath<contract>
func.func @chain(%x: vector<16xbf16>, %y: vector<16xbf16>) -> vector<16xbf16> {
  %1 = arith.maximumf %x, %y fastmath<nsz> : vector<16xbf16>
  %2 = arith.maximumf %1, %x fastmath<nsz> : vector<16xbf16>
  %3 = arith.maximumf %2, %x fastmath<nsz> : vector<16xbf16>
  %4 = arith.maximumf %3, %x fastmath<nsz> : vector<16xbf16>
  %5 = arith.maximumf %4, %x fastmath<nsz> : vector<16xbf16>
  %6 = arith.maximumf %5, %x fastmath<nsz> : vector<16xbf16>
  %7 = arith.maximumf %6, %x fastmath<nsz> : vector<16xbf16>
  %8 = arith.maximumf %7, %x fastmath<nsz> : vector<16xbf16>
  %9 = arith.maximumf %8, %x fastmath<nsz> : vector<16xbf16>
  %10 = arith.maximumf %9, %x fastmath<nsz> : vector<16xbf16>
  %11 = arith.maximumf %10, %x fastmath<nsz> : vector<16xbf16>
  %12 = arith.maximumf %11, %x fastmath<nsz> : vector<16xbf16>
  %13 = arith.maximumf %12, %x fastmath<nsz> : vector<16xbf16>
  %14 = arith.maximumf %13, %x fastmath<nsz> : vector<16xbf16>
  %15 = arith.maximumf %14, %x fastmath<nsz> : vector<16xbf16>
  %16 = arith.maximumf %15, %x fastmath<nsz> : vector<16xbf16>
  %17 = arith.maximumf %16, %x fastmath<nsz> : vector<16xbf16>
  %18 = arith.maximumf %17, %x fastmath<nsz> : vector<16xbf16>
  %19 = arith.maximumf %18, %x fastmath<nsz> : vector<16xbf16>
  %20 = arith.maximumf %19, %x fastmath<nsz> : vector<16xbf16>
  %21 = arith.maximumf %20, %x fastmath<nsz> : vector<16xbf16>
  %22 = arith.maximumf %21, %x fastmath<nsz> : vector<16xbf16>
  %23 = arith.maximumf %22, %x fastmath<nsz> : vector<16xbf16>
  %24 = arith.maximumf %23, %x fastmath<nsz> : vector<16xbf16>
  %25 = arith.maximumf %24, %x fastmath<nsz> : vector<16xbf16>
  %26 = arith.maximumf %25, %x fastmath<nsz> : vector<16xbf16>
  %27 = arith.maximumf %26, %x fastmath<nsz> : vector<16xbf16>
  %28 = arith.maximumf %27, %x fastmath<nsz> : vector<16xbf16>
  %29 = arith.maximumf %28, %x fastmath<nsz> : vector<16xbf16>
  %30 = arith.maximumf %29, %x fastmath<nsz> : vector<16xbf16>
  %31 = arith.maximumf %30, %x fastmath<nsz> : vector<16xbf16>
  %32 = arith.maximumf %31, %x fastmath<nsz> : vector<16xbf16>
  %33 = arith.maximumf %32, %x fastmath<nsz> : vector<16xbf16>
  %34 = arith.maximumf %33, %x fastmath<nsz> : vector<16xbf16>
  %35 = arith.maximumf %34, %x fastmath<nsz> : vector<16xbf16>
  %36 = arith.maximumf %35, %x fastmath<nsz> : vector<16xbf16>
  %37 = arith.maximumf %36, %x fastmath<nsz> : vector<16xbf16>
  %38 = arith.maximumf %37, %x fastmath<nsz> : vector<16xbf16>
  %39 = arith.maximumf %38, %x fastmath<nsz> : vector<16xbf16>
  %40 = arith.maximumf %39, %x fastmath<nsz> : vector<16xbf16>
  return %40 : vector<16xbf16>
}
