//===- Kernels that XLA calls ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "XlaHandler.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string_view>
#include <vector>

using namespace tonno;
using namespace tonno::python;

namespace {

/// The kernels that programs may call, by their hashes.
struct SharedKernels {
  std::shared_mutex lock;
  std::map<std::string, std::shared_ptr<LoadedKernel>, std::less<>> byHash;
};

} // namespace

static SharedKernels &sharedKernels() {
  // Never destroyed: XLA's threads may outlive static objects.
  static auto *kernels = new SharedKernels();
  return *kernels;
}

void tonno::python::shareWithXla(std::shared_ptr<LoadedKernel> kernel) {
  SharedKernels &kernels = sharedKernels();
  std::unique_lock lock(kernels.lock);
  kernels.byHash.emplace(kernel->hash(), kernel);
}

static LoadedKernel *findShared(std::string_view hash) {
  SharedKernels &kernels = sharedKernels();
  std::shared_lock lock(kernels.lock);
  auto found = kernels.byHash.find(hash);
  return found == kernels.byHash.end() ? nullptr : found->second.get();
}

static xla::Error *fail(const xla::CallFrame &frame, int code,
                        const std::string &message) {
  xla::ErrorArguments arguments = {sizeof arguments, nullptr, message.c_str(),
                                   code};
  return frame.api->createError(&arguments);
}

/// Answers XLA's question for the version. Returns false if `frame` is none.
static bool answerMetadata(xla::CallFrame &frame) {
  for (xla::Extension *each = frame.extensions; each; each = each->next) {
    if (each->type != xla::metadataExtension)
      continue;
    xla::Metadata &metadata =
        *reinterpret_cast<xla::MetadataExtension *>(each)->metadata;
    // The structs used here are the same in all minor versions. XLA refuses the
    // handler if the major version is another one.
    metadata.version.major = xla::majorVersion;
    metadata.version.minor =
        frame.api ? frame.api->version.minor : metadata.version.minor;
    metadata.traits = 0;
    return true;
  }
  return false;
}

static std::string_view findKernelHash(const xla::Attributes &attributes) {
  for (int64_t i = 0; i < attributes.count; ++i) {
    const xla::Text &name = *attributes.names[i];
    if (attributes.types[i] != xla::textType ||
        std::string_view(name.data, name.size) != xlaAttribute)
      continue;
    const xla::Text &value = *static_cast<xla::Text *>(attributes.values[i]);
    return {value.data, value.size};
  }
  return {};
}

namespace {

/// Hands out the buffers of XLA's arguments or results in turn.
class BufferQueue {
public:
  explicit BufferQueue(const xla::Buffers &buffers) : buffers(buffers) {}

  /// Returns null if there are no more.
  void *next() {
    if (position == buffers.count || buffers.types[position] != xla::bufferType)
      return nullptr;
    return static_cast<xla::Buffer *>(buffers.values[position++])->data;
  }

private:
  const xla::Buffers &buffers;
  int64_t position = 0;
};

} // namespace

/// Returns the reason why the kernel can't run on this frame's buffers, or an
/// empty text.
static std::string run(LoadedKernel &kernel, const xla::CallFrame &frame) {
  BufferQueue arguments(frame.arguments), results(frame.results);
  std::vector<void *> buffers(kernel.plan().buffers.size());
  for (size_t i = 0; i < kernel.numBuffers(); ++i) {
    const BufferSpec &spec = kernel.signature()[i];
    void *read = spec.access == Access::write ? nullptr : arguments.next();
    void *written = spec.access == Access::read ? nullptr : results.next();
    buffers[i] = written ? written : read;
    auto refuse = [&](const std::string &why) {
      return "kernel '" + kernel.name() + "': buffer '" + spec.name + "' " +
             why;
    };
    if (!buffers[i])
      return refuse("is missing");
    if (reinterpret_cast<uintptr_t>(buffers[i]) %
        std::max<uint64_t>(spec.alignment, 1))
      return refuse("is not aligned to " + std::to_string(spec.alignment) +
                    " bytes");
    if (read && written && read != written)
      std::memcpy(written, read, spec.bytes());
  }
  kernel.run(buffers.data());
  return {};
}

xla::Error *tonno::python::runForXla(xla::CallFrame *frame) {
  if (answerMetadata(*frame) || frame->stage != xla::executeStage)
    return nullptr;
  std::string_view hash = findKernelHash(frame->attributes);
  LoadedKernel *kernel = findShared(hash);
  if (!kernel)
    return fail(*frame, xla::notFound,
                "unknown kernel " + std::string(hash) +
                    "; compile it in this process and call as_jax before the "
                    "program runs");
  try {
    std::string problem = run(*kernel, *frame);
    return problem.empty() ? nullptr
                           : fail(*frame, xla::invalidArgument, problem);
  } catch (const std::bad_alloc &) {
    return fail(*frame, xla::resourceExhausted,
                "no memory for the workspace of kernel '" + kernel->name() +
                    "'");
  }
}
