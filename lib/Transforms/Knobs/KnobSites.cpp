//===- Walk over the sites of knobs ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/KnobNames.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "Knobs/OpKnobs.h"

#include "llvm/ADT/APSInt.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace tonno;

static DictionaryAttr getSideKnobs(Operation *op) {
  return op->getAttrOfType<DictionaryAttr>(TonnoDialect::kKnobs);
}

//===----------------------------------------------------------------------===//
// From typed attributes to plain ones
//===----------------------------------------------------------------------===//

/// Returns the attribute as options are written: i64, booleans and arrays; null
/// for null.
static Attribute toPlain(Attribute attribute) {
  if (!attribute)
    return attribute;
  Builder builder(attribute.getContext());
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    Type type = integer.getType();
    APSInt value(integer.getValue(), type.isUnsignedInteger());
    if (type.isInteger(1) || !value.isRepresentableByInt64())
      return attribute;
    return builder.getI64IntegerAttr(value.getExtValue());
  }
  if (isa<UnitAttr>(attribute))
    return builder.getBoolAttr(true);
  if (auto dense = dyn_cast<DenseArrayAttr>(attribute);
      dense && dense.getElementType().isInteger())
    return builder.getArrayAttr(llvm::map_to_vector(
        getOptions(cast<DomainAttrInterface>(attribute)), toPlain));
  if (auto dense = dyn_cast<DenseIntElementsAttr>(attribute)) {
    if (dense.getType().getRank() != 1 ||
        dense.getElementType().getIntOrFloatBitWidth() > 64)
      return attribute;
    return builder.getI64ArrayAttr(llvm::map_to_vector(
        dense.getValues<APInt>(), std::mem_fn(&APInt::getSExtValue)));
  }
  if (auto array = dyn_cast<ArrayAttr>(attribute))
    return builder.getArrayAttr(llvm::map_to_vector(array, toPlain));
  return attribute;
}

//===----------------------------------------------------------------------===//
// From plain attributes to typed ones
//===----------------------------------------------------------------------===//

/// Returns the integers of an array, if it has no other elements.
static std::optional<SmallVector<int64_t>> getIntegerValues(ArrayAttr array) {
  SmallVector<int64_t> values;
  for (Attribute element : array) {
    auto integer = dyn_cast<IntegerAttr>(element);
    if (!integer || !integer.getType().isSignlessInteger(64))
      return std::nullopt;
    values.push_back(integer.getInt());
  }
  return values;
}

template <typename T>
static void addDense(SmallVectorImpl<Attribute> &forms, MLIRContext *context,
                     ArrayRef<int64_t> values) {
  SmallVector<T> narrow(values.begin(), values.end());
  if (llvm::equal(narrow, values)) // nothing is lost
    forms.push_back(mlir::detail::DenseArrayAttrImpl<T>::get(context, narrow));
}

