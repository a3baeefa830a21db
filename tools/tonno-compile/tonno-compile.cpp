//===- Compiles a tuned kernel --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EmissionOption.h"
#include "InputModule.h"
#include "Messages.h"
#include "NamedValues.h"
#include "Output.h"
#include "ParentOption.h"

#include "tonno/Backend/Shipping.h"
#include "tonno/Core/Version.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Process/ProgramStart.h"
#include "tonno/Transforms/Annotator.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "tonno/Transforms/SpecializeShapes.h"
#include "tonno/Tuner/AttributeOptions.h"
#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Tuner/RequestOptions.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
using namespace tonno;
namespace cl = llvm::cl;

namespace {

/// The options that tonno-tune has, too.
constexpr llvm::StringRef flags[] = {"target",          "chip",
                                     "kernel",          "shapes",
                                     "fp-contract",     "load-dialect-plugin",
                                     "load-pass-plugin"};

/// The command line. A local of main: nothing else reads it.
struct CommandLine {
  OptionCategories categories;
  cl::opt<std::string> input{cl::Positional, cl::desc("<input file>"),
                             cl::init("-"),
                             cl::cat(categories[OptionGroup::input])};
  cl::opt<std::string> output{"o", cl::desc("Output file; - is stdout"),
                              cl::value_desc("file"), cl::init("-"),
                              cl::cat(categories[OptionGroup::input])};
  cl::list<Emission, bool, NamedValues<Emission>> emit{
      "emit",
      cl::desc("What to write, obj by default; the first one to the output, "
               "others beside it as <kernel> with ending:"),
      cl::CommaSeparated, EmissionValues(),
      cl::cat(categories[OptionGroup::input])};
  cl::opt<std::string> rename{"rename", cl::desc(renameHelp),
                              cl::value_desc("name"),
                              cl::cat(categories[OptionGroup::input])};
  cl::opt<bool> logShapes{
      "log-shapes",
      cl::desc("Add code that counts the sizes of calls, and at exit appends "
               "them to <kernel>.shapes.csv in $TONNO_SHAPES_DIR, else in the "
               "working directory, for '--shapes'"),
      cl::cat(categories[OptionGroup::input])};
  cl::opt<ProgressForm, false, NamedValues<ProgressForm>> progress{
      "progress", cl::desc("Form of messages on stderr:"),
      cl::init(ProgressForm::automatic),
      cl::values(clEnumValN(ProgressForm::automatic, "auto", "text"),
                 clEnumValN(ProgressForm::json, "json",
                            "an event a line, for programs")),
      cl::cat(categories[OptionGroup::input])};
  ParentOption parent{categories[OptionGroup::input]};
  RequestOptions options{categories, flags};
};

constexpr char toolName[] = "tonno-compile";

constexpr char overview[] =
    "compiles a kernel of an MLIR file\n"
    "\n"
    "Each knob has its selected value, else its default. A kernel that was\n"
    "tuned gives the very binary that was measured; if it does not, a warning\n"
    "says so. A kernel without knobs gets the default schedule, unless an op "
    "has\n"
    "a tonno.lowering_config, or the kernel was tuned before it was stripped:\n"
    "these are compiled as they stand.\n";

/// The named function; without a name the only kernel, or the only public
/// function of a module whose knobs were stripped.
Result<func::FuncOp> chooseKernel(ModuleOp module, StringRef name) {
  if (!name.empty()) {
    if (auto function = module.lookupSymbol<func::FuncOp>(name))
      return function;
    return Error{"no function '" + name.str() + "' in the input"};
  }
  SmallVector<func::FuncOp> kernels = findKernels(module);
  if (kernels.empty())
    llvm::copy_if(
        module.getOps<func::FuncOp>(), std::back_inserter(kernels),
        [](func::FuncOp f) { return f.isPublic() && !f.isExternal(); });
  // Some may only call others that are kernels.
  if (auto measurable = findMeasurable(kernels); !measurable.empty())
    kernels = measurable;
  if (kernels.size() == 1)
    return kernels.front();
  if (kernels.empty())
    return Error{"no kernel in the input: no public function has a body"};
  std::string names;
  for (func::FuncOp kernel : kernels)
    names += (names.empty() ? "" : ", ") + kernel.getName().str();
  return Error{"the input has several kernels; choose one by '--kernel': " +
               names};
}

/// A file beside the output.
struct Companion {
  Emission emission;
  std::filesystem::path file;
};

/// Returns the files of the forms after the first one.
Result<std::vector<Companion>>
chooseCompanions(llvm::ArrayRef<Emission> emissions, const std::string &output,
                 StringRef name) {
  std::vector<Companion> companions;
  for (Emission emission : emissions.drop_front()) {
    auto file = TONNO_TRY(chooseEmissionFile(output, name, emission));
    companions.push_back({emission, std::move(file)});
  }
  return companions;
}

/// Writes the options into the kernel, and the default schedule if it has none.
LogicalResult prepareKernel(func::FuncOp kernel, const TuneRequest &request) {
  TunerOptions options;
  options.target = request.target;
  options.chip = request.chip;
  options.kernel = kernel.getName().str();
  options.kernelOptions = request.kernelOptions;
  auto module = kernel->getParentOfType<ModuleOp>();
  if (isConfigured(kernel))
    return addToKernels(module, options.kernel, options.kernelOptions);
  // Without a decision, the default is the same for all ranges.
  kernel->removeAttr(TonnoDialect::kShapes);
  return prepareModule(module, options);
}

} // namespace

