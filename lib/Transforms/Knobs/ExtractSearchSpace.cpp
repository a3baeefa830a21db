//===- Print the search space of kernels ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/KernelSchedule.h"
#include "tonno/Transforms/Passes.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"

#include "llvm/Support/ToolOutputFile.h"
#include "mlir/Support/FileUtilities.h"

namespace tonno {
#define GEN_PASS_DEF_EXTRACTSEARCHSPACE
#include "tonno/Transforms/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

namespace {

struct ExtractSearchSpacePass
    : tonno::impl::ExtractSearchSpaceBase<ExtractSearchSpacePass> {
  using ExtractSearchSpaceBase::ExtractSearchSpaceBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    Json kernels = Json::array();
    for (func::FuncOp kernel : findKernels(getOperation())) {
      if (failed(findSchedule(kernel)))
        return signalPassFailure();
      OwningOpRef<ModuleOp> closure = extractClosure(kernel);
      FailureOr<SearchSpace> space = extractSearchSpace(*closure);
      if (failed(space))
        return signalPassFailure();
      Json entry = *space;
      entry["kernel"] = kernel.getName().str();
      entry["hash"] = kernelHash(*closure, kernel.getName());
      kernels.push_back(std::move(entry));
    }
    // Names are bytes: what is no UTF-8 is replaced, since a mere dump throws.
    std::string text = kernels.dump(2, ' ', /*ensure_ascii=*/false,
                                    Json::error_handler_t::replace);
    if (failed(write(text + "\n")))
      signalPassFailure();
  }

private:
  LogicalResult write(const std::string &text) {
    std::string why;
    auto file = openOutputFile(output, &why);
    if (!file)
      return emitError(getOperation().getLoc()) << why;
    file->os() << text;
    file->os().flush();
    if (std::error_code error = file->os().error()) {
      file->os().clear_error();
      return emitError(getOperation().getLoc())
             << "cannot write '" << output << "': " << error.message();
    }
    file->keep();
    return success();
  }
};

} // namespace
