//===- NVIDIA's products by warpgroups ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimCall.h"

#include "tonno/Core/MatrixInstruction.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"

#include <bit>
#include <optional>

using namespace llvm;
using namespace tonno;

static constexpr StringLiteral instructionName =
    "wgmma.mma_async.sync.aligned.m64n";

bool tonno::multipliesShared(const Module &module) {
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&instruction)) {
        auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand());
        Function *called = call->getCalledFunction();
        if ((assembly && assembly->getAsmString().contains(instructionName)) ||
            (called && called->getName().starts_with("llvm.nvvm.tcgen05.mma")))
          return true;
      }
  return false;
}

namespace {

/// wgmma, decoded from its assembly.
struct SharedProduct {
  unsigned columns = 0, depth = 0;
  std::optional<ElementType> operand;
  ElementType sum = ElementType::f32;
  unsigned numModifiers = 0; ///< of the operands' signs and directions
};

} // namespace

/// Parses "64k16.f32.f16.f16", behind the rows.
static std::optional<SharedProduct> parseProduct(StringRef name) {
  SharedProduct product;
  if (name.consumeInteger(10, product.columns) || !name.consume_front("k") ||
      name.consumeInteger(10, product.depth))
    return std::nullopt;
  product.operand = StringSwitch<std::optional<ElementType>>(name)
                        .Case(".f32.f16.f16", ElementType::f16)
                        .Case(".f32.bf16.bf16", ElementType::bf16)
                        .Case(".f32.e4m3.e4m3", ElementType::f8E4M3FN)
                        .Case(".f32.e5m2.e5m2", ElementType::f8E5M2)
                        .Case(".s32.s8.s8", ElementType::i8)
                        .Default(std::nullopt);
  if (!product.operand)
    return std::nullopt;
  if (product.operand == ElementType::i8)
    product.sum = ElementType::i32;
  else
    product.numModifiers = getByteSize(*product.operand) == 2 ? 4 : 2;
  return product;
}

/// Returns the assembly as NVVM::WgmmaMmaAsyncOp writes it, without spaces: the
/// sums' registers, then operands behind as many that the sums come in.
static std::string writeProduct(StringRef name, const SharedProduct &product,
                                unsigned count) {
  auto operand = [](unsigned number) { return "$" + std::to_string(number); };
  std::string text = "{\n.regpredp;\nsetp.ne.b32p," + operand(2 * count + 2) +
                     ",0;\n" + (instructionName + name).str() + "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? "," : "") + operand(i);
  text += "}," + operand(2 * count) + "," + operand(2 * count + 1) + ",p";
  for (unsigned i = 0; i < product.numModifiers; ++i)
    text += "," + operand(2 * count + 3 + i);
  return text + ";\n}\n";
}

