//===- The tonno dialect, and its attributes of operations ----------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Dimensions.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoAttrs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tonno;

#include "tonno/Dialect/TonnoDialect.cpp.inc"

void TonnoDialect::initialize() {
  registerAttributes();
  registerDomains();
}

/// Refuses an attribute for what its value should be.
static LogicalResult refuse(Operation *op, StringRef name, const Twine &what) {
  return op->emitOpError() << "'" << name << "' must be " << what;
}

static LogicalResult verifyKnobs(Operation *op, Attribute value) {
  auto knobs = dyn_cast<DictionaryAttr>(value);
  if (!knobs)
    return refuse(op, TonnoDialect::kKnobs, "a dictionary");
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
                          << "', which is not an attribute of the operation";
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
    return refuse(op, TonnoDialect::kPipeline,
                  "a dictionary with the string 'passes'");
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

namespace {

/// The required kind of an attribute's value.
struct Kind {
  StringRef name;
  bool (*holds)(Attribute);
  StringRef what;
};

} // namespace

template <typename T> static bool isKind(Attribute value) {
  return isa<T>(value);
}

static bool isConstraintList(Attribute value) {
  auto list = dyn_cast<ArrayAttr>(value);
  return list && llvm::all_of(list, llvm::IsaPred<ConstraintAttr>);
}

static bool isSymbolList(Attribute value) {
  auto list = dyn_cast<ArrayAttr>(value);
  return list && !list.empty() &&
         llvm::all_of(list, llvm::IsaPred<FlatSymbolRefAttr>);
}

static bool isDictionaryOfDictionaries(Attribute value) {
  auto entries = dyn_cast<DictionaryAttr>(value);
  return entries && llvm::all_of(entries, [](NamedAttribute entry) {
           return isa<DictionaryAttr>(entry.getValue());
         });
}

/// Returns true if the value is one of these strings.
template <const auto &strings> static bool isStringIn(Attribute value) {
  auto string = dyn_cast<StringAttr>(value);
  return string && llvm::is_contained(strings, string.getValue());
}

static constexpr StringLiteral contractions[] = {"fast"};
static constexpr StringLiteral accesses[] = {"read", "write", "read_write"};

static bool isAlignment(Attribute value) {
  auto bytes = dyn_cast<IntegerAttr>(value);
  return bytes && bytes.getValue().isPowerOf2() &&
         bytes.getValue().getActiveBits() <= 31;
}

LogicalResult TonnoDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  if (llvm::is_contained({kPipeline, kSchedule, kReference, kFpContract,
                          kKernels, kShapes, kVariants},
                         name) &&
      !isa<FunctionOpInterface>(op))
    return op->emitOpError() << "'" << name << "' belongs on a function";
  if (name == kLoweringConfig)
    return verifyLoweringConfig(op, value);
  if (name == kKnobs)
    return verifyKnobs(op, value);
  if (name == kPipeline)
    return verifyPipeline(op, value);
  static constexpr Kind kinds[] = {
      {kConstraints, isConstraintList, "an array of #tonno.constraint"},
      {kFpContract, isStringIn<contractions>,
       "\"fast\"; without it only sums of reductions and ops with "
       "fastmath<contract> are fused"},
      {kSchedule, isKind<SymbolRefAttr>, "the symbol of a schedule"},
      {kReference, isKind<FlatSymbolRefAttr>, "the symbol of a function"},
      {kTuned, isKind<DictionaryAttr>, "a dictionary"},
      {kKernels, isDictionaryOfDictionaries, "a dictionary for each kernel"},
      {kShapes, isKind<StringAttr>, "a string, such as \"M in 1..8192\""},
      {kVariants, isSymbolList, "an array of symbols of functions"},
      {kBuffers, isKind<ArrayAttr>, "an array of buffers"},
      {kLaunches, isKind<ArrayAttr>, "an array of launches"},
      {kLoad, isKind<DictionaryAttr>, "a dictionary"},
      {kLaunchAttributes, isKind<ArrayAttr>, "an array of dictionaries"},
      {kSizes, isKind<IntegerAttr>, "a number of arguments"},
      {kThreads, isKind<IntegerAttr>, "a number of threads"},
      {kStrict, isKind<UnitAttr>, "alone"},
      {kRolled, isKind<UnitAttr>, "alone"},
  };
  for (const Kind &kind : kinds)
    if (name == kind.name)
      return kind.holds(value) ? success() : refuse(op, name, kind.what);
  if (llvm::is_contained({kDims, kInput, kAccess, kAlignment, kConstant}, name))
    return op->emitOpError()
           << "'" << name << "' belongs on an argument of a function";
  return op->emitOpError()
         << "'" << name
         << "' is not an attribute of tonno; the attributes are: "
         << llvm::join(ArrayRef<StringRef>{kLoweringConfig, kKnobs,
                                           kConstraints, kSchedule, kPipeline,
                                           kReference, kFpContract, kTuned,
                                           kKernels, kShapes, kVariants},
                       ", ");
}

LogicalResult TonnoDialect::verifyRegionArgAttribute(Operation *op,
                                                     unsigned /*region*/,
                                                     unsigned argument,
                                                     NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kDims)
    return verifyDims(op, argument, attribute.getValue());
  if (auto function = dyn_cast<FunctionOpInterface>(op);
      name == kConstant && function &&
      !isa<TensorType>(function.getArgumentTypes()[argument]))
    return op->emitOpError() << "argument " << argument << ": '" << name
                             << "' must be on a tensor";
  static constexpr Kind kinds[] = {
      {kInput, isKind<InputAttr>,
       "#tonno.input<\"...\">, for example #tonno.input<\"uniform(-1, 1)\">"},
      {kAccess, isStringIn<accesses>, "\"read\", \"write\" or \"read_write\""},
      {kAlignment, isAlignment, "a power of two, in bytes"},
      {kConstant, isKind<UnitAttr>, "a unit attribute"},
      {kStream, isKind<UnitAttr>, "a unit attribute"},
  };
  for (const Kind &kind : kinds)
    if (name == kind.name)
      return kind.holds(attribute.getValue())
                 ? success()
                 : op->emitOpError() << "argument " << argument << ": '" << name
                                     << "' must be " << kind.what;
  return op->emitOpError()
         << "argument " << argument << ": '" << name
         << "' is not an argument attribute of tonno; the attributes are: "
         << kDims << ", " << kInput << ", " << kAccess << ", " << kAlignment
         << ", " << kConstant;
}
