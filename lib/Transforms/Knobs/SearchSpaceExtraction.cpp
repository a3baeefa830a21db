//===- Search space of the knobs ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "tonno/Dialect/Dimensions.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Space/Constraint.h"
#include "tonno/Space/Expression.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/Passes.h"
#include "tonno/Transforms/UserLowering.h"
#include "Knobs/OpKnobs.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/ToolOutputFile.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"
#include "mlir/Support/FileUtilities.h"

#include <set>

namespace tonno {
#define GEN_PASS_DEF_EXTRACTSEARCHSPACE
#include "tonno/Transforms/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Returns the name of the knob that chooses among the regions; empty if they
/// are not chosen by a knob.
static StringRef getSelectingKnobName(transform::tune::AlternativesOp op) {
  Value param = op.getSelectedRegionParam();
  if (!param)
    return op.getName();
  auto knob = param.getDefiningOp<transform::tune::KnobOp>();
  return knob ? knob.getName() : StringRef();
}

/// Returns the constraint "knob == value"; empty if the value can't be written
/// in a constraint.
static std::string isEqual(const std::string &knob, const Json &value) {
  if (value.is_boolean() || value.is_number_integer())
    return knob + " == " + value.dump();
  if (value.is_string()) {
    auto text = value.get<std::string>();
    for (char quote : {'"', '\''})
      if (text.find(quote) == std::string::npos)
        return knob + " == " + quote + text + quote;
    return {};
  }
  std::string all;
  for (size_t i = 0; value.is_array() && i < value.size(); ++i) {
    std::string element =
        isEqual(knob + "[" + std::to_string(i) + "]", value[i]);
    if (element.empty())
      return {};
    all += (i ? " and " : "") + element;
  }
  return all;
}

namespace {

/// Conditions under which a knob's value has an effect: in a schedule, knobs
/// may be in regions of `transform.tune.alternatives`, of which one is taken.
class KnobActivity {
public:
  /// Adds a site of the knob.
  void add(const KnobSite &site) {
    SmallVector<std::string> choices;
    // Only the first of several equal attributes is reported.
    bool isOnlyPlace = site.kind != KnobSite::Kind::attribute;
    for (Operation *op = site.op; isOnlyPlace && op->getParentOp();
         op = op->getParentOp()) {
      auto alternatives =
          dyn_cast<transform::tune::AlternativesOp>(op->getParentOp());
      if (!alternatives)
        continue;
      if (StringRef chooser = getSelectingKnobName(alternatives);
          !chooser.empty())
        choices.push_back(
            quoteKnobName(chooser) +
            " == " + std::to_string(op->getParentRegion()->getRegionNumber()));
    }
    if (choices.empty())
      isAlways = true;
    else if (std::string text = llvm::join(choices, " and ");
             !llvm::is_contained(conditions, text))
      conditions.push_back(std::move(text));
  }

  /// Returns the constraint that the knob has its default if none of its sites
  /// is active, so that equal code is one configuration. Returns an empty
  /// string if a site is always active or if the default can't be written in a
  /// constraint.
  std::string constraint(const Knob &knob) const {
    std::string isDefault =
        isEqual(quoteKnobName(knob.name), knob.options[knob.defaultIndex]);
    if (isAlways || isDefault.empty() || knob.options.size() == 1)
      return {};
    return llvm::join(conditions, " or ") + " or " + isDefault;
  }

private:
  bool isAlways = false;
  SmallVector<std::string> conditions; ///< of the places
};

} // namespace

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Returns true if a knob in the kernel's closure satisfies `predicate`, or is
/// malformed, so that only the extraction can report the error.
static bool anyKnob(func::FuncOp kernel,
                    function_ref<bool(const KnobSite &)> predicate) {
  ScopedDiagnosticHandler quiet(kernel.getContext(),
                                [](Diagnostic &) { return success(); });
  return llvm::any_of(collectClosure(kernel), [&](Operation *op) {
    return failed(walkKnobSites(
        op, [&](const KnobSite &site) { return failure(predicate(site)); }));
  });
}

SmallVector<func::FuncOp> tonno::findKernels(ModuleOp module) {
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isDeclaration() &&
        anyKnob(function, [](const KnobSite &) { return true; }))
      kernels.push_back(function);
  return kernels;
}

bool tonno::isResolved(func::FuncOp kernel) {
  return !anyKnob(kernel, [](const KnobSite &site) { return !site.selected; });
}

//===----------------------------------------------------------------------===//
// Knobs
//===----------------------------------------------------------------------===//

static std::string inQuotes(StringRef name) {
  return ("\"" + name + "\"").str();
}

