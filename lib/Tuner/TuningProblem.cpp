//===- A kernel, its compiler and its device ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/TuningProblem.h"
#include "tonno/Core/Hash.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Engine/OracleOptions.h"
#include "tonno/Session/Progress.h"
#include "tonno/Transforms/DescribeKernel.h"
#include "tonno/Transforms/Dispatch.h"
#include "tonno/Transforms/DynamicDimensions.h"
#include "tonno/Transforms/KernelClosure.h"
#include "CapturedError.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Bytecode/BytecodeWriter.h"

#include <filesystem>

using namespace mlir;
using namespace tonno;

std::optional<FailureKeepingLog>
tonno::createFailureLog(const TuningProblem &problem,
                        const TunerOptions &options, TrialLog &observer) {
  if (options.failureDirectory.empty())
    return std::nullopt;
  Reproduction common;
  common.kernel = problem.source.kernel;
  common.versions = problem.compiled.versions;
  common.device = options.device();
  common.source = problem.source;
  common.referenceSeconds = options.referenceSeconds;
  return FailureKeepingLog(options.failureDirectory, std::move(common),
                           problem.space, observer);
}

Result<Problem, LocatedError>
tonno::compileProblem(Compiler &compiler, const TuningProblem &problem) {
  if (!problem.againstDefault && problem.reference)
    return *problem.reference;
  if (!problem.againstDefault)
    return compiler.reference(ReferenceCpu::native);
  Problem compared = *problem.againstDefault;
  if (!compared.reference.binary.empty())
    return compared;
  auto made = compileDefault(compiler, problem.space);
  if (!made)
    return LocatedError{made.error().message};
  compared.reference = std::move(*made);
  return compared;
}

Result<RunnerSession, LocatedError>
tonno::createRunnerSession(Compiler &compiler, const TuningProblem &problem,
                           const TunerOptions &options) {
  RunnerSession session = {TONNO_TRY(compileProblem(compiler, problem)),
                           problem.compiled.signature, problem.protocol,
                           options.seed, options.oracle};
  if (options.oracle.bits == Bits::same && problem.againstDefault) {
    if (!session.problem.isOwnReference)
      session.sameAs = session.problem.reference;
  } else if (options.oracle.bits == Bits::same) {
    auto made = compileDefault(compiler, problem.space);
    if (!made)
      return LocatedError{made.error().message};
    session.sameAs = std::move(*made);
  }
  if (!options.effort.isNone)
    session.waitSeconds = options.effort.budget.secondsToWait(0);
  return session;
}

InFlightDiagnostic tonno::emitLocated(func::FuncOp kernel,
                                      const LocatedError &error) {
  Location location = kernel.getLoc();
  if (!error.file.empty())
    location = FileLineColLoc::get(kernel.getContext(), error.file, error.line,
                                   error.column);
  InFlightDiagnostic diagnostic = emitError(location, error.message);
  if (!error.note.empty())
    diagnostic.attachNote() << error.note;
  return diagnostic;
}

static FailureOr<CompilerSession>
describeSource(func::FuncOp kernel, ModuleOp closure,
               const BackendRequest &request) {
  std::string bytecode;
  llvm::raw_string_ostream stream(bytecode);
  if (failed(writeBytecodeToFile(closure, stream)))
    return emitError(kernel.getLoc(),
                     "the kernel cannot be written as bytecode");
  CompilerSession session;
  session.module.assign(bytecode.begin(), bytecode.end());
  session.kernel = kernel.getSymName().str();
  session.target = request.target;
  session.chip = request.chip;
  session.isSimulated = request.isSimulated;
  return session;
}

Result<Json> tonno::policyJson(const ProtocolOptions &protocol,
                               const OracleOptions &oracle,
                               const Signature &signature) {
  Json files = Json::object();
  for (const BufferSpec &buffer : signature) {
    if (!buffer.input || buffer.input->kind != InputSpec::Kind::npy)
      continue;
    const std::string &path = buffer.input->path;
    auto refuse = [&](const std::string &why) {
      return Error{"the input of " + buffer.name + ", '" + path +
                   "', cannot be read: " + why};
    };
    // Reading a pipe or a device file may never end.
    std::error_code unknown;
    if (std::filesystem::exists(path, unknown) &&
        !std::filesystem::is_regular_file(path, unknown))
      return refuse("not a regular file");
    auto file = llvm::MemoryBuffer::getFile(path);
    if (!file)
      return refuse(file.getError().message());
    files[buffer.name] = sha256((*file)->getBuffer());
  }
  Json policy = {{"protocol", protocol}, {"oracle", oracleVersion}};
  if (oracle != OracleOptions())
    policy["oracle_options"] = oracle;
  if (!files.empty())
    policy["inputs"] = std::move(files);
  return policy;
}

