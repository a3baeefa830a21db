//===- The attributes of operations ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Dialect/TonnoDialect.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tonno;

static LogicalResult verifyConstraints(Operation *op, Attribute value) {
  auto list = dyn_cast<ArrayAttr>(value);
  if (list && llvm::all_of(list, llvm::IsaPred<ConstraintAttr>))
    return success();
  return op->emitOpError() << "'" << TonnoDialect::kConstraints
                           << "' must be an array of #tonno.constraint";
}

static LogicalResult verifyKnobs(Operation *op, Attribute value) {
  auto knobs = dyn_cast<DictionaryAttr>(value);
  if (!knobs)
    return op->emitOpError()
           << "'" << TonnoDialect::kKnobs << "' must be a dictionary";
  for (NamedAttribute entry : knobs) {
    StringRef name = entry.getName();
    if (!containsKnob(entry.getValue()))
      return op->emitOpError() << "'" << TonnoDialect::kKnobs << "' has '"
                               << name << "' without a knob";
    ArrayRef<StringAttr> inherent;
    if (op->isRegistered())
      inherent = op->getName().getAttributeNames();
    if (op->hasAttr(name) || llvm::is_contained(inherent, entry.getName()))
      continue;
    InFlightDiagnostic error =
        op->emitOpError() << "'" << TonnoDialect::kKnobs << "' has '" << name
                          << "', which is no attribute of the operation";
    if (!inherent.empty()) {
      error << "; its attributes are: ";
      llvm::interleaveComma(inherent, error,
                            [&](StringAttr known) { error << known.strref(); });
    }
    return error;
  }
  return success();
}

static LogicalResult verifyPipeline(Operation *op, Attribute value) {
  auto pipeline = dyn_cast<DictionaryAttr>(value);
  if (!pipeline || !pipeline.getAs<StringAttr>("passes"))
    return op->emitOpError() << "'" << TonnoDialect::kPipeline
                             << "' must be a dictionary with the string "
                                "'passes'";
  for (NamedAttribute entry : pipeline) {
    if (entry.getName() == "passes" ||
        (entry.getName() == "knobs" && isa<DictionaryAttr>(entry.getValue())))
      continue;
    return op->emitOpError()
           << "'" << TonnoDialect::kPipeline << "' has '"
           << entry.getName().strref()
           << "'; it may have the string 'passes' and the dictionary 'knobs'";
  }
  return success();
}

static LogicalResult verifyFpContract(Operation *op, Attribute value) {
  auto mode = dyn_cast<StringAttr>(value);
  if (mode && mode == "fast")
    return success();
  return op->emitOpError() << "'" << TonnoDialect::kFpContract
                           << "' must be \"fast\"; without it only sums of "
                              "reductions and ops with fastmath<contract> are "
                              "fused";
}

/// Of an attribute that only a function may have.
static LogicalResult
verifyOnFunction(Operation *op, NamedAttribute attribute,
                 function_ref<LogicalResult(Operation *, Attribute)> verify) {
  if (!isa<FunctionOpInterface>(op))
    return op->emitOpError()
           << "'" << attribute.getName().strref() << "' belongs on a function";
  return verify(op, attribute.getValue());
}

template <typename T> static auto mustBe(StringRef name, StringRef what) {
  return [=](Operation *op, Attribute value) -> LogicalResult {
    if (isa<T>(value))
      return success();
    return op->emitOpError() << "'" << name << "' must be " << what;
  };
}

LogicalResult TonnoDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  if (name == kLoweringConfig)
    return verifyLoweringConfig(op, value);
  if (name == kConstraints)
    return verifyConstraints(op, value);
  if (name == kKnobs)
    return verifyKnobs(op, value);
  if (name == kPipeline)
    return verifyOnFunction(op, attribute, verifyPipeline);
  if (name == kSchedule)
    return verifyOnFunction(
        op, attribute, mustBe<SymbolRefAttr>(name, "the symbol of a schedule"));
  if (name == kReference)
    return verifyOnFunction(
        op, attribute,
        mustBe<FlatSymbolRefAttr>(name, "the symbol of a function"));
  if (name == kFpContract)
    return verifyOnFunction(op, attribute, verifyFpContract);
  if (name == kTuned)
    return mustBe<DictionaryAttr>(name, "a dictionary")(op, value);
  if (name == kBuffers)
    return mustBe<ArrayAttr>(name, "an array of buffers")(op, value);
  if (name == kLaunches)
    return mustBe<ArrayAttr>(name, "an array of launches")(op, value);
  if (name == kThreads)
    return mustBe<IntegerAttr>(name, "a number of threads")(op, value);
  if (name == kStrict)
    return mustBe<UnitAttr>(name, "alone")(op, value);
  if (llvm::is_contained({kInput, kAccess, kAlignment}, name))
    return op->emitOpError()
           << "'" << name << "' belongs on an argument of a function";
  return op->emitOpError() << "'" << name << "' is none of tonno's attributes: "
                           << llvm::join(
                                  ArrayRef<StringRef>{kLoweringConfig, kKnobs,
                                                      kConstraints, kSchedule,
                                                      kPipeline, kReference,
                                                      kFpContract, kTuned},
                                  ", ");
}

LogicalResult TonnoDialect::verifyRegionArgAttribute(Operation *op,
                                                     unsigned /*region*/,
                                                     unsigned argument,
                                                     NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  auto refuse = [&](StringRef what) {
    return op->emitOpError()
           << "argument " << argument << ": '" << name << "' must be " << what;
  };
  if (name == kInput)
    return isa<InputAttr>(value) ? success()
                                 : refuse("#tonno.input<\"...\">, for example "
                                          "#tonno.input<\"uniform(-1, 1)\">");
  if (name == kAccess) {
    auto access = dyn_cast<StringAttr>(value);
    bool isKnown = access && llvm::StringSwitch<bool>(access)
                                 .Cases({"read", "write", "read_write"}, true)
                                 .Default(false);
    return isKnown ? success()
                   : refuse("\"read\", \"write\" or \"read_write\"");
  }
  if (name == kAlignment) {
    auto bytes = dyn_cast<IntegerAttr>(value);
    bool isPower = bytes && bytes.getValue().isPowerOf2() &&
                   bytes.getValue().getActiveBits() <= 31;
    return isPower ? success() : refuse("a power of two, in bytes");
  }
  if (name == kStream)
    return isa<UnitAttr>(value) ? success() : refuse("a unit attribute");
  return op->emitOpError() << "argument " << argument << ": '" << name
                           << "' is none of tonno's attributes of arguments: "
                           << kInput << ", " << kAccess << ", " << kAlignment;
}
