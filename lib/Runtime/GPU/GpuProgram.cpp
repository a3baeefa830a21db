//===- Binaries that a GPU has loaded -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/GpuProgram.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

using namespace tonno;

// Numbers that both vendors share.
static constexpr int errorLogOption = 5;
static constexpr int errorLogBytesOption = 6;
static constexpr int maxThreadsAttribute = 0;
static constexpr int sharedBytesAttribute = 1;
static constexpr int maxDynamicSharedBytesAttribute = 8;

/// More than that a CUDA kernel must be granted.
static constexpr uint32_t grantedSharedBytes = 48 << 10;

static GpuFailure refused(const std::string &why) {
  return {{Status::load_error, why}};
}

/// Returns true if the binary is PTX rather than machine code in an ELF file or
/// a fat binary.
static bool isText(const std::vector<uint8_t> &binary) {
  auto startsWith = [&](std::initializer_list<uint8_t> magic) {
    return binary.size() >= magic.size() &&
           std::equal(magic.begin(), magic.end(), binary.begin());
  };
  return !startsWith({0x7F, 'E', 'L', 'F'}) &&
         !startsWith({0x50, 0xED, 0x55, 0xBA});
}

Result<GpuLimits> GpuLimits::read(const GpuDriver &driver, int device) {
  const GpuAttributes &attributes = driver.vendor().attributes;
  auto read = [&](int attribute, int &value) {
    return driver.functions().deviceAttribute(&value, attribute, device);
  };
  GpuLimits limits;
  GpuCode code = read(attributes.threads, limits.threads);
  for (size_t i = 0; i < 3 && code == 0; ++i) {
    code = read(attributes.block[i], limits.block[i]);
    if (code == 0)
      code = read(attributes.grid[i], limits.grid[i]);
  }
  if (code == 0)
    code = read(attributes.sharedBytes, limits.sharedBytes);
  if (code)
    return Error{"cannot read the device's limits: " + driver.errorText(code)};
  // Some drivers lack the opt-in attribute.
  if (int bytes = 0; read(attributes.sharedBytesOptIn, bytes) == 0)
    limits.sharedBytes = std::max(limits.sharedBytes, bytes);
  return limits;
}

Result<GpuProgram, GpuFailure> GpuProgram::load(const GpuDriver &driver,
                                                const GpuLimits &limits,
                                                const std::string &deviceChip,
                                                const Artifact &artifact) {
  const GpuDriverTraits &vendor = driver.vendor();
  if (artifact.target != vendor.target)
    return refused(std::string("a ") + vendor.kind +
                   " device cannot load a binary for " + artifact.target);
  if (artifact.chip.empty())
    return refused("the launch plan names no chip; add the one that the binary "
                   "was compiled for as 'chip'");
  if (!vendor.runs(deviceChip, artifact.chip, isText(artifact.binary)))
    return refused("the binary is for " + artifact.chip +
                   ", which the device, " + deviceChip + ", cannot run");
  GpuProgram program(driver);
  TONNO_TRY(program.loadModule(artifact.binary));
  auto added = program.addKernels(artifact.plan, limits);
  if (added)
    return program;
  if (!added.error().losesDevice)
    (void)program.unload().ok(); // the first failure is reported
  return added.error();
}

Result<GpuProgram, GpuFailure>
GpuProgram::withPlan(const LaunchPlan &plan, const GpuLimits &limits) const {
  GpuProgram program(driver);
  program.module = module;
  TONNO_TRY(program.addKernels(plan, limits));
  return program;
}

Result<void, GpuFailure>
GpuProgram::enqueue(GpuStream stream,
                    std::span<const GpuAddress> buffers) const {
  std::vector<void *> parameters;
  for (const Kernel &kernel : kernels) {
    parameters.clear(); // a launch has copied the addresses
    for (uint32_t index : kernel.launch.buffers)
      parameters.push_back(const_cast<GpuAddress *>(&buffers[index]));
    const auto &[grid, block, sharedBytes] = kernel.launch.geometry;
    GpuCode code = driver.functions().launch(
        kernel.function, grid[0], grid[1], grid[2], block[0], block[1],
        block[2], sharedBytes, stream, parameters.data(), nullptr);
    if (code)
      return driver.checkCall(code, Status::unlaunchable,
                              "launch '" + kernel.launch.symbol + "'");
  }
  return {};
}

Result<void, GpuFailure> GpuProgram::unload() {
  if (!module)
    return {};
  return driver.checkCall(
      driver.functions().moduleUnload(std::exchange(module, nullptr)),
      Status::lost, "unload a binary");
}