int main(int argc, char **argv) {
  beginProgram();
  CommandLine commandLine;
  commandLine.categories.hideUnrelatedOptions();
  cl::SetVersionPrinter([](llvm::raw_ostream &stream) {
    stream << "tonno-compile " << version()
           << " (LLVM " LLVM_VERSION_STRING ")\n";
  });
  parseCommandLine(argc, argv, overview, toolName);
  const Messages messages(toolName, commandLine.progress);
  if (auto bound = commandLine.parent.bind(); !bound)
    return messages.fail(bound.error().message);
  const auto given = commandLine.options.request();
  if (!given)
    return messages.fail(given.error().message);
  const TuneRequest &request = *given;
  commandLine.options.remove();
  // Linking resets the other options: they are not read after it.
  std::vector<Emission> emissions(commandLine.emit.begin(),
                                  commandLine.emit.end());
  if (emissions.empty())
    emissions = {Emission::obj};
  const AddedCode added =
      commandLine.logShapes ? AddedCode::shapeLog : AddedCode::none;
  const std::string path = commandLine.output;
  if (path == "-" && describe(emissions.front()).isBinary &&
      llvm::outs().is_displayed())
    return messages.fail(
        "cannot write a binary to a terminal; name a file by '-o'");

  auto backend = createBackend({request.target, request.chip});
  if (!backend)
    return messages.fail(backend.error().message);
  for (Emission emission : emissions)
    if (auto known = checkEmission(**backend, emission); !known)
      return messages.fail(known.error().message);
  if (added == AddedCode::shapeLog && (*backend)->name() != "host")
    return messages.fail("'--log-shapes' is for kernels of the host: GPUs have "
                         "no kernels of dynamic shapes");
  auto input = InputModule::open(commandLine.input, request, messages);
  if (!input)
    return messages.fail(input.error().message);
  ModuleOp module = (*input)->get();
  if (!module)
    return 1;
  auto shapes = request.resolveShapes();
  if (!shapes)
    return messages.fail(shapes.error().message);
  if (!shapes->empty() &&
      failed(specializeShapes(module, request.kernel, *shapes)))
    return 1;
  auto kernel = chooseKernel(module, request.kernel);
  if (!kernel) {
    const std::string &name = request.kernel;
    if (failed(name.empty() ? refuseNestedFunctions(module)
                            : refuseNestedFunctions(module, name)))
      return 1;
    return messages.fail(kernel.error().message);
  }
  auto name =
      chooseEmissionName(*kernel, commandLine.rename, commandLine.input);
  if (failed(name) || failed(prepareKernel(*kernel, request)))
    return 1;
  auto output = Output::open(path);
  if (!output)
    return messages.fail(output.error().message);
  auto companions = chooseCompanions(emissions, path, *name);
  if (!companions)
    return messages.fail(companions.error().message);
  auto bytes =
      emitNamedKernel(*kernel, *name, **backend, emissions.front(), added);
  if (failed(bytes))
    return 1;
  for (const Companion &companion : *companions) {
    auto more =
        emitNamedKernel(*kernel, *name, **backend, companion.emission, added);
    if (failed(more))
      return 1;
    if (auto written = writeFileAtomically(companion.file, *more); !written)
      return messages.fail(written.error().message);
  }
  auto written = output->write(*bytes);
  return written ? 0 : messages.fail(written.error().message);
}
