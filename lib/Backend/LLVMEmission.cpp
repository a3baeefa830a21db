//===- LLVMEmission.cpp - LLVM dialect to LLVM IR and objects -------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LLVMEmission.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"

using namespace mlir;

/// Optimises at O2: O3 was measured to cost half as much again, for the same
/// kernels.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
}

/// What no pass has lowered, named where it stands: the translation's own
/// message says less.
static LogicalResult checkIsLowered(ModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) {
    if (op == module || isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
      return WalkResult::advance();
    op->emitError() << "'" << op->getName() << "' can't be lowered to LLVM";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static std::unique_ptr<llvm::Module> translate(ModuleOp module,
                                               llvm::LLVMContext &context,
                                               llvm::TargetMachine &machine) {
  if (failed(checkIsLowered(module)))
    return nullptr;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context, "kernel");
  if (!translated) {
    module.emitError() << "could not be translated to LLVM IR";
    return nullptr;
  }
  translated->setDataLayout(machine.createDataLayout());
  translated->setTargetTriple(machine.getTargetTriple());
  bool wide = machine.getMCSubtargetInfo()->checkFeatures("+avx512f");
  for (llvm::Function &function : *translated) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    if (!machine.getTargetFeatureString().empty())
      function.addFnAttr("target-features", machine.getTargetFeatureString());
    // Some CPUs' models prefer half of what they have.
    if (wide)
      function.addFnAttr("prefer-vector-width", "512");
  }
  optimize(*translated, machine);
  return translated;
}

FailureOr<std::string> tonno::emitLLVM(ModuleOp module,
                                       llvm::TargetMachine &machine) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translate(module, context, machine);
  if (!translated)
    return failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  translated->print(stream, /*AAW=*/nullptr);
  return text;
}

FailureOr<std::string> tonno::emitObject(ModuleOp module,
                                         llvm::TargetMachine &machine) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translate(module, context, machine);
  if (!translated)
    return failure();
  llvm::SmallString<0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager codegen;
  if (machine.addPassesToEmitFile(codegen, stream, /*DwoOut=*/nullptr,
                                  llvm::CodeGenFileType::ObjectFile))
    return module.emitError()
           << "LLVM can't emit objects for " << machine.getTargetTriple().str();
  codegen.run(*translated);
  return object.str().str();
}
