//===- Objects that log the sizes of their calls --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ShapeLog.h"
#include "PlanSizes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace tonno;

/// Slots of a table, a power of two. A slot has a key, which is 0 until the
/// slot is taken, a count, and the sizes.
static constexpr int64_t slotBits = 10, slots = 1 << slotBits;

/// Tables, a power of two. A hash of the thread chooses one: threads that write
/// to one cache line wait for each other, for 30 ns a call.
static constexpr int64_t tableBits = 4, tables = 1 << tableBits;

/// Code of the log. `writeCode` replaces the names that begin with `$`. Keys
/// are hashes of the sizes: of one size they do not collide, and of several,
/// two of 1,024 shapes do so in one of 10^13 tables. Slots are found by linear
/// probing, and never freed.
static constexpr const char *code = R"mlir(
llvm.func @secure_getenv(!llvm.ptr) -> !llvm.ptr
llvm.func @fopen(!llvm.ptr, !llvm.ptr) -> !llvm.ptr
llvm.func @setvbuf(!llvm.ptr, !llvm.ptr, i32, i64) -> i32
llvm.func @fprintf(!llvm.ptr, !llvm.ptr, ...) -> i32
llvm.func @fputs(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @fclose(!llvm.ptr) -> i32
llvm.func @perror(!llvm.ptr)
llvm.func @snprintf(!llvm.ptr, i64, !llvm.ptr, ...) -> i32

llvm.mlir.global internal @tonno.shapes(dense<0> : tensor<$WORDSxi64>) {alignment = 64 : i64} : !llvm.array<$WORDS x i64>
llvm.mlir.global internal @tonno.shapes_lost(0 : i64) : i64
llvm.mlir.global_dtors dtors = [@tonno.write_shapes], priorities = [65535 : i32], data = [#llvm.zero]

llvm.mlir.global internal constant @tonno.shapes_header("$HEADER,weight\0A\00")
llvm.mlir.global internal constant @tonno.shapes_file("$FILE\00")
llvm.mlir.global internal @tonno.shapes_path(dense<0> : tensor<$PATH_BYTESxi8>) : !llvm.array<$PATH_BYTES x i8>
llvm.mlir.global internal @tonno.shapes_buffer(dense<0> : tensor<$BUFFER_BYTESxi8>) : !llvm.array<$BUFFER_BYTES x i8>
llvm.mlir.global internal constant @tonno.shapes_variable("TONNO_SHAPES_DIR\00")
llvm.mlir.global internal constant @tonno.shapes_here(".\00")
llvm.mlir.global internal constant @tonno.shapes_join("%s/%s\00")
llvm.mlir.global internal constant @tonno.shapes_mode("ae\00")
llvm.mlir.global internal constant @tonno.shapes_size("%lld,\00")
llvm.mlir.global internal constant @tonno.shapes_count("%lld\0A\00")
llvm.mlir.global internal constant @tonno.shapes_remark("# %lld calls with other sizes were not counted one by one\0A\00")

llvm.func internal @tonno.count_shape(%sizes: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %dimensions = llvm.mlir.constant($DIMENSIONS : i64) : i64
  %table = llvm.mlir.addressof @tonno.shapes : !llvm.ptr
  %lost = llvm.mlir.addressof @tonno.shapes_lost : !llvm.ptr
  %factor = llvm.mlir.constant(-7046029254386353131 : i64) : i64
  %shift = llvm.mlir.constant($SLOT_SHIFT : i64) : i64
  %tableShift = llvm.mlir.constant($TABLE_SHIFT : i64) : i64
  %tableSlots = llvm.mlir.constant($SLOTS : i64) : i64
  %mask = llvm.mlir.constant($MASK : i64) : i64
  %stride = llvm.add %dimensions, %two : i64
  llvm.br ^mix(%zero, %one : i64, i64)
^mix(%axis: i64, %mixed: i64):
  %product = llvm.mul %mixed, %factor : i64
  %given = llvm.getelementptr %sizes[%axis] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %size = llvm.load %given : !llvm.ptr -> i64
  %key = llvm.add %product, %size : i64
  %following = llvm.add %axis, %one : i64
  %more = llvm.icmp "slt" %following, %dimensions : i64
  llvm.cond_br %more, ^mix(%following, %key : i64, i64), ^find
^find:
  %spread = llvm.mul %key, %factor : i64
  %first = llvm.lshr %spread, %shift : i64
  %thread = llvm.call_intrinsic "llvm.thread.pointer.p0"() : () -> !llvm.ptr
  %address = llvm.ptrtoint %thread : !llvm.ptr to i64
  %mixedAddress = llvm.mul %address, %factor : i64
  %tableNumber = llvm.lshr %mixedAddress, %tableShift : i64
  %before = llvm.mul %tableNumber, %tableSlots : i64
  llvm.br ^probe(%zero : i64)
^probe(%tried: i64):
  %sum = llvm.add %first, %tried : i64
  %place = llvm.and %sum, %mask : i64
  %number = llvm.add %before, %place : i64
  %offset = llvm.mul %number, %stride : i64
  %slot = llvm.getelementptr %table[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %known = llvm.load %slot atomic monotonic {alignment = 8 : i64} : !llvm.ptr -> i64
  %isKnown = llvm.icmp "eq" %known, %key : i64
  llvm.cond_br %isKnown, ^count, ^take
^take:
  %isFree = llvm.icmp "eq" %known, %zero : i64
  llvm.cond_br %isFree, ^exchange, ^next
^exchange:
  %exchanged = llvm.cmpxchg %slot, %zero, %key monotonic monotonic : !llvm.ptr, i64
  %isTaken = llvm.extractvalue %exchanged[1] : !llvm.struct<(i64, i1)>
  llvm.cond_br %isTaken, ^copy(%zero : i64), ^other
^other:
  %winner = llvm.extractvalue %exchanged[0] : !llvm.struct<(i64, i1)>
  %isSame = llvm.icmp "eq" %winner, %key : i64
  llvm.cond_br %isSame, ^count, ^next
^next:
  %tries = llvm.add %tried, %one : i64
  %isLeft = llvm.icmp "slt" %tries, %tableSlots : i64
  llvm.cond_br %isLeft, ^probe(%tries : i64), ^lose
^lose:
  %unused = llvm.atomicrmw add %lost, %one monotonic : !llvm.ptr, i64
  llvm.return
^copy(%copied: i64):
  %from = llvm.getelementptr %sizes[%copied] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %value = llvm.load %from : !llvm.ptr -> i64
  %behind = llvm.add %copied, %two : i64
  %to = llvm.getelementptr %slot[%behind] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %value, %to : i64, !llvm.ptr
  %copies = llvm.add %copied, %one : i64
  %isMore = llvm.icmp "slt" %copies, %dimensions : i64
  llvm.cond_br %isMore, ^copy(%copies : i64), ^count
^count:
  %counter = llvm.getelementptr %slot[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %old = llvm.atomicrmw add %counter, %one monotonic : !llvm.ptr, i64
  llvm.return
}

// Shapes without elements, which no tuning is for, are left out.
llvm.func internal @tonno.write_shapes() {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %dimensions = llvm.mlir.constant($DIMENSIONS : i64) : i64
  %table = llvm.mlir.addressof @tonno.shapes : !llvm.ptr
  %lost = llvm.mlir.addressof @tonno.shapes_lost : !llvm.ptr
  %slots = llvm.mlir.constant($ALL_SLOTS : i64) : i64
  %full = llvm.mlir.constant(0 : i32) : i32
  %bytes = llvm.mlir.constant($BUFFER_BYTES : i64) : i64
  %pathBytes = llvm.mlir.constant($PATH_BYTES : i64) : i64
  %buffer = llvm.mlir.addressof @tonno.shapes_buffer : !llvm.ptr
  %path = llvm.mlir.addressof @tonno.shapes_path : !llvm.ptr
  %here = llvm.mlir.addressof @tonno.shapes_here : !llvm.ptr
  %join = llvm.mlir.addressof @tonno.shapes_join : !llvm.ptr
  %null = llvm.mlir.zero : !llvm.ptr
  %header = llvm.mlir.addressof @tonno.shapes_header : !llvm.ptr
  %file = llvm.mlir.addressof @tonno.shapes_file : !llvm.ptr
  %variable = llvm.mlir.addressof @tonno.shapes_variable : !llvm.ptr
  %mode = llvm.mlir.addressof @tonno.shapes_mode : !llvm.ptr
  %sizeFormat = llvm.mlir.addressof @tonno.shapes_size : !llvm.ptr
  %countFormat = llvm.mlir.addressof @tonno.shapes_count : !llvm.ptr
  %remark = llvm.mlir.addressof @tonno.shapes_remark : !llvm.ptr
  %stride = llvm.add %dimensions, %two : i64
  %given = llvm.call @secure_getenv(%variable) : (!llvm.ptr) -> !llvm.ptr
  %isGiven = llvm.icmp "ne" %given, %null : !llvm.ptr
  %folder = llvm.select %isGiven, %given, %here : i1, !llvm.ptr
  %joined = llvm.call @snprintf(%path, %pathBytes, %join, %folder, %file) vararg(!llvm.func<i32 (ptr, i64, ptr, ...)>) : (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  llvm.br ^slot(%zero, %null : i64, !llvm.ptr)
^slot(%number: i64, %opened: !llvm.ptr):
  %offset = llvm.mul %number, %stride : i64
  %slot = llvm.getelementptr %table[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %counter = llvm.getelementptr %slot[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %count = llvm.load %counter atomic monotonic {alignment = 8 : i64} : !llvm.ptr -> i64
  %isEmpty = llvm.icmp "eq" %count, %zero : i64
  llvm.cond_br %isEmpty, ^next(%opened : !llvm.ptr), ^check(%zero : i64)
^check(%checked: i64):
  %index = llvm.add %checked, %two : i64
  %place = llvm.getelementptr %slot[%index] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %size = llvm.load %place : !llvm.ptr -> i64
  %isPositive = llvm.icmp "sgt" %size, %zero : i64
  %checks = llvm.add %checked, %one : i64
  llvm.cond_br %isPositive, ^positive, ^next(%opened : !llvm.ptr)
^positive:
  %isUnchecked = llvm.icmp "slt" %checks, %dimensions : i64
  llvm.cond_br %isUnchecked, ^check(%checks : i64), ^open
^open:
  %isOpen = llvm.icmp "ne" %opened, %null : !llvm.ptr
  llvm.cond_br %isOpen, ^write(%zero, %opened : i64, !llvm.ptr), ^create
^create:
  %created = llvm.call @fopen(%path, %mode) : (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
  %isCreated = llvm.icmp "ne" %created, %null : !llvm.ptr
  llvm.cond_br %isCreated, ^begin, ^fail
^fail:
  llvm.call @perror(%path) : (!llvm.ptr) -> ()
  llvm.return
^begin:
  // In one piece, that it does not mix with what other processes append.
  %set = llvm.call @setvbuf(%created, %buffer, %full, %bytes) : (!llvm.ptr, !llvm.ptr, i32, i64) -> i32
  %put = llvm.call @fputs(%header, %created) : (!llvm.ptr, !llvm.ptr) -> i32
  llvm.br ^write(%zero, %created : i64, !llvm.ptr)
^write(%written: i64, %stream: !llvm.ptr):
  %position = llvm.add %written, %two : i64
  %element = llvm.getelementptr %slot[%position] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %value = llvm.load %element : !llvm.ptr -> i64
  %printed = llvm.call @fprintf(%stream, %sizeFormat, %value) vararg(!llvm.func<i32 (ptr, ptr, ...)>) : (!llvm.ptr, !llvm.ptr, i64) -> i32
  %writes = llvm.add %written, %one : i64
  %isUnwritten = llvm.icmp "slt" %writes, %dimensions : i64
  llvm.cond_br %isUnwritten, ^write(%writes, %stream : i64, !llvm.ptr), ^end
^end:
  %ended = llvm.call @fprintf(%stream, %countFormat, %count) vararg(!llvm.func<i32 (ptr, ptr, ...)>) : (!llvm.ptr, !llvm.ptr, i64) -> i32
  llvm.br ^next(%stream : !llvm.ptr)
^next(%kept: !llvm.ptr):
  %following = llvm.add %number, %one : i64
  %isLeft = llvm.icmp "slt" %following, %slots : i64
  llvm.cond_br %isLeft, ^slot(%following, %kept : i64, !llvm.ptr), ^close
^close:
  %hasFile = llvm.icmp "ne" %kept, %null : !llvm.ptr
  llvm.cond_br %hasFile, ^finish, ^return
^finish:
  %others = llvm.load %lost : !llvm.ptr -> i64
  %hasOthers = llvm.icmp "ne" %others, %zero : i64
  llvm.cond_br %hasOthers, ^remark, ^flush
^remark:
  %remarked = llvm.call @fprintf(%kept, %remark, %others) vararg(!llvm.func<i32 (ptr, ptr, ...)>) : (!llvm.ptr, !llvm.ptr, i64) -> i32
  llvm.br ^flush
^flush:
  %closed = llvm.call @fclose(%kept) : (!llvm.ptr) -> i32
  %isFlushed = llvm.icmp "eq" %closed, %full : i32
  llvm.cond_br %isFlushed, ^return, ^fail
^return:
  llvm.return
}

llvm.func internal @tonno.log_call(%buffers: !llvm.ptr) {
  %dimensions = llvm.mlir.constant($DIMENSIONS : i64) : i64
  %sizes = llvm.alloca %dimensions x i64 : (i64) -> !llvm.ptr
  $LOADS
  llvm.call @tonno.count_shape(%sizes) : (!llvm.ptr) -> ()
  llvm.return
}
)mlir";

bool tonno::hasShapeLog(ModuleOp lowered) {
  return lowered.lookupSymbol("tonno.log_call");
}

bool tonno::isCalledByShapeLog(StringRef symbol) {
  // LLVM may replace a call of one by another of these.
  static const llvm::StringSet<> functions = {
      "secure_getenv", "fopen", "setvbuf", "fprintf", "fputs",
      "snprintf",      "fputc", "fwrite",  "fclose",  "perror"};
  return functions.contains(symbol);
}

/// Returns code that copies the sizes of a call from its buffers.
static std::string writeLoads(const LaunchPlan &plan, const Launch &launch) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [axis, size] : llvm::enumerate(findSizes(plan))) {
    auto position = llvm::find_if(launch.buffers, [&](uint32_t index) {
      return plan.buffers[index].name == size.name;
    });
    os << llvm::formatv(
        "%slot{0} = llvm.getelementptr %buffers[{1}] : (!llvm.ptr) -> "
        "!llvm.ptr, !llvm.ptr\n"
        "%buffer{0} = llvm.load %slot{0} : !llvm.ptr -> !llvm.ptr\n"
        "%size{0} = llvm.load %buffer{0} : !llvm.ptr -> i64\n"
        "%place{0} = llvm.getelementptr %sizes[{0}] : (!llvm.ptr) -> "
        "!llvm.ptr, i64\n"
        "llvm.store %size{0}, %place{0} : i64, !llvm.ptr\n",
        axis, position - launch.buffers.begin());
  }
  return text;
}

/// Returns the code of the log of these launches.
static std::string writeCode(const LaunchPlan &plan, const Launch &launch,
                             StringRef kernel) {
  Signature sizes = findSizes(plan);
  auto names = llvm::map_range(sizes, [](auto &size) { return size.name; });
  const std::pair<StringRef, std::string> values[] = {
      {"$DIMENSIONS", std::to_string(sizes.size())},
      {"$WORDS", std::to_string(tables * slots * (sizes.size() + 2))},
      {"$SLOT_SHIFT", std::to_string(64 - slotBits)},
      {"$TABLE_SHIFT", std::to_string(64 - tableBits)},
      {"$SLOTS", std::to_string(slots)},
      {"$MASK", std::to_string(slots - 1)},
      {"$ALL_SLOTS", std::to_string(tables * slots)},
      {"$HEADER", llvm::join(names, ",")},
      {"$PATH_BYTES", "4096"},
      {"$BUFFER_BYTES", std::to_string(1 << 20)},
      {"$FILE", kernel.str() + ".shapes.csv"},
      {"$LOADS", writeLoads(plan, launch)}};
  std::string text = code;
  for (const auto &[name, value] : values)
    for (size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, name.size(), value);
  return text;
}

LogicalResult tonno::addShapeLog(ModuleOp lowered, const LaunchPlan &plan,
                                 StringRef kernel) {
  auto launch = llvm::find_if(
      plan.launches, [](const Launch &launch) { return !launch.atLoad; });
  auto entry = lowered.lookupSymbol<LLVM::LLVMFuncOp>(launch->symbol);
  if (findSizes(plan).empty())
    return entry.emitError()
           << "no dimension of '" << kernel
           << "' is dynamic: there are no shapes for '--log-shapes'";
  auto parsed = parseSourceString<ModuleOp>(writeCode(plan, *launch, kernel),
                                            lowered.getContext());
  assert(parsed && "names of kernels are those of C");
  SymbolTable symbols(lowered);
  for (Operation &op : llvm::make_early_inc_range(*parsed->getBody())) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (symbol && symbols.lookup(symbol.getName()))
      return entry.emitError() << "the name '" << symbol.getName()
                               << "' is needed for '--log-shapes'";
    op.moveBefore(lowered.getBody(), lowered.getBody()->end());
  }
  OpBuilder builder = OpBuilder::atBlockBegin(&entry.getBody().front());
  LLVM::CallOp::create(builder, entry.getLoc(),
                       lowered.lookupSymbol<LLVM::LLVMFuncOp>("tonno.log_call"),
                       entry.getArgument(0));
  return success();
}
