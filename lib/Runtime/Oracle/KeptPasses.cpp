//===- Passes that outlive their runner -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KeptPasses.h"
#include "tonno/Runtime/Environment.h"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <memory>
#include <sys/mman.h>
#include <type_traits>
#include <unistd.h>
#include <utility>

using namespace tonno;

/// With all of them nobody changes a file.
static constexpr int seals =
    F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
/// Parts of the available memory of which a file takes one at most.
static constexpr uint64_t memoryParts = 8;

namespace {

struct Close {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using Stream = std::unique_ptr<std::FILE, Close>;

/// Goes through the bytes of passes in one order, whether they are counted,
/// written or read: those that are not const are read, and get their sizes.
template <typename Exchange> class Archive {
public:
  explicit Archive(Exchange exchange) : exchange(std::move(exchange)) {}

  template <typename T> bool visit(T &value) {
    using Plain = std::remove_const_t<T>;
    if constexpr (std::is_same_v<Plain, OraclePass>)
      return visitAll(value.name, value.exact, value.isForWinners, value.inputs,
                      value.expected, value.rounded, value.tolerances,
                      value.slack, value.lowest, value.highest,
                      value.takesAnyNonFinite, value.isOpen);
    else if constexpr (std::is_trivially_copyable_v<Plain>)
      return exchange(&value, sizeof value);
    else if constexpr (std::is_same_v<Plain, std::vector<bool>>)
      return visitFlags(value);
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

  template <typename Flags> bool visitFlags(Flags &flags) {
    std::vector<char> bytes(flags.begin(), flags.end());
    if constexpr (std::is_const_v<Flags>)
      return visit(std::as_const(bytes));
    else {
      if (!visit(bytes))
        return false;
      flags.assign(bytes.begin(), bytes.end());
      return true;
    }
  }

  Exchange exchange;
};

} // namespace

static uint64_t bytesOf(std::span<const OraclePass> passes) {
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

std::string tonno::pathForOthers(const Descriptor &file) {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" +
         std::to_string(file.get());
}

bool tonno::keepPasses(const std::string &path, const std::string &key,
                       std::span<const OraclePass> passes) {
  Stream file(std::fopen(path.c_str(), "r+e"));
  // On another machine this may be any file; only those in memory have seals.
  if (!file || ::fcntl(::fileno(file.get()), F_GET_SEALS) != 0)
    return false;
  int descriptor = ::fileno(file.get());
  bool isKept = bytesOf(passes) <= availableMemory() / memoryParts &&
                ::ftruncate(descriptor, 0) == 0 &&
                write(file.get(), key, passes) &&
                ::fcntl(descriptor, F_ADD_SEALS, seals) == 0;
  // Nobody reads a file that is not sealed, so give its memory back.
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
