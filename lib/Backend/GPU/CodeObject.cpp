//===- AMD's code objects -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CodeObject.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELFObjectFile.h"
#include "MachineInstructions.h"

using namespace tonno;
using namespace llvm;

Result<std::string, LinkFailure> tonno::linkCodeObject(llvm::StringRef object) {
  auto symbols = readSymbols(object);
  if (!symbols)
    return LinkFailure{symbols.error().message, /*fromOutside=*/false};
  if (!symbols->undefined.empty())
    return LinkFailure{"the kernel calls functions that no GPU has: " +
                           llvm::join(symbols->undefined, ", "),
                       /*fromOutside=*/false};
  return runLinker(object, {"-shared", "--no-undefined"});
}

using ObjectFile = object::ELF64LEObjectFile;

// The metadata: "User Guide for AMDGPU Backend" of LLVM, code object V3 and
// later.

/// Returns the note's text in MessagePack; empty if there is none.
static StringRef findMetadataNote(const ObjectFile &file) {
  const auto &elf = file.getELFFile();
  auto headers = elf.program_headers();
  if (!headers) {
    consumeError(headers.takeError());
    return "";
  }
  for (const auto &header : *headers) {
    if (header.p_type != ELF::PT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    StringRef found;
    for (const auto &note : elf.notes(header, error))
      if (note.getName() == "AMDGPU" &&
          note.getType() == ELF::NT_AMDGPU_METADATA)
        found = note.getDescAsStringRef(header.p_align);
    consumeError(std::move(error));
    if (!found.empty())
      return found;
  }
  return "";
}

/// Returns a number in a kernel's metadata, if the member is one.
static std::optional<uint64_t> numberIn(msgpack::MapDocNode &map,
                                        StringRef key) {
  auto found = map.find(key);
  if (found == map.end() || found->second.getKind() != msgpack::Type::UInt)
    return std::nullopt;
  return found->second.getUInt();
}

static KernelUsage usageIn(msgpack::MapDocNode &kernel) {
  KernelUsage usage;
  auto name = kernel.find(".name");
  if (name != kernel.end() && name->second.isString())
    usage.symbol = name->second.getString().str();
  usage.registers = numberIn(kernel, ".vgpr_count");
  usage.scalarRegisters = numberIn(kernel, ".sgpr_count");
  usage.stackBytes = numberIn(kernel, ".private_segment_fixed_size");
  usage.sharedBytes = numberIn(kernel, ".group_segment_fixed_size");
  if (auto spills = numberIn(kernel, ".vgpr_spill_count"))
    usage.spillBytes = *spills * sizeof(uint32_t);
  return usage;
}

/// Returns the machine code of a function; empty if it is missing.
static Expected<ArrayRef<uint8_t>> findFunctionCode(const ObjectFile &file,
                                                    StringRef function) {
  for (const object::ELFSymbolRef symbol : file.symbols()) {
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (*name != function || symbol.getELFType() != ELF::STT_FUNC)
      continue;
    auto section = symbol.getSection();
    if (!section)
      return section.takeError();
    Expected<uint64_t> address = symbol.getAddress();
    if (!address)
      return address.takeError();
    if (*section == file.section_end())
      continue;
    Expected<StringRef> contents = (*section)->getContents();
    if (!contents)
      return contents.takeError();
    uint64_t offset = *address - (*section)->getAddress();
    return arrayRefFromStringRef(*contents)
        .drop_front(std::min<uint64_t>(offset, contents->size()))
        .take_front(symbol.getSize());
  }
  return ArrayRef<uint8_t>();
}

/// Returns true if the metadata names the chip, with or without target features
/// after the name.
static bool isFor(msgpack::MapDocNode &root, const GpuChip &chip) {
  auto target = root.find("amdhsa.target");
  if (target == root.end() || !target->second.isString())
    return false;
  StringRef name = target->second.getString().rsplit('-').second;
  return name.split(':').first == StringRef(chip.name);
}

Result<std::vector<KernelUsage>> tonno::codeObjectUsage(StringRef codeObject,
                                                        const GpuChip &chip) {
  auto file = ObjectFile::create(MemoryBufferRef(codeObject, "kernel"));
  if (!file)
    return tonno::Error{toString(file.takeError())};
  msgpack::Document metadata;
  StringRef text = findMetadataNote(*file);
  if (text.empty() || !metadata.readFromBlob(text, /*Multi=*/false) ||
      !metadata.getRoot().isMap())
    return tonno::Error{"not a code object: it has no metadata"};
  msgpack::MapDocNode &root = metadata.getRoot().getMap();
  if (!isFor(root, chip))
    return tonno::Error{"not a code object for " + std::string(chip.name)};
  std::vector<KernelUsage> usages;
  auto kernels = root.find("amdhsa.kernels");
  if (kernels == root.end() || !kernels->second.isArray())
    return usages;
  for (msgpack::DocNode &kernel : kernels->second.getArray()) {
    if (!kernel.isMap())
      return tonno::Error{"the code object's metadata is damaged"};
    KernelUsage usage = usageIn(kernel.getMap());
    Expected<ArrayRef<uint8_t>> code = findFunctionCode(*file, usage.symbol);
    if (!code)
      return tonno::Error{toString(code.takeError())};
    if (!code->empty())
      usage.codeBytes = code->size();
    if (auto instructions = disassembleAmd(*code, chip)) {
      usage.instructions = instructions->size();
      usage.code = analyzeMachineCode(*instructions);
    }
    usages.push_back(std::move(usage));
  }
  return usages;
}
