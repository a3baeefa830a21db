//===- What may vary, and how much of it ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands.h"
#include "InputModule.h"
#include "Terminal.h"

#include "tonno/OpenClC/OpenClFile.h"
#include "tonno/Space/LegalSpace.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Tuner/Processes.h"

#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tonno;
namespace cl = llvm::cl;

SpaceCommand::SpaceCommand(OptionCategories &categories)
    : command("space",
              "Report each kernel's knobs, and how many configurations "
              "are legal, exactly or estimated; nothing is compiled"),
      input(cl::Positional, cl::desc("<input file>"), cl::init("-"),
            cl::sub(command), cl::cat(categories[OptionGroup::input])),
      source(categories, sourceFlags, command),
      draws("draw",
            cl::desc("Legal configurations to draw and show; 0 by default"),
            cl::value_desc("n"), cl::init(0), cl::sub(command),
            cl::cat(categories[OptionGroup::search])),
      seed("seed", cl::desc("Seed of the drawn configurations; 0 by default"),
           cl::value_desc("n"), cl::init(0), cl::sub(command),
           cl::cat(categories[OptionGroup::search])),
      isJson("json", cl::desc("Print JSON instead of text"), cl::sub(command),
             cl::cat(categories[OptionGroup::input])) {
  categories.hideUnrelatedOptions(command);
}

FailureOr<SpaceReport> SpaceCommand::look(func::FuncOp kernel) const {
  OwningOpRef<ModuleOp> closure = extractClosure(kernel);
  auto stated =
      extractStatedSpace(closure->getOperation(), SelectedKnobs::vary);
  if (failed(stated))
    return failure();
  SearchSpace space = std::move(stated->space);
  if (!space.isLegal(space.defaultConfiguration())) {
    // Take the default configuration that tuning would find, if there is one.
    ScopedDiagnosticHandler quiet(kernel.getContext(),
                                  [](Diagnostic &) { return success(); });
    if (auto legal = extractSearchSpace(*closure); succeeded(legal))
      space = std::move(*legal);
  }
  SpaceReport report = reportSpace(space, draws, seed);
  if (report.legal.exactness == Exactness::exact && report.legal.points == 0)
    return emitError(kernel.getLoc(), "@")
           << kernel.getSymName() << ": no configuration satisfies the "
           << describeConflict(space);
  return report;
}

/// Reports the space of a kernel in OpenCL C, by its file and the options.
int SpaceCommand::reportOpenClSpace(const TuneRequest &request) const {
  OpenClRequest wanted;
  wanted.file = input;
  wanted.kernel = request.kernel;
  wanted.knobs = request.kernelOptions.knobs;
  wanted.constraints = request.kernelOptions.constraints;
  auto file = readOpenCl(std::move(wanted));
  if (!file)
    return fail(file.error().text());
  SpaceReport report = reportSpace(file->kernel.space, draws, seed);
  Json described = report;
  described["kernel"] = file->kernel.name;
  if (isJson)
    answers() << printed(Json::array({described}), 1) << "\n";
  else
    answers() << "@" << file->kernel.name << ": " << printSpace(report);
  return 0;
}

int SpaceCommand::run() const {
  auto request = source.request();
  if (!request)
    return fail(request.error().message);
  if (llvm::StringRef(input).ends_with(".cl"))
    return reportOpenClSpace(*request);
  request->compileOnly = true;
  auto options = resolveWithChip(*request);
  if (!options)
    return fail(options.error().message);
  const Messages messages("tonno-tune", ProgressForm::automatic);
  auto file = InputModule::open(input, *request, messages);
  if (!file)
    return fail(file.error().message);
  ModuleOp module = (*file)->get();
  if (!module || failed(prepareModule(module, *options)))
    return 1;
  auto kernels = chooseKernels(module, options->kernel);
  if (failed(kernels))
    return 1;
  bool isWhole = true;
  Json all = Json::array();
  for (func::FuncOp kernel : *kernels) {
    auto report = look(kernel);
    isWhole &= succeeded(report);
    if (failed(report))
      continue;
    OwningOpRef<ModuleOp> closure = extractClosure(kernel);
    auto overSizes = findSizeConstraints(closure->getOperation());
    if (failed(overSizes))
      return 1;
    if (!isJson) {
      answers() << "@" << kernel.getSymName() << ": " << printSpace(*report);
      for (const std::string &constraint : *overSizes)
        answers() << "  at a size   " << constraint << "\n";
    }
    Json described = *report;
    described["kernel"] = kernel.getSymName().str();
    if (!overSizes->empty())
      described["size_constraints"] = *overSizes;
    all.push_back(std::move(described));
  }
  if (isJson)
    answers() << printed(all, 1) << "\n";
  return isWhole ? 0 : 1;
}
