//===- LaunchPlan.h - How to run an artifact -*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_CORE_LAUNCHPLAN_H
#define TONNO_CORE_LAUNCHPLAN_H

#include "tonno/Core/Json.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tonno {

enum class ElementType { f64, f32, f16, bf16, i64, i32, i16, i8, i1 };

/// Bytes that one element takes in memory.
size_t sizeOf(ElementType type);
std::string_view toString(ElementType type);

/// What a kernel does with a buffer. Only `write` buffers may hold anything
/// before a launch; `workspace` is scratch that no caller reads.
enum class Access { read, write, read_write, workspace };

std::string_view toString(Access access);

/// One argument, result or workspace: dense, row-major.
struct BufferSpec {
  std::string name; ///< "arg0", "result0", "workspace0"
  ElementType elementType = ElementType::f32;
  std::vector<int64_t> shape;
  Access access = Access::read;
  uint64_t alignment = 64; ///< in bytes, of the first element

  uint64_t elements() const;
  uint64_t bytes() const { return elements() * sizeOf(elementType); }
  bool operator==(const BufferSpec &) const = default;
};

/// One call of an entry point of the binary with some of the plan's buffers.
struct Launch {
  std::string symbol;
  std::vector<uint32_t> buffers; ///< indices into LaunchPlan::buffers

  bool operator==(const Launch &) const = default;
};

/// Everything a caller needs to run a binary: the buffers in the order of the
/// kernel's arguments, then results, then workspace; and the launches in order.
///
/// On the host a launch is `void symbol(void **buffers)`.
struct LaunchPlan {
  std::vector<BufferSpec> buffers;
  std::vector<Launch> launches;

  bool operator==(const LaunchPlan &) const = default;
};

void to_json(Json &json, ElementType type);
void from_json(const Json &json, ElementType &type);
void to_json(Json &json, Access access);
void from_json(const Json &json, Access &access);
void to_json(Json &json, const BufferSpec &buffer);
void from_json(const Json &json, BufferSpec &buffer);
void to_json(Json &json, const Launch &launch);
void from_json(const Json &json, Launch &launch);
void to_json(Json &json, const LaunchPlan &plan);
void from_json(const Json &json, LaunchPlan &plan);

} // namespace tonno

#endif // TONNO_CORE_LAUNCHPLAN_H