/// Returns the attributes that can represent a plain value, the value itself
/// first. Null stands for an absent attribute.
static SmallVector<Attribute> enumerateAttributeForms(Attribute value) {
  MLIRContext *context = value.getContext();
  Builder builder(context);
  SmallVector<Attribute> forms = {value};
  if (auto flag = dyn_cast<BoolAttr>(value)) {
    forms.push_back(flag.getValue() ? builder.getUnitAttr() : Attribute());
  } else if (auto integer = dyn_cast<IntegerAttr>(value)) {
    if (!integer.getType().isSignlessInteger(64))
      return forms;
    forms.push_back(builder.getIndexAttr(integer.getInt()));
    for (auto sign :
         {IntegerType::Signless, IntegerType::Signed, IntegerType::Unsigned})
      for (unsigned width : {32, 16, 8, 64}) {
        APSInt narrow(integer.getValue().trunc(width),
                      sign == IntegerType::Unsigned);
        if (narrow.isRepresentableByInt64() &&
            narrow.getExtValue() == integer.getInt())
          forms.push_back(
              IntegerAttr::get(IntegerType::get(context, width, sign), narrow));
      }
  } else if (auto array = dyn_cast<ArrayAttr>(value)) {
    if (std::optional<SmallVector<int64_t>> values = getIntegerValues(array)) {
      addDense<int64_t>(forms, context, *values);
      addDense<int32_t>(forms, context, *values);
      addDense<int16_t>(forms, context, *values);
      addDense<int8_t>(forms, context, *values);
      forms.push_back(builder.getI64TensorAttr(*values));
      forms.push_back(builder.getI64VectorAttr(*values));
      SmallVector<int32_t> narrow(values->begin(), values->end());
      forms.push_back(builder.getI32TensorAttr(narrow));
      forms.push_back(builder.getIndexArrayAttr(*values));
      forms.push_back(builder.getI32ArrayAttr(narrow));
    } else if (llvm::all_of(array, llvm::IsaPred<BoolAttr>)) {
      forms.push_back(builder.getDenseBoolArrayAttr(
          llvm::map_to_vector(array, [](Attribute element) {
            return cast<BoolAttr>(element).getValue();
          })));
    }
  }
  return forms;
}

/// Returns true if the op verifies with `form` as its attribute `name`.
static bool accepts(Operation *op, StringAttr name, Attribute form,
                    std::string *why) {
  ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &error) {
    if (why && why->empty())
      *why = error.str();
    return success();
  });
  NamedAttrList attributes(op->getAttrs());
  if (form)
    attributes.set(name, form);
  else
    attributes.erase(name);
  return succeeded(op->getName().verifyInherentAttrs(
      attributes, [&] { return emitError(op->getLoc()); }));
}

static bool isOfSameKind(Attribute a, Attribute b) {
  if (!a || !b || a.getTypeID() != b.getTypeID())
    return false;
  auto typedA = dyn_cast<TypedAttr>(a), typedB = dyn_cast<TypedAttr>(b);
  return !typedA || typedA.getType() == typedB.getType();
}

/// Returns the form of `value` that the op accepts as its attribute `name`: if
/// possible, one of the same kind as the present attribute.
static FailureOr<Attribute> coerce(Operation *op, StringAttr name,
                                   Attribute value) {
  Attribute present = op->getAttr(name);
  SmallVector<Attribute> forms = enumerateAttributeForms(value);
  std::optional<Attribute> fitting;
  std::string why;
  for (Attribute form : forms) {
    if (!accepts(op, name, form, &why))
      continue;
    bool isFlag = isa_and_present<UnitAttr>(present) && !form;
    if (!fitting || isOfSameKind(form, present) || isFlag)
      fitting = form;
    if (isOfSameKind(*fitting, present) || isFlag)
      break;
  }
  if (fitting)
    return *fitting;
  return op->emitOpError() << "'" << name.strref() << "' cannot be "
                           << optionText(value) << ": " << why;
}

//===----------------------------------------------------------------------===//
// Entries of tonno.knobs
//===----------------------------------------------------------------------===//

namespace {
using Visitor = function_ref<LogicalResult(KnobAttr, Attribute)>;
} // namespace

/// Pairs the knobs of `entry` with the elements of `present`, plain or null.
static LogicalResult visitKnobPairs(Operation *op, StringRef name,
                                    Attribute entry, Attribute present,
                                    Visitor visit) {
  if (auto knob = dyn_cast<KnobAttr>(entry))
    return visit(knob, present);
  auto refuse = [&](StringRef what) {
    return op->emitOpError() << "'" << TonnoDialect::kKnobs << "' has " << what
                             << " for '" << name << "', which is " << present;
  };
  if (auto array = dyn_cast<ArrayAttr>(entry)) {
    auto elements = dyn_cast_if_present<ArrayAttr>(present);
    if (present && (!elements || elements.size() != array.size()))
      return refuse("an array of " + std::to_string(array.size()));
    for (auto [i, element] : llvm::enumerate(array))
      if (failed(visitKnobPairs(op, name, element,
                                elements ? elements[i] : Attribute(), visit)))
        return failure();
    return success();
  }
  if (auto dictionary = dyn_cast<DictionaryAttr>(entry)) {
    auto entries = dyn_cast_if_present<DictionaryAttr>(present);
    if (present && !entries)
      return refuse("a dictionary");
    for (NamedAttribute element : dictionary) {
      Attribute value = entries ? entries.get(element.getName()) : Attribute();
      if (failed(visitKnobPairs(op, name, element.getValue(), toPlain(value),
                                visit)))
        return failure();
    }
  }
  return success(); // a plain element among knobs
}