static std::string describe(const KnobSite &site) {
  return "options " + printOptions(site.domain) + " and default " +
         optionText(site.domain.getOption(site.defaultIndex()));
}

/// Describes how two sites of one knob differ; empty if they do not.
static std::string disagreement(const KnobSite &first, const KnobSite &other) {
  if (first.domain != other.domain ||
      first.defaultIndex() != other.defaultIndex())
    return describe(other);
  if (first.selected && other.selected && first.selected != other.selected)
    return "selected " + optionText(other.domain.getOption(*other.selected));
  return {};
}

namespace {
/// First site of a knob, selected if any of its sites is.
struct KnobSiteInfo {
  KnobSite first;
  KnobActivity activity;
};
} // namespace

using KnobSiteMap = llvm::MapVector<StringRef, KnobSiteInfo>;

static FailureOr<KnobSiteMap> collectKnobSites(ArrayRef<Operation *> roots) {
  KnobSiteMap places;
  auto visit = [&](const KnobSite &site) -> LogicalResult {
    const auto &[it, inserted] = places.insert({site.name, {site, {}}});
    KnobSite &first = it->second.first;
    it->second.activity.add(site);
    if (inserted)
      return success();
    std::string what = disagreement(first, site);
    if (what.empty()) {
      if (!first.selected)
        first.selected = site.selected;
      if (!first.statedDefault)
        first.statedDefault = site.statedDefault;
      return success();
    }
    InFlightDiagnostic error =
        emitError(site.op->getLoc())
        << "knob " << inQuotes(site.name) << " has " << what
        << ", but knobs of one name are one variable; give "
           "it the same everywhere, or another name";
    error.attachNote(first.op->getLoc())
        << "here it has "
        << (first.domain == site.domain &&
                    first.defaultIndex() == site.defaultIndex()
                ? disagreement(site, first)
                : describe(first));
    return error;
  };
  for (Operation *root : roots)
    if (failed(walkKnobSites(root, visit)))
      return failure();
  return places;
}

//===----------------------------------------------------------------------===//
// Options as plain data
//===----------------------------------------------------------------------===//

/// Returns the JSON of an integer whose type can be derived; else nothing.
static std::optional<Json> toNumber(IntegerAttr integer) {
  Type type = integer.getType();
  if (type.isSignlessInteger(1))
    return Json(!integer.getValue().isZero());
  if (type.isIndex() ||
      (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64))
    return Json(integer.getValue().getSExtValue());
  return std::nullopt;
}

/// Returns the JSON of strings, arrays and, within them, of i64 and i1; else
/// nothing.
static std::optional<Json> toPlainJson(Attribute attribute) {
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    Type type = integer.getType();
    if (!type.isSignlessInteger(64) && !type.isSignlessInteger(1))
      return std::nullopt;
    return toNumber(integer);
  }
  if (auto string = dyn_cast<StringAttr>(attribute)) {
    if (!isa<NoneType>(string.getType()) ||
        !llvm::json::isUTF8(string.getValue()))
      return std::nullopt;
    return Json(string.getValue().str());
  }
  auto array = dyn_cast<ArrayAttr>(attribute);
  if (!array)
    return std::nullopt;
  Json list = Json::array();
  for (Attribute element : array) {
    std::optional<Json> value = toPlainJson(element);
    if (!value)
      return std::nullopt;
    list.push_back(*std::move(value));
  }
  return list;
}

Option tonno::toOption(Attribute attribute) {
  auto integer = dyn_cast<IntegerAttr>(attribute);
  if (auto value = integer ? toNumber(integer) : toPlainJson(attribute))
    return *std::move(value);
  return Json{{"mlir", optionText(attribute)}};
}

