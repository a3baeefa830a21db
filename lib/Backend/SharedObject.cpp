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
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <gnu/lib-names.h>
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

/// What a kernel may call of the mathematical library, which most also have for
/// float, with an f behind the name.
static bool isMathematical(StringRef symbol) {
  static const StringSet<> functions = {
      "acos",      "acosh", "asin",     "asinh",     "atan",  "atan2", "atanh",
      "cbrt",      "ceil",  "copysign", "cos",       "cosh",  "erf",   "erfc",
      "exp",       "exp10", "exp2",     "expm1",     "fabs",  "floor", "fma",
      "fmax",      "fmin",  "fmod",     "frexp",     "ldexp", "log",   "log10",
      "log1p",     "log2",  "modf",     "nearbyint", "pow",   "rint",  "round",
      "roundeven", "sin",   "sincos",   "sinh",      "sqrt",  "tan",   "tanh",
      "trunc"};
  return functions.contains(symbol) ||
         (symbol.consume_back("f") && functions.contains(symbol));
}

/// LLVM's own choices for filling and copying memory.
static bool isOfMemory(StringRef symbol) {
  return symbol == "memcpy" || symbol == "memmove" || symbol == "memset";
}

static Result<std::unique_ptr<object::ObjectFile>> open(StringRef bytes) {
  auto file =
      object::ObjectFile::createObjectFile(MemoryBufferRef(bytes, "kernel"));
  if (!file)
    return tonno::Error{toString(file.takeError())};
  return std::move(*file);
}

/// What an object needs from outside.
static Result<std::vector<std::string>> undefinedSymbols(StringRef bytes) {
  auto file = open(bytes);
  if (!file)
    return file.error();
  std::vector<std::string> symbols;
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    uint32_t flags = cantFail(symbol.getFlags());
    bool undefined = (flags & object::SymbolRef::SF_Undefined) &&
                     !(flags & object::SymbolRef::SF_FormatSpecific);
    StringRef name = cantFail(symbol.getName());
    if (undefined && !name.empty())
      symbols.push_back(name.str());
  }
  return symbols;
}

static Result<void> checkUndefined(ArrayRef<std::string> symbols) {
  std::vector<std::string> missing;
  for (const std::string &name : symbols)
    if (!isOfMemory(name) && !isMathematical(name))
      missing.push_back(name);
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

/// Links the object in `inputs` and what else is there by lld.
static Result<std::string, LinkFailure>
runLinker(ArrayRef<const char *> inputs) {
  // lld reads and writes files only, and these need no folder that may be full
  // or missing. It replaces an output that is a regular file, but writes to a
  // pipe. None of their names gets into the output.
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return fromOutside("no pipe");
  Descriptor outputEnd(ends[0]), output(ends[1]);
  std::string outputPath = output.path();
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
                                         outputPath.c_str()};
  llvm::append_range(arguments, inputs);
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

/// Bytes as a file that lld can open.
static Result<std::unique_ptr<Descriptor>, LinkFailure>
asFile(StringRef bytes) {
  auto file =
      std::make_unique<Descriptor>(::memfd_create("kernel.o", MFD_CLOEXEC));
  if (!file->valid() || !tonno::writeAll(file->get(), bytes))
    return fromOutside("no file in memory");
  if (std::string path = file->path(); ::access(path.c_str(), R_OK) != 0)
    return fromOutside(path.c_str());
  return file;
}

/// A shared object without symbols under the name of the mathematical library:
/// what is linked with it asks the loader for the library, whatever versions of
/// its functions this machine has.
static Result<std::string, LinkFailure> linkStubOfLibm(StringRef object) {
  // The header alone says for which machine.
  std::string empty = object.take_front(sizeof(ELF::Elf64_Ehdr)).str();
  auto *header = reinterpret_cast<ELF::Elf64_Ehdr *>(empty.data());
  header->e_shoff = 0;
  header->e_shnum = header->e_shstrndx = 0;
  auto file = asFile(empty);
  if (!file)
    return file.error();
  std::string path = (*file)->path();
  return runLinker({"-soname=" LIBM_SO, path.c_str()});
}

Result<std::string, LinkFailure> tonno::linkSharedObject(StringRef bytes) {
  auto symbols = undefinedSymbols(bytes);
  if (!symbols)
    return LinkFailure{symbols.error().message, /*fromOutside=*/false};
  if (auto checked = checkUndefined(*symbols); !checked)
    return LinkFailure{checked.error().message, /*fromOutside=*/false};

  auto input = asFile(bytes);
  if (!input)
    return input.error();
  std::string inputPath = (*input)->path();
  if (llvm::none_of(*symbols, isMathematical))
    return runLinker({inputPath.c_str()});
  auto stub = linkStubOfLibm(bytes);
  if (!stub)
    return stub.error();
  auto library = asFile(*stub);
  if (!library)
    return library.error();
  std::string libraryPath = (*library)->path();
  return runLinker({inputPath.c_str(), libraryPath.c_str()});
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