static bool replaceProduct(SimCall &call, StringRef assembly) {
  StringRef name =
      assembly.substr(assembly.find(instructionName) + instructionName.size())
          .take_until([](char c) { return c == ' '; });
  auto product = parseProduct(name);
  auto *results = dyn_cast<StructType>(call.type());
  const MatrixInstruction *instruction =
      product ? findMatrixInstruction(MatrixFamily::wgmma, *product->operand,
                                      product->sum)
              : nullptr;
  if (!instruction || !results || product->depth != instruction->k ||
      product->columns % instruction->n != 0)
    return false;
  unsigned count = results->getNumElements();
  std::string given = assembly.str();
  llvm::erase(given, ' ');
  given.replace(given.find(".reg.predp"), 10, ".regpredp");
  std::string expected = writeProduct(name, *product, count);
  if (given != expected ||
      count != product->columns / instruction->n * instruction->sums.size() ||
      call.operandCount() != count + 3 + product->numModifiers)
    return false;
  auto number = [&](unsigned index) -> std::optional<uint64_t> {
    auto *constant = dyn_cast<ConstantInt>(call.operand(count + index));
    return constant ? std::optional(constant->getZExtValue()) : std::nullopt;
  };
  auto addsToSums = number(2);
  bool isPlain =
      product->numModifiers == 0 || (number(3) == 1 && number(4) == 1);
  bool hasDirections = product->numModifiers == 4;
  auto left = hasDirections ? number(5) : 0,
       right = hasDirections ? number(6) : 0;
  if (!addsToSums || !isPlain || !left || !right)
    return false;
  SimSharedProduct description = {
      .operand = static_cast<uint8_t>(*product->operand),
      .sum = static_cast<uint8_t>(product->sum),
      .columnTiles = static_cast<uint8_t>(product->columns / instruction->n),
      .leftRunsAlongSide = static_cast<uint8_t>(*left),
      .rightRunsAlongSide = static_cast<uint8_t>(*right),
      .addsToSums = static_cast<uint8_t>(*addsToSums),
      .unused = {}};
  IRBuilder<> &ir = call.ir;
  std::vector<Value *> operands = {
      ir.getInt64(std::bit_cast<uint64_t>(description)), call.operand(count),
      call.operand(count + 1)};
  for (unsigned i = 0; i < count; ++i)
    operands.push_back(call.operand(i));
  std::vector<Value *> words =
      call.meet(call.getUniqueCallName("wgmma"), SimCollective::multiplyShared,
                call.allLanes(), operands, count);
  Value *result = PoisonValue::get(results);
  for (unsigned i = 0; i < count; ++i)
    result = ir.CreateInsertValue(
        result, call.fromWord(words[i], results->getElementType(i)), i);
  return call.replace(result);
}

/// Replaces assembly without an instruction, by which registers become those of
/// complete sums.
static bool replaceReading(SimCall &call) {
  auto *results = dyn_cast<StructType>(call.type());
  unsigned count = call.operandCount();
  if (!results || results->getNumElements() != count)
    return false;
  IRBuilder<> &ir = call.ir;
  Type *word = ir.getInt32Ty();
  for (unsigned i = 0; i < count; ++i)
    if (results->getElementType(i) != call.operand(i)->getType() ||
        results->getElementType(i)->getPrimitiveSizeInBits() != 32)
      return false;
  Value *registers = call.allocate(ArrayType::get(word, count));
  auto slot = [&](unsigned index) {
    return ir.CreateConstInBoundsGEP1_64(word, registers, index);
  };
  for (unsigned i = 0; i < count; ++i)
    ir.CreateStore(call.operand(i), slot(i));
  call.callRuntime(offsetof(SimRuntime, readSums),
                   {registers, ir.getInt32(count)});
  Value *result = PoisonValue::get(results);
  for (unsigned i = 0; i < count; ++i)
    result = ir.CreateInsertValue(
        result, ir.CreateLoad(results->getElementType(i), slot(i)), i);
  return call.replace(result);
}

bool tonno::replaceWarpgroupAssembly(SimCall &call, StringRef assembly) {
  if (assembly.empty())
    return replaceReading(call);
  return assembly.contains(instructionName) && replaceProduct(call, assembly);
}

bool tonno::replaceWarpgroupCall(SimCall &call, StringRef name) {
  if (name == "fence.proxy.async.shared_cta" || name == "fence.proxy.async")
    call.callRuntime(offsetof(SimRuntime, publish), {});
  else if (name == "wgmma.fence.sync.aligned")
    call.callRuntime(offsetof(SimRuntime, fenceProducts), {});
  else if (name == "wgmma.commit_group.sync.aligned")
    call.callRuntime(offsetof(SimRuntime, commitProducts), {});
  else if (name == "wgmma.wait_group.sync.aligned")
    call.callRuntime(
        offsetof(SimRuntime, awaitProducts),
        {call.ir.CreateTrunc(call.operand(0), call.ir.getInt32Ty())});
  else
    return false;
  return call.drop();
}
