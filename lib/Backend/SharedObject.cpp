//===- SharedObject.cpp - Objects to shared objects ---------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedObject.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <mutex>
#include <vector>

LLD_HAS_DRIVER(elf)

using namespace llvm;
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

static Result<std::string> readFile(const Twine &path) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return tonno::Error{path.str() + ": " + buffer.getError().message()};
  return (*buffer)->getBuffer().str();
}

Result<std::string> tonno::linkSharedObject(StringRef bytes) {
  if (Result<void> symbols = checkUndefined(bytes); !symbols)
    return symbols.error();

  // lld reads and writes files only. None of their names gets into the output.
  SmallString<128> directory;
  if (std::error_code error =
          sys::fs::createUniqueDirectory("tonno-link", directory))
    return tonno::Error{"no temporary directory: " + error.message()};
  scope_exit cleanUp([&] { (void)sys::fs::remove_directories(directory); });
  std::string input = (directory + "/kernel.o").str();
  std::string output = (directory + "/kernel.so").str();
  {
    std::error_code error;
    raw_fd_ostream stream(input, error);
    stream << bytes;
    stream.close();
    if (!error)
      error = stream.error();
    stream.clear_error();
    if (error)
      return tonno::Error{input + ": " + error.message()};
  }

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
                                         output.c_str(),
                                         input.c_str()};
  std::string messages;
  raw_string_ostream stream(messages);
  std::scoped_lock lock(lldMutex());
  lld::Result linked =
      lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (linked.retCode != 0)
    return tonno::Error{"linking failed: " + StringRef(messages).trim().str()};
  return readFile(output);
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