LogicalResult tonno::walkSideKnobs(Operation *op, Visitor visit) {
  DictionaryAttr knobs = getSideKnobs(op);
  if (!knobs)
    return success();
  for (NamedAttribute entry : knobs)
    if (failed(visitKnobPairs(op, entry.getName(), entry.getValue(),
                              toPlain(op->getAttr(entry.getName())), visit)))
      return failure();
  return success();
}

/// Merges `value` into the dictionary that stands there, or returns it.
static Attribute overlay(Attribute value, Attribute present) {
  auto dictionary = dyn_cast<DictionaryAttr>(value);
  auto entries = dyn_cast_if_present<DictionaryAttr>(present);
  if (!dictionary || !entries)
    return value;
  NamedAttrList merged(entries);
  for (NamedAttribute entry : dictionary)
    merged.set(entry.getName(),
               overlay(entry.getValue(), entries.get(entry.getName())));
  return merged.getDictionary(value.getContext());
}

LogicalResult tonno::setSideValues(Operation *op,
                                   function_ref<Attribute(KnobAttr)> choose) {
  DictionaryAttr knobs = getSideKnobs(op);
  if (!knobs)
    return success();
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](KnobAttr knob) {
    return std::make_pair(choose(knob), WalkResult::skip());
  });
  for (NamedAttribute entry : knobs) {
    Attribute value = overlay(replacer.replace(entry.getValue()),
                              op->getAttr(entry.getName()));
    FailureOr<Attribute> form = coerce(op, entry.getName(), value);
    if (failed(form))
      return failure();
    if (*form)
      op->setAttr(entry.getName(), *form);
    else
      op->removeAttr(entry.getName());
  }
  return success();
}

static std::optional<uint64_t> findOptionIndex(KnobAttr knob,
                                               Attribute option) {
  return option ? knob.getOptionIndex(option) : std::nullopt;
}

namespace {

class SiteWalker {
public:
  explicit SiteWalker(function_ref<LogicalResult(const KnobSite &)> visit)
      : visit(visit) {
    leaves.addWalk([this](KnobAttr knob) {
      return failed(this->visit(makeSite(KnobSite::Kind::attribute, knob)))
                 ? WalkResult::interrupt()
                 : WalkResult::skip();
    });
  }

  LogicalResult walk(Operation *op) {
    current = op;
    for (NamedAttribute attribute : op->getAttrDictionary())
      if (attribute.getName() != TonnoDialect::kKnobs &&
          walkLeaves(attribute.getValue()))
        return failure();
    if (llvm::any_of(op->getResultTypes(),
                     [&](Type type) { return walkLeaves(type); }))
      return failure();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (llvm::any_of(block.getArgumentTypes(),
                         [&](Type type) { return walkLeaves(type); }))
          return failure();
    if (failed(walkSideKnobs(op, [&](KnobAttr knob, Attribute present) {
          return visitSide(knob, present);
        })))
      return failure();
    if (auto knob = dyn_cast<transform::tune::KnobOp>(op))
      return visitTuneKnob(knob);
    if (auto alternatives = dyn_cast<transform::tune::AlternativesOp>(op))
      return visitAlternatives(alternatives);
    return success();
  }

private:
  KnobSite makeSite(KnobSite::Kind kind, KnobAttr knob) {
    return {kind,
            current,
            knob.getName(),
            knob.getDomain(),
            findOptionIndex(knob, knob.getSelected()),
            findOptionIndex(knob, knob.getDefaultOption()),
            knob};
  }

