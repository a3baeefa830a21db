//===- LLVM dialect to LLVM IR and code -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LLVMEmission.h"
#include "Host/NarrowFloats.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "mlir/Target/LLVMIR/Export.h"

using namespace mlir;
using namespace tonno;

namespace {

/// Keeps the errors of LLVM, which otherwise prints them and ends the process.
class ErrorCollector : public llvm::DiagnosticHandler {
public:
  explicit ErrorCollector(std::string &errors) : errors(errors) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    if (!errors.empty())
      errors += "; ";
    llvm::raw_string_ostream stream(errors);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }

private:
  std::string &errors;
};

/// Collects a context's errors while it lives.
class CollectErrors {
public:
  explicit CollectErrors(llvm::LLVMContext &context)
      : context(context), before(context.getDiagnosticHandler()) {
    context.setDiagnosticHandler(std::make_unique<ErrorCollector>(text));
  }
  ~CollectErrors() { context.setDiagnosticHandler(std::move(before)); }
  CollectErrors(const CollectErrors &) = delete;
  CollectErrors &operator=(const CollectErrors &) = delete;

  const std::string &errors() const { return text; }

private:
  llvm::LLVMContext &context;
  std::unique_ptr<llvm::DiagnosticHandler> before;
  std::string text;
};

} // namespace

/// Reports ops that no pass has lowered, at their location; the message of the
/// translation is less specific.
static LogicalResult checkIsLowered(Operation *module) {
  WalkResult result = module->walk([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (op == module || dialect == "llvm" || dialect == "nvvm" ||
        dialect == "rocdl" || dialect == "omp")
      return WalkResult::advance();
    op->emitError() << "'" << op->getName() << "' cannot be lowered to LLVM";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Sets the version of AMD's code objects that ROCm loads since 5.4.
static void setCodeObjectVersion(llvm::Module &module) {
  constexpr const char *flag = "amdhsa_code_object_version";
  if (!module.getModuleFlag(flag))
    module.addModuleFlag(llvm::Module::Error, flag, 500);
}

void tonno::setTarget(llvm::Module &module, llvm::TargetMachine &machine) {
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple());
  if (machine.getTargetTriple().isAMDGCN())
    setCodeObjectVersion(module);
  bool isX86 = machine.getTargetTriple().isX86();
  bool wide = isX86 && machine.getMCSubtargetInfo()->checkFeatures("+avx512f");
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    if (!machine.getTargetFeatureString().empty())
      function.addFnAttr("target-features", machine.getTargetFeatureString());
    // Some CPUs' models prefer half of what they have.
    if (wide)
      function.addFnAttr("prefer-vector-width", "512");
    // Else vectors may be spilled to where the caller's stack happens to end,
    // across lines of the cache or not: the same binary then takes 1.5 times as
    // long in one process as in another.
    if (isX86)
      function.addFnAttr("stackrealign");
  }
}

std::unique_ptr<llvm::Module>
tonno::translateToLLVM(Operation *module, llvm::LLVMContext &context,
                       llvm::TargetMachine &machine) {
  if (failed(checkIsLowered(module)))
    return nullptr;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context, "kernel");
  if (!translated) {
    module->emitError() << "the module cannot be translated to LLVM IR";
    return nullptr;
  }
  setTarget(*translated, machine);
  return translated;
}

// O3 was measured to cost half as much again, for the same kernels on the host,
// and to make the same GPU code, bit for bit, in the same time.
void tonno::optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     Unrolling unrolling) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  tuning.LoopUnrolling = unrolling == Unrolling::full;
  llvm::PassBuilder builder(&machine, tuning);
  // Keep loops that look for a zero: no library with strlen is linked.
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.setUnavailable(llvm::LibFunc_strlen);
  library.setUnavailable(llvm::LibFunc_wcslen);
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
}

Result<std::string> tonno::emitCode(llvm::Module &module,
                                    llvm::TargetMachine &machine,
                                    llvm::CodeGenFileType type) {
  moveBf16AsIntegers(module, machine);
  addHalfConversions(module, machine);
  CollectErrors collect(module.getContext());
  llvm::SmallString<0> code;
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager codegen;
  if (machine.addPassesToEmitFile(codegen, stream, /*DwoOut=*/nullptr, type))
    return Error{"LLVM cannot emit this kind of file for " +
                 machine.getTargetTriple().str()};
  codegen.run(module);
  if (!collect.errors().empty())
    return Error{collect.errors()};
  return code.str().str();
}

std::string tonno::printLLVM(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, /*AAW=*/nullptr);
  return text;
}
