//===- The attributes of the tonno dialect --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Core/InputSpec.h"
#include "tonno/Dialect/KnobNames.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Space/Constraint.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tonno;

//===----------------------------------------------------------------------===//
// Text form
//===----------------------------------------------------------------------===//

/// Returns true for types that the parser gives to numbers without a type.
static bool hasTypeOfUntypedNumber(Attribute option) {
  auto number = dyn_cast<TypedAttr>(option);
  return isa<IntegerAttr, FloatAttr>(option) &&
         (number.getType().isSignlessInteger(64) || number.getType().isF64());
}

/// Returns where the digits stand in the text as a number of their own.
static size_t findNumber(StringRef text, StringRef digits) {
  for (size_t at = text.find(digits); at != StringRef::npos;
       at = text.find(digits, at + 1)) {
    StringRef before = text.take_front(at);
    StringRef after = text.drop_front(at + digits.size());
    bool isWhole =
        !(before.size() && (llvm::isAlnum(before.back()) ||
                            StringRef("_-.").contains(before.back()))) &&
        !(after.size() && (llvm::isAlnum(after.front()) ||
                           StringRef("_.").contains(after.front())));
    if (isWhole)
      return at;
  }
  return StringRef::npos;
}

/// Refuses integers whose upper half the parser takes for negative ones:
/// 9223372036854775808 of i64 is -9223372036854775808.
static ParseResult parseFittingAttribute(AsmParser &parser,
                                         Attribute &attribute) {
  SMLoc start = parser.getCurrentLocation();
  if (failed(parser.parseAttribute(attribute)))
    return failure();
  const char *end = parser.getCurrentLocation().getPointer();
  StringRef text(start.getPointer(), end - start.getPointer());
  auto check = [&](IntegerAttr integer) {
    Type type = integer.getType();
    APInt value = integer.getValue();
    if (!type.isSignlessIntOrIndex() || type.isInteger(1) ||
        !value.isNegative())
      return WalkResult::advance();
    SmallString<24> digits;
    value.toStringUnsigned(digits);
    size_t at = findNumber(text, digits);
    if (at == StringRef::npos)
      return WalkResult::advance();
    SmallString<24> greatest;
    APInt::getSignedMaxValue(value.getBitWidth()).toStringSigned(greatest);
    parser.emitError(SMLoc::getFromPointer(text.data() + at))
        << digits << " does not fit; integers of type " << type
        << " are at most " << greatest;
    return WalkResult::interrupt();
  };
  return failure(attribute.walk(check).wasInterrupted());
}

static ParseResult parseOption(AsmParser &parser, Attribute &option) {
  return parseFittingAttribute(parser, option);
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

/// Parses a knob's name, whose quotes are easily forgotten.
static ParseResult parseKnobName(AsmParser &parser, std::string &name) {
  SMLoc start = parser.getCurrentLocation();
  StringRef unquoted;
  if (succeeded(parser.parseOptionalKeyword(&unquoted)))
    return parser.emitError(start, "a knob's name must be in quotes: write #")
           << TonnoDialect::getDialectNamespace() << "."
           << KnobAttr::getMnemonic() << "<\"" << unquoted
           << "\" from [16, 32, 64]>";
  if (failed(parser.parseOptionalString(&name)))
    return parser.emitError(start, "expected a knob's name in quotes, such as "
                                   "\"BM\"");
  if (std::string why = refuseKnobName(name); !why.empty())
    return parser.emitError(start, why);
  return success();
}

static void printKnobName(AsmPrinter &printer, StringRef name) {
  printer.printString(name);
}

/// Parses a domain, which has no `#tonno.` prefix in a knob.
static ParseResult parseDomain(AsmParser &parser, DomainAttrInterface &domain) {
  SMLoc start = parser.getCurrentLocation();
  StringRef mnemonic;
  Attribute parsed;
  // With the keywords, editors can complete them.
  if (succeeded(parser.parseOptionalKeyword(
          &mnemonic, {Pow2Attr::getMnemonic(), RangeAttr::getMnemonic(),
                      PermutationsAttr::getMnemonic()}))) {
    if (mnemonic == Pow2Attr::getMnemonic())
      parsed = Pow2Attr::parse(parser, {});
    else if (mnemonic == RangeAttr::getMnemonic())
      parsed = RangeAttr::parse(parser, {});
    else
      parsed = PermutationsAttr::parse(parser, {});
    if (!parsed)
      return failure();
  } else if (succeeded(parser.parseOptionalKeyword(&mnemonic))) {
    return parser.emitError(start, "unknown domain '")
           << mnemonic
           << "'; a domain is a list, pow2<...>, range<...>, "
              "permutations<...> or another attribute that has options";
  } else if (failed(parseFittingAttribute(parser, parsed))) {
    return failure();
  }
  domain = dyn_cast<DomainAttrInterface>(parsed);
  if (domain)
    return success();
  return parser.emitError(start, "a knob needs a list of options, or another "
                                 "attribute that has options, not ")
         << optionText(parsed);
}

static void printDomain(AsmPrinter &printer, DomainAttrInterface domain) {
  llvm::TypeSwitch<Attribute>(domain)
      .Case<Pow2Attr, RangeAttr, PermutationsAttr>([&](auto attribute) {
        printer << attribute.getMnemonic();
        attribute.print(printer);
      })
      .Default([&](Attribute other) { printer.printAttribute(other); });
}

#include "tonno/Dialect/TonnoInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tonno/Dialect/TonnoAttrs.cpp.inc"

void TonnoDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tonno/Dialect/TonnoAttrs.cpp.inc"
      >();
}

