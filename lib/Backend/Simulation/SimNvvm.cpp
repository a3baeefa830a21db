//===- NVIDIA's special registers and collectives -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimCall.h"

#include "llvm/ADT/StringSwitch.h"

#include <optional>

using namespace llvm;
using namespace tonno;

/// Returns the offset in SimRuntime of a special register, or none.
static std::optional<size_t> findSpecialRegisterOffset(StringRef sreg) {
  if (sreg == "laneid")
    return offsetof(SimRuntime, lane);
  if (sreg == "warpid")
    return offsetof(SimRuntime, subgroup);
  auto [vector, axis] = sreg.split('.');
  if (!isAxis(axis))
    return std::nullopt;
  auto start = StringSwitch<std::optional<size_t>>(vector)
                   .Case("tid", offsetof(SimRuntime, threadId))
                   .Case("ntid", offsetof(SimRuntime, blockSize))
                   .Case("ctaid", offsetof(SimRuntime, blockId))
                   .Case("nctaid", offsetof(SimRuntime, gridSize))
                   .Default(std::nullopt);
  if (start)
    *start += axisOffset(axis);
  return start;
}

static bool replaceLaneMask(SimCall &call, StringRef which) {
  IRBuilder<> &ir = call.ir;
  Value *before = ir.CreateTrunc(call.lanesBefore(), ir.getInt32Ty());
  Value *own = ir.CreateAdd(before, ir.getInt32(1));
  if (which == "lt")
    return call.replace(before);
  if (which == "le")
    return call.replace(ir.CreateOr(before, own));
  if (which == "eq")
    return call.replace(own);
  if (which == "ge")
    return call.replace(ir.CreateNot(before));
  return which == "gt" && call.replace(ir.CreateNot(ir.CreateOr(before, own)));
}

static bool replaceRegister(SimCall &call, StringRef sreg) {
  if (sreg == "warpsize")
    return call.replace(call.ir.getInt32(call.subgroupSize()));
  if (sreg.consume_front("lanemask."))
    return replaceLaneMask(call, sreg);
  std::optional<size_t> field = findSpecialRegisterOffset(sreg);
  return field && call.replace(call.number(*field));
}

static Value *threadCount(SimCall &call) {
  Value *count = call.number(offsetof(SimRuntime, blockSize));
  for (size_t axis : {1, 2})
    count =
        call.ir.CreateMul(count, call.number(offsetof(SimRuntime, blockSize) +
                                             axis * sizeof(uint32_t)));
  return count;
}

/// Replaces sync[.aligned].all and red.<op>[.aligned].all of barrier.cta.
/// Barriers for some of the threads have a count in place of "all".
static bool replaceBarrier(SimCall &call, StringRef what) {
  auto *id = dyn_cast<ConstantInt>(call.operand(0));
  if (!id || !what.consume_back(".all"))
    return false;
  what.consume_back(".aligned");
  IRBuilder<> &ir = call.ir;
  std::string where = "barrier " + std::to_string(id->getZExtValue());
  if (what == "sync") {
    call.meet(where, SimCollective::barrier, call.allLanes(), {}, 0);
    return call.drop();
  }
  if (what != "red.popc" && what != "red.and" && what != "red.or")
    return false;
  Value *set =
      call.meet(where + " (" + what.str() + ")", SimCollective::barrierCount,
                call.allLanes(), {call.operand(1)}, 1)[0];
  Value *count = ir.CreateTrunc(set, ir.getInt32Ty());
  if (what == "red.popc")
    return call.replace(count);
  if (what == "red.and")
    return call.replace(ir.CreateICmpEQ(count, threadCount(call)));
  return call.replace(ir.CreateICmpNE(count, ir.getInt32(0)));
}

/// Returns the lane that a shuffle reads, and whether it is in its segment;
/// follows PTX's description of shfl.
static std::pair<Value *, Value *> sourceLane(SimCall &call, StringRef mode,
                                              Value *by, Value *clamp) {
  IRBuilder<> &ir = call.ir;
  Value *lane = call.lane();
  by = ir.CreateAnd(by, 31);
  Value *segment = ir.CreateAnd(ir.CreateLShr(clamp, 8), 31);
  Value *first = ir.CreateAnd(lane, segment);
  Value *last = ir.CreateOr(
      first, ir.CreateAnd(ir.CreateAnd(clamp, 31), ir.CreateNot(segment)));
  if (mode == "up") {
    Value *from = ir.CreateSub(lane, by);
    return {from, ir.CreateICmpSGE(from, last)};
  }
  Value *from = nullptr;
  if (mode == "down")
    from = ir.CreateAdd(lane, by);
  else if (mode == "bfly")
    from = ir.CreateXor(lane, by);
  else
    from = ir.CreateOr(first, ir.CreateAnd(by, ir.CreateNot(segment)));
  return {from, ir.CreateICmpSLE(from, last)};
}

/// Replaces shfl.sync.<mode>.<i32 or f32>[p](mask, value, lanes, clamp).
static bool replaceShuffle(SimCall &call, StringRef what) {
  IRBuilder<> &ir = call.ir;
  auto [mode, type] = what.split('.');
  auto [from, inside] =
      sourceLane(call, mode, call.operand(2), call.operand(3));
  from = ir.CreateSelect(inside, from, call.lane());
  // The value read from an inactive lane is undefined: NaN here.
  Value *word = call.meet(call.name(), SimCollective::exchange, call.operand(0),
                          {call.operand(1), from, ir.getInt64(~0ull)}, 1)[0];
  Value *value = call.fromWord(word, call.operand(1)->getType());
  if (!type.ends_with("p"))
    return call.replace(value);
  Value *both = ir.CreateInsertValue(PoisonValue::get(call.type()), value, 0);
  return call.replace(ir.CreateInsertValue(both, inside, 1));
}

