//===- Kernels of a program -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpenClExecutable.h"
#include "tonno/Runtime/OpenClNames.h"

#include <algorithm>
#include <set>

using namespace tonno;

Result<std::unique_ptr<OpenClExecutable>, Failure>
OpenClExecutable::load(OpenClContext &context, const Artifact &artifact) {
  if (artifact.target != openClTarget)
    return Failure{Status::load_error,
                   "an opencl device can't load a binary for " +
                       artifact.target};
  auto program = OpenClProgram::load(context, artifact.binary);
  if (!program)
    return program.error();
  std::unique_ptr<OpenClExecutable> executable(
      new OpenClExecutable(context, std::move(*program)));
  for (const BufferSpec &buffer : artifact.plan.buffers)
    executable->bytes.push_back(buffer.bytes());
  for (const Launch &launch : artifact.plan.launches)
    if (auto added = executable->add(launch); !added)
      return added.error();
  return executable;
}

Result<void, Failure> OpenClExecutable::add(const Launch &launch) {
  auto refused = [&](const std::string &why) {
    return Failure{Status::load_error, "'" + launch.symbol + "' " + why};
  };
  for (uint32_t buffer : launch.buffers)
    if (buffer >= bytes.size())
      return refused("is launched with a buffer that the plan has not");
  auto kernel = program.kernel(launch.symbol);
  if (!kernel)
    return kernel.error();
  uint32_t count = 0;
  if (auto told =
          context.check(context.functions().kernelInfo(
                            kernel->handle(), opencl::kernelArgumentCount,
                            sizeof count, &count, nullptr),
                        Status::load_error, "describe the kernel");
      !told)
    return told;
  Call call = {std::move(*kernel), launch, {}};
  std::set<uint32_t> taken;
  for (const PlainArgument &argument : launch.plain) {
    if (argument.position >= count || !taken.insert(argument.position).second)
      return refused("has no argument " + std::to_string(argument.position));
    const void *value =
        argument.value.empty() ? nullptr : argument.value.data();
    size_t size = value ? argument.value.size() : argument.localBytes;
    if (auto set = context.check(
            context.functions().setArgument(call.kernel.handle(),
                                            argument.position, size, value),
            Status::unlaunchable,
            "set argument " + std::to_string(argument.position));
        !set)
      return set;
  }
  for (uint32_t position = 0; position < count; ++position)
    if (!taken.contains(position))
      call.positions.push_back(position);
  if (call.positions.size() != launch.buffers.size())
    return refused("takes " + std::to_string(call.positions.size()) +
                   " buffers, the plan gives " +
                   std::to_string(launch.buffers.size()));
  if (auto fits = checkGeometry(call); !fits)
    return fits;
  calls.push_back(std::move(call));
  return {};
}

Result<void, Failure> OpenClExecutable::checkGeometry(const Call &call) const {
  const auto &block = call.launch.geometry.block;
  uint64_t items = uint64_t{1} * block[0] * block[1] * block[2];
  auto refused = [&](const std::string &why) {
    return Failure{Status::unlaunchable, "'" + call.launch.symbol + "' " + why};
  };
  auto most = call.kernel.mostWorkItems();
  if (!most)
    return most.error();
  if (items > *most)
    return refused("asks for " + std::to_string(items) +
                   " work-items of a workgroup, but at most " +
                   std::to_string(*most) + " are possible");
  std::array<size_t, 3> wanted = call.kernel.requiredSize();
  if (wanted[0] != 0 &&
      !std::equal(wanted.begin(), wanted.end(), block.begin()))
    return refused("requires the local size " + std::to_string(wanted[0]) +
                   ", " + std::to_string(wanted[1]) + ", " +
                   std::to_string(wanted[2]) +
                   ", which its reqd_work_group_size says; give it by "
                   "--local-size");
  uint64_t local = call.kernel.usage().sharedBytes.value_or(0);
  if (local > context.localBytes())
    return refused("asks for " + std::to_string(local) +
                   " bytes of local memory, but at most " +
                   std::to_string(context.localBytes()) + " are possible");
  return {};
}

/// How many dimensions the extents are of: those behind are all 1.
static uint32_t dimensionsOf(const std::array<size_t, 3> &global) {
  uint32_t dimensions = 3;
  while (dimensions > 1 && global[dimensions - 1] == 1)
    --dimensions;
  return dimensions;
}

Result<void, Failure>
OpenClExecutable::enqueue(std::span<const OpenClMemory> buffers,
                          std::vector<OpenClEvent> &events) {
  const OpenClFunctions &f = context.functions();
  for (const Call &call : calls) {
    for (size_t i = 0; i < call.positions.size(); ++i) {
      OpenClMemory memory = buffers[call.launch.buffers[i]];
      if (auto set = context.check(
              f.setArgument(call.kernel.handle(), call.positions[i],
                            sizeof(OpenClMemory),
                            static_cast<const void *>(&memory)),
              Status::unlaunchable,
              "set argument " + std::to_string(call.positions[i]));
          !set)
        return set;
    }
    const auto &[grid, block, sharedBytes] = call.launch.geometry;
    std::array<size_t, 3> global = {}, local = {};
    bool isChosen = block[0] != 0;
    for (size_t d = 0; d < 3; ++d) {
      local[d] = block[d];
      global[d] = size_t{grid[d]} * (isChosen ? block[d] : 1);
    }
    OpenClEvent event = nullptr;
    if (auto launched = context.check(
            f.launch(context.queue(), call.kernel.handle(),
                     dimensionsOf(global), nullptr, global.data(),
                     isChosen ? local.data() : nullptr, 0, nullptr, &event),
            Status::unlaunchable, "launch '" + call.launch.symbol + "'");
        !launched)
      return launched;
    events.push_back(event);
  }
  return {};
}
