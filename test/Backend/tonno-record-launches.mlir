// RUN: tonno-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(gpu-kernel-outlining, tonno-record-launches)' | FileCheck %s

// Grids are expressions of sizes, and launches in branches have the sets of
// sizes that reach them.
func.func @f(%x: memref<1xf32>, %n: memref<i64>) attributes {tonno.sizes = 1 : i64} {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %most = arith.constant 100 : index
  %t = arith.constant 64 : index
  %above = arith.constant 63 : index
  %loaded = memref.load %n[] : memref<i64>
  %size = arith.index_cast %loaded : i64 to index
  %sum = arith.addi %size, %above : index
  %tiles = arith.divui %sum, %t : index
  %few = arith.cmpi slt, %size, %most : index
  %number = scf.if %few -> index {
    scf.yield %one : index
  } else {
    scf.yield %two : index
  }
  %first = arith.cmpi eq, %number, %one : index
  scf.if %first {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %tiles, %gy = %one, %gz = %one)
               threads(%tx, %ty, %tz) in (%nx = %t, %ny = %one, %nz = %one) {
      memref.prefetch %x[%tx], read, locality<3>, data : memref<1xf32>
      gpu.terminator
    }
  } else {
    %more = arith.cmpi sge, %size, %t : index
    scf.if %more {
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %size, %gy = %one, %gz = %one)
                 threads(%tx, %ty, %tz) in (%nx = %t, %ny = %one, %nz = %one) {
        memref.prefetch %x[%tx], read, locality<3>, data : memref<1xf32>
        gpu.terminator
      }
    }
  }
  return
}
// CHECK-DAG: [[TILES:#.*]] = affine_map<()[s0] -> ((s0 + 63) floordiv 64)>
// CHECK-DAG: [[ALL:#.*]] = affine_map<()[s0] -> (s0)>
// CHECK-DAG: [[FEW:#.*]] = affine_set<()[s0] : (-s0 + 99 >= 0)>
// CHECK-DAG: [[MANY:#.*]] = affine_set<()[s0] : (s0 - 100 >= 0)>
// CHECK: tonno.launches = [
// CHECK-SAME: grid = {{\[}}[[TILES]], 1, 1], shared_bytes = 0 : i64, sizes = {{\[}}[[FEW]]], symbol = "f_entry_0"
// CHECK-SAME: grid = {{\[}}[[ALL]], 1, 1], shared_bytes = 0 : i64, sizes = {{\[}}[[MANY]]], symbol = "f_entry_1"

// -----

// Each launch has the sizes that reach it, in any form of condition.
func.func @conditions(%x: memref<1xf32>, %m: memref<i64>, %n: memref<i64>) attributes {tonno.sizes = 2 : i64} {
  %true = arith.constant true
  %one = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c100 = arith.constant 100 : index
  %c17 = arith.constant 17 : i64
  %loadedM = memref.load %m[] : memref<i64>
  %loadedN = memref.load %n[] : memref<i64>
  %sizeM = arith.index_cast %loadedM : i64 to index
  %sizeN = arith.index_cast %loadedN : i64 to index
  %rest = arith.remui %sizeM, %c8 : index
  %zero = arith.constant 0 : index
  %whole = arith.cmpi eq, %rest, %zero : index
  %few = arith.cmpi ult, %sizeN, %c100 : index
  %both = arith.andi %whole, %few : i1
  %not = arith.xori %both, %true : i1
  %wide = arith.index_cast %sizeN : index to i64
  %other = arith.cmpi ne, %wide, %c17 : i64
  %either = arith.ori %not, %other : i1
  scf.if %both {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
               threads(%tx, %ty, %tz) in (%nx = %one, %ny = %one, %nz = %one) {
      memref.prefetch %x[%tx], read, locality<3>, data : memref<1xf32>
      gpu.terminator
    }
  }
  scf.if %either {
  } else {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
               threads(%tx, %ty, %tz) in (%nx = %one, %ny = %one, %nz = %one) {
      memref.prefetch %x[%tx], read, locality<3>, data : memref<1xf32>
      gpu.terminator
    }
  }
  scf.if %not {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
               threads(%tx, %ty, %tz) in (%nx = %one, %ny = %one, %nz = %one) {
      memref.prefetch %x[%tx], read, locality<3>, data : memref<1xf32>
      gpu.terminator
    }
  }
  return
}
// CHECK-DAG: [[BOTH:#.*]] = affine_set<()[s0, s1] : (s0 mod 8 == 0, -s1 + 99 >= 0)>
// CHECK-DAG: [[NEITHER:#.*]] = affine_set<()[s0, s1] : (s0 mod 8 == 0, s1 - 17 == 0)>
// CHECK-DAG: [[PARTIAL:#.*]] = affine_set<()[s0, s1] : (s0 mod 8 - 1 >= 0)>
// CHECK-DAG: [[MANY:#.*]] = affine_set<()[s0, s1] : (s0 mod 8 == 0, s1 - 100 >= 0)>
// CHECK: tonno.launches = [
// CHECK-SAME: sizes = {{\[}}[[BOTH]]], symbol = "conditions_entry_0"
// CHECK-SAME: sizes = {{\[}}[[NEITHER]]], symbol = "conditions_entry_1"
// CHECK-SAME: sizes = {{\[}}[[PARTIAL]], [[MANY]]], symbol = "conditions_entry_2"

// -----

// A negative number would be a large one.
func.func @negative(%x: memref<1xf32>, %n: memref<i64>) attributes {tonno.sizes = 1 : i64} {
  %one = arith.constant 1 : index
  %c48 = arith.constant 48 : index
  %c17 = arith.constant 17 : index
  %loaded = memref.load %n[] : memref<i64>
  %size = arith.index_cast %loaded : i64 to index
  %less = arith.subi %size, %c17 : index
  %between = arith.cmpi ult, %less, %c48 : index
  scf.if %between {
    // expected-error@below {{a launch may be in branches on the kernel's sizes, but not in loops or other branches; write the loop into the launch}}
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
               threads(%tx, %ty, %tz) in (%nx = %one, %ny = %one, %nz = %one) {
      memref.prefetch %x[%tx], read, locality<3>, data : memref<1xf32>
      gpu.terminator
    }
  }
  return
}

// -----

func.func @loop(%x: memref<8xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  scf.for %i = %zero to %two step %one {
    // expected-error@below {{a launch may be in branches on the kernel's sizes, but not in loops or other branches}}
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
               threads(%tx, %ty, %tz) in (%nx = %two, %ny = %one, %nz = %one) {
      memref.prefetch %x[%tx], read, locality<3>, data : memref<8xf32>
      gpu.terminator
    }
  }
  return
}

// -----

func.func @grid(%x: memref<8xf32>, %n: memref<i64>) {
  %one = arith.constant 1 : index
  %loaded = memref.load %n[] : memref<i64>
  %size = arith.index_cast %loaded : i64 to index
  // expected-error@below {{the grid of a launch must have positive constants, or sums, products and quotients of the kernel's sizes}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %size, %gy = %one, %gz = %one)
             threads(%tx, %ty, %tz) in (%nx = %one, %ny = %one, %nz = %one) {
    memref.prefetch %x[%tx], read, locality<3>, data : memref<8xf32>
    gpu.terminator
  }
  return
}
