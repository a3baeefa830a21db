//===- Launch plans of artifacts ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_LAUNCHPLAN_H
#define TONNO_CORE_LAUNCHPLAN_H

#include "tonno/Core/InputSpec.h"
#include "tonno/Core/Json.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tonno {

/// MLIR's element types, by MLIR's names. Real ones come first.
enum class ElementType {
  f64,
  f32,
  f16,
  bf16,
  f8E4M3FN,
  f8E5M2,
  f8E4M3FNUZ,
  f8E5M2FNUZ,
  f8E8M0FNU,
  f6E2M3FN,
  f6E3M2FN,
  f4E2M1FN,
  i64,
  i32,
  i16,
  i8,
  i4,
  i2,
  i1
};

/// Returns the bytes that one element takes in memory. An element of less than
/// 8 bits takes a byte, whose upper bits are 0.
size_t getByteSize(ElementType type);

/// Returns the number of significant bits of an element.
unsigned bitWidth(ElementType type);

EnumNames getEnumNames(ElementType);

/// The access of a kernel to a buffer. Before a launch, `write` buffers alone
/// may have arbitrary contents; `workspace` is never read by a caller.
enum class Access { read, write, read_write, workspace };

EnumNames getEnumNames(Access);

/// The largest size of a buffer, 128 TiB: the address space of a process. Sums
/// of sizes stay below 2^64.
inline constexpr uint64_t mostBufferBytes = uint64_t(1) << 47;

/// The alignment in bytes of results and workspace, and of arguments that are
/// memrefs: a cache line, and the widest vector.
inline constexpr uint64_t bufferAlignment = 64;

/// The alignment in bytes of arguments that are tensors or scalars, as NumPy
/// allocates arrays.
inline constexpr uint64_t valueAlignment = 16;

/// The extent of an axis whose size the caller gives with each call.
inline constexpr int64_t anySize = -1;

/// An argument, result or workspace. Buffers of a launch do not overlap.
struct BufferSpec {
  std::string name; ///< "arg0", "result0", "workspace0", "loaded0"
  ElementType elementType = ElementType::f32;
  std::vector<int64_t> shape; ///< `anySize` where `sizes` names the size
  Access access = Access::read;
  uint64_t alignment = bufferAlignment; ///< in bytes, of the first element
  /// The stride of each dimension, in elements, none negative; empty if the
  /// buffer is dense and row-major.
  std::vector<int64_t> strides = {};
  /// The data to fill the buffer with if the kernel reads it; any data if
  /// empty.
  std::optional<InputSpec> input = {};
  /// The name of the size of each axis, which the buffer of this name gives;
  /// empty for axes of known size, and if there are no others.
  std::vector<std::string> sizes = {};
  /// The names of the axes by `tonno.dims`, for messages of callers; empty
  /// without names, and in plans of candidates.
  std::vector<std::string> dims = {};

  /// Returns true if a size is known only in calls. Then the number of elements
  /// and of bytes is not known.
  bool isDynamic() const { return !sizes.empty(); }
  uint64_t elements() const;
  bool isDense() const { return strides.empty(); }
  /// Returns the bytes from the first element to the end of the last, including
  /// gaps.
  uint64_t bytes() const;
  /// Checks that shape and strides are consistent. The Error names the buffer
  /// if an extent or a stride is negative, their numbers differ, two elements
  /// may share memory (each stride must reach over the elements of the
  /// dimensions with smaller ones), the size is over mostBufferBytes, the
  /// alignment is beyond 1 GiB, or only some axes have names. Called by
  /// `from_json`.
  Result<void> checkLayout() const;
  bool operator==(const BufferSpec &) const = default;
};

/// The number of instances of an entry point that one launch starts; always one
/// on the host. If OpenCL's driver chooses the workgroups, `block` is all 0 and
/// `grid` counts work-items.
struct LaunchGeometry {
  std::array<uint32_t, 3> grid = {1, 1, 1};  ///< workgroups
  std::array<uint32_t, 3> block = {1, 1, 1}; ///< threads of a workgroup
  uint32_t sharedBytes = 0; ///< memory of a workgroup beside the binary's own

  bool operator==(const LaunchGeometry &) const = default;
};

/// An argument of an OpenCL kernel that is no buffer: a value, or, where that
/// is empty, local memory of a workgroup.
struct PlainArgument {
  uint32_t position = 0; ///< among the kernel's arguments
  std::vector<uint8_t> value;
  uint64_t localBytes = 0;

  bool operator==(const PlainArgument &) const = default;
};

/// A call of an entry point of the binary with some of the plan's buffers.
struct Launch {
  std::string symbol;
  std::vector<uint32_t> buffers; ///< indices into LaunchPlan::buffers, which
                                 ///< `from_json` checks
  LaunchGeometry geometry = {};
  /// OpenCL's alone: the buffers take the other positions.
  std::vector<PlainArgument> plain = {};
  /// The number of host threads that the kernel uses, including the caller's:
  /// OpenMP threads, which its code requests. Results are the same with fewer.
  uint32_t threads = 1;
  /// True if the launch need not run again while the contents of its `read`
  /// buffers, and what it has written, stay as they are.
  bool atLoad = false;
  /// The grid as expressions of sizes, three, such as "(M + 63) / 64"; empty if
  /// `geometry` has it. A launch with an extent of 0 does nothing.
  std::vector<std::string> gridSizes = {};
  /// The sizes at which the launch runs, such as "M >= 12 and M <= 50"; empty
  /// for all.
  std::string condition = {};

  bool dependsOnSizes() const {
    return !gridSizes.empty() || !condition.empty();
  }
  bool operator==(const Launch &) const = default;
};

/// The buffers that a kernel's caller brings: arguments, then results. The same
/// for every candidate of a kernel.
using Signature = std::vector<BufferSpec>;

/// Everything that a caller needs to run a binary: the signature's buffers,
/// then workspace; and the launches in order. Workspace and launches differ
/// between candidates.
///
/// On the host, a launch is `void symbol(void **buffers)`; a launch of several
/// workgroups, which may run concurrently, also receives the workgroup's index:
/// `void symbol(void **buffers, uint64_t workgroup)`.
struct LaunchPlan {
  std::vector<BufferSpec> buffers;
  std::vector<Launch> launches;

  /// Returns all buffers except the workspace.
  Signature signature() const;
  /// Returns true for workspace that a launch at load fills for the others.
  bool isLoaded(uint32_t buffer) const;

  bool operator==(const LaunchPlan &) const = default;
};

void mapFields(JsonFields &fields, BufferSpec &buffer);
void mapFields(JsonFields &fields, PlainArgument &argument);
void mapFields(JsonFields &fields, Launch &launch);
void mapFields(JsonFields &fields, LaunchPlan &plan);

} // namespace tonno

#endif // TONNO_CORE_LAUNCHPLAN_H
