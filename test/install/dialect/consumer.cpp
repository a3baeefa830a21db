//===- Uses an installed Tonno::Dialect -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Dialect/TonnoDialect.h"

#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

static constexpr char source[] =
    R"(module attributes {my.k = #tonno.knob<"BM" from [32, 64]>} {})";

int main() {
  mlir::MLIRContext context;
  context.loadDialect<tonno::TonnoDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
  if (!module)
    return 1;
  auto knob = module->getOperation()->getAttrOfType<tonno::KnobAttr>("my.k");
  llvm::outs() << "knob " << knob.getName() << '\n';
}
