//===- Builds OpenCL kernels ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpenClBuilder.h"

#include "tonno/Core/File.h"
#include "tonno/Core/Hash.h"
#include "tonno/Core/Version.h"
#include "tonno/Runtime/Elements.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <limits>
#include <regex>
#include <unistd.h>

using namespace tonno;

FolderAlias::FolderAlias(std::string given)
    : folder(std::move(given)), alias(folder) {
  if (folder.find_first_of(" \t\"'\\") == std::string::npos)
    return;
  // Keeps the descriptor over exec: a driver's compiler may be another program.
  descriptor = ::open(folder.c_str(), O_PATH | O_DIRECTORY);
  if (descriptor >= 0)
    alias = "/proc/self/fd/" + std::to_string(descriptor);
}

FolderAlias::~FolderAlias() {
  if (descriptor >= 0)
    ::close(descriptor);
}

std::string FolderAlias::resolve(std::string text) const {
  if (alias == folder)
    return text;
  const std::string inside = alias + "/";
  for (size_t at = text.find(inside); at != std::string::npos;
       at = text.find(inside, at + folder.size()))
    text.replace(at, alias.size(), folder);
  return text;
}

/// Returns true if a driver's file is an included header, rather than the
/// driver's copy of the kernel.
static bool isHeader(const std::string &file, const std::string &source) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown))
    return false;
  auto text = readFile(file);
  return text && *text != source;
}

/// Finds the line of an error in a driver's log. The formats differ, but all
/// have the numbers and the word:
///   error: /tmp/pocl_x.cl:3:10: ...
///   <kernel>:3:10: error: ...
///   "/tmp/x.cl", line 3: error: ...
LocatedError OpenClBuilder::locate(const std::string &said) const {
  const std::string log = folder->resolve(said);
  static const std::regex wordFirst(
      R"(error:[ \t]*([^\n:]*):(\d+):(\d+):\s*([^\n]*))");
  static const std::regex columns(
      R"(([^\n:"]*):(\d+):(\d+):\s*(?:fatal )?error:\s*([^\n]*))");
  static const std::regex lines(
      R"re((?:"([^\n"]*)", )?line (\d+):\s*(?:catastrophic )?error:\s*([^\n]*))re");
  std::smatch found;
  LocatedError error = {log, kernel.file};
  auto number = [](const std::string &text) {
    return static_cast<unsigned>(std::strtoul(text.c_str(), nullptr, 10));
  };
  if (std::regex_search(log, found, columns) ||
      std::regex_search(log, found, wordFirst)) {
    error.line = number(found[2]);
    error.column = number(found[3]);
    error.message = found[4].str() + "\n" + log;
  } else if (std::regex_search(log, found, lines)) {
    error.line = number(found[2]);
    error.column = 1;
    error.message = found[3].str() + "\n" + log;
  }
  if (error.line > 0 && isHeader(found[1], kernel.source))
    error.file = found[1];
  return error;
}

LocatedError OpenClBuilder::atKernel(const std::string &message) const {
  return {message, kernel.file, kernel.line(), 1};
}

Result<OpenClBuilder, LocatedError>
OpenClBuilder::open(OpenClSource kernel, const std::string &which,
                    const std::string &loader) {
  auto driver = OpenClDriver::open(loader);
  if (!driver)
    return LocatedError{driver.error().message};
  auto place = driver->choose(which);
  if (!place)
    return LocatedError{place.error().message};
  auto context = OpenClContext::create(*driver, *place);
  if (!context)
    return LocatedError{context.error().message};
  OpenClBuilder builder(std::move(kernel), std::move(*context));
  TONNO_TRY(builder.readKernel());
  return builder;
}

Result<void> OpenClBuilder::readSizes() {
  struct Option {
    const char *name;
    const std::string &text;
    std::vector<SizeExpression> &sizes;
  };
  for (const Option &option :
       {Option{"'--global-size'", kernel.globalSize, globalSizes},
        Option{"'--local-size'", kernel.localSize, localSizes}}) {
    if (option.text.empty())
      continue;
    auto sizes = SizeExpression::parseList(option.text, kernel.space.knobs(),
                                           kernel.space.dimensions());
    if (!sizes)
      return sizes.error().prefixed(option.name);
    if (sizes->size() > 3)
      return Error{std::string(option.name) + " has " +
                   std::to_string(sizes->size()) +
                   " sizes; there are at most 3"};
    option.sizes = std::move(*sizes);
  }
  if (!localSizes.empty() && localSizes.size() != globalSizes.size())
    return Error{"'--local-size' has " + std::to_string(localSizes.size()) +
                 " sizes, but '--global-size' has " +
                 std::to_string(globalSizes.size())};
  return {};
}

Result<void, LocatedError> OpenClBuilder::readKernel() {
  if (auto read = readSizes(); !read)
    return LocatedError{read.error().message};
  std::string options =
      kernel.localBuildOptions(kernel.space.defaultConfiguration());
  // Applies to this build only: argument information may stay in binaries,
  // which would change the measured candidates.
  auto program = OpenClProgram::build(*context, kernel.source,
                                      options + " -cl-kernel-arg-info");
  if (!program) {
    LocatedError error = locate(program.error().message);
    error.message =
        "the default configuration does not build: " + error.message;
    return error;
  }
  auto found = program->kernel(kernel.name);
  if (!found)
    return LocatedError{found.error().message + "; choose one by '--kernel'",
                        kernel.file, 1, 1};
  auto parameters = found->parameters();
  if (!parameters)
    return atKernel(parameters.error().message);
  auto resolved =
      OpenClArguments::resolve(kernel, *parameters, context->place().alignment);
  if (!resolved)
    return atKernel(resolved.error().message);
  arguments = std::move(*resolved);
  return {};
}

