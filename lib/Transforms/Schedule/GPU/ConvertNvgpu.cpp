//===- Convert nvgpu ops to NVVM ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

namespace tonno {
#define GEN_PASS_DEF_CONVERTNVGPUPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

namespace {

struct ConvertNvgpu : tonno::impl::ConvertNvgpuPassBase<ConvertNvgpu> {
  void runOnOperation() override {
    gpu::GPUModuleOp device = getOperation();
    LowerToLLVMOptions options(
        &getContext(),
        DataLayout(cast<DataLayoutOpInterface>(device.getOperation())));
    LLVMTypeConverter converter(&getContext(), options);
    nvgpu::populateCommonGPUTypeAndAttributeConversions(converter);
    converter.addConversion([](nvgpu::DeviceAsyncTokenType type) -> Type {
      return IntegerType::get(type.getContext(), 32);
    });
    RewritePatternSet patterns(&getContext());
    populateNVGPUToNVVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(getContext());
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalOp<nvgpu::LdMatrixOp, nvgpu::DeviceAsyncCopyOp>();
    if (failed(applyPartialConversion(device, target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