/// Converts a site to a knob. Checks for options with equal texts, which flags
/// that abbreviate the printed IR can cause.
static FailureOr<Knob> toKnob(const KnobSite &site, SelectedKnobs selected) {
  Knob knob;
  knob.name = site.name.str();
  if (selected == SelectedKnobs::fixed && site.selected) {
    knob.options.push_back(toOption(site.domain.getOption(*site.selected)));
    return knob;
  }
  knob.defaultIndex = site.defaultIndex();
  std::set<Option> seen;
  for (uint64_t i = 0; i < site.domain.getNumOptions(); ++i) {
    Option option = toOption(site.domain.getOption(i));
    if (!seen.insert(option).second) {
      emitError(site.op->getLoc())
          << "options " << *knob.findOptionIndex(option) << " and " << i
          << " of knob " << inQuotes(knob.name)
          << " print the same: " << site.domain.getOption(i);
      return failure();
    }
    knob.options.push_back(std::move(option));
  }
  return knob;
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

namespace {
struct StatedConstraint {
  std::string text;
  Operation *op;
};
} // namespace

static FailureOr<SmallVector<StatedConstraint>>
collectConstraints(ArrayRef<Operation *> roots) {
  SmallVector<StatedConstraint> constraints;
  auto collect = [&](Operation *op) {
    if (auto list = op->getAttrOfType<ArrayAttr>(TonnoDialect::kConstraints))
      for (auto constraint : list.getAsRange<ConstraintAttr>())
        constraints.push_back({constraint.getText().str(), op});
    auto params = dyn_cast<transform::smt::ConstrainParamsOp>(op);
    if (!params)
      return WalkResult::advance();
    FailureOr<SmallVector<std::string>> texts = extractConstraintTexts(params);
    if (failed(texts))
      return WalkResult::interrupt();
    for (std::string &text : *texts)
      constraints.push_back({std::move(text), op});
    return WalkResult::skip();
  };
  for (Operation *root : roots)
    if (root->walk<WalkOrder::PreOrder>(collect).wasInterrupted())
      return failure();
  return constraints;
}

namespace {
/// All constraints, divided at commas.
struct DividedConstraints {
  SmallVector<StatedConstraint> overSizes; ///< of dynamic dimensions
  SmallVector<StatedConstraint> others;
};
} // namespace

/// Divides constraints. Those without parts over dynamic dimensions stay as
/// they are.
static DividedConstraints divideBySizes(ArrayRef<StatedConstraint> constraints,
                                        ArrayRef<StringRef> dynamic) {
  DividedConstraints divided;
  auto &[overSizes, others] = divided;
  auto namesAny = [&](const Constraint &constraint) {
    return llvm::any_of(constraint.getNames(), [&](StringRef name) {
      return llvm::is_contained(dynamic, name);
    });
  };
  for (const StatedConstraint &stated : constraints) {
    auto whole = Constraint::parse(stated.text);
    if (!whole || !namesAny(*whole)) {
      others.push_back(stated);
      continue;
    }
    const constraint::Expression &root = whole->expression();
    for (const constraint::Expression &part :
         root.kind == constraint::Kind::conjunction ? ArrayRef(root.operands)
                                                    : ArrayRef(root)) {
      std::string text = stated.text.substr(part.begin, part.end - part.begin);
      auto parsed = Constraint::parse(text);
      (namesAny(*parsed) ? overSizes : others).push_back({text, stated.op});
    }
  }
  return divided;
}

FailureOr<std::vector<std::string>>
tonno::findSizeConstraints(ArrayRef<Operation *> roots) {
  auto all = collectConstraints(roots);
  if (failed(all))
    return failure();
  std::vector<std::string> texts;
  for (StatedConstraint &stated :
       divideBySizes(*all, findDynamicNames(roots)).overSizes)
    texts.push_back(std::move(stated.text));
  return texts;
}

//===----------------------------------------------------------------------===//
// Search space
//===----------------------------------------------------------------------===//

/// Explains why the space can't be made, at the constraint or the dimension.
static LogicalResult refuse(const ConstraintError &error,
                            ArrayRef<StatedConstraint> constraints,
                            ArrayRef<NamedDimension> dimensions) {
  if (error.column == 0) // a dimension with the name of a knob
    return emitError(dimensions.front().argument.getLoc()) << error.message;
  const StatedConstraint &constraint = constraints[error.index];
  return emitError(constraint.op->getLoc())
         << "constraint \"" << constraint.text << "\": " << error.text();
}

/// Replaces implicit defaults that break a constraint.
static LogicalResult legalizeDefault(ExtractedSpace &extracted,
                                     ArrayRef<StatedConstraint> constraints) {
  SearchSpace &space = extracted.space;
  std::optional<size_t> broken =
      space.brokenConstraint(space.defaultConfiguration());
  if (!broken)
    return success();
  const StatedConstraint &constraint = constraints[*broken];
  std::string values = space.values(space.defaultConfiguration()).dump();
  std::string sizes = formatDimensions(
      space.getConstraintDimensions(ArrayRef<size_t>(*broken)), ", ");
  if (!sizes.empty())
    sizes = " where " + sizes;
  bool hasReachedStepLimit = false;
  if (auto legal =
          space.firstLegal(extracted.isDefaultStated, &hasReachedStepLimit)) {
    space = space.withDefault(*legal);
    return success();
  }
  auto refuse = [&] {
    return emitError(constraint.op->getLoc())
           << "the defaults " << values << " break constraint \""
           << constraint.text << "\"" << sizes << "; ";
  };
  std::vector<bool> none(space.knobs().size(), false);
  if (hasReachedStepLimit)
    return refuse() << "no legal configuration was found; state one as the "
                       "knobs' defaults";
  if (auto legal = space.firstLegal(none, &hasReachedStepLimit))
    return refuse() << "a legal configuration is "
                    << space.values(*legal).dump();
  if (hasReachedStepLimit)
    return refuse() << "state legal defaults";
  return emitError(constraint.op->getLoc())
         << "no configuration satisfies the constraints; the default " << values
         << " breaks \"" << constraint.text << "\"" << sizes;
}

/// Returns the current option of each knob, if any of them is selected.
static std::optional<Configuration> selectedOptions(const KnobSiteMap &places) {
  Configuration now;
  bool isAny = false;
  for (const auto &[name, place] : places) {
    isAny |= place.first.selected.has_value();
    now.indices.push_back(static_cast<uint32_t>(
        place.first.selected.value_or(place.first.defaultIndex())));
  }
  return isAny ? std::optional(now) : std::nullopt;
}

/// Fails at a constraint over sizes with an unknown name, or at a dimension
/// with the name of a knob.
static LogicalResult checkNames(ArrayRef<StatedConstraint> constraints,
                                ArrayRef<StringRef> dynamic,
                                const SearchSpace &space) {
  for (const StatedConstraint &stated : constraints) {
    auto parsed = Constraint::parse(stated.text);
    for (const std::string &name : parsed->getNames()) {
      bool isDynamic = llvm::is_contained(dynamic, name),
           isKnown = space.find(name) ||
                     llvm::is_contained(
                         llvm::map_range(space.dimensions(),
                                         std::mem_fn(&Dimension::name)),
                         name);
      if (isDynamic != isKnown)
        continue;
      auto error = emitError(stated.op->getLoc())
                   << "constraint \"" << stated.text << "\": ";
      if (isDynamic)
        return error << "a knob and a dimension are named " << name
                     << "; rename one";
      return error << "there is no knob or dimension " << name;
    }
  }
  return success();
}

/// Returns the space, and its constraints.
static FailureOr<ExtractedSpace> extractSpace(ArrayRef<Operation *> roots,
                                              SelectedKnobs selected,
                                              DividedConstraints &divided) {
  FailureOr<KnobSiteMap> places = collectKnobSites(roots);
  if (failed(places))
    return failure();
  auto collected = collectConstraints(roots);
  auto dimensions = findDimensions(roots);
  if (failed(collected) || failed(dimensions))
    return failure();
  SmallVector<StringRef> dynamic = findDynamicNames(roots);
  divided = divideBySizes(*collected, dynamic);
  SmallVector<StatedConstraint> &constraints = divided.others;
  std::vector<Knob> knobs;
  ExtractedSpace extracted;
  for (const auto &[name, place] : *places) {
    FailureOr<Knob> knob = toKnob(place.first, selected);
    if (failed(knob))
      return failure();
    if (std::string text = place.activity.constraint(*knob); !text.empty())
      constraints.push_back({std::move(text), place.first.op});
    knobs.push_back(*std::move(knob));
    extracted.isDefaultStated.push_back(place.first.statedDefault.has_value());
  }
  std::vector<std::string> texts;
  for (const StatedConstraint &constraint : constraints)
    texts.push_back(constraint.text);
  std::vector<Dimension> sizes;
  for (const NamedDimension &named : *dimensions)
    sizes.push_back({named.name.str(), named.size});
  auto space =
      SearchSpace::create(std::move(knobs), std::move(texts), std::move(sizes));
  if (!space)
    return refuse(space.error(), constraints, *dimensions);
  extracted.space = std::move(*space);
  if (failed(checkNames(divided.overSizes, dynamic, extracted.space)))
    return failure();
  if (selected == SelectedKnobs::vary)
    extracted.selected = selectedOptions(*places);
  return extracted;
}

FailureOr<ExtractedSpace> tonno::extractStatedSpace(ArrayRef<Operation *> roots,
                                                    SelectedKnobs selected) {
  DividedConstraints constraints;
  return ::extractSpace(roots, selected, constraints);
}

/// Adds constraints over dynamic dimensions of these sizes.
static LogicalResult addSizes(SearchSpace &space, ArrayRef<Operation *> roots,
                              ArrayRef<StatedConstraint> stated,
                              ArrayRef<Dimension> sizes) {
  bool isAnyChoice = llvm::any_of(
      space.knobs(), [](const Knob &knob) { return knob.options.size() > 1; });
  if (stated.empty() || !isAnyChoice)
    return success();
  SmallVector<StringRef> dynamic = findDynamicNames(roots);
  Configuration standard = space.defaultConfiguration();
  std::string isStandard;
  StringRef unwritable;
  for (auto [knob, option] : llvm::zip_equal(space.knobs(), standard.indices)) {
    if (knob.options.size() == 1)
      continue;
    std::string text = isEqual(quoteKnobName(knob.name), knob.options[option]);
    if (text.empty())
      unwritable = knob.name;
    isStandard += (isStandard.empty() ? "" : " and ") + text;
  }
  std::vector<std::string> texts = space.constraints();
  size_t first = texts.size();
  for (const StatedConstraint &constraint : stated)
    texts.push_back(constraint.text);
  std::vector<Dimension> dimensions = space.dimensions();
  for (const Dimension &size : sizes)
    if (llvm::is_contained(dynamic, size.name))
      dimensions.push_back(size);
  while (true) {
    auto atSizes = SearchSpace::create(space.knobs(), texts, dimensions);
    if (!atSizes && atSizes.error().index < first)
      return emitError(stated.front().op->getLoc()) << atSizes.error().message;
    if (!atSizes)
      return emitError(stated[atSizes.error().index - first].op->getLoc())
             << "constraint \"" << texts[atSizes.error().index] << "\" at "
             << formatDimensions(sizes, ", ") << ": " << atSizes.error().text();
    auto broken = atSizes->brokenConstraint(standard);
    if (!broken) {
      space = std::move(*atSizes);
      return success();
    }
    if (!unwritable.empty())
      return emitError(stated[*broken - first].op->getLoc())
             << "constraint \"" << texts[*broken] << "\" does not hold for the "
             << "default at " << formatDimensions(sizes, ", ")
             << ", which takes all sizes, and knob \"" << unwritable
             << "\" has options that no constraint can exempt; use integers, "
                "booleans or strings";
    texts[*broken] = isStandard + " or (" + texts[*broken] + ")";
  }
}

FailureOr<ExtractedSpace> tonno::extractSpace(ArrayRef<Operation *> roots,
                                              SelectedKnobs selected,
                                              ArrayRef<Dimension> sizes) {
  DividedConstraints constraints;
  auto extracted = ::extractSpace(roots, selected, constraints);
  if (failed(extracted) ||
      failed(legalizeDefault(*extracted, constraints.others)) ||
      (!sizes.empty() &&
       failed(addSizes(extracted->space, roots, constraints.overSizes, sizes))))
    return failure();
  return extracted;
}

FailureOr<SearchSpace> tonno::extractSearchSpace(Operation *root,
                                                 SelectedKnobs selected) {
  FailureOr<ExtractedSpace> extracted = extractSpace(root, selected);
  if (failed(extracted))
    return failure();
  return std::move(extracted->space);
}

namespace {

struct ExtractSearchSpacePass
    : tonno::impl::ExtractSearchSpaceBase<ExtractSearchSpacePass> {
  using ExtractSearchSpaceBase::ExtractSearchSpaceBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    Json kernels = Json::array();
    for (func::FuncOp kernel : findKernels(getOperation())) {
      if (failed(findSchedule(kernel)))
        return signalPassFailure();
      OwningOpRef<ModuleOp> closure = extractClosure(kernel);
      FailureOr<SearchSpace> space = extractSearchSpace(*closure);
      if (failed(space))
        return signalPassFailure();
      auto overSizes = findSizeConstraints(closure->getOperation());
      if (failed(overSizes))
        return signalPassFailure();
      Json entry = *space;
      if (!overSizes->empty())
        entry["size_constraints"] = *overSizes;
      entry["kernel"] = kernel.getName().str();
      entry["hash"] = kernelHash(*closure, kernel.getName());
      kernels.push_back(std::move(entry));
    }
    // Replaces invalid UTF-8 in names, on which a plain dump throws.
    std::string text = kernels.dump(2, ' ', /*ensure_ascii=*/false,
                                    Json::error_handler_t::replace);
    if (failed(write(text + "\n")))
      signalPassFailure();
  }

private:
  LogicalResult write(const std::string &text) {
    std::string why;
    auto file = openOutputFile(output, &why);
    if (!file)
      return emitError(getOperation().getLoc()) << why;
    file->os() << text;
    file->os().flush();
    if (std::error_code error = file->os().error()) {
      file->os().clear_error();
      return emitError(getOperation().getLoc())
             << "cannot write '" << output << "': " << error.message();
    }
    file->keep();
    return success();
  }
};

} // namespace
