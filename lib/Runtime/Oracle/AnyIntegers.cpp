//===- Integers from the whole range of their type ------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AnyIntegers.h"

#include "tonno/Runtime/Elements.h"

#include <array>
#include <cstring>

using namespace tonno;

/// Elements of one way in a buffer of one dimension.
static constexpr size_t blockElements = 256;
/// Of a line that rises and falls, elements of one sign.
static constexpr size_t runElements = 16;

std::string_view tonno::toString(IntegerData data) {
  static constexpr std::array<std::string_view, std::size(allIntegerData)>
      names = {"mixed",    "lines", "lines across", "least",      "largest",
               "all ones", "ends",  "clustered",    "consecutive"};
  return names[static_cast<size_t>(data)];
}

namespace {

/// Draws numbers of one width, as bits.
class IntegerSource {
public:
  IntegerSource(unsigned width, std::mt19937_64 &generator)
      : width(width), generator(generator) {
    clusterBase = largest() - drawLength(width / 2);
  }

  uint64_t mask() const { return width == 64 ? ~0ull : (1ull << width) - 1; }
  uint64_t largest() const { return mask() >> 1; }
  uint64_t least() const { return largest() + 1; }

  /// `other` is a number that it may be close to.
  uint64_t mixed(uint64_t other) {
    switch (generator() % 8) {
    case 0:
    case 1:
      return generator();
    case 2:
    case 3:
      return withSign(drawLength(width));
    case 4:
      return end();
    case 5:
      return withSign(power());
    case 6:
      return generator() % 256 - 128;
    default:
      return generator() & 1 ? other + generator() % 5 - 2
                             : other ^ drawLength(width);
    }
  }

  uint64_t ends() {
    uint64_t next = generator() & 1; // to the end itself
    return generator() & 1 ? least() + next : largest() - next;
  }
  uint64_t clustered() {
    return clusterBase - generator() % (width > 8 ? 256 : 8);
  }

private:
  /// Of a random number of bits: small ones are as likely as large ones.
  uint64_t drawLength(unsigned most) {
    auto bits = static_cast<unsigned>(generator() % (most + 1));
    return bits == 0 ? 0
                     : (generator() & ((1ull << (bits - 1)) - 1)) |
                           (1ull << (bits - 1));
  }
  uint64_t withSign(uint64_t number) {
    return generator() & 1 ? number : -number;
  }
  uint64_t end() {
    const std::array<uint64_t, 8> numbers = {
        least(), least() + 1, largest(), largest() - 1, ~0ull, 0, 1, 2};
    return numbers[generator() % numbers.size()];
  }
  /// A power of two, one less, or a sum of two.
  uint64_t power() {
    uint64_t first = 1ull << generator() % width;
    switch (generator() % 3) {
    case 0:
      return first;
    case 1:
      return first - 1;
    default:
      return first + (1ull << generator() % width);
    }
  }

  unsigned width;
  std::mt19937_64 &generator;
  uint64_t clusterBase;
};

/// Where an element is in its line, and which line that is.
struct Place {
  size_t line, position, length;
};

} // namespace

static Place placeOf(const BufferSpec &buffer, size_t element, bool isAcross) {
  size_t count = buffer.elements();
  if (buffer.shape.size() < 2)
    return {element / blockElements, element % blockElements,
            std::min(count, blockElements)};
  auto extent = static_cast<size_t>(isAcross ? buffer.shape.front()
                                             : buffer.shape.back());
  size_t lines = count / extent;
  return isAcross ? Place{element % lines, element / lines, extent}
                  : Place{element / extent, element % extent, extent};
}

static uint64_t inLine(IntegerSource &source, const Place &place,
                       uint64_t other) {
  switch (place.line % 10) {
  case 0:
    return source.least();
  case 1:
    return source.largest();
  case 2:
    return source.mask();
  case 3:
    return source.ends();
  case 4:
    return source.clustered();
  case 5: // a sum goes far up, and down again
    return 3 * place.position < 2 * place.length ? source.largest()
                                                 : source.least();
  case 6:
    return place.position / runElements % 2 ? source.least() : source.largest();
  case 7:
    return 1;
  case 8: // less than which nothing is without a sign
    return 0;
  default:
    return source.mixed(other);
  }
}

static uint64_t drawOne(IntegerSource &source, IntegerData data,
                        const BufferSpec &buffer, size_t element, bool isOdd,
                        uint64_t other) {
  switch (data) {
  case IntegerData::mixed:
    return source.mixed(other);
  case IntegerData::lines:
  case IntegerData::linesAcross: {
    // Of a product's factors one is summed up along its lines, one across.
    bool isAcross = (data == IntegerData::linesAcross) != isOdd;
    return inLine(source, placeOf(buffer, element, isAcross), other);
  }
  case IntegerData::least:
    return source.least();
  case IntegerData::largest:
    return source.largest();
  case IntegerData::allOnes:
    return source.mask();
  case IntegerData::ends:
    return source.ends();
  case IntegerData::clustered:
    return source.clustered();
  case IntegerData::consecutive:
    return isOdd ? source.mixed(other) : element - buffer.elements() / 2;
  }
  return 0;
}

static std::vector<std::byte> pack(ElementType type,
                                   std::span<const uint64_t> numbers) {
  size_t bytes = sizeOf(type);
  std::vector<std::byte> packed(numbers.size() * bytes);
  for (size_t i = 0; i < numbers.size(); ++i) {
    uint64_t number = type == ElementType::i1 ? numbers[i] & 1 : numbers[i];
    std::memcpy(&packed[i * bytes], &number, bytes); // little-endian
  }
  return packed;
}

BufferContents tonno::drawAnyIntegers(const Signature &signature,
                                      const Values &given, IntegerData data,
                                      std::mt19937_64 &generator) {
  BufferContents contents;
  std::vector<uint64_t> last;
  size_t number = 0;
  for (size_t i = 0; i < signature.size(); ++i) {
    const BufferSpec &buffer = signature[i];
    if (!isInput(buffer) || !given[i].empty()) {
      contents.push_back(encode(buffer.elementType, given[i]));
      continue;
    }
    ElementType type = buffer.elementType;
    unsigned width = type == ElementType::i1 ? 1 : 8 * unsigned(sizeOf(type));
    IntegerSource source(width, generator);
    std::vector<uint64_t> numbers(buffer.elements());
    for (size_t e = 0; e < numbers.size(); ++e) {
      uint64_t other = e < last.size() && generator() & 1 ? last[e]
                       : e > 0                            ? numbers[e - 1]
                                                          : 0;
      numbers[e] = drawOne(source, data, buffer, e, number % 2, other);
    }
    contents.push_back(pack(type, numbers));
    last = std::move(numbers);
    ++number;
  }
  return contents;
}
