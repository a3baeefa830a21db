//===- Kernels without a runtime library ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace tonno {
#define GEN_PASS_DEF_CHECKLOWEREDPASS
#define GEN_PASS_DEF_LOWERASSERTSPASS
#define GEN_PASS_DEF_LOWERCOPIESPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Returns the number that all elements of the copied global are; null for
/// others.
static TypedAttr findCopiedNumber(memref::CopyOp copy) {
  Value source = copy.getSource();
  while (auto view = source.getDefiningOp<ViewLikeOpInterface>())
    source = view.getViewSource();
  auto get = source.getDefiningOp<memref::GetGlobalOp>();
  auto global = get ? SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
                          copy, get.getNameAttr())
                    : nullptr;
  Type type = copy.getTarget().getType().getElementType();
  if (!global || !global.getConstant() ||
      global.getType().getElementType() != type)
    return nullptr;
  auto numbers =
      dyn_cast_if_present<SplatElementsAttr>(global.getInitialValueAttr());
  return numbers ? dyn_cast<TypedAttr>(numbers.getSplatValue<Attribute>())
                 : nullptr;
}

namespace {

struct LowerAsserts : tonno::impl::LowerAssertsPassBase<LowerAsserts> {
  void runOnOperation() override {
    getOperation()->walk([](cf::AssertOp assertion) {
      ImplicitLocOpBuilder builder(assertion.getLoc(), assertion);
      Value yes = arith::ConstantIntOp::create(builder, 1, 1);
      Value fails = arith::XOrIOp::create(builder, assertion.getArg(), yes);
      auto guarded =
          scf::IfOp::create(builder, fails, /*withElseRegion=*/false);
      builder.setInsertionPoint(guarded.thenYield());
      LLVM::Trap::create(builder);
      assertion.erase();
    });
  }
};

struct LowerCopies : tonno::impl::LowerCopiesPassBase<LowerCopies> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    getOperation().walk([&](memref::CopyOp copy) {
      // The tile was computed in its destination.
      if (copy.getSource() == copy.getTarget())
        return copy.erase();
      builder.setInsertionPoint(copy);
      if (TypedAttr number = findCopiedNumber(copy)) {
        Value value = arith::ConstantOp::create(builder, copy.getLoc(), number);
        linalg::FillOp::create(builder, copy.getLoc(), value, copy.getTarget());
        return copy.erase();
      }
      linalg::CopyOp::create(builder, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
      copy.erase();
    });
  }
};

} // namespace

/// Returns true if the op needs no error: it is lowered, or a remaining cast,
/// for which the op that it serves is reported.
static bool isLowered(Operation *op) {
  // Compares names, because the headers of NVVM and ROCDL are large.
  StringRef dialect = op->getName().getDialectNamespace();
  return isa<ModuleOp, UnrealizedConversionCastOp, gpu::GPUModuleOp>(op) ||
         isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()) ||
         dialect == "nvvm" || dialect == "rocdl" || dialect == "omp";
}

static bool allocates(LLVM::CallOp call) {
  return llvm::is_contained(
      {"malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign",
       "_mlir_memref_to_llvm_alloc", "_mlir_memref_to_llvm_aligned_alloc",
       "_mlir_memref_to_llvm_free"},
      call.getCallee().value_or(""));
}

namespace {

struct CheckLowered : tonno::impl::CheckLoweredPassBase<CheckLowered> {
  using CheckLoweredPassBase::CheckLoweredPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    auto check = [&](Operation *op) -> LogicalResult {
      if (!isLowered(op))
        return op->emitError()
               << "'" << op->getName() << "' is left after lowering; the "
               << target << " backend cannot translate it";
      auto call = dyn_cast<LLVM::CallOp>(op);
      if (!call || !allocates(call))
        return success();
      return op->emitError() << "the kernel calls '" << *call.getCallee()
                             << "'; allocate by memref.alloc, which becomes "
                                "workspace of the caller";
    };
    if (failed(checkOps(getOperation(), check)))
      signalPassFailure();
  }
};

} // namespace
