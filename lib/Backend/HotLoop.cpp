//===- The innermost loop that a kernel spends its time in ----------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/HotLoop.h"
#include "GPU/MachineInstructions.h"
#include "GPU/Nvdisasm.h"
#include "InstructionWork.h"
#include "LoopThroughput.h"
#include "MachineDescription.h"

#include "tonno/Core/MachineCode.h"

#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace tonno;

EnumNames tonno::getEnumNames(LoopLimit) {
  static constexpr std::string_view names[] = {
      "dispatch", "ports", "register_chain", "memory_chain", "unknown"};
  return {"limit of a loop", names};
}

void tonno::mapFields(JsonFields &fields, LoopThroughput &throughput) {
  fields("cycles", throughput.cycles);
  fields("bound", throughput.bound);
  fields("limit", throughput.limit);
  fields("ports", throughput.ports, {});
  fields("waiting", throughput.waiting);
}

void tonno::mapFields(JsonFields &fields, HotLoop &loop) {
  fields("function", loop.function);
  fields("address", loop.address);
  fields("depth", loop.depth);
  fields("instructions", loop.instructions);
  fields("flops", loop.flops);
  fields("bytes", loop.bytes);
  fields("throughput", loop.throughput);
  fields("unknown", loop.unknown, {});
}

/// Size of each instruction of NVIDIA's GPUs.
static constexpr uint64_t sassBytes = 16;

static constexpr StringLiteral unknownGpuModel =
    "llvm-mca has no model of this GPU";

/// Iterations of a loop in LLVM's static block frequencies.
static constexpr double usualIterations = 32;

namespace {

/// An instruction with its place, and the work that it does.
struct DecodedInstruction {
  MCInst instruction;
  MachineInstruction flow; ///< address and control flow
  uint64_t size = 0;       ///< in bytes
  double flops = 0, bytes = 0;
};

/// A function of the file.
struct CodeFunction {
  std::string name;
  uint64_t address = 0;
  ArrayRef<uint8_t> code;
};

/// A loop that may be the hottest.
struct Contender {
  const CodeFunction *function = nullptr;
  uint64_t depth = 1;
  std::vector<DecodedInstruction> code;
  double flops = 0, bytes = 0;

  double weigh(double work) const {
    return work * std::pow(usualIterations, depth);
  }
};

} // namespace

/// Returns none if some bytes are no instruction.
static std::optional<std::vector<DecodedInstruction>>
decode(const CodeFunction &function, const MachineDescription &machine) {
  std::vector<DecodedInstruction> decoded;
  ArrayRef<uint8_t> code = function.code;
  uint64_t address = function.address;
  while (!code.empty()) {
    DecodedInstruction one;
    uint64_t &size = one.size;
    if (machine.disassembler->getInstruction(one.instruction, size, code,
                                             address, nulls()) !=
            MCDisassembler::Success ||
        size == 0 || size > code.size())
      return std::nullopt;
    const MCInstrDesc &desc =
        machine.instructions->get(one.instruction.getOpcode());
    one.flow.address = address;
    if (desc.isBranch()) {
      one.flow.kind = InstructionKind::branch;
      one.flow.isPredicated = desc.isConditionalBranch();
      uint64_t target = 0;
      if (machine.analysis->evaluateBranch(one.instruction, address, size,
                                           target))
        one.flow.target = target;
    } else if (desc.isReturn()) {
      one.flow.kind = InstructionKind::exit;
    }
    if (machine.triple.isX86()) {
      StringRef name =
          machine.instructions->getName(one.instruction.getOpcode());
      double vectorBytes = machine.getVectorBytes(one.instruction);
      one.flops = countFlops(name, vectorBytes);
      one.bytes = countBytes(name, desc, vectorBytes);
    }
    code = code.drop_front(size);
    address += size;
    decoded.push_back(std::move(one));
  }
  return decoded;
}

/// Decodes a function for an NVIDIA GPU. The work is that of all lanes.
static std::vector<DecodedInstruction>
decodeNvidia(const CodeFunction &function, const GpuChip &chip) {
  std::vector<DecodedInstruction> decoded;
  for (const MachineInstruction &flow : decodeSass(function.code, chip)) {
    DecodedInstruction &one = decoded.emplace_back();
    one.flow = flow;
    one.size = sassBytes;
    one.flops = 2 * static_cast<double>(flow.macs);
    one.bytes = static_cast<double>(flow.bytes) * chip.subgroupSize;
  }
  return decoded;
}

/// Adds the innermost loops of a function.
static void addLoops(const CodeFunction &function,
                     const std::vector<DecodedInstruction> &decoded,
                     std::vector<Contender> &contenders) {
  std::vector<MachineInstruction> flow;
  for (const DecodedInstruction &one : decoded)
    flow.push_back(one.flow);
  for (const CodeLoop &loop : analyzeMachineCode(flow).loops) {
    if (!loop.isInnermost)
      continue;
    Contender contender{&function, loop.depth, {}};
    for (const CodeBlock &block : loop.blocks)
      for (const DecodedInstruction &one : decoded)
        if (one.flow.address >= block.begin && one.flow.address <= block.end) {
          contender.code.push_back(one);
          contender.flops += one.flops;
          contender.bytes += one.bytes;
        }
    contenders.push_back(std::move(contender));
  }
}

