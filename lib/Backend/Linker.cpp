//===- lld, in this process -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Linker.h"
#include "ToolProcess.h"

#include "lld/Common/Driver.h"
#include "llvm/Object/ELFObjectFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace llvm;
using tonno::Descriptor;
using tonno::LinkFailure;
using tonno::Result;

Result<tonno::ObjectSymbols> tonno::readSymbols(StringRef bytes) {
  auto file =
      object::ObjectFile::createObjectFile(MemoryBufferRef(bytes, "kernel"));
  if (!file)
    return tonno::Error{toString(file.takeError())};
  ObjectSymbols symbols;
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    uint32_t flags = cantFail(symbol.getFlags());
    StringRef name = cantFail(symbol.getName());
    if ((flags & object::SymbolRef::SF_FormatSpecific) || name.empty())
      continue;
    if (flags & object::SymbolRef::SF_Undefined)
      symbols.undefined.push_back(name.str());
    else if (flags & object::SymbolRef::SF_Global)
      symbols.defined.push_back(name.str());
  }
  llvm::sort(symbols.undefined);
  llvm::sort(symbols.defined);
  return symbols;
}

/// Returns the mutex that protects lld's global state.
static std::mutex &lldMutex() {
  static std::mutex mutex;
  return mutex;
}

static LinkFailure fromOutside(const std::string &doing) {
  return {"cannot link: " + doing + ": " + std::strerror(errno),
          /*fromOutside=*/true};
}

/// Stores bytes in memory files that lld can open.
static Result<std::vector<Descriptor>, LinkFailure>
asFiles(ArrayRef<StringRef> objects) {
  std::vector<Descriptor> files;
  for (StringRef object : objects) {
    files.push_back(tonno::fileInMemory(object));
    if (!files.back().valid())
      return fromOutside("no file in memory");
    std::string path = files.back().path();
    if (::access(path.c_str(), R_OK) != 0)
      return fromOutside(path);
  }
  return files;
}

Result<std::string, LinkFailure>
tonno::runLinker(ArrayRef<StringRef> objects, ArrayRef<const char *> options) {
  auto files = asFiles(objects);
  if (!files)
    return files.error();
  // lld reads and writes files only, and these need no folder that may be full
  // or missing. It replaces an output that is a regular file, but writes to a
  // pipe. None of their names gets into the output.
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return fromOutside("no pipe");
  Descriptor outputEnd(ends[0]), output(ends[1]);
  std::vector<std::string> words = {"ld.lld", "--build-id=none", "--threads=1"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"-o", output.path()});
  for (const Descriptor &file : *files)
    words.push_back(file.path());
  std::vector<const char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(word.c_str());

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
