//===- An artifact on a GPU -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpuExecutable.h"

#include <algorithm>

using namespace tonno;

// Numbers that both vendors share.
static constexpr int errorLogOption = 5;
static constexpr int errorLogBytesOption = 6;
static constexpr int maxThreadsAttribute = 0;
static constexpr int sharedBytesAttribute = 1;
static constexpr int maxDynamicSharedBytesAttribute = 8;

/// More than that a CUDA kernel must be granted.
static constexpr uint32_t grantedSharedBytes = 48 << 10;

static Failure refused(const std::string &why) {
  return {Status::load_error, why};
}

/// PTX, not machine code in an ELF file or a fat binary.
static bool isText(const std::vector<uint8_t> &binary) {
  auto startsWith = [&](std::initializer_list<uint8_t> magic) {
    return binary.size() >= magic.size() &&
           std::equal(magic.begin(), magic.end(), binary.begin());
  };
  return !startsWith({0x7F, 'E', 'L', 'F'}) &&
         !startsWith({0x50, 0xED, 0x55, 0xBA});
}

Result<std::unique_ptr<Executable>, Failure>
GpuExecutable::load(GpuContext &context, const Artifact &artifact,
                    const std::string &deviceChip) {
  const GpuVendor &vendor = context.vendor();
  if (artifact.target != vendor.target)
    return refused(std::string("a ") + vendor.kind +
                   " device can't load a binary for " + artifact.target);
  if (!vendor.runs(deviceChip, artifact.chip, isText(artifact.binary)))
    return refused("the binary is for " + artifact.chip +
                   ", which the device, " + deviceChip + ", can't run");
  std::unique_ptr<GpuExecutable> executable(new GpuExecutable(context));
  if (auto loaded = executable->loadModule(artifact.binary); !loaded)
    return loaded.error();
  for (const Launch &launch : artifact.plan.launches)
    if (auto added =
            executable->addKernel(launch, artifact.plan.buffers.size());
        !added)
      return added.error();
  return std::unique_ptr<Executable>(std::move(executable));
}

GpuExecutable::~GpuExecutable() {
  graphs.clear();
  // Where it fails, the next call says so, too.
  if (module && !context.isLost())
    (void)context
        .check(context.functions().moduleUnload(module), Status::lost,
               "unload a binary")
        .ok();
}

Result<void, Failure>
GpuExecutable::loadModule(const std::vector<uint8_t> &binary) {
  // A driver takes text up to a null character, and reads a file's header
  // without knowing how short the file is.
  constexpr size_t headerBytes = 64;
  std::vector<uint8_t> image = binary;
  image.resize(binary.size() + headerBytes);
  std::vector<char> log(8192);
  int names[] = {errorLogOption, errorLogBytesOption};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  unsigned options = isText(binary) ? 2 : 0;
  GpuCode code = context.functions().moduleLoad(&module, image.data(), options,
                                                names, values);
  auto loaded = context.check(code, Status::load_error, "load the binary");
  if (loaded)
    return {};
  module = nullptr;
  Failure failure = loaded.error();
  if (log[0])
    failure.message += std::string("\n") + log.data();
  return failure;
}

