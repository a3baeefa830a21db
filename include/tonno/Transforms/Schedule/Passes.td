//===- Passes.td - The steps of our schedules -------------*- tablegen -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the order in which `tonno-lower-host` runs them, upstream's passes between.
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_TRANSFORMS_SCHEDULE_PASSES
#define TONNO_TRANSFORMS_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

def KernelBuffersPass : Pass<"tonno-kernel-buffers", "mlir::ModuleOp"> {
  let summary = "Make a kernel's arguments and results buffers";
  let description = [{
    Turns `(tensor, ...) -> (tensor, ...)` into a function of memrefs without
    results: first the arguments, which are only read, then one buffer for each
    result, which is only written. A scalar becomes a buffer of one element.

    An argument that an op takes as its destination is copied first, so that a
    launch never changes its inputs.
  }];
  let options = [Option<"kernel", "kernel", "std::string", "",
                        "The function; by default every public one">];
  let dependentDialects = [
    "mlir::bufferization::BufferizationDialect", "mlir::memref::MemRefDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def TilePass : Pass<"tonno-tile", "mlir::func::FuncOp"> {
  let summary = "Tile linalg ops by their `tonno.lowering_config`";
  let description = [{
    `tonno.lowering_config = {workgroup = [...], reduction = [...],
    subgroup = [...]}` has a tile size for each loop of the op at three levels:
    `workgroup` for caches, `reduction` for the part of a reduction that is done
    at a time, `subgroup` for registers. 0, or a missing key, leaves a loop
    whole at that level; a tile larger than the loop is as large as the loop.

    Where a tile does not divide its loop, the rest is split off as an op of its
    own, so that every shape stays static: no masks, no guards. At the
    `subgroup` level the rest of the vectorised loop is split again into powers
    of two, because other vectors are slow. Loops of a reduction step by 1 at
    that level if nothing else is said.

    A matrix product without a configuration gets a modest one.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"
  ];
}

def VectorizePass : Pass<"tonno-vectorize", "mlir::func::FuncOp"> {
  let summary = "Vectorise linalg ops that fit into registers";
  let description = [{
    Turns each linalg op of at most `limit` iterations into vector ops; larger
    ones stay loops. Then accumulators are kept in registers across the
    reduction's loop: reads and writes of a loop's slice move out of the loop.
  }];
  let options = [Option<"limit", "limit", "int64_t", "1024",
                        "Iterations of the largest op that is vectorised">];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::ub::UBDialect",
    "mlir::vector::VectorDialect"
  ];
}

def RefuseAllocationsPass : Pass<"tonno-refuse-allocations", "mlir::func::FuncOp"> {
  let summary = "Fail where a kernel allocates memory";
  let description = [{
    A kernel must not allocate: heap memory costs page faults on each launch,
    and a launch plan states all the memory that a kernel uses.
  }];
}

def LowerCopiesPass : Pass<"tonno-lower-copies", "mlir::func::FuncOp"> {
  let summary = "Turn copies of buffers into linalg ops";
  let description = [{
    A strided `memref.copy` is lowered to a call into a runtime library that
    artifacts don't have; a `linalg.copy` becomes loops.
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect"];
}

def LowerVectorsPass : Pass<"tonno-lower-vectors", "mlir::func::FuncOp"> {
  let summary = "Lower vector ops to fused multiply-adds and rank-1 transfers";
  let description = [{
    Contractions become outer products, these become `vector.fma`s on rows;
    transfers are unrolled to rank 1.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::ub::UBDialect", "mlir::vector::VectorDialect"
  ];
}

def HostEntryPass : Pass<"tonno-host-entry", "mlir::ModuleOp"> {
  let summary = "Give a kernel its entry point `void <kernel>_entry(void **)`";
  let description = [{
    Runs on the LLVM dialect, on a kernel that takes bare pointers. Adds the
    entry point, which loads the pointers from an array and calls the kernel,
    and makes everything else internal. The kernel's pointers are stated not to
    alias and to be aligned to 64 bytes, as launch plans promise.
  }];
  let options = [Option<"kernel", "kernel", "std::string", "",
                        "The function; by default every public one">];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def PromoteToF64Pass : Pass<"tonno-promote-to-f64", "mlir::ModuleOp"> {
  let summary = "Compute in f64 whatever is computed in floating point";
  let description = [{
    Replaces each floating-point type by f64, in signatures, values and
    constants, and drops `tonno.*` attributes. What remains is what the kernel
    means, without its schedule and almost without rounding: the reference that
    candidates are compared with.
  }];
}

#endif // TONNO_TRANSFORMS_SCHEDULE_PASSES
