//===- AMD's intrinsics on the host ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimCall.h"

#include "llvm/ADT/StringSwitch.h"

#include <numbers>
#include <optional>

using namespace llvm;
using namespace tonno;

/// Replaces workitem.id.<axis> and workgroup.id.<axis>.
static bool replaceId(SimCall &call, StringRef name) {
  auto [vector, axis] = name.split(".id.");
  auto start = StringSwitch<std::optional<size_t>>(vector)
                   .Case("workitem", offsetof(SimRuntime, threadId))
                   .Case("workgroup", offsetof(SimRuntime, blockId))
                   .Default(std::nullopt);
  return start && isAxis(axis) &&
         call.replace(call.number(*start + axisOffset(axis)));
}

/// Replaces mbcnt.<lo or hi>(mask, n): n plus the number of lanes before this
/// one in this half of the mask.
static bool replaceLaneCount(SimCall &call, bool high) {
  IRBuilder<> &ir = call.ir;
  Value *before = call.lanesBefore();
  if (high)
    before = ir.CreateLShr(before, 32);
  before = ir.CreateTrunc(before, ir.getInt32Ty());
  Value *set = ir.CreateAnd(before, call.operand(0));
  Value *count = ir.CreateUnaryIntrinsic(Intrinsic::ctpop, set);
  return call.replace(ir.CreateAdd(count, call.operand(1)));
}

/// Returns the value of another lane; `otherwise` if there is none.
static Value *take(SimCall &call, Value *value, Value *from, Value *otherwise) {
  Value *word = call.meet(call.getUniqueCallName(), SimCollective::exchange,
                          call.allLanes(), {value, from, otherwise}, 1)[0];
  return call.fromWord(word, value->getType());
}

/// Returns the source lane of each lane of a quad, from a list of four 2-bit
/// positions.
static Value *laneInQuad(SimCall &call, uint32_t positions) {
  IRBuilder<> &ir = call.ir;
  Value *lane = call.lane();
  Value *shift = ir.CreateShl(ir.CreateAnd(lane, 3), 1);
  Value *within = ir.CreateAnd(ir.CreateLShr(ir.getInt32(positions), shift), 3);
  return ir.CreateOr(ir.CreateAnd(lane, ~3u), within);
}

/// Replaces ds.bpermute(4 * lane, value).
static bool replacePermutation(SimCall &call) {
  IRBuilder<> &ir = call.ir;
  Value *from =
      ir.CreateAnd(ir.CreateLShr(call.operand(0), 2), call.subgroupSize() - 1);
  return call.replace(take(call, call.operand(1), from, ir.getInt32(0)));
}

/// Replaces ds.swizzle(value, pattern), within each 32 lanes by masks, or
/// within each 4 by a list.
static bool replaceSwizzle(SimCall &call) {
  IRBuilder<> &ir = call.ir;
  auto pattern =
      static_cast<uint32_t>(cast<ConstantInt>(call.operand(1))->getZExtValue());
  Value *lane = call.lane();
  Value *from = nullptr;
  if (!(pattern & 0x8000)) {
    Value *within = ir.CreateAnd(lane, pattern & 31);
    within = ir.CreateOr(within, pattern >> 5 & 31);
    within = ir.CreateXor(within, pattern >> 10 & 31);
    from = ir.CreateOr(ir.CreateAnd(lane, ~31u), within);
  } else if ((pattern & 0xff00) == 0x8000) {
    from = laneInQuad(call, pattern & 0xff);
  } else {
    return false;
  }
  return call.replace(take(call, call.operand(0), from, ir.getInt32(0)));
}

namespace {
/// A lane to read, and whether there is one in the row.
struct Source {
  Value *lane;
  Value *exists;
};
} // namespace