Result<void, GpuFailure>
GpuProgram::loadModule(const std::vector<uint8_t> &binary) {
  // Drivers read text up to a null character, and headers of short files.
  constexpr size_t headerBytes = 64;
  std::vector<uint8_t> image = binary;
  image.resize(binary.size() + headerBytes);
  std::vector<char> log(8192);
  int names[] = {errorLogOption, errorLogBytesOption};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  unsigned options = isText(binary) ? 2 : 0;
  GpuCode code = driver.functions().moduleLoad(&module, image.data(), options,
                                               names, values);
  auto loaded = driver.checkCall(code, Status::load_error, "load the binary");
  if (loaded)
    return {};
  module = nullptr;
  GpuFailure failure = loaded.error();
  if (log[0])
    failure.failure.message += std::string("\n") + log.data();
  return failure;
}

Result<void, GpuFailure> GpuProgram::addKernels(const LaunchPlan &plan,
                                                const GpuLimits &limits) {
  for (const Launch &launch : plan.launches)
    TONNO_TRY(addKernel(launch, plan.buffers.size(), limits));
  return {};
}

Result<void, GpuFailure> GpuProgram::addKernel(const Launch &launch,
                                               size_t bufferCount,
                                               const GpuLimits &limits) {
  constexpr GpuCode notFound = 500; // of both vendors
  const GpuFunctions &f = driver.functions();
  for (uint32_t buffer : launch.buffers)
    if (buffer >= bufferCount)
      return refused("the launch plan has no buffer " + std::to_string(buffer));
  Kernel kernel = {launch};
  GpuCode code =
      f.moduleFunction(&kernel.function, module, launch.symbol.c_str());
  if (code == notFound)
    return refused("the binary has no symbol '" + launch.symbol + "'");
  TONNO_TRY(driver.checkCall(code, Status::load_error,
                             "find the kernel '" + launch.symbol + "'"));
  TONNO_TRY(checkGeometry(kernel, limits));
  if (f.functionSetAttribute &&
      launch.geometry.sharedBytes > grantedSharedBytes)
    TONNO_TRY(driver.checkCall(
        f.functionSetAttribute(kernel.function, maxDynamicSharedBytesAttribute,
                               static_cast<int>(launch.geometry.sharedBytes)),
        Status::unlaunchable,
        "give '" + launch.symbol + "' " +
            std::to_string(launch.geometry.sharedBytes) +
            " bytes of shared memory"));
  if (f.functionLoad)
    TONNO_TRY(driver.checkCall(f.functionLoad(kernel.function),
                               Status::load_error,
                               "load the kernel '" + launch.symbol + "'"));
  kernels.push_back(std::move(kernel));
  return {};
}

Result<void, GpuFailure>
GpuProgram::checkGeometry(const Kernel &kernel, const GpuLimits &limits) const {
  const LaunchGeometry &geometry = kernel.launch.geometry;
  auto within = [&](uint64_t asked, int limit,
                    const char *what) -> Result<void, GpuFailure> {
    if (asked >= 1 && asked <= static_cast<uint64_t>(limit))
      return {};
    return GpuFailure{
        {Status::unlaunchable, "'" + kernel.launch.symbol + "' asks for " +
                                   std::to_string(asked) + " " + what +
                                   ", but at most " + std::to_string(limit) +
                                   " are possible"}};
  };
  uint64_t threads = 1;
  for (size_t i = 0; i < 3; ++i) {
    static constexpr const char *blockWords[] = {"threads of a block in x",
                                                 "threads of a block in y",
                                                 "threads of a block in z"};
    static constexpr const char *gridWords[] = {"blocks in x", "blocks in y",
                                                "blocks in z"};
    threads *= geometry.block[i];
    TONNO_TRY(within(geometry.block[i], limits.block[i], blockWords[i]));
    TONNO_TRY(within(geometry.grid[i], limits.grid[i], gridWords[i]));
  }
  TONNO_TRY(within(threads, limits.threads, "threads of a block"));
  int ownThreads = 0, ownSharedBytes = 0;
  for (auto [attribute, value] :
       {std::pair(maxThreadsAttribute, &ownThreads),
        std::pair(sharedBytesAttribute, &ownSharedBytes)})
    TONNO_TRY(driver.checkCall(
        driver.functions().functionAttribute(value, attribute, kernel.function),
        Status::load_error, "describe '" + kernel.launch.symbol + "'"));
  TONNO_TRY(within(threads, ownThreads,
                   "threads of a block with the registers it uses"));
  uint64_t shared =
      geometry.sharedBytes + static_cast<uint64_t>(std::max(ownSharedBytes, 0));
  return shared == 0
             ? Result<void, GpuFailure>()
             : within(shared, limits.sharedBytes, "bytes of shared memory");
}
