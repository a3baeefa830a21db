//===- Arrays in NumPy's files --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/File.h"
#include "tonno/Runtime/Elements.h"
#include "InputData.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

using namespace tonno;

// Elements are read as they lie in the file.
static_assert(std::endian::native == std::endian::little);

static constexpr size_t mostDimensions = 64; ///< as NumPy has it

namespace {
struct NpyType {
  std::string_view description;
  /// Decodes it. (Bytes of an i1 come back as numbers, which a u1 is too.)
  ElementType type;
};

struct NpyHeader {
  std::string type;
  bool isFortranOrder = false;
  std::vector<int64_t> shape;
};

/// The header, a dictionary as Python writes it. Methods return whether the
/// text went on with what they read, which is behind them then.
class HeaderReader {
public:
  explicit HeaderReader(std::string_view text) : rest(text) {}

  bool read(NpyHeader &header) {
    if (!take("{"))
      return false;
    while (!take("}"))
      if (!entry(header) || (!take(",") && !rest.starts_with("}")))
        return false;
    return keys.size() == 3;
  }

private:
  void skipSpaces() {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \n"), rest.size()));
  }

  bool take(std::string_view token) {
    skipSpaces();
    if (!rest.starts_with(token))
      return false;
    rest.remove_prefix(token.size());
    return true;
  }

  bool quoted(std::string &value) {
    char quote = take("'") ? '\'' : '"';
    if (quote == '"' && !take("\""))
      return false;
    size_t end = rest.find(quote);
    if (end == std::string_view::npos)
      return false;
    value = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    return true;
  }

  bool boolean(bool &value) {
    value = take("True");
    return value || take("False");
  }

  bool tuple(std::vector<int64_t> &value) {
    if (!take("("))
      return false;
    while (!take(")")) {
      int64_t extent = 0;
      skipSpaces();
      auto [end, status] =
          std::from_chars(rest.data(), rest.data() + rest.size(), extent);
      if (status != std::errc() || extent < 0 || value.size() == mostDimensions)
        return false;
      rest.remove_prefix(static_cast<size_t>(end - rest.data()));
      value.push_back(extent);
      if (!take(",") && !rest.starts_with(")"))
        return false;
    }
    return true;
  }

  bool entry(NpyHeader &header) {
    std::string key;
    if (!quoted(key) || !take(":") || !keys.insert(key).second)
      return false;
    if (key == "descr")
      return quoted(header.type);
    if (key == "fortran_order")
      return boolean(header.isFortranOrder);
    return key == "shape" && tuple(header.shape);
  }

  std::string_view rest;
  std::set<std::string> keys; ///< so far
};
} // namespace

static constexpr std::array<NpyType, 9> types = {{{"<f2", ElementType::f16},
                                                  {"<f4", ElementType::f32},
                                                  {"<f8", ElementType::f64},
                                                  {"|i1", ElementType::i8},
                                                  {"<i2", ElementType::i16},
                                                  {"<i4", ElementType::i32},
                                                  {"<i8", ElementType::i64},
                                                  {"|u1", ElementType::i1},
                                                  {"|b1", ElementType::i1}}};
static constexpr std::string_view magic = "\x93NUMPY";

/// What stands between magic string and header: the version, and the header's
/// length, little-endian in two bytes or, since version 2, in four.
static std::optional<std::string_view> headerText(std::string_view bytes) {
  if (!bytes.starts_with(magic) || bytes.size() < magic.size() + 2)
    return {};
  char version = bytes[magic.size()];
  size_t lengthBytes = version == 1 ? 2 : 4;
  bytes.remove_prefix(magic.size() + 2);
  if (version < 1 || version > 3 || bytes.size() < lengthBytes)
    return {};
  size_t length = 0;
  for (size_t i = lengthBytes; i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(bytes[i]);
  bytes.remove_prefix(lengthBytes);
  if (length > bytes.size())
    return {};
  return bytes.substr(0, length);
}

/// A buffer that lies in memory as the array in the file.
static BufferSpec layoutOf(const NpyHeader &header, ElementType type) {
  BufferSpec buffer;
  buffer.name = "the array";
  buffer.elementType = type;
  buffer.shape = header.shape;
  if (!header.isFortranOrder)
    return buffer;
  for (int64_t step = 1; int64_t extent : header.shape) {
    buffer.strides.push_back(step);
    if (__builtin_mul_overflow(step, extent, &step))
      step = 0; // which checkLayout refuses
  }
  return buffer;
}

Result<NpyArray> tonno::parseNpy(std::string_view bytes) {
  auto text = headerText(bytes);
  NpyHeader header;
  if (!text || !HeaderReader(*text).read(header))
    return Error{"it is no array in NumPy's format, or cut short"};
  const auto *type =
      std::find_if(types.begin(), types.end(), [&](const NpyType &t) {
        return t.description == header.type;
      });
  if (type == types.end())
    return Error{"its elements are of type '" + header.type +
                 "'; f2, f4, f8, i1, i2, i4, i8, u1 and b1 can be read, "
                 "little-endian"};
  BufferSpec buffer = layoutOf(header, type->type);
  TONNO_TRY(buffer.checkLayout());
  std::string_view data = bytes.substr(
      static_cast<size_t>(text->data() + text->size() - bytes.data()));
  if (data.size() != buffer.bytes())
    return Error{"its header promises " + std::to_string(buffer.bytes()) +
                 " bytes of elements, it has " + std::to_string(data.size())};
  NpyArray array{
      header.shape,
      decode(type->type, gather(buffer, std::as_bytes(std::span(data))))};
  if (type->type == ElementType::i64)
    for (double value : array.values)
      if (std::fabs(value) > 0x1p53)
        return Error{"it has integers beyond 2^53"};
  return array;
}

Result<NpyArray> tonno::readNpy(const std::filesystem::path &path) {
  // As large as the buffers that it is for.
  constexpr uint64_t mostBytes = uint64_t{1} << 40;
  auto bytes = TONNO_TRY(readFile(path, mostBytes));
  auto array = parseNpy(bytes);
  if (!array)
    return array.error().prefixed("cannot read " + path.string());
  return array;
}
