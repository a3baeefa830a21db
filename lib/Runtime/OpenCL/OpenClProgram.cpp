//===- Programs of a device -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/OpenClProgram.h"
#include "tonno/Core/Json.h"
#include "tonno/Runtime/OpenClNames.h"

#include <algorithm>

using namespace tonno;

/// In front of what stands for a binary where a driver gives none.
static constexpr std::string_view sourceMark = "tonno OpenCL source\n";

static bool isSource(const std::vector<uint8_t> &image) {
  return image.size() >= sourceMark.size() &&
         std::equal(sourceMark.begin(), sourceMark.end(), image.begin());
}

Result<OpenClProgram, Failure>
OpenClProgram::build(OpenClContext &context, const std::string &source,
                     const std::string &options) {
  const char *text = source.data();
  size_t length = source.size();
  OpenClCode code = 0;
  OpenClProgramHandle handle = context.functions().programOfSource(
      context.handle(), 1, &text, &length, &code);
  if (auto made = context.check(code, Status::compile_error, "take the source");
      !made)
    return made.error();
  OpenClProgram program(context, handle);
  if (auto built = program.compile(options, Status::compile_error); !built)
    return built.error();
  return program;
}

Result<OpenClProgram, Failure>
OpenClProgram::load(OpenClContext &context, const std::vector<uint8_t> &image) {
  if (isSource(image)) {
    auto json = parseCbor(std::span(image).subspan(sourceMark.size()));
    auto source = json ? decodeMember<std::string>(*json, "source")
                       : Result<std::string>(json.error());
    auto options = json ? decodeMember<std::string>(*json, "options")
                        : Result<std::string>(json.error());
    if (!source || !options)
      return Failure{Status::load_error, "the program's source is damaged"};
    auto built = build(context, *source, *options);
    if (!built && built.error().status == Status::compile_error)
      return Failure{Status::load_error, built.error().message};
    return built;
  }
  const unsigned char *bytes = image.data();
  size_t length = image.size();
  OpenClCode each = 0, code = 0;
  OpenClProgramHandle handle = context.functions().programOfBinary(
      context.handle(), 1, &context.place().device, &length, &bytes, &each,
      &code);
  for (OpenClCode told : {code, each})
    if (auto made = context.check(told, Status::load_error, "load the binary");
        !made)
      return made.error();
  OpenClProgram program(context, handle);
  if (auto built = program.compile("", Status::load_error); !built)
    return built.error();
  return program;
}

OpenClProgram::~OpenClProgram() {
  if (handle && !context->isLost())
    context->functions().releaseProgram(handle);
}

Result<void, Failure> OpenClProgram::compile(const std::string &options,
                                             Status refused) {
  OpenClCode code = context->functions().buildProgram(
      handle, 1, &context->place().device, options.c_str(), nullptr, nullptr);
  auto built = context->check(code, refused, "build the program");
  if (built)
    return built;
  Failure failure = built.error();
  if (std::string text = log(); !text.empty())
    failure.message += "\n" + text;
  return failure;
}

std::string OpenClProgram::log() const {
  return opencl::textOf([&](size_t bytes, void *value, size_t *needed) {
    return context->functions().buildInfo(handle, context->place().device,
                                          opencl::buildLog, bytes, value,
                                          needed);
  });
}

Result<std::vector<uint8_t>, Failure>
OpenClProgram::image(const std::string &source,
                     const std::string &options) const {
  const OpenClFunctions &f = context->functions();
  size_t size = 0;
  std::vector<uint8_t> binary;
  OpenClCode code = f.programInfo(handle, opencl::programBinarySizes,
                                  sizeof size, &size, nullptr);
  if (code == 0 && size > 0) {
    binary.resize(size);
    unsigned char *place = binary.data();
    code = f.programInfo(handle, opencl::programBinaries, sizeof place,
                         static_cast<void *>(&place), nullptr);
  }
  if (code == 0 && size > 0)
    return binary;
  std::vector<uint8_t> text(sourceMark.begin(), sourceMark.end());
  std::ranges::copy(
      Json::to_cbor(Json{{"source", source}, {"options", options}}),
      std::back_inserter(text));
  return text;
}

