//===- SharedObject.cpp - Objects to shared objects -----------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedObject.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"

#include <gnu/lib-names.h>
#include <vector>

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

static Result<void> checkUndefined(ArrayRef<std::string> symbols) {
  std::vector<std::string> missing;
  for (const std::string &name : symbols)
    if (!isOfMemory(name) && !isMathematical(name))
      missing.push_back(name);
  if (missing.empty())
    return {};
  return tonno::Error{"the kernel calls what no artifact has: " +
                      llvm::join(missing, ", ")};
}

/// How a library of the host is linked.
static constexpr const char *hostOptions[] = {"--hash-style=gnu", "-z",
                                              "noexecstack", "-z", "now"};

/// A shared object without symbols under the name of the mathematical library:
/// what is linked with it asks the loader for the library, whatever versions of
/// its functions this machine has.
static Result<std::string, LinkFailure> linkStubOfLibm(StringRef object) {
  // The header alone says for which machine.
  std::string empty = object.take_front(sizeof(ELF::Elf64_Ehdr)).str();
  auto *header = reinterpret_cast<ELF::Elf64_Ehdr *>(empty.data());
  header->e_shoff = 0;
  header->e_shnum = header->e_shstrndx = 0;
  SmallVector<const char *> options(std::begin(hostOptions),
                                    std::end(hostOptions));
  options.push_back("-soname=" LIBM_SO);
  return tonno::runLinker(StringRef(empty), options);
}

Result<std::string, LinkFailure> tonno::linkSharedObject(StringRef bytes) {
  auto symbols = undefinedSymbols(bytes);
  if (!symbols)
    return LinkFailure{symbols.error().message, /*fromOutside=*/false};
  if (auto checked = checkUndefined(*symbols); !checked)
    return LinkFailure{checked.error().message, /*fromOutside=*/false};

  if (llvm::none_of(*symbols, isMathematical))
    return runLinker(bytes, hostOptions);
  auto stub = linkStubOfLibm(bytes);
  if (!stub)
    return stub.error();
  return runLinker({bytes, *stub}, hostOptions);
}

Result<uint64_t> tonno::codeBytes(StringRef bytes) {
  auto file =
      object::ObjectFile::createObjectFile(MemoryBufferRef(bytes, "kernel"));
  if (!file)
    return tonno::Error{toString(file.takeError())};
  uint64_t size = 0;
  for (const object::SectionRef &section : (*file)->sections())
    if (section.isText())
      size += section.getSize();
  return size;
}
