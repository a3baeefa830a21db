//===- Resources of NVIDIA's kernels --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MachineInstructions.h"
#include "PtxAssembler.h"

#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

#include <unordered_map>

using namespace llvm;
using namespace tonno;
using File = object::ELFFile<object::ELF64LE>;
using Section = object::ELF64LE::Shdr;

// No public document has these. The names of the records are from "cuobjdump
// --dump-elf", their layout is as seen; ptxas's own figures were compared.

/// Attributes of a function, by the index of its symbol in .nv.info.
static constexpr uint8_t attributeFrameSize = 0x11;
static constexpr uint8_t attributeMinStackSize = 0x12;
static constexpr uint8_t attributeRegisters = 0x2f;
/// The format of records with a length in front of their value.
static constexpr uint8_t formatSized = 4;

/// Bytes at the start of shared memory that the system reserves since sm_90.
static constexpr uint64_t reservedBytes = 1024;

namespace {

/// A cubin, and the records of its functions.
class Cubin {
public:
  Cubin(const File &file, const GpuChip &chip) : file(file), chip(chip) {}

  llvm::Error read() {
    auto sections = file.sections();
    if (!sections)
      return sections.takeError();
    const Section *info = nullptr;
    for (const Section &section : *sections) {
      auto name = file.getSectionName(section);
      if (!name)
        return name.takeError();
      StringRef rest = *name;
      if (section.sh_type == ELF::SHT_SYMTAB) {
        if (llvm::Error error = readSymbols(section))
          return error;
      } else if (rest == ".nv.info") {
        info = &section;
      } else if (rest.consume_front(".text.")) {
        auto contents = file.getSectionContents(section);
        if (!contents)
          return contents.takeError();
        code[rest.str()] = *contents;
      } else if (rest.consume_front(".nv.shared.")) {
        sharedBytes[rest.str()] = section.sh_size;
      }
    }
    return info ? readInfo(*info) : llvm::Error::success();
  }

  std::vector<KernelUsage>
  usages(const std::map<std::string, uint64_t> &spills) {
    std::vector<KernelUsage> usages;
    for (const auto &[symbol, function] : functions) {
      auto text = code.find(function.name);
      if (text == code.end())
        continue;
      KernelUsage usage;
      usage.symbol = function.name;
      usage.codeBytes = text->second.size();
      usage.registers = function.registers;
      if (auto found = spills.find(function.name); found != spills.end())
        usage.spillBytes = found->second;
      usage.stackBytes = function.stackBytes;
      auto shared = sharedBytes.find(function.name);
      uint64_t bytes = shared == sharedBytes.end() ? 0 : shared->second;
      usage.sharedBytes =
          hasReserved && bytes >= reservedBytes ? bytes - reservedBytes : bytes;
      std::vector<MachineInstruction> instructions =
          decodeSass(text->second, chip);
      usage.instructions = instructions.size();
      usage.code = analyzeMachineCode(instructions);
      usages.push_back(std::move(usage));
    }
    llvm::sort(usages, [](const KernelUsage &a, const KernelUsage &b) {
      return a.symbol < b.symbol;
    });
    return usages;
  }

private:
  struct Function {
    std::string name;
    std::optional<uint64_t> registers;
    uint64_t stackBytes = 0;
  };

  llvm::Error readSymbols(const Section &section) {
    auto symbols = file.symbols(&section);
    if (!symbols)
      return symbols.takeError();
    auto names = file.getStringTableForSymtab(section);
    if (!names)
      return names.takeError();
    for (auto [index, symbol] : llvm::enumerate(*symbols)) {
      auto name = symbol.getName(*names);
      if (!name)
        return name.takeError();
      if (name->starts_with(".nv.reservedSmem."))
        hasReserved = true;
      if (symbol.getType() == ELF::STT_FUNC)
        functions[static_cast<uint32_t>(index)].name = name->str();
    }
    return llvm::Error::success();
  }

  llvm::Error readInfo(const Section &section) {
    auto contents = file.getSectionContents(section);
    if (!contents)
      return contents.takeError();
    ArrayRef<uint8_t> rest = *contents;
    while (rest.size() >= 4) {
      uint8_t format = rest[0], attribute = rest[1];
      size_t size =
          format == formatSized ? support::endian::read16le(&rest[2]) : 0;
      if (rest.size() < 4 + size)
        break;
      if (size == 8)
        if (Function *function =
                functionAt(support::endian::read32le(&rest[4]))) {
          uint64_t value = support::endian::read32le(&rest[8]);
          if (attribute == attributeRegisters)
            function->registers = value;
          if (attribute == attributeFrameSize ||
              attribute == attributeMinStackSize)
            function->stackBytes = std::max(function->stackBytes, value);
        }
      rest = rest.drop_front(4 + size);
    }
    return llvm::Error::success();
  }

  Function *functionAt(uint32_t symbol) {
    auto found = functions.find(symbol);
    return found == functions.end() ? nullptr : &found->second;
  }

  const File &file;
  const GpuChip &chip;
  std::unordered_map<uint32_t, Function> functions; ///< by symbol
  std::map<std::string, ArrayRef<uint8_t>> code;    ///< by function
  std::map<std::string, uint64_t> sharedBytes;      ///< by function
  bool hasReserved = false;
};

} // namespace

Result<std::vector<KernelUsage>>
tonno::cubinUsage(StringRef cubin, StringRef log, const GpuChip &chip) {
  auto file = File::create(cubin);
  if (!file)
    return tonno::Error{toString(file.takeError())};
  if (file->getHeader().e_machine != ELF::EM_CUDA)
    return tonno::Error{"not a cubin"};
  Cubin reader(*file, chip);
  if (llvm::Error error = reader.read())
    return tonno::Error{toString(std::move(error))};
  return reader.usages(spillsInLog(log));
}
