//===- Objects to shared objects ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Linker.h"
#include "ShapeLog.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"

#include <algorithm>
#include <gnu/lib-names.h>
#include <set>
#include <vector>

using namespace llvm;
using tonno::LinkedFunctions;
using tonno::LinkFailure;
using tonno::Result;

/// Returns true for functions of the mathematical library that a kernel may
/// call; most also exist for float, with the suffix f.
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

/// Returns true for functions that LLVM emits to fill and copy memory.
static bool isMemoryFunction(StringRef symbol) {
  return symbol == "memcpy" || symbol == "memmove" || symbol == "memset";
}

/// Returns true for OpenMP runtime functions, called by parallel loops.
static bool isOpenMPFunction(StringRef symbol) {
  return symbol.starts_with("__kmpc_");
}

static Result<void> checkUndefined(ArrayRef<std::string> symbols,
                                   LinkedFunctions functions) {
  std::vector<std::string> missing;
  for (const std::string &name : symbols)
    if (!isMemoryFunction(name) && !isMathematical(name) &&
        !(functions.callsOpenMP && isOpenMPFunction(name)) &&
        !(functions.callsShapeLog && tonno::isCalledByShapeLog(name)))
      missing.push_back(name);
  if (missing.empty())
    return {};
  return tonno::Error{
      "the kernel calls functions that emitted binaries do not have: " +
      llvm::join(missing, ", ")};
}

/// Linker options for shared objects of the host.
static constexpr const char *hostOptions[] = {
    "-shared", "--hash-style=gnu", "-z", "noexecstack", "-z", "now"};

/// Links a stub: a shared object without symbols under the name of a library.
/// Objects linked with it load the real library, independent of the versions of
/// its functions on this machine, even if the library is missing here.
static Result<std::string, LinkFailure> linkStub(StringRef object,
                                                 const char *nameOption) {
  // The header alone says for which machine.
  std::string empty = object.take_front(sizeof(ELF::Elf64_Ehdr)).str();
  auto *header = reinterpret_cast<ELF::Elf64_Ehdr *>(empty.data());
  header->e_shoff = 0;
  header->e_shnum = header->e_shstrndx = 0;
  SmallVector<const char *> options(std::begin(hostOptions),
                                    std::end(hostOptions));
  options.push_back(nameOption);
  return tonno::runLinker(StringRef(empty), options);
}

/// Returns the symbols that no object of these defines.
static Result<std::vector<std::string>>
findUndefined(ArrayRef<StringRef> objects) {
  std::set<std::string> undefined, defined;
  for (StringRef object : objects) {
    auto symbols = TONNO_TRY(tonno::readSymbols(object));
    undefined.insert(symbols.undefined.begin(), symbols.undefined.end());
    defined.insert(symbols.defined.begin(), symbols.defined.end());
  }
  std::vector<std::string> missing;
  std::ranges::set_difference(undefined, defined, std::back_inserter(missing));
  return missing;
}

Result<std::string, LinkFailure>
tonno::linkSharedObject(ArrayRef<StringRef> objects,
                        LinkedFunctions functions) {
  auto symbols = findUndefined(objects);
  if (!symbols)
    return LinkFailure{symbols.error().message, /*fromOutside=*/false};
  if (auto checked = checkUndefined(*symbols, functions); !checked)
    return LinkFailure{checked.error().message, /*fromOutside=*/false};

  SmallVector<const char *> names;
  if (llvm::any_of(*symbols, isMathematical))
    names.push_back("-soname=" LIBM_SO);
  if (llvm::any_of(*symbols, isOpenMPFunction))
    names.push_back("-soname=libomp.so.5");
  if (functions.callsShapeLog)
    names.push_back("-soname=" LIBC_SO);
  std::vector<std::string> stubs;
  for (const char *name : names) {
    auto stub = TONNO_TRY(linkStub(objects.front(), name));
    stubs.push_back(std::move(stub));
  }
  SmallVector<StringRef> inputs(objects);
  inputs.append(stubs.begin(), stubs.end());
  return runLinker(inputs, hostOptions);
}

Result<std::string, LinkFailure>
tonno::linkRelocatable(ArrayRef<StringRef> objects) {
  if (objects.size() == 1)
    return objects.front().str();
  static constexpr const char *options[] = {"--relocatable"};
  return runLinker(objects, options);
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
