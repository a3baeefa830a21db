//===- Pass of the correctness gate ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/Elements.h"
#include "tonno/Runtime/Environment.h"
#include "Oracle.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <iomanip>
#include <limits>
#include <sstream>
#include <sys/mman.h>
#include <type_traits>
#include <unistd.h>

using namespace tonno;

double UserTolerance::allowed(double result) const {
  double most = std::max(relative * std::fabs(result), absolute);
  if (ulps == 0)
    return most;
  double power = result == 0 ? 0 : std::ldexp(1, std::ilogb(result));
  double spacing =
      std::max(2 * unitRoundoff(type) * power, smallestSubnormal(type));
  return std::max(most, ulps * spacing);
}

double OraclePass::allowed(size_t buffer, size_t element,
                           double roundoff) const {
  const Tolerance &tolerance = tolerances[buffer];
  double result = expected[buffer][element];
  double beside = slack.empty() ? 0 : slack[buffer][element];
  double own = tolerance.relative * std::fabs(result) + tolerance.absolute +
               (tolerance.roundoffs + beside) * roundoff;
  return accepted.empty() ? own
                          : std::max(own, accepted[buffer].allowed(result));
}

/// Returns the name of an element, "result0[3][17]".
static std::string elementName(const BufferSpec &buffer, size_t element) {
  std::string subscripts;
  for (size_t d = buffer.shape.size(); d-- > 0;) {
    auto extent = static_cast<size_t>(buffer.shape[d]);
    subscripts = "[" + std::to_string(element % extent) + "]" + subscripts;
    element /= extent;
  }
  return buffer.name + subscripts;
}

/// Returns true if `found`, which differs from the rounded reference, is within
/// `allowed` of the reference's result.
static bool isNear(ElementType type, double found, double expected,
                   double allowed) {
  if (!std::isfinite(expected))
    return false;
  // Rounded up from what would have been near enough.
  bool overflows = std::fabs(expected) + allowed >= largestFinite(type);
  if (std::isinf(found))
    return std::signbit(found) == std::signbit(expected) && overflows;
  if (std::isnan(found))
    return hasNan(type) && !hasInfinity(type) &&
           (overflows || (!hasSign(type) && expected - allowed < 0));
  // A finite result is compared with the exact reference, even if that
  // overflows the type.
  return std::fabs(found - expected) <= allowed;
}

namespace {

/// Judges elements of one output. Goes through them in blocks that stay in a
/// cache, as outputs have up to gigabytes.
class OutputJudge {
public:
  OutputJudge(const OraclePass &pass, const BufferSpec &buffer, size_t output,
              std::span<const std::byte> foundBytes, double roundoff)
      : pass(pass), type(buffer.elementType), output(output),
        bytes(getByteSize(type)), roundedBytes(pass.rounded[output]),
        foundBytes(foundBytes), expected(pass.expected[output]),
        roundoff(roundoff) {}

  /// Calls wrong(element) for each element that is.
  template <typename Wrong> void forEachWrong(Wrong wrong) {
    constexpr size_t blockElements = 4096;
    size_t elements = foundBytes.size() / bytes;
    for (first = 0; first < elements; first += blockElements) {
      size_t count = std::min(blockElements, elements - first);
      auto block = [&](std::span<const std::byte> all) {
        return all.subspan(first * bytes, count * bytes);
      };
      if (std::memcmp(block(roundedBytes).data(), block(foundBytes).data(),
                      count * bytes) == 0)
        continue;
      found = decode(type, block(foundBytes));
      if (areSurelyRight())
        continue;
      rounded = decode(type, block(roundedBytes));
      for (size_t e = 0; e < count; ++e)
        if (isJudged(first + e) && !isRight(e))
          wrong(first + e);
    }
  }

private:
  /// Returns true if all elements of the block are within the bound that all of
  /// the output have. This loop is vectorized.
  bool areSurelyRight() const {
    if (!isFloatingPoint(type))
      return false;
    const Tolerance &tolerance = pass.tolerances[output];
    double absolute = tolerance.absolute + tolerance.roundoffs * roundoff;
    unsigned far = 0;
    for (size_t e = 0; e < found.size(); ++e) {
      double result = expected[first + e];
      double allowed = tolerance.relative * std::fabs(result) + absolute;
      // Differences from infinities and NaN are never below the largest number.
      double most = std::min(allowed, std::numeric_limits<double>::max());
      far += std::fabs(found[e] - result) <= most ? 0 : 1;
    }
    return far == 0;
  }

  bool isJudged(size_t element) const {
    return pass.isOpen.empty() || !pass.isOpen[output][element];
  }

  bool isBetween(size_t e, double beyond) const {
    if (pass.lowest.empty())
      return false;
    double low = pass.lowest[output][first + e],
           high = pass.highest[output][first + e];
    return low < high && found[e] >= low - beyond && found[e] <= high + beyond;
  }

