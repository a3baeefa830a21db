//===- Buffers for unset kernel arguments ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/WorkGroups/ArgumentBuffers.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

using namespace tonno;

namespace {
struct ElementType {
  std::string_view name;
  uint64_t bytes;
  uint64_t one; ///< the bits of the fill value, lowest first
};
} // namespace

static_assert(std::endian::native == std::endian::little);

static constexpr ElementType elementTypes[] = {
    {"char", 1, 0},
    {"uchar", 1, 0},
    {"unsigned char", 1, 0},
    {"short", 2, 0},
    {"ushort", 2, 0},
    {"unsigned short", 2, 0},
    {"int", 4, 0},
    {"uint", 4, 0},
    {"unsigned int", 4, 0},
    {"long", 8, 0},
    {"ulong", 8, 0},
    {"unsigned long", 8, 0},
    {"half", 2, 0x3c00},
    {"float", 4, 0x3f800000},
    {"double", 8, 0x3ff0000000000000},
};

/// Returns the bytes of an element of a type such as `float4`; nothing if
/// OpenCL has no such type. Vectors of three have the size of four.
static std::optional<std::string> getElementPattern(std::string_view type) {
  size_t digits = type.find_last_not_of("0123456789") + 1;
  std::string_view count = type.substr(digits);
  uint64_t lanes = 0;
  for (auto [text, number] : {std::pair<std::string_view, uint64_t>{"", 1},
                              {"2", 2},
                              {"3", 4},
                              {"4", 4},
                              {"8", 8},
                              {"16", 16}})
    if (count == text)
      lanes = number;
  for (const ElementType &each : elementTypes) {
    if (each.name != type.substr(0, digits) || lanes == 0)
      continue;
    std::string lane(each.bytes, '\0'), pattern;
    std::memcpy(lane.data(), &each.one, each.bytes);
    for (uint64_t i = 0; i != lanes; ++i)
      pattern += lane;
    return pattern;
  }
  return std::nullopt;
}

static Result<MadeBuffer> planBuffer(const ArgumentInfo &argument,
                                     const WorkSize &globalSize) {
  using Space = ArgumentInfo::Space;
  if (argument.space == Space::value)
    return Error{"only its caller knows the value"};
  if (argument.space == Space::local)
    return Error{"only its caller knows the size of the local memory"};
  std::string_view type = argument.type;
  bool isPointer = type.ends_with('*');
  if (isPointer)
    type.remove_suffix(1);
  auto pattern = getElementPattern(type);
  if (!isPointer || !pattern)
    return Error{"a buffer can be made of numbers and their vectors only"};
  MadeBuffer made;
  made.pattern = *pattern;
  made.isWritten = argument.space == Space::global && !argument.isConst;
  if (__builtin_mul_overflow(countWorkItems(globalSize), pattern->size(),
                             &made.bytes))
    return Error{"a buffer for that many work-items is larger than any"};
  return made;
}

Result<std::vector<MadeBuffer>>
tonno::planBuffers(const std::string &kernel,
                   const std::vector<ArgumentInfo> &arguments,
                   const WorkSize &globalSize) {
  std::vector<MadeBuffer> buffers;
  for (const ArgumentInfo &argument : arguments) {
    auto made = planBuffer(argument, globalSize);
    if (!made)
      return Error{"argument " + std::to_string(buffers.size()) + " of '" +
                   kernel + "', '" + argument.name + "' of type '" +
                   argument.type + "', was not set: " + made.error().message +
                   "; set the kernel's arguments, or give them as args"};
    buffers.push_back(*std::move(made));
  }
  return buffers;
}
