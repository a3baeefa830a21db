//===- Arrays in NumPy's files --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/File.h"
#include "tonno/Core/Json.h"
#include "tonno/Runtime/Elements.h"
#include "InputData.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

using namespace tonno;

// Elements are read as they lie in the file.
static_assert(std::endian::native == std::endian::little);

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

} // namespace

/// Reads the header, a dictionary of Python, after translation to JSON.
static std::optional<NpyHeader> parseHeader(std::string_view text) {
  constexpr size_t mostDimensions = 64; // as NumPy has it
  std::string json;
  for (char letter : text) {
    if (letter == ')' || letter == '}')
      if (size_t last = json.find_last_not_of(" \n");
          last != std::string::npos && json[last] == ',')
        json.erase(last);
    json += letter == '\''  ? '"'
            : letter == '(' ? '['
            : letter == ')' ? ']'
                            : letter;
  }
  for (auto [python, word] : {std::pair("True", "true"), {"False", "false"}})
    if (size_t at = json.find(python); at != std::string::npos)
      json.replace(at, std::strlen(python), word);
  auto header = parseJson(json);
  if (!header || header->size() != 3)
    return std::nullopt;
  auto type = decodeMember<std::string>(*header, "descr");
  auto isFortranOrder = decodeMember<bool>(*header, "fortran_order");
  auto shape = decodeMember<std::vector<int64_t>>(*header, "shape");
  if (!type || !isFortranOrder || !shape || shape->size() > mostDimensions ||
      std::ranges::any_of(*shape, [](int64_t extent) { return extent < 0; }))
    return std::nullopt;
  return NpyHeader{*type, *isFortranOrder, *shape};
}

static constexpr std::array<NpyType, 9> types = {{{"<f2", ElementType::f16},
                                                  {"<f4", ElementType::f32},
                                                  {"<f8", ElementType::f64},
                                                  {"|i1", ElementType::i8},
                                                  {"<i2", ElementType::i16},
                                                  {"<i4", ElementType::i32},
                                                  {"<i8", ElementType::i64},
                                                  {"|u1", ElementType::i1},
                                                  {"|b1", ElementType::i1}}};
/// Returns the type of elements with this description, if it can be read.
static std::optional<ElementType> findType(std::string_view description,
                                           ElementType wanted) {
  if (const auto *type =
          std::ranges::find(types, description, &NpyType::description);
      type != types.end())
    return type->type;
  bool isKnown = std::ranges::find(types, wanted, &NpyType::type) !=
                 types.end(); // to NumPy
  if (isKnown || description.size() != 3 || description[0] == '>' ||
      description[1] != 'V' ||
      static_cast<size_t>(description[2] - '0') != getByteSize(wanted))
    return std::nullopt;
  return wanted;
}

static constexpr std::string_view magic = "\x93NUMPY";

/// Returns the header text, which follows the magic string, the version, and a
/// length of two bytes (version 1) or four.
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

/// Returns a buffer with the layout of the array in the file.
static BufferSpec makeArrayLayout(const NpyHeader &header, ElementType type) {
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

Result<NpyArray> tonno::parseNpy(std::string_view bytes, ElementType wanted) {
  auto text = headerText(bytes);
  auto header = text ? parseHeader(*text) : std::nullopt;
  if (!header)
    return Error{"not an array in NumPy's format, or truncated"};
  std::optional<ElementType> type = findType(header->type, wanted);
  if (!type)
    return Error{"elements of type '" + header->type +
                 "' are not supported; the types are f2, f4, f8, i1, i2, i4, "
                 "i8, u1 and b1, little-endian, and V1 and V2 for elements "
                 "that NumPy does not have"};
  BufferSpec buffer = makeArrayLayout(*header, *type);
  TONNO_TRY(buffer.checkLayout());
  std::string_view data = bytes.substr(
      static_cast<size_t>(text->data() + text->size() - bytes.data()));
  if (data.size() != buffer.bytes())
    return Error{"the header states " + std::to_string(buffer.bytes()) +
                 " bytes of elements, but the file has " +
                 std::to_string(data.size())};
  NpyArray array{header->shape,
                 decode(*type, gather(buffer, std::as_bytes(std::span(data))))};
  if (type == ElementType::i64)
    for (double value : array.values)
      if (std::fabs(value) > 0x1p53)
        return Error{"the file has integers beyond 2^53"};
  return array;
}

Result<NpyArray> tonno::readNpy(const std::filesystem::path &path,
                                ElementType wanted) {
  // A file needs no more bytes than the buffer that it fills.
  constexpr uint64_t mostBytes = uint64_t{1} << 40;
  auto bytes = TONNO_TRY(readFile(path, mostBytes));
  auto array = parseNpy(bytes, wanted);
  if (!array)
    return array.error().prefixed("cannot read " + path.string());
  return array;
}

/// Returns how NumPy describes elements of a type, as `findType` reads it.
static std::string describeType(ElementType type) {
  const auto *known = std::ranges::find(types, type, &NpyType::type);
  return known == types.end() ? "|V" + std::to_string(getByteSize(type))
                              : std::string(known->description);
}

Result<void> tonno::writeNpy(const std::filesystem::path &path,
                             const BufferSpec &buffer,
                             std::span<const std::byte> elements) {
  constexpr size_t alignment = 64; // of the elements in the file
  std::string header = "{'descr': '" + describeType(buffer.elementType) +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : buffer.shape)
    header += std::to_string(extent) + ", ";
  header += "), }";
  std::string bytes(magic);
  bytes += {2, 0}; // the version, with a length of four bytes
  size_t before = bytes.size() + sizeof(uint32_t);
  while ((before + header.size() + 1) % alignment != 0)
    header += ' ';
  header += '\n';
  auto length = static_cast<uint32_t>(header.size());
  bytes.append(reinterpret_cast<const char *>(&length), sizeof length);
  bytes += header;
  bytes.append(reinterpret_cast<const char *>(elements.data()),
               elements.size());
  return writeFileAtomically(path, bytes);
}