  bool isRight(size_t e) const {
    double result = expected[first + e];
    // Compares bits, as doubles do not hold all 64-bit integers.
    if (!isFloatingPoint(type))
      return std::memcmp(&roundedBytes[(first + e) * bytes],
                         &foundBytes[(first + e) * bytes], bytes) == 0 ||
             isBetween(e, 0) ||
             (!pass.accepted.empty() &&
              std::fabs(found[e] - result) <= pass.accepted[output].absolute);
    if (!pass.takesAnyNonFinite.empty() &&
        pass.takesAnyNonFinite[output][first + e] && !std::isfinite(result) &&
        hasNan(type))
      return !std::isfinite(found[e]);
    if (std::isnan(result) && hasNan(type))
      return std::isnan(found[e]);
    if (found[e] == rounded[e] ||
        (std::isnan(found[e]) && std::isnan(rounded[e])))
      return true;
    double allowed = pass.allowed(output, first + e, roundoff);
    return isNear(type, found[e], result, allowed) || isBetween(e, allowed);
  }

  const OraclePass &pass;
  ElementType type;
  size_t output, bytes;
  std::span<const std::byte> roundedBytes, foundBytes;
  const std::vector<double> &expected;
  double roundoff;

  // The block.
  size_t first = 0;
  std::vector<double> rounded, found;
};

} // namespace

/// Prints one element. Doubles hold no integer of 64 bits exactly.
static void print(std::ostream &stream, ElementType type,
                  std::span<const std::byte> element) {
  int64_t integer = 0;
  if (type != ElementType::i64) {
    stream << decode(type, element)[0];
    return;
  }
  std::memcpy(&integer, element.data(), sizeof integer);
  stream << integer;
}

void OraclePass::acceptWhereWrong(const Signature &signature,
                                  const BufferContents &found,
                                  double roundoff) {
  isOpen.resize(signature.size());
  for (size_t i = 0; i < signature.size(); ++i) {
    if (!isOutput(signature[i]))
      continue;
    std::vector<size_t> open;
    OutputJudge(*this, signature[i], i, found[i], roundoff)
        .forEachWrong([&](size_t element) { open.push_back(element); });
    isOpen[i].resize(signature[i].elements());
    for (size_t element : open)
      isOpen[i][element] = true;
  }
}

Result<void, Failure> OraclePass::check(const Signature &signature,
                                        const BufferContents &found,
                                        double roundoff) const {
  if (isForBits)
    return {};
  for (size_t i = 0; i < signature.size(); ++i) {
    const BufferSpec &buffer = signature[i];
    if (!isOutput(buffer))
      continue;
    size_t count = 0, first = 0;
    OutputJudge(*this, buffer, i, found[i], roundoff)
        .forEachWrong([&](size_t element) {
          if (count++ == 0)
            first = element;
        });
    if (count == 0)
      continue;
    size_t bytes = getByteSize(buffer.elementType);
    auto element = [&](const BufferContents &contents) {
      return std::span(contents[i]).subspan(first * bytes, bytes);
    };
    bool isFloat = isFloatingPoint(buffer.elementType);
    std::ostringstream message;
    message.precision(9);
    message << elementName(buffer, first) << " is ";
    print(message, buffer.elementType, element(found));
    message << ", should be ";
    if (isFloat)
      message << expected[i][first];
    else
      print(message, buffer.elementType, element(rounded));
    if (double most = allowed(i, first, roundoff);
        isFloat && (!exact || most > 0))
      message << " +- " << most;
    message << "; " << count << " of " << buffer.elements()
            << " elements are wrong (" << name << " pass)";
    return Failure{Status::wrong, message.str()};
  }
  return {};
}

/// Formats an element as its number and its bytes, the highest first:
/// "-0 (0x80000000)".
static std::string formatBits(ElementType type,
                              std::span<const std::byte> element) {
  std::ostringstream text;
  text.precision(9);
  print(text, type, element);
  text << " (0x" << std::hex << std::setfill('0');
  for (size_t byte = element.size(); byte-- > 0;)
    text << std::setw(2) << std::to_integer<unsigned>(element[byte]);
  text << ")";
  return text.str();
}

Result<void, Failure> OraclePass::checkBits(const Signature &signature,
                                            const BufferContents &found) const {
  for (size_t i = 0; i < ofDefault.size(); ++i) {
    const BufferSpec &buffer = signature[i];
    if (!isOutput(buffer) || std::ranges::equal(found[i], ofDefault[i]))
      continue;
    size_t bytes = getByteSize(buffer.elementType),
           elements = buffer.elements();
    auto element = [&](const BufferContents &contents, size_t e) {
      return std::span(contents[i]).subspan(e * bytes, bytes);
    };
    size_t count = 0, first = 0;
    for (size_t e = elements; e-- > 0;)
      if (!std::ranges::equal(element(found, e), element(ofDefault, e))) {
        first = e;
        ++count;
      }
    return Failure{
        Status::different_bits,
        elementName(buffer, first) + " is " +
            formatBits(buffer.elementType, element(found, first)) +
            ", the default gives " +
            formatBits(buffer.elementType, element(ofDefault, first)) + "; " +
            std::to_string(count) + " of " + std::to_string(elements) +
            " elements differ (" + name + " pass)"};
  }
  return {};
}

