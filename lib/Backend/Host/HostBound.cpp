//===- The least time of code for x86 -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostBound.h"
#include "HostBackend.h"

#include "InstructionWork.h"
#include "MachineDescription.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ObjectFile.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <vector>

using namespace llvm;
using namespace tonno;

namespace {

enum Resource { issue, multipliers, loads, stores, numResources };

/// An instruction as far as the bound is concerned.
struct HostInstruction {
  std::array<double, numResources> cycles = {};
  double products = 0;
  double flops = 0, bytes = 0;
  bool isOnVectors = false, accessesStack = false;
  bool endsBlock = false;
  std::optional<uint64_t> branchTarget;
};

/// Disassembles code of one target.
class HostDisassembler {
public:
  explicit HostDisassembler(const tonno::Target &target) : machine(target) {}

  /// Adds the code at `address` to `code`. Returns false if something in it is
  /// no instruction.
  bool run(ArrayRef<uint8_t> bytes, uint64_t address);

  std::map<uint64_t, HostInstruction> code; ///< by address
  uint64_t stackBytes = 0;

private:
  HostInstruction classify(const MCInst &instruction, uint64_t address,
                           uint64_t size);
  bool isStackPointer(const MCOperand &operand) const {
    return operand.isReg() &&
           StringRef(machine.registers->getName(operand.getReg())) == "RSP";
  }
  bool usesStackPointer(const MCInst &instruction) const {
    return llvm::any_of(instruction, [&](const MCOperand &operand) {
      return isStackPointer(operand);
    });
  }

  MachineDescription machine;
};

} // namespace

/// Returns how many floating-point products an instruction makes of vectors
/// this long.
static unsigned countProducts(StringRef name, unsigned vectorBytes) {
  name.consume_front("V");
  bool isFused = name.starts_with("FMADD") || name.starts_with("FNMADD") ||
                 name.starts_with("FMSUB") || name.starts_with("FNMSUB");
  if (!isFused && !name.starts_with("MULP") && !name.starts_with("MULS"))
    return 0;
  if (name.contains("PS"))
    return vectorBytes / sizeof(float);
  if (name.contains("PD"))
    return vectorBytes / sizeof(double);
  // Scalars; of half precision any number, which is taken as free.
  return name.contains("SS") || name.contains("SD") ? 1 : 2 * vectorBytes;
}

HostInstruction HostDisassembler::classify(const MCInst &instruction,
                                           uint64_t address, uint64_t size) {
  const MCInstrDesc &desc = machine.instructions->get(instruction.getOpcode());
  StringRef name = machine.instructions->getName(instruction.getOpcode());
  HostInstruction result;
  result.endsBlock = desc.isBranch() || desc.isCall() || desc.isReturn() ||
                     desc.isTerminator();
  uint64_t target = 0;
  if (desc.isBranch() &&
      machine.analysis->evaluateBranch(instruction, address, size, target))
    result.branchTarget = target;
  unsigned bytes = machine.getVectorBytes(instruction);
  result.products = countProducts(name, bytes);
  result.flops = countFlops(name, bytes);
  result.bytes = countBytes(name, desc, bytes);
  result.isOnVectors = bytes > 0 && !isScalarAccess(name);
  result.accessesStack = result.bytes > 0 && usesStackPointer(instruction);
  // Eight a cycle; a branch is one with the comparison before it.
  result.cycles[issue] = desc.isBranch() ? 0 : 1.0 / 8;
  if (result.products > 0)
    result.cycles[multipliers] = bytes > 16 ? 1.0 / 2 : 1.0 / 4;
  if (desc.mayLoad() && !desc.isCall() && !desc.isReturn())
    result.cycles[loads] = bytes > 32 ? 1.0 / 2 : 1.0 / 4;
  if (desc.mayStore() && !desc.isCall())
    result.cycles[stores] = 1.0 / 2;
  bool isFrame = name.starts_with("SUB64ri") && instruction.size() == 3 &&
                 isStackPointer(instruction.getOperand(0)) &&
                 instruction.getOperand(2).isImm();
  if (isFrame)
    stackBytes = std::max<uint64_t>(
        stackBytes, std::max<int64_t>(0, instruction.getOperand(2).getImm()));
  return result;
}

bool HostDisassembler::run(ArrayRef<uint8_t> bytes, uint64_t address) {
  if (!machine.isKnown())
    return false;
  while (!bytes.empty()) {
    MCInst instruction;
    uint64_t size = 0;
    if (machine.disassembler->getInstruction(instruction, size, bytes, address,
                                             nulls()) !=
            MCDisassembler::Success ||
        size == 0 || size > bytes.size())
      return false;
    code.emplace(address, classify(instruction, address, size));
    bytes = bytes.drop_front(size);
    address += size;
  }
  return true;
}