static std::vector<CodeFunction>
findFunctions(const object::ELFObjectFileBase &file) {
  std::vector<CodeFunction> functions;
  for (const object::ELFSymbolRef &symbol : file.symbols()) {
    auto type = expectedToOptional(symbol.getType());
    auto name = expectedToOptional(symbol.getName());
    auto address = expectedToOptional(symbol.getAddress());
    auto section = expectedToOptional(symbol.getSection());
    if (!name || !address || type != object::SymbolRef::ST_Function ||
        !section || *section == file.section_end())
      continue;
    auto contents = expectedToOptional((*section)->getContents());
    if (!contents)
      continue;
    uint64_t offset = *address - (*section)->getAddress();
    if (offset <= contents->size() &&
        symbol.getSize() <= contents->size() - offset)
      functions.push_back(
          {name->str(), *address,
           arrayRefFromStringRef(*contents).slice(offset, symbol.getSize())});
  }
  return functions;
}

/// Prints instructions as llvm-objdump does; branches with their target.
static std::vector<std::string>
print(const std::vector<DecodedInstruction> &code,
      const MachineDescription &machine) {
  unsigned syntax = machine.assembly->getAssemblerDialect();
  std::unique_ptr<MCInstPrinter> printer(machine.found->createMCInstPrinter(
      machine.triple, syntax, *machine.assembly, *machine.instructions,
      *machine.registers));
  std::vector<std::string> lines;
  printer->setPrintBranchImmAsAddress(true);
  for (const DecodedInstruction &one : code) {
    std::string text;
    raw_string_ostream stream(text);
    // x86's branches count from their end.
    uint64_t origin =
        one.flow.address + (machine.triple.isX86() ? one.size : 0);
    printer->printInst(&one.instruction, origin, "", *machine.subtarget,
                       stream);
    std::replace(text.begin(), text.end(), '\t', ' ');
    lines.push_back(StringRef(text).trim().str());
  }
  return lines;
}

/// Returns the contender with the most work; the first of several.
static const Contender &findHottest(const std::vector<Contender> &contenders) {
  auto sum = [&](double Contender::*work) {
    return std::ranges::any_of(
        contenders, [&](const Contender &one) { return one.*work > 0; });
  };
  bool hasFlops = sum(&Contender::flops), hasBytes = sum(&Contender::bytes);
  return *std::ranges::max_element(contenders, {}, [&](const Contender &one) {
    return one.weigh(hasFlops   ? one.flops
                     : hasBytes ? one.bytes
                                : static_cast<double>(one.code.size()));
  });
}

/// Describes a loop without its instructions.
static HotLoop describe(const Contender &hottest) {
  HotLoop loop;
  loop.function = hottest.function->name;
  loop.address = hottest.code.front().flow.address;
  loop.depth = hottest.depth;
  return loop;
}

/// Finds the loop of a cubin, of which nvdisasm prints the instructions.
static Result<HotLoop>
findNvidiaLoop(StringRef binary, const std::vector<CodeFunction> &functions,
               const tonno::Target &target) {
  const GpuChip *chip = TONNO_TRY(findGpuChip(target.chip));
  std::vector<Contender> contenders;
  for (const CodeFunction &function : functions)
    addLoops(function, decodeNvidia(function, *chip), contenders);
  if (contenders.empty())
    return tonno::Error{"the code has no loop"};
  const Contender &hottest = findHottest(contenders);
  auto text = TONNO_TRY(printSass(binary, CudaSearch::fromEnvironment()));
  HotLoop loop = describe(hottest);
  const std::vector<std::string> &lines = text[loop.function];
  for (const DecodedInstruction &one : hottest.code) {
    size_t index = one.flow.address / sassBytes;
    if (index >= lines.size())
      return tonno::Error{"nvdisasm printed " + std::to_string(lines.size()) +
                          " instructions of '" + loop.function +
                          "', which has more"};
    loop.instructions.push_back(lines[index]);
  }
  loop.unknown = unknownGpuModel;
  return loop;
}

Result<HotLoop> tonno::findHotLoop(StringRef binary,
                                   const tonno::Target &target) {
  MachineDescription machine(target);
  bool isNvidia = Triple(target.triple).isNVPTX();
  if (!machine.isKnown() && !isNvidia)
    return tonno::Error{"LLVM has no disassembler for " + target.triple};
  auto opened = object::ObjectFile::createELFObjectFile(
      MemoryBufferRef(binary, "kernel"));
  if (!opened)
    return tonno::Error{toString(opened.takeError())};
  auto *file = cast<object::ELFObjectFileBase>(opened->get());
  std::vector<CodeFunction> functions = findFunctions(*file);
  if (isNvidia)
    return findNvidiaLoop(binary, functions, target);
  std::vector<Contender> contenders;
  for (const CodeFunction &function : functions)
    if (auto decoded = ::decode(function, machine))
      addLoops(function, *decoded, contenders);
  if (contenders.empty())
    return tonno::Error{"the code has no loop"};
  const Contender &hottest = findHottest(contenders);
  HotLoop loop = describe(hottest);
  loop.instructions = print(hottest.code, machine);
  if (machine.triple.isX86()) {
    loop.flops = hottest.flops;
    loop.bytes = hottest.bytes;
  }
  if (machine.triple.isAMDGPU()) {
    loop.unknown = unknownGpuModel;
    return loop;
  }
  std::vector<MCInst> code;
  for (const DecodedInstruction &one : hottest.code)
    code.push_back(one.instruction);
  if (auto simulated = simulateLoop(code, machine))
    loop.throughput = std::move(*simulated);
  else
    loop.unknown = simulated.error().message;
  return loop;
}