/// Replaces vote.<mode>.sync(mask, predicate).
static bool replaceVote(SimCall &call, StringRef mode) {
  IRBuilder<> &ir = call.ir;
  auto lanes = call.meet(call.name(), SimCollective::ballot, call.operand(0),
                         {call.operand(1)}, 2);
  Value *none = ir.CreateICmpEQ(lanes[0], ir.getInt64(0));
  Value *all = ir.CreateICmpEQ(lanes[0], lanes[1]);
  if (mode == "ballot")
    return call.replace(ir.CreateTrunc(lanes[0], call.type()));
  if (mode == "any")
    return call.replace(ir.CreateNot(none));
  if (mode == "all")
    return call.replace(all);
  return mode == "uni" && call.replace(ir.CreateOr(all, none));
}

/// Replaces redux.sync.<op>(value, mask).
static bool replaceReduction(SimCall &call, StringRef op) {
  struct Rule {
    SimCollective kind;
    unsigned result;
  };
  auto rule = StringSwitch<std::optional<Rule>>(op)
                  .Case("add", Rule{SimCollective::reduceAdd, 0})
                  .Case("and", Rule{SimCollective::reduceAnd, 0})
                  .Case("or", Rule{SimCollective::reduceOr, 0})
                  .Case("xor", Rule{SimCollective::reduceXor, 0})
                  .Case("min", Rule{SimCollective::reduceSigned, 0})
                  .Case("max", Rule{SimCollective::reduceSigned, 1})
                  .Case("umin", Rule{SimCollective::reduceUnsigned, 0})
                  .Case("umax", Rule{SimCollective::reduceUnsigned, 1})
                  .Default(std::nullopt);
  if (!rule)
    return false;
  auto results =
      call.meet(call.name(), rule->kind, call.operand(1), {call.operand(0)}, 2);
  return call.replace(
      call.ir.CreateTrunc(results[rule->result], call.ir.getInt32Ty()));
}

/// Orders memory or fetches ahead: nothing where threads take turns.
static bool isNvvmNoOp(StringRef name) {
  return name.starts_with("membar.") || name.starts_with("fence.acq") ||
         name.starts_with("fence.sc") || name.starts_with("prefetch") ||
         name == "nanosleep";
}

bool tonno::replaceNvvmCall(SimCall &call) {
  StringRef name = call.name();
  if (!name.consume_front("llvm.nvvm."))
    return false;
  if (name.consume_front("read.ptx.sreg."))
    return replaceRegister(call, name);
  if (name.consume_front("barrier.cta."))
    return replaceBarrier(call, name);
  if (name.consume_front("shfl.sync."))
    return replaceShuffle(call, name);
  if (name.consume_front("vote."))
    return name.consume_back(".sync") && replaceVote(call, name);
  if (name.consume_front("redux.sync."))
    return replaceReduction(call, name);
  if (name.starts_with("mma."))
    return replaceMatrixCall(call, name);
  if (name.starts_with("ldmatrix.") || name.starts_with("cp.async."))
    return replaceNvvmCopy(call, name);
  if (name.starts_with("wgmma.") || name.starts_with("fence.proxy."))
    return replaceWarpgroupCall(call, name);
  if (name.starts_with("tcgen05.") || name.starts_with("mbarrier.") ||
      name.starts_with("fence.mbarrier"))
    return replaceTensorCall(call, name);
  if (name == "bar.warp.sync") {
    call.meet(call.name(), SimCollective::sync, call.operand(0), {}, 0);
    return call.drop();
  }
  if (isNvvmNoOp(name))
    return call.drop();
  return replacePtxArithmetic(call, name);
}

/// Replaces {low, high} = operand 0 * operand 1 + operand 2, which libdevice's
/// sine uses for lack of an intrinsic.
static bool replaceWideSum(SimCall &call) {
  IRBuilder<> &ir = call.ir;
  auto wide = [&](unsigned index) {
    return ir.CreateZExt(call.operand(index), ir.getInt64Ty());
  };
  Value *sum = ir.CreateAdd(ir.CreateMul(wide(0), wide(1)), wide(2));
  Value *halves = PoisonValue::get(call.type());
  halves =
      ir.CreateInsertValue(halves, ir.CreateTrunc(sum, ir.getInt32Ty()), 0);
  Value *high = ir.CreateTrunc(ir.CreateLShr(sum, 32), ir.getInt32Ty());
  return call.replace(ir.CreateInsertValue(halves, high, 1));
}

bool tonno::replacePtxAssembly(SimCall &call, StringRef assembly) {
  if (replaceWarpgroupAssembly(call, assembly) ||
      replaceBarrierAssembly(call, assembly))
    return true;
  SmallVector<StringRef> words;
  assembly.split(words, ' ', -1, /*KeepEmpty=*/false);
  if (assembly.contains("mad.lo.cc.u32   $0, $2, $3, $4;\n") &&
      assembly.contains("madc.hi.u32     $1, $2, $3,  0;\n") &&
      assembly.count(';') == 2)
    return replaceWideSum(call);
  // One instruction with its result first and its operands in order.
  std::string plain = words.empty() ? "" : words.front().str() + " $0";
  for (unsigned index = 1; index <= call.operandCount(); ++index)
    plain += ",$" + std::to_string(index);
  std::string given = assembly.str();
  llvm::erase(given, ' ');
  llvm::erase(plain, ' ');
  return given == plain + ";" && replacePtxArithmetic(call, words.front());
}