Result<OpenClKernel, Failure>
OpenClProgram::kernel(const std::string &name) const {
  OpenClCode code = 0;
  OpenClKernelHandle kernel =
      context->functions().createKernel(handle, name.c_str(), &code);
  if (auto found = context->check(code, Status::load_error,
                                  "find the kernel '" + name + "'");
      !found) {
    Failure failure = found.error();
    std::string names =
        opencl::textOf([&](size_t bytes, void *value, size_t *needed) {
          return context->functions().programInfo(
              handle, opencl::programKernelNames, bytes, value, needed);
        });
    std::replace(names.begin(), names.end(), ';', ' ');
    if (code == opencl::invalidKernelName)
      failure.message = "there is no kernel '" + name +
                        "'; there are: " + (names.empty() ? "none" : names);
    return failure;
  }
  return OpenClKernel(*context, kernel);
}

OpenClKernel::~OpenClKernel() {
  if (itsHandle && !context->isLost())
    context->functions().releaseKernel(itsHandle);
}

template <typename T>
OpenClCode OpenClKernel::ask(uint32_t name, T &value) const {
  return context->functions().workGroupInfo(
      itsHandle, context->place().device, name, sizeof value, &value, nullptr);
}

Result<size_t, Failure> OpenClKernel::mostWorkItems() const {
  size_t most = 0;
  if (auto told = context->check(ask(opencl::kernelWorkGroupSize, most),
                                 Status::load_error, "describe the kernel");
      !told)
    return told.error();
  return most;
}

std::array<size_t, 3> OpenClKernel::requiredSize() const {
  std::array<size_t, 3> size = {};
  return ask(opencl::kernelRequiredSize, size) == 0 ? size
                                                    : std::array<size_t, 3>{};
}

ResourceUsage OpenClKernel::usage() const {
  ResourceUsage usage;
  uint64_t bytes = 0;
  if (ask(opencl::kernelLocalBytes, bytes) == 0)
    usage.sharedBytes = bytes;
  if (ask(opencl::kernelPrivateBytes, bytes) == 0)
    usage.stackBytes = bytes;
  return usage;
}

Result<std::optional<std::vector<OpenClParameter>>, Failure>
OpenClKernel::parameters() const {
  using Parameters = std::optional<std::vector<OpenClParameter>>;
  const OpenClFunctions &f = context->functions();
  uint32_t count = 0;
  if (auto told =
          context->check(f.kernelInfo(itsHandle, opencl::kernelArgumentCount,
                                      sizeof count, &count, nullptr),
                         Status::load_error, "describe the kernel");
      !told)
    return told.error();
  std::vector<OpenClParameter> parameters(count);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t address = 0;
    uint64_t qualifiers = 0;
    for (OpenClCode code :
         {f.argumentInfo(itsHandle, i, opencl::argumentAddress, sizeof address,
                         &address, nullptr),
          f.argumentInfo(itsHandle, i, opencl::argumentTypeQualifier,
                         sizeof qualifiers, &qualifiers, nullptr)}) {
      if (code == opencl::argumentInfoNotAvailable)
        return Parameters();
      if (auto told = context->check(code, Status::load_error,
                                     "describe argument " + std::to_string(i));
          !told)
        return told.error();
    }
    auto text = [&](uint32_t name) {
      return opencl::textOf([&](size_t bytes, void *value, size_t *needed) {
        return f.argumentInfo(itsHandle, i, name, bytes, value, needed);
      });
    };
    OpenClParameter &parameter = parameters[i];
    parameter.name = text(opencl::argumentName);
    parameter.type = text(opencl::argumentTypeName);
    while (parameter.type.ends_with('*') || parameter.type.ends_with(' '))
      parameter.type.pop_back();
    using Space = OpenClParameter::Space;
    parameter.space = address == opencl::globalArgument     ? Space::global
                      : address == opencl::constantArgument ? Space::constant
                      : address == opencl::localArgument    ? Space::local
                                                            : Space::value;
    parameter.isConst = (qualifiers & opencl::constQualifier) ||
                        parameter.space == Space::constant;
  }
  return Parameters(std::move(parameters));
}