/// Seals that together make a file immutable.
static constexpr int seals =
    F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
/// Divisor of the available memory that limits a file.
static constexpr uint64_t memoryParts = 8;

namespace {

struct Close {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using Stream = std::unique_ptr<std::FILE, Close>;

/// Exchanges the bytes of passes in one order, to count, write or read them.
template <typename Exchange> class Archive {
public:
  explicit Archive(Exchange exchange) : exchange(std::move(exchange)) {}

  template <typename T> bool visit(T &value) {
    using Plain = std::remove_const_t<T>;
    if constexpr (std::is_same_v<Plain, OraclePass>)
      return visitAll(value.name, value.exact, value.isForWinners,
                      value.isForBits, value.inputs, value.expected,
                      value.rounded, value.tolerances, value.slack,
                      value.lowest, value.highest, value.takesAnyNonFinite,
                      value.isOpen, value.accepted, value.ofDefault);
    else if constexpr (std::is_trivially_copyable_v<Plain>)
      return exchange(&value, sizeof value);
    else
      return visitList(value);
  }

private:
  template <typename... Ts> bool visitAll(Ts &...values) {
    return (visit(values) && ...);
  }

  template <typename List> bool visitList(List &list) {
    uint64_t count = list.size();
    if (!exchange(&count, sizeof count))
      return false;
    if constexpr (!std::is_const_v<List>)
      list.resize(count);
    if constexpr (std::is_trivially_copyable_v<typename List::value_type>)
      return exchange(list.data(), count * sizeof(typename List::value_type));
    else
      return std::ranges::all_of(
          list, [this](auto &each) { return this->visit(each); });
  }

  Exchange exchange;
};

} // namespace

static uint64_t computeByteSize(std::span<const OraclePass> passes) {
  uint64_t bytes = 0;
  Archive sizer([&bytes](const void *, size_t size) {
    bytes += size;
    return true;
  });
  for (const OraclePass &pass : passes)
    sizer.visit(pass);
  return bytes;
}

static bool write(std::FILE *file, const std::string &key,
                  std::span<const OraclePass> passes) {
  Archive writer([file](const void *data, size_t size) {
    return size == 0 || std::fwrite(data, size, 1, file) == 1;
  });
  const uint64_t count = passes.size();
  return writer.visit(key) && writer.visit(count) &&
         std::ranges::all_of(
             passes,
             [&](const OraclePass &pass) { return writer.visit(pass); }) &&
         std::fflush(file) == 0;
}

Descriptor tonno::makeFileForPasses() {
  return Descriptor(
      ::memfd_create("tonno-passes", MFD_CLOEXEC | MFD_ALLOW_SEALING));
}

std::string tonno::getProcPath(const Descriptor &file) {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" +
         std::to_string(file.get());
}

bool tonno::storePasses(const std::string &path, const std::string &key,
                        std::span<const OraclePass> passes) {
  Stream file(std::fopen(path.c_str(), "r+e"));
  // On another machine this may be any file; only those in memory have seals.
  if (!file || ::fcntl(::fileno(file.get()), F_GET_SEALS) != 0)
    return false;
  int descriptor = ::fileno(file.get());
  bool isKept = computeByteSize(passes) <= availableMemory() / memoryParts &&
                ::ftruncate(descriptor, 0) == 0 &&
                write(file.get(), key, passes) &&
                ::fcntl(descriptor, F_ADD_SEALS, seals) == 0;
  // A file without seals is never read, so release its memory.
  if (!isKept && ::ftruncate(descriptor, 0) != 0)
    return false;
  return isKept;
}

std::optional<std::vector<OraclePass>>
tonno::readPasses(const std::string &path, const std::string &key) {
  Stream file(std::fopen(path.c_str(), "re"));
  if (!file || ::fcntl(::fileno(file.get()), F_GET_SEALS) != seals)
    return std::nullopt;
  Archive reader([&file](void *data, size_t size) {
    return size == 0 || std::fread(data, size, 1, file.get()) == 1;
  });
  std::string keptFor;
  uint64_t count = 0;
  if (!reader.visit(keptFor) || keptFor != key || !reader.visit(count))
    return std::nullopt;
  std::vector<OraclePass> passes(count);
  for (OraclePass &pass : passes)
    if (!reader.visit(pass))
      return std::nullopt;
  return passes;
}