/// Decodes DPP's control word: permutations within rows of 16 lanes.
static std::optional<Source> dppSource(SimCall &call, uint32_t control) {
  IRBuilder<> &ir = call.ir;
  Value *lane = call.lane();
  Value *inRow = ir.CreateAnd(lane, 15);
  Value *row = ir.CreateAnd(lane, ~15u);
  auto within = [&](Value *position) {
    return Source{ir.CreateOr(row, position), ir.getTrue()};
  };
  uint32_t count = control & 15;
  if (control <= 0xff) // quad_perm
    return Source{laneInQuad(call, control), ir.getTrue()};
  switch (control & ~15u) {
  case 0x100: { // row_shl
    Value *from = ir.CreateAdd(inRow, ir.getInt32(count));
    return Source{ir.CreateOr(row, from),
                  ir.CreateICmpULT(from, ir.getInt32(16))};
  }
  case 0x110: { // row_shr
    Value *from = ir.CreateSub(inRow, ir.getInt32(count));
    return Source{ir.CreateOr(row, ir.CreateAnd(from, 15)),
                  ir.CreateICmpUGE(inRow, ir.getInt32(count))};
  }
  case 0x120: // row_ror
    return within(ir.CreateAnd(ir.CreateSub(inRow, ir.getInt32(count)), 15));
  case 0x150: // row_share, row_newbcast
    return within(ir.getInt32(count));
  case 0x160: // row_xmask
    return within(ir.CreateXor(inRow, count));
  default:
    break;
  }
  switch (control) {
  case 0x140: // row_mirror
    return within(ir.CreateXor(inRow, 15));
  case 0x141: // row_half_mirror
    return within(ir.CreateXor(inRow, 7));
  case 0x142: // row_bcast:15, the last lane of the row before
    return Source{ir.CreateSub(row, ir.getInt32(1)),
                  ir.CreateICmpUGE(lane, ir.getInt32(16))};
  case 0x143: // row_bcast:31, lane 31 to the rows behind it
    return Source{ir.getInt32(31), ir.CreateICmpUGE(lane, ir.getInt32(32))};
  default:
    return std::nullopt;
  }
}

/// Replaces update.dpp(old, value, control, rows, banks, bound_ctrl). Lanes of
/// rows and banks that are not selected keep the old value, as do those without
/// a source, unless bound_ctrl gives them zero.
static bool replaceDpp(SimCall &call) {
  IRBuilder<> &ir = call.ir;
  auto constant = [&](unsigned index) {
    return static_cast<uint32_t>(
        cast<ConstantInt>(call.operand(index))->getZExtValue());
  };
  Value *old = call.operand(0);
  if (!call.fitsWord(call.type()))
    return false;
  std::optional<Source> source = dppSource(call, constant(2));
  if (!source)
    return false;
  Value *none = constant(5) ? Constant::getNullValue(call.type()) : old;
  Value *from = ir.CreateSelect(source->exists, source->lane, ir.getInt32(~0u));
  Value *taken = take(call, call.operand(1), from, none);
  Value *lane = call.lane();
  auto isSelected = [&](uint32_t mask, Value *index) {
    return ir.CreateTrunc(ir.CreateLShr(ir.getInt32(mask), index),
                          ir.getInt1Ty());
  };
  Value *bank = ir.CreateAnd(ir.CreateLShr(lane, 2), 3);
  Value *selected =
      ir.CreateAnd(isSelected(constant(3), ir.CreateLShr(lane, 4)),
                   isSelected(constant(4), bank));
  return call.replace(ir.CreateSelect(selected, taken, old));
}

static bool replaceFirstLane(SimCall &call) {
  if (!call.fitsWord(call.type()))
    return false;
  Value *word = call.meet(call.getUniqueCallName(), SimCollective::firstLane,
                          call.allLanes(), {call.operand(0)}, 1)[0];
  return call.replace(call.fromWord(word, call.type()));
}

static bool replaceReadLane(SimCall &call) {
  if (!call.fitsWord(call.type()))
    return false;
  Value *from = call.ir.CreateAnd(call.operand(1), call.subgroupSize() - 1);
  return call.replace(
      take(call, call.operand(0), from, Constant::getNullValue(call.type())));
}

/// Replaces permlane<row>.swap(first, second): lanes of the odd rows of the
/// first are exchanged with those of the preceding even rows of the second.
static bool replaceRowSwap(SimCall &call, uint32_t row) {
  IRBuilder<> &ir = call.ir;
  Value *first = call.operand(0), *second = call.operand(1);
  Value *partner = ir.CreateXor(call.lane(), row);
  Value *ofSecond = take(call, second, partner, ir.getInt32(0));
  Value *ofFirst = take(call, first, partner, ir.getInt32(0));
  Value *isOdd = ir.CreateIsNotNull(ir.CreateAnd(call.lane(), row));
  Value *both = PoisonValue::get(call.type());
  both = ir.CreateInsertValue(both, ir.CreateSelect(isOdd, ofSecond, first), 0);
  both = ir.CreateInsertValue(both, ir.CreateSelect(isOdd, second, ofFirst), 1);
  return call.replace(both);
}

static bool replaceBallot(SimCall &call) {
  Value *lanes = call.meet(call.getUniqueCallName(), SimCollective::ballot,
                           call.allLanes(), {call.operand(0)}, 2)[0];
  return call.replace(call.ir.CreateTrunc(lanes, call.type()));
}

