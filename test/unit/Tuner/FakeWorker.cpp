//===- FakeWorker.cpp - A worker whose backend fails as it is told ------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Core/Subprocess.h"
#include "tonno/Tuner/WorkerServer.h"

#include "tonno/Dialect/TonnoDialect.h"

#include "mlir/Pass/PassManager.h"

#include <csignal>
#include <cstdlib>
#include <unistd.h>

using namespace mlir;
using namespace tonno;

namespace {

/// "Compiles" a kernel to the text of its attribute `way`, and fails in the way
/// that it names.
class FakeBackend : public Backend {
public:
  StringRef name() const override { return "fake"; }
  const Target &target() const override { return about; }
  std::string fingerprint() const override { return "fake 1"; }

  LogicalResult check(func::FuncOp kernel) const override {
    if (kernel->hasAttr("unsupported"))
      return kernel.emitError("the fake backend can't lower this");
    return success();
  }
  void buildPipeline(OpPassManager &, StringRef) const override {}

  FailureOr<std::string> emit(ModuleOp lowered, EmitKind) const override {
    auto kernel = *lowered.getOps<func::FuncOp>().begin();
    auto way = kernel->getAttrOfType<StringAttr>("way").getValue();
    if (way == "aborts")
      std::abort();
    if (way == "exits")
      std::exit(3);
    if (way == "hangs")
      for (;;)
        ::pause();
    if (way == "kills")
      ::kill(::getppid(), SIGKILL);
    if (way == "refuses") {
      kernel.emitWarning("not the reason");
      auto error = kernel.emitError("too large a tile");
      error.attachNote() << "the cache has 32 KiB";
      return failure();
    }
    if (way == "fails silently")
      return failure();
    return way.str();
  }

private:
  Target about = {"fake-triple", "fake-chip", "+fake"};
};

} // namespace

/// With an argument: the limit of a compilation in seconds.
int main(int argc, char **argv) {
  auto channel = claimProtocolChannel();
  if (!channel)
    return 1;
  DialectRegistry registry;
  registry.insert<TonnoDialect, func::FuncDialect>();
  registerBackendDialects(registry);
  auto make = [](StringRef target,
                 StringRef chip) -> Result<std::unique_ptr<Backend>> {
    if (target != "fake")
      return Error{"unknown target '" + target.str() + "'; there is: fake"};
    return std::unique_ptr<Backend>(std::make_unique<FakeBackend>());
  };
  double limit = argc > 1 ? std::strtod(argv[1], nullptr) : compileLimitSeconds;
  return serveWorker(*channel, registry, make, limit);
}