static bool usesThreads(Operation *root) {
  WalkResult found = root->walk([](Operation *op) {
    DictionaryAttr config = getLoweringConfig(op);
    return config && config.get(lowering_config::kThreads)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return found.wasInterrupted();
}

/// Returns the sizes under each name of their dimensions.
static FailureOr<std::vector<Dimension>>
findAllNames(func::FuncOp kernel, ArrayRef<Dimension> sizes) {
  auto dimensions = DynamicDimensions::find(kernel);
  if (failed(dimensions))
    return failure();
  std::vector<Dimension> named;
  for (const DynamicDimension &dimension : dimensions->all())
    for (const Dimension &size : sizes)
      if (llvm::is_contained(dimension.names, size.name))
        for (const std::string &name : dimension.names)
          named.push_back({name, size.size});
  return named;
}

/// Returns the space of the kernel, whose closure is in `root`.
static FailureOr<ExtractedSpace> readSpace(func::FuncOp kernel, Operation *root,
                                           SelectedKnobs selected,
                                           ArrayRef<Dimension> sizes) {
  // Variants were chosen by the constraints, and each has one configuration.
  if (sizes.empty() || isDispatch(kernel))
    return extractSpace(root, selected);
  auto named = findAllNames(kernel, sizes);
  if (failed(named))
    return failure();
  return extractSpace(root, selected, *named);
}

static SelectedKnobs chooseSelected(const TunerOptions &options) {
  return options.retune ? SelectedKnobs::vary : SelectedKnobs::fixed;
}

FailureOr<SearchSpace> tonno::readSpace(func::FuncOp kernel,
                                        const TunerOptions &options,
                                        ArrayRef<Dimension> sizes) {
  OwningOpRef<ModuleOp> closure = extractClosure(kernel);
  auto extracted =
      ::readSpace(kernel, *closure, chooseSelected(options), sizes);
  if (failed(extracted))
    return failure();
  return std::move(extracted->space);
}

FailureOr<TuningProblem> tonno::readProblem(
    func::FuncOp kernel, SelectedKnobs selected, const BackendRequest &request,
    Compiler &compiler, const DeviceDescription &device,
    const ProtocolOptions &protocol, const OracleOptions &oracle,
    std::optional<double> compileSeconds, ArrayRef<Dimension> sizes) {
  remarkOnPrints(kernel);
  OwningOpRef<ModuleOp> closure = extractClosure(kernel);
  Operation *root = closure->getOperation();
  if (device.core && usesThreads(root))
    return kernel.emitError("@")
           << kernel.getSymName()
           << " uses threads, and the device 'host:" << *device.core
           << "' is one core; give '--device=host'";
  auto extracted = ::readSpace(kernel, root, selected, sizes);
  if (failed(extracted))
    return failure();
  SearchSpace &space = extracted->space;
  if (extracted->selected && space.brokenConstraint(*extracted->selected))
    extracted->selected.reset();
  auto source = describeSource(kernel, *closure, request);
  if (failed(source))
    return failure();
  source->compileSeconds = compileSeconds;
  source->sizes = sizes.vec();
  auto compiled = compiler.open(*source);
  if (!compiled)
    return emitLocated(kernel, compiled.error());
  auto policy = policyJson(protocol, oracle, compiled->signature);
  if (!policy)
    return emitError(kernel.getLoc(), policy.error().message);
  auto shapes = collectShapes(kernel);
  if (!sizes.empty()) {
    (*policy)["sizes"] = sizes.vec();
    shapes.clear();
    for (const BufferSpec &buffer : compiled->signature)
      shapes.push_back(buffer.shape);
  }
  ProblemIdentity identity{kernelHash(*closure, kernel.getSymName()),
                           compiled->triple,
                           compiled->chip,
                           compiled->features,
                           compiled->fingerprint,
                           device.name,
                           std::move(*policy)};
  return TuningProblem{std::move(*source),
                       std::move(space),
                       std::move(extracted->selected),
                       std::move(*compiled),
                       device,
                       std::move(identity),
                       protocol,
                       KernelFamily{sizelessHash(*closure, kernel.getSymName()),
                                    std::move(shapes)},
                       describeKernel(kernel)};
}

static FailureOr<TuningProblem>
readAs(SelectedKnobs selected, func::FuncOp kernel, const TunerOptions &options,
       const ProtocolOptions &protocol, Compiler &compiler,
       const DeviceDescription &device, ArrayRef<Dimension> sizes = {}) {
  return readProblem(kernel, selected,
                     {options.target, options.chip, options.isSimulated()},
                     compiler, device, protocol, options.oracle,
                     options.compileSeconds, sizes);
}

FailureOr<TuningProblem> tonno::readProblem(func::FuncOp kernel,
                                            const TunerOptions &options,
                                            Compiler &compiler,
                                            const DeviceDescription &device,
                                            ArrayRef<Dimension> sizes) {
  return readAs(chooseSelected(options), kernel, options, options.protocol,
                compiler, device, sizes);
}

Result<TuningProblem> tonno::readModelKernel(func::FuncOp kernel,
                                             const TunerOptions &options,
                                             Compiler &compiler,
                                             const DeviceDescription &device) {
  // Its inputs were just written, and its result is read at once.
  ProtocolOptions protocol = options.protocol;
  protocol.cacheState = CacheState::warm;
  return captureError<TuningProblem>(kernel.getContext(), [&] {
    return readAs(SelectedKnobs::vary, kernel, options, protocol, compiler,
                  device);
  });
}

Result<Artifact> tonno::compileConfiguration(Compiler &compiler,
                                             const Json &values) {
  compiler.submit(values);
  Compilation compilation = compiler.next();
  if (!compilation.artifact)
    return Error{formatValues(values) +
                 " does not compile: " + compilation.message};
  return std::move(*compilation.artifact);
}

Result<std::string, LocatedError> tonno::artifactHash(Compiler &compiler,
                                                      const Json &values) {
  compiler.submit(values);
  Compilation compilation = compiler.next();
  if (compilation.artifact)
    return compilation.artifact->hash();
  return LocatedError{"the winner does not compile here: " +
                      compilation.message};
}

std::vector<std::string>
tonno::findConstantInputs(const TuningProblem &problem) {
  std::vector<std::string> warnings;
  // Sizes stand last.
  for (const BufferSpec &buffer : ArrayRef(problem.compiled.signature)
                                      .drop_back(problem.source.sizes.size()))
    if (buffer.input && buffer.input->isConstant())
      warnings.push_back(
          "'" + buffer.name + "' is declared as " + buffer.input->text() +
          ": with a constant, most wrong results look right; declare numbers "
          "that differ, such as uniform(-1, 1)");
  return warnings;
}