/// Returns the least number of cycles of each product.
static std::optional<double>
findCyclesPerProduct(const std::map<uint64_t, HostInstruction> &code) {
  std::set<uint64_t> targets;
  for (const auto &[address, instruction] : code)
    if (instruction.branchTarget)
      targets.insert(*instruction.branchTarget);
  std::array<double, numResources> least;
  least.fill(std::numeric_limits<double>::infinity());
  HostInstruction block;
  auto endBlock = [&] {
    for (size_t i = 0; block.products > 0 && i < numResources; ++i)
      least[i] = std::min(least[i], block.cycles[i] / block.products);
    block = {};
  };
  for (const auto &[address, instruction] : code) {
    if (targets.contains(address))
      endBlock();
    block.products += instruction.products;
    for (size_t i = 0; i < numResources; ++i)
      block.cycles[i] += instruction.cycles[i];
    if (instruction.endsBlock)
      endBlock();
  }
  endBlock();
  double most = *std::ranges::max_element(least);
  return std::isfinite(most) ? std::optional(most) : std::nullopt;
}

/// Returns the ranges of the loops that contain no other one, from their first
/// instruction to the branch back to it.
static std::vector<std::pair<uint64_t, uint64_t>>
findInnermostLoops(const std::map<uint64_t, HostInstruction> &code) {
  std::vector<std::pair<uint64_t, uint64_t>> loops;
  for (const auto &[address, instruction] : code)
    if (instruction.branchTarget && *instruction.branchTarget <= address)
      loops.emplace_back(*instruction.branchTarget, address);
  std::erase_if(loops, [all = loops](const auto &loop) {
    return llvm::any_of(all, [&](const auto &other) {
      return other != loop && loop.first <= other.first &&
             other.second <= loop.second;
    });
  });
  return loops;
}

static std::optional<InstructionMix>
findMix(const std::map<uint64_t, HostInstruction> &code) {
  if (code.empty())
    return std::nullopt;
  auto loops = findInnermostLoops(code);
  if (loops.empty())
    loops.emplace_back(code.begin()->first, code.rbegin()->first);
  InstructionMix mix;
  double count = 0, flops = 0, bytes = 0;
  for (const auto &[first, last] : loops)
    for (auto next = code.find(first);
         next != code.end() && next->first <= last; ++next) {
      const HostInstruction &instruction = next->second;
      ++count;
      mix.vectors += instruction.isOnVectors;
      mix.memory += instruction.bytes > 0;
      mix.stack += instruction.accessesStack;
      flops += instruction.flops;
      bytes += instruction.bytes;
    }
  if (count == 0)
    return std::nullopt;
  for (double *share : {&mix.vectors, &mix.memory, &mix.stack})
    *share /= count;
  if (bytes > 0)
    mix.intensity = flops / bytes;
  return mix;
}

std::optional<HostCode> tonno::analyzeHostCode(StringRef sharedObject,
                                               const tonno::Target &target) {
  if (!Triple(target.triple).isX86())
    return std::nullopt;
  auto file = object::ObjectFile::createObjectFile(
      MemoryBufferRef(sharedObject, "kernel"));
  if (!file) {
    consumeError(file.takeError());
    return std::nullopt;
  }
  HostDisassembler disassembler(target);
  for (const object::SectionRef &section : (*file)->sections()) {
    if (!section.isText())
      continue;
    Expected<StringRef> contents = section.getContents();
    if (!contents) {
      consumeError(contents.takeError());
      return std::nullopt;
    }
    if (!disassembler.run(arrayRefFromStringRef(*contents),
                          section.getAddress()))
      return std::nullopt;
  }
  return HostCode{disassembler.code.size(), disassembler.stackBytes,
                  findCyclesPerProduct(disassembler.code),
                  findMix(disassembler.code)};
}

/// Returns the clock at which a chain of additions runs, each of a cycle.
static double probeHertz() {
  using Clock = std::chrono::steady_clock;
  constexpr uint64_t steps = 100000;
  double hertz = 0;
  for (int i = 0; i < 20; ++i) {
    auto start = Clock::now();
#if defined(__x86_64__)
    uint64_t count = steps / 10;
    asm volatile("1:\n"
                 ".rept 10\n"
                 "add %%rax, %%rdx\n"
                 ".endr\n"
                 "dec %0\n"
                 "jnz 1b\n"
                 : "+r"(count)
                 :
                 : "rdx", "cc");
#endif
    std::chrono::duration<double> seconds = Clock::now() - start;
    hertz = std::max(hertz, static_cast<double>(steps) / seconds.count());
  }
  return hertz;
}

double tonno::getMostHertz() {
  static const double hertz = [] {
    std::ifstream stated("/sys/devices/system/cpu/cpu0/cpufreq/"
                         "cpuinfo_max_freq");
    double kilohertz = 0;
    if (stated >> kilohertz && kilohertz > 0)
      return 1e3 * kilohertz;
    constexpr double margin = 1.1, step = 0.25e9;
    return step * std::ceil(margin * probeHertz() / step);
  }();
  return hertz;
}