/// Returns an alias without dots, since aliases are lexed as identifiers.
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

uint64_t KnobAttr::getDefaultIndex() const {
  return getDefaultOption() ? *getOptionIndex(getDefaultOption()) : 0;
}

Attribute KnobAttr::getValue() const {
  return getSelected() ? getSelected() : getOption(getDefaultIndex());
}

KnobAttr KnobAttr::select(Attribute option) const {
  return get(getContext(), getName(), getDomain(), option, getDefaultOption());
}

SmallVector<Attribute> tonno::getOptions(DomainAttrInterface domain) {
  return llvm::map_to_vector(
      llvm::seq(domain.getNumOptions()),
      [&](uint64_t index) { return domain.getOption(index); });
}

std::string tonno::printOptions(DomainAttrInterface domain) {
  if (auto list = dyn_cast<ArrayAttr>(Attribute(domain)))
    return llvm::join(llvm::map_range(list.getValue(), optionText), ", ");
  // The short form is for knobs; a message is about one.
  std::string text;
  llvm::raw_string_ostream(text) << Attribute(domain);
  StringRef shortened = text;
  shortened.consume_front("#tonno.");
  return shortened.str();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Returns true if both are attributes of one class, numbers of one type.
static bool areOfOneKind(Attribute a, Attribute b) {
  if (a.getTypeID() != b.getTypeID())
    return false;
  return !isa<IntegerAttr, FloatAttr>(a) ||
         cast<TypedAttr>(a).getType() == cast<TypedAttr>(b).getType();
}

bool tonno::containsKnob(Attribute attribute) {
  return attribute.walk([](KnobAttr) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Checks that listed options are distinct, of one kind and without knobs.
static LogicalResult
verifyOptionList(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                 ArrayAttr list) {
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
  return success();
}

LogicalResult KnobAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringRef name, DomainAttrInterface domain,
                               Attribute selected, Attribute defaultOption) {
  if (std::string why = refuseKnobName(name); !why.empty())
    return emitError() << why;
  uint64_t numOptions = domain.getNumOptions();
  if (numOptions == 0)
    return emitError() << "knob \"" << name << "\" has no options";
  if (numOptions > kMaxOptions)
    return emitError() << "knob \"" << name << "\" has " << numOptions
                       << " options; at most " << kMaxOptions
                       << " are supported";
  if (auto list = dyn_cast<ArrayAttr>(Attribute(domain)))
    if (failed(verifyOptionList(emitError, name, list)))
      return failure();
  auto verifyIsOption = [&](StringRef role, Attribute value) -> LogicalResult {
    if (!value || domain.getOptionIndex(value))
      return success();
    return emitError() << role << " " << optionText(value)
                       << " is not an option of knob \"" << name
                       << "\"; its options are: "
                       << tonno::printOptions(domain);
  };
  return success(succeeded(verifyIsOption("selected", selected)) &&
                 succeeded(verifyIsOption("default", defaultOption)));
}

LogicalResult
ConstraintAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       StringRef text) {
  auto parsed = Constraint::parse(text);
  if (parsed)
    return success();
  return emitError() << "constraint \"" << text
                     << "\": " << parsed.error().text();
}

LogicalResult InputAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                StringRef text) {
  auto parsed = InputSpec::parse(text);
  if (parsed)
    return success();
  return emitError() << "input \"" << text << "\": " << parsed.error().message;
}