/// Replaces approximations and other plain arithmetic.
static bool replaceArithmetic(SimCall &call, StringRef name) {
  IRBuilder<> &ir = call.ir;
  auto one = [&] { return ConstantFP::get(call.type(), 1); };
  auto unary = [&](Intrinsic::ID id, Value *value) {
    return ir.CreateUnaryIntrinsic(id, value);
  };
  if (name == "rcp")
    return call.replace(ir.CreateFDiv(one(), call.operand(0)));
  if (name == "rsq")
    return call.replace(
        ir.CreateFDiv(one(), unary(Intrinsic::sqrt, call.operand(0))));
  if (name == "fract")
    return call.replace(ir.CreateFSub(
        call.operand(0), unary(Intrinsic::floor, call.operand(0))));
  if (name == "fmed3") {
    Value *a = call.operand(0), *b = call.operand(1), *c = call.operand(2);
    Value *low = ir.CreateMinNum(a, b), *high = ir.CreateMaxNum(a, b);
    return call.replace(ir.CreateMaxNum(low, ir.CreateMinNum(high, c)));
  }
  if (name == "sin" || name == "cos") { // of turns
    Value *angle = ir.CreateFMul(
        call.operand(0), ConstantFP::get(call.type(), 2 * std::numbers::pi));
    return call.replace(
        unary(name == "sin" ? Intrinsic::sin : Intrinsic::cos, angle));
  }
  auto id = StringSwitch<Intrinsic::ID>(name)
                .Case("exp2", Intrinsic::exp2)
                .Case("log", Intrinsic::log2)
                .Case("sqrt", Intrinsic::sqrt)
                .Default(Intrinsic::not_intrinsic);
  return id != Intrinsic::not_intrinsic &&
         call.replace(unary(id, call.operand(0)));
}

/// Returns true for scheduler hints and waits for memory, which have no effect
/// in the simulation.
static bool isAmdgcnNoOp(StringRef name) {
  return name.starts_with("s.waitcnt") || name.starts_with("s.wait.") ||
         name.starts_with("sched.") || name == "iglp.opt" ||
         name == "s.setprio" || name == "s.sleep" || name == "s.nop";
}

bool tonno::replaceAmdgcnCall(SimCall &call) {
  StringRef name = call.name();
  if (!name.consume_front("llvm.amdgcn."))
    return false;
  if (name.contains(".id."))
    return replaceId(call, name);
  // gfx12 signals and waits apart. Here all wait for all at the second, so
  // what stands between the two is ordered more than it would be. Barriers
  // other than the workgroup's have other numbers.
  if (name == "s.barrier.signal")
    return call.isMinusOne(0) && call.drop();
  if (name == "s.barrier" || (name == "s.barrier.wait" && call.isMinusOne(0))) {
    call.meet("s.barrier", SimCollective::barrier, call.allLanes(), {}, 0);
    return call.drop();
  }
  if (isAmdgcnNoOp(name))
    return call.drop();
  if (name == "wave.barrier") {
    call.meet(call.getUniqueCallName(), SimCollective::sync, call.allLanes(),
              {}, 0);
    return call.drop();
  }
  if (name == "mbcnt.lo" || name == "mbcnt.hi")
    return replaceLaneCount(call, name == "mbcnt.hi");
  if (name == "wavefrontsize")
    return call.replace(call.ir.getInt32(call.subgroupSize()));
  if (name == "implicitarg.ptr" || name == "dispatch.ptr") {
    size_t offset = name == "dispatch.ptr"
                        ? offsetof(SimRuntime, dispatchPacket)
                        : offsetof(SimRuntime, implicitArguments);
    return call.replace(
        call.ir.CreateAddrSpaceCast(call.address(offset), call.type()));
  }
  if (name == "ds.bpermute")
    return replacePermutation(call);
  if (name.starts_with("mfma.") || name.starts_with("wmma."))
    return replaceMatrixCall(call, name);
  if (name == "ds.swizzle")
    return replaceSwizzle(call);
  if (name == "permlane16.swap" || name == "permlane32.swap")
    return replaceRowSwap(call, name == "permlane16.swap" ? 16 : 32);
  // The others have a type behind the name.
  name = name.rsplit('.').first;
  if (name == "readfirstlane")
    return replaceFirstLane(call);
  if (name == "readlane")
    return replaceReadLane(call);
  if (name == "update.dpp")
    return replaceDpp(call);
  if (name == "ballot")
    return replaceBallot(call);
  return replaceArithmetic(call, name);
}