CompilerDescription OpenClBuilder::describe() const {
  const OpenClPlatformDevice &place = context->place();
  CompilerDescription description;
  description.triple = place.platformName;
  description.chip = place.about.name;
  description.features = place.version;
  description.fingerprint = "tonno " + std::string(version()) + ", OpenCL, " +
                            place.version + ", driver " + place.about.driver;
  description.versions = "tonno " + std::string(version()) + ", " +
                         place.platformName + " " + place.about.driver;
  description.signature = arguments.signature;
  return description;
}

/// Returns the advice for sizes that do not divide each other; empty if no knob
/// decides them.
std::string OpenClBuilder::adviseOnUnevenSizes(size_t dimension) const {
  const SizeExpression &global = globalSizes[dimension],
                       &local = localSizes[dimension];
  bool varies = false;
  for (uint32_t i = 0; i < kernel.space.knobs().size(); ++i)
    varies |= global.dependsOn(i) || local.dependsOn(i);
  return varies ? "; exclude it by '--constraint=(" + global.text() +
                      ") mod (" + local.text() + ") == 0'"
                : "";
}

Result<LaunchGeometry, Failure>
OpenClBuilder::computeLaunchGeometry(const Configuration &configuration) const {
  LaunchGeometry geometry;
  bool isChosen = !localSizes.empty();
  if (!isChosen)
    geometry.block = {0, 0, 0};
  auto refuse = [](const std::string &why) {
    return Failure{Status::unlaunchable, why};
  };
  for (size_t d = 0; d < globalSizes.size(); ++d) {
    auto global = globalSizes[d].evaluate(configuration);
    if (!global)
      return refuse("'--global-size': " + global.error().message);
    auto local = isChosen ? localSizes[d].evaluate(configuration)
                          : Result<uint64_t>(uint64_t{1});
    if (!local)
      return refuse("'--local-size': " + local.error().message);
    if (*global % *local != 0)
      return refuse("the global size " + std::to_string(*global) +
                    " is not a multiple of the local size " +
                    std::to_string(*local) + adviseOnUnevenSizes(d));
    constexpr uint64_t most = std::numeric_limits<uint32_t>::max();
    if (*global / *local > most || *local > most)
      return refuse("the global size " + std::to_string(*global) +
                    " is too large");
    geometry.grid[d] = static_cast<uint32_t>(*global / *local);
    if (isChosen)
      geometry.block[d] = static_cast<uint32_t>(*local);
  }
  return geometry;
}

Result<Artifact, Failure>
OpenClBuilder::build(const Configuration &configuration) {
  auto geometry = TONNO_TRY(computeLaunchGeometry(configuration));
  auto plain = arguments.computeNonBufferArguments(configuration);
  if (!plain)
    return Failure{Status::unlaunchable, "'--arg': " + plain.error().message};
  std::string options = kernel.localBuildOptions(configuration);
  auto program = OpenClProgram::build(*context, kernel.source, options);
  if (!program) {
    Failure failure = program.error();
    if (failure.status == Status::compile_error)
      failure.message = locate(failure.message).text();
    return failure;
  }
  auto found = program->kernel(kernel.name);
  if (!found)
    return Failure{Status::compile_error, found.error().message};
  auto image = TONNO_TRY(program->image(kernel.source, options));
  Artifact artifact;
  artifact.target = openClTarget;
  artifact.triple = context->place().platformName;
  artifact.chip = context->place().about.name;
  artifact.binary = std::move(image);
  artifact.origin = sha256(Json{
      {"text", kernel.textHash},
      {"options", kernel.buildOptions(configuration)},
      {"compiler",
       describe().fingerprint}}.dump());
  artifact.plan.buffers = arguments.signature;
  Launch launch = {kernel.name, {}, geometry, std::move(*plain)};
  for (uint32_t i = 0; i < arguments.signature.size(); ++i)
    launch.buffers.push_back(i);
  artifact.usage = found->usage();
  for (const PlainArgument &argument : launch.plain)
    artifact.usage.sharedBytes =
        artifact.usage.sharedBytes.value_or(0) + argument.localBytes;
  artifact.plan.launches.push_back(std::move(launch));
  return artifact;
}

Compilation OpenClBuilder::compile(const Json &values) {
  auto configuration = kernel.space.configuration(values);
  if (!configuration)
    return {Status::compile_error, configuration.error().message, {}, 0};
  auto artifact = build(*configuration);
  if (!artifact)
    return {artifact.error().status, artifact.error().message, {}, 0};
  return {Status::ok, "", std::move(*artifact), 0};
}

Result<Problem, LocatedError> OpenClBuilder::reference() {
  auto artifact = build(kernel.space.defaultConfiguration());
  if (!artifact)
    return atKernel(
        "the default configuration, which candidates are compared with: " +
        artifact.error().message);
  Problem problem;
  problem.reference = std::move(*artifact);
  problem.isRounded = true;
  problem.reductionLength = 0; // C doesn't tell
  bool areDoubles = false, areFloats = false;
  for (const BufferSpec &buffer : arguments.signature) {
    areFloats |= isFloatingPoint(buffer.elementType);
    if (buffer.access != Access::read && isFloatingPoint(buffer.elementType))
      areDoubles = buffer.elementType == ElementType::f64;
  }
  problem.accumulator = areDoubles ? ElementType::f64 : ElementType::f32;
  problem.hasSteps = areFloats;
  return problem;
}
