//===- TonnoAttrs.cpp - The attributes of the tonno dialect ---------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Dialect/TonnoDialect.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/JSON.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tonno;

//===----------------------------------------------------------------------===//
// Text form
//===----------------------------------------------------------------------===//

/// The types that the parser gives a number without a type.
static bool hasTypeOfUntypedNumber(Attribute option) {
  auto number = dyn_cast<TypedAttr>(option);
  return isa<IntegerAttr, FloatAttr>(option) &&
         (number.getType().isSignlessInteger(64) || number.getType().isF64());
}

static ParseResult parseOption(AsmParser &parser, Attribute &option) {
  return parser.parseAttribute(option);
}

static void printOption(AsmPrinter &printer, Attribute option) {
  if (hasTypeOfUntypedNumber(option))
    printer.printAttributeWithoutType(option);
  else
    printer.printAttribute(option);
}

std::string tonno::optionText(Attribute option) {
  std::string text;
  llvm::raw_string_ostream os(text);
  option.print(os, /*elideType=*/hasTypeOfUntypedNumber(option));
  return text;
}

static std::string printOptionList(ArrayRef<Attribute> options) {
  return llvm::join(llvm::map_range(options, optionText), ", ");
}

#define GET_ATTRDEF_CLASSES
#include "tonno/Dialect/TonnoAttrs.cpp.inc"

void TonnoDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tonno/Dialect/TonnoAttrs.cpp.inc"
      >();
}

/// An alias is lexed as an identifier without dots.
OpAsmAliasResult KnobAttr::getAlias(raw_ostream &os) const {
  if (!llvm::isAlpha(getName().front()) && getName().front() != '_')
    os << "knob_";
  for (char c : getName())
    os << (llvm::isAlnum(c) ? c : '_');
  return OpAsmAliasResult::FinalAlias;
}

//===----------------------------------------------------------------------===//
// Accessors
//===----------------------------------------------------------------------===//

static ArrayRef<Attribute> getOptionList(KnobAttr knob) {
  return cast<ArrayAttr>(knob.getDomain()).getValue();
}

uint64_t KnobAttr::getNumOptions() const { return getOptionList(*this).size(); }

Attribute KnobAttr::getOption(uint64_t index) const {
  return getOptionList(*this)[index];
}

std::optional<uint64_t> KnobAttr::getIndexOf(Attribute option) const {
  ArrayRef<Attribute> options = getOptionList(*this);
  const Attribute *it = llvm::find(options, option);
  if (it == options.end())
    return std::nullopt;
  return it - options.begin();
}

uint64_t KnobAttr::getDefaultIndex() const {
  return getDefaultOption() ? *getIndexOf(getDefaultOption()) : 0;
}

Attribute KnobAttr::getValue() const {
  return getSelected() ? getSelected() : getOption(getDefaultIndex());
}

KnobAttr KnobAttr::select(Attribute option) const {
  return get(getContext(), getName(), getDomain(), option, getDefaultOption());
}

std::string KnobAttr::printOptions() const {
  return printOptionList(getOptionList(*this));
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Options are of one kind when they are attributes of one class, numbers of
/// one type.
static bool areOfOneKind(Attribute a, Attribute b) {
  if (a.getTypeID() != b.getTypeID())
    return false;
  return !isa<IntegerAttr, FloatAttr>(a) ||
         cast<TypedAttr>(a).getType() == cast<TypedAttr>(b).getType();
}

static bool containsKnob(Attribute option) {
  return option.walk([](KnobAttr) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

LogicalResult KnobAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringRef name, Attribute domain,
                               Attribute selected, Attribute defaultOption) {
  if (name.empty())
    return emitError() << "a knob's name must not be empty";
  // Names are keys in JSON.
  if (!llvm::json::isUTF8(name))
    return emitError() << "a knob's name must be UTF-8";
  auto list = dyn_cast<ArrayAttr>(domain);
  if (!list)
    return emitError() << "knob \"" << name
                       << "\" needs a list of options, not "
                       << optionText(domain);
  if (list.empty())
    return emitError() << "knob \"" << name << "\" has no options";
  llvm::SmallDenseSet<Attribute> seen;
  for (Attribute option : list) {
    if (!seen.insert(option).second)
      return emitError() << "knob \"" << name << "\" has option "
                         << optionText(option) << " twice";
    if (!areOfOneKind(list[0], option))
      return emitError() << "the options of knob \"" << name
                         << "\" must be of one type: " << list[0] << " and "
                         << option << " are not";
    if (containsKnob(option))
      return emitError() << "option " << optionText(option) << " of knob \""
                         << name << "\" contains a knob";
  }
  auto verifyIsOption = [&](StringRef role, Attribute value) -> LogicalResult {
    if (!value || seen.contains(value))
      return success();
    return emitError() << role << " " << optionText(value)
                       << " is not an option of knob \"" << name
                       << "\"; its options are: "
                       << printOptionList(list.getValue());
  };
  return success(succeeded(verifyIsOption("selected", selected)) &&
                 succeeded(verifyIsOption("default", defaultOption)));
}
