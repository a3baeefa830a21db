//===- SharedObject.cpp - Objects to shared objects -----------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedObject.h"
#include "tonno/Core/File.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ELFObjectFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

LLD_HAS_DRIVER(elf)

using namespace llvm;
using tonno::LinkFailure;
using tonno::Result;

/// What a kernel may call: LLVM's own choices for filling and copying memory,
/// and the mathematical library.
static bool isAllowed(StringRef symbol) {
  static const StringSet<> allowed = {
      "memcpy", "memmove", "memset", "acos",      "acosh", "asin",  "asinh",
      "atan",   "atan2",   "atanh",  "cbrt",      "ceil",  "cos",   "cosh",
      "erf",    "erfc",    "exp",    "exp10",     "exp2",  "expm1", "fabs",
      "floor",  "fma",     "fmod",   "log",       "log10", "log1p", "log2",
      "pow",    "rint",    "round",  "roundeven", "sin",   "sinh",  "sqrt",
      "tan",    "tanh",    "trunc",  "nearbyint"};
  if (allowed.contains(symbol))
    return true;
  return symbol.consume_back("f") && allowed.contains(symbol);
}

static Result<std::unique_ptr<object::ObjectFile>> open(StringRef bytes) {
  auto file =
      object::ObjectFile::createObjectFile(MemoryBufferRef(bytes, "kernel"));
  if (!file)
    return tonno::Error{toString(file.takeError())};
  return std::move(*file);
}

static Result<void> checkUndefined(StringRef bytes) {
  auto file = open(bytes);
  if (!file)
    return file.error();
  std::vector<std::string> missing;
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    uint32_t flags = cantFail(symbol.getFlags());
    bool undefined = (flags & object::SymbolRef::SF_Undefined) &&
                     !(flags & object::SymbolRef::SF_FormatSpecific);
    StringRef name = cantFail(symbol.getName());
    if (undefined && !name.empty() && !isAllowed(name))
      missing.push_back(name.str());
  }
  if (missing.empty())
    return {};
  llvm::sort(missing);
  return tonno::Error{"the kernel calls what no artifact has: " +
                      llvm::join(missing, ", ")};
}

/// lld keeps its state in globals.
static std::mutex &lldMutex() {
  static std::mutex mutex;
  return mutex;
}

namespace {

/// A descriptor that lld opens again by its name in /proc.
class Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;

  bool valid() const { return number >= 0; }
  int get() const { return number; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(number); }
  void close() {
    if (number >= 0)
      ::close(std::exchange(number, -1));
  }

private:
  int number;
};

} // namespace

static std::string readToEnd(int descriptor) {
  std::string bytes;
  char chunk[65536];
  for (;;) {
    ssize_t n = ::read(descriptor, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return bytes;
    bytes.append(chunk, static_cast<size_t>(n));
  }
}

static LinkFailure fromOutside(const char *doing) {
  return {std::string("cannot link: ") + doing + ": " + std::strerror(errno),
          /*fromOutside=*/true};
}

Result<std::string, LinkFailure> tonno::linkSharedObject(StringRef bytes) {
  if (Result<void> symbols = checkUndefined(bytes); !symbols)
    return LinkFailure{symbols.error().message, /*fromOutside=*/false};

  // lld reads and writes files only, and these need no folder that may be full
  // or missing. It replaces an output that is a regular file, but writes to a
  // pipe. None of their names gets into the output.
  Descriptor input(::memfd_create("kernel.o", MFD_CLOEXEC));
  if (!input.valid() || !writeAll(input.get(), bytes))
    return fromOutside("no file in memory");
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return fromOutside("no pipe");
  Descriptor outputEnd(ends[0]), output(ends[1]);
  std::string inputPath = input.path(), outputPath = output.path();
  if (::access(inputPath.c_str(), R_OK) != 0)
    return fromOutside(inputPath.c_str());

  std::vector<const char *> arguments = {"ld.lld",
                                         "-shared",
                                         "--build-id=none",
                                         "--threads=1",
                                         "--hash-style=gnu",
                                         "-z",
                                         "noexecstack",
                                         "-z",
                                         "now",
                                         "-o",
                                         outputPath.c_str(),
                                         inputPath.c_str()};
  std::string messages, shared;
  raw_string_ostream stream(messages);
  std::scoped_lock lock(lldMutex());
  // A pipe holds less than most outputs have.
  std::thread reader([&] { shared = readToEnd(outputEnd.get()); });
  lld::Result linked =
      lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  output.close();
  reader.join();
  if (linked.retCode != 0)
    return LinkFailure{"linking failed: " + StringRef(messages).trim().str(),
                       /*fromOutside=*/false};
  return shared;
}

Result<uint64_t> tonno::codeBytes(StringRef bytes) {
  auto file = open(bytes);
  if (!file)
    return file.error();
  uint64_t size = 0;
  for (const object::SectionRef &section : (*file)->sections())
    if (section.isText())
      size += section.getSize();
  return size;
}