  /// Visits a knob beside the attribute that holds its value: the selected
  /// option or the default.
  LogicalResult visitSide(KnobAttr knob, Attribute present) {
    KnobSite site = makeSite(KnobSite::Kind::side, knob);
    // An absent flag is false.
    if (!present && isa<BoolAttr>(knob.getOption(0)))
      present = BoolAttr::get(knob.getContext(), false);
    std::optional<uint64_t> standing = findOptionIndex(knob, present);
    if (present && !standing)
      return current->emitOpError()
             << "has " << optionText(present) << " for knob \""
             << knob.getName()
             << "\", which is not an option; its options are: "
             << knob.printOptions();
    if (!site.selected && !site.statedDefault)
      site.statedDefault = standing;
    uint64_t value = site.selected.value_or(site.defaultIndex());
    if (present && *standing != value)
      return current->emitOpError()
             << "has " << optionText(present) << " for knob \""
             << knob.getName() << "\", whose value is "
             << optionText(knob.getOption(value)) << "; make them equal";
    return visit(site);
  }

  LogicalResult visitTuneKnob(transform::tune::KnobOp op) {
    auto domain = dyn_cast<DomainAttrInterface>(op.getOptions());
    Attribute selected = op.getSelectedAttr();
    if (!domain) {
      if (selected)
        return success(); // decided, by rules of somebody else
      return op.emitOpError()
             << "has options that cannot be listed: " << op.getOptions()
             << "; give an array, or for example #tonno.pow2<16 to 256>";
    }
    if (std::string why = refuseKnobName(op.getName()); !why.empty())
      return op.emitError(why);
    uint64_t numOptions = domain.getNumOptions();
    if (numOptions == 0 || numOptions > KnobAttr::kMaxOptions)
      return op.emitOpError()
             << "has " << numOptions << " options; a knob has 1 to "
             << KnobAttr::kMaxOptions;
    std::optional<uint64_t> index;
    if (selected) {
      index = domain.getOptionIndex(selected);
      if (!index)
        return op.emitOpError() << "has selected " << optionText(selected)
                                << ", which is not an option; its options are: "
                                << printOptions(domain);
    }
    return visit({KnobSite::Kind::tune_knob, op, op.getName(), domain, index,
                  std::nullopt, KnobAttr()});
  }

  LogicalResult visitAlternatives(transform::tune::AlternativesOp op) {
    if (op.getSelectedRegionParam())
      return success(); // the parameter is what is chosen
    unsigned numRegions = op.getAlternatives().size();
    if (numRegions == 0)
      return success();
    std::optional<uint64_t> selected;
    if (IntegerAttr region = op.getSelectedRegionAttrAttr())
      selected = region.getValue().getZExtValue();
    auto domain = RangeAttr::get(op.getContext(), 0, numRegions - 1, 1);
    return visit({KnobSite::Kind::alternatives, op, op.getName(), domain,
                  selected, std::nullopt, KnobAttr()});
  }

  template <typename T> bool walkLeaves(T attributeOrType) {
    return leaves.walk<WalkOrder::PreOrder>(attributeOrType).wasInterrupted();
  }

  function_ref<LogicalResult(const KnobSite &)> visit;
  Operation *current = nullptr;
  AttrTypeWalker leaves; ///< which walks no element twice
};

} // namespace

LogicalResult
tonno::walkKnobSites(Operation *root,
                     function_ref<LogicalResult(const KnobSite &)> visit) {
  SiteWalker walker(visit);
  return checkOps<WalkOrder::PreOrder>(
      root, [&](Operation *op) { return walker.walk(op); });
}