Result<void, Failure> GpuExecutable::addKernel(const Launch &launch,
                                               size_t bufferCount) {
  constexpr GpuCode notFound = 500; // of both vendors
  const GpuFunctions &f = context.functions();
  for (uint32_t buffer : launch.buffers)
    if (buffer >= bufferCount)
      return refused("the launch plan has no buffer " + std::to_string(buffer));
  Kernel kernel = {launch.symbol, nullptr, launch.buffers, launch.geometry};
  GpuCode code =
      f.moduleFunction(&kernel.function, module, launch.symbol.c_str());
  if (code == notFound)
    return refused("the binary has no symbol '" + launch.symbol + "'");
  if (auto found = context.check(code, Status::load_error,
                                 "find the kernel '" + launch.symbol + "'");
      !found)
    return found;
  if (auto fits = checkGeometry(kernel); !fits)
    return fits;
  if (f.functionSetAttribute &&
      launch.geometry.sharedBytes > grantedSharedBytes)
    if (auto granted =
            context.check(f.functionSetAttribute(
                              kernel.function, maxDynamicSharedBytesAttribute,
                              static_cast<int>(launch.geometry.sharedBytes)),
                          Status::unlaunchable,
                          "give '" + launch.symbol + "' " +
                              std::to_string(launch.geometry.sharedBytes) +
                              " bytes of shared memory");
        !granted)
      return granted;
  if (f.functionLoad)
    if (auto ready =
            context.check(f.functionLoad(kernel.function), Status::load_error,
                          "load the kernel '" + launch.symbol + "'");
        !ready)
      return ready;
  kernels.push_back(std::move(kernel));
  return {};
}

Result<void, Failure> GpuExecutable::checkGeometry(const Kernel &kernel) {
  const GpuLimits &limits = context.limits();
  const LaunchGeometry &geometry = kernel.geometry;
  auto within = [&](uint64_t asked, int limit,
                    const char *what) -> Result<void, Failure> {
    if (asked >= 1 && asked <= static_cast<uint64_t>(limit))
      return {};
    return Failure{Status::unlaunchable,
                   "'" + kernel.name + "' asks for " + std::to_string(asked) +
                       " " + what + ", but at most " + std::to_string(limit) +
                       " are possible"};
  };
  uint64_t threads = 1;
  for (size_t i = 0; i < 3; ++i) {
    static constexpr const char *blockWords[] = {"threads of a block in x",
                                                 "threads of a block in y",
                                                 "threads of a block in z"};
    static constexpr const char *gridWords[] = {"blocks in x", "blocks in y",
                                                "blocks in z"};
    threads *= geometry.block[i];
    if (auto fits = within(geometry.block[i], limits.block[i], blockWords[i]);
        !fits)
      return fits;
    if (auto fits = within(geometry.grid[i], limits.grid[i], gridWords[i]);
        !fits)
      return fits;
  }
  if (auto fits = within(threads, limits.threads, "threads of a block"); !fits)
    return fits;
  int ownThreads = 0, ownSharedBytes = 0;
  for (auto [attribute, value] :
       {std::pair(maxThreadsAttribute, &ownThreads),
        std::pair(sharedBytesAttribute, &ownSharedBytes)})
    if (auto known =
            context.check(context.functions().functionAttribute(
                              value, attribute, kernel.function),
                          Status::load_error, "describe '" + kernel.name + "'");
        !known)
      return known;
  if (auto fits = within(threads, ownThreads,
                         "threads of a block with the registers it uses");
      !fits)
    return fits;
  uint64_t shared =
      geometry.sharedBytes + static_cast<uint64_t>(std::max(ownSharedBytes, 0));
  return shared == 0
             ? Result<void, Failure>()
             : within(shared, limits.sharedBytes, "bytes of shared memory");
}

Result<void, Failure>
GpuExecutable::enqueue(std::span<const DevicePointer> buffers) {
  for (const Kernel &kernel : kernels) {
    std::vector<GpuAddress> addresses;
    for (uint32_t index : kernel.buffers)
      addresses.push_back(addressOf(buffers[index]));
    std::vector<void *> parameters;
    for (GpuAddress &address : addresses)
      parameters.push_back(&address);
    const auto &[grid, block, sharedBytes] = kernel.geometry;
    GpuCode code = context.functions().launch(
        kernel.function, grid[0], grid[1], grid[2], block[0], block[1],
        block[2], sharedBytes, context.stream(), parameters.data(), nullptr);
    if (auto launched = context.check(code, Status::unlaunchable,
                                      "launch '" + kernel.name + "'");
        !launched)
      return launched;
  }
  return {};
}
