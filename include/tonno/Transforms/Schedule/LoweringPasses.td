//===- The last steps to the LLVM dialect ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_LOWERINGPASSES
#define TONNO_TRANSFORMS_SCHEDULE_LOWERINGPASSES

include "mlir/Pass/PassBase.td"

def LowerAssertsPass : Pass<"tonno-lower-asserts"> {
  let summary = "Make cf.assert a trap";
  let description = [{
    An artifact has no C library to print and abort by:

    ```mlir
    cf.assert %holds, "out of range"
    ```

    becomes

    ```mlir
    %true = arith.constant true
    %fails = arith.xori %holds, %true : i1
    scf.if %fails {
      llvm.intr.trap
    }
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::scf::SCFDialect"
  ];
}

def GuardNamesPass : Pass<"tonno-guard-names", "mlir::ModuleOp"> {
  let summary = "Keep functions apart from what they call";
  let description = [{
    Puts `.kernel` behind the name of each function with a body. A kernel may
    have the name of a function in the mathematical library, `exp` or `sincos`,
    which it would then call itself by. `tonno-host-entry` knows.
  }];
}

def CheckLoweredPass : Pass<"tonno-check-lowered", "mlir::ModuleOp"> {
  let summary = "Fail where an op is left that has no LLVM IR";
  let description = [{
    Names the first op outside of the LLVM dialect and what NVVM and ROCDL add
    to it, and calls that allocate memory, where they stand.
  }];
  let options = [Option<"target", "target", "std::string", "\"host\"",
                        "The backend, for messages">];
}

def HostEntryPass : Pass<"tonno-host-entry", "mlir::ModuleOp"> {
  let summary = "Give a kernel its entry point `void <kernel>_entry(void **)`";
  let description = [{
    Runs on the LLVM dialect, on a kernel that takes its buffers by bare
    pointers or, if `tonno.buffers` says what they are, by descriptors: for each
    the allocated and the aligned pointer, the offset, sizes and strides. Adds
    the entry point, which loads the pointers from an array and calls the
    kernel, and makes everything else internal. The kernel's pointers are stated
    not to alias and to be aligned, as launch plans promise.

    `tonno.buffers` moves from the kernel to the entry point, whose buffers they
    are now.
  }];
  let options = [Option<"kernel", "kernel", "std::string", "",
                        "The function; by default every public one">];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif // TONNO_TRANSFORMS_SCHEDULE_LOWERINGPASSES
