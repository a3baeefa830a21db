//===- Warms up compilers -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WorkerServer.h"

#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace tonno;

static constexpr const char *source = R"mlir(
func.func @warm_up(%a: tensor<60x60xf32>, %b: tensor<60x60xf32>)
    -> tensor<60x60xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<60x60xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<60x60xf32>)
      -> tensor<60x60xf32>
  %r = linalg.matmul {tonno.lowering_config = {workgroup = [32, 32, 0],
                      reduction = [0, 0, 8], thread = [4, 4, 0]}}
      ins(%a, %b : tensor<60x60xf32>, tensor<60x60xf32>)
      outs(%f : tensor<60x60xf32>) -> tensor<60x60xf32>
  return %r : tensor<60x60xf32>
}
)mlir";

LogicalResult tonno::warmUp(CandidateCompiler &compiler, const Backend &backend,
                            MLIRContext &context, llvm::StringRef kernel) {
  ScopedDiagnosticHandler quiet(&context,
                                [](Diagnostic &) { return success(); });
  auto module = parseSourceString<ModuleOp>(source, ParserConfig(&context));
  if (!module)
    return failure();
  // The passes name the kernel that they are for.
  module->lookupSymbol<func::FuncOp>("warm_up").setName(kernel);
  if (failed(compiler.lower(*module)))
    return failure();
  // Excludes linked and assembled forms: linkers keep the inputs they have
  // read, and assemblers may start threads, which don't survive a fork.
  for (Emission form : {Emission::ptx, Emission::obj, Emission::llvm})
    if (llvm::is_contained(backend.forms(), form))
      return success(succeeded(backend.emit(*module, form)));
  return success();
}
