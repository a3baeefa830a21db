//===- Search spaces of knobs ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/SearchSpace.h"
#include "ConstraintTree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>

using namespace tonno;
using namespace tonno::constraint;

static constexpr PointCount saturated = ~PointCount(0);
static constexpr PointCount mostShown = PointCount(1) << 64;
static constexpr const char *overMost = "over 2^64";

PointCount tonno::saturatingProduct(PointCount a, PointCount b) {
  PointCount product;
  return __builtin_mul_overflow(a, b, &product) ? saturated : product;
}

PointCount tonno::saturatingSum(PointCount a, PointCount b) {
  PointCount sum;
  return __builtin_add_overflow(a, b, &sum) ? saturated : sum;
}

std::string tonno::formatCount(PointCount count) {
  if (count < mostShown)
    return std::to_string(static_cast<uint64_t>(count));
  return count == mostShown ? "18446744073709551616" : overMost;
}

Json tonno::countToJson(PointCount count) {
  if (count < mostShown)
    return static_cast<uint64_t>(count);
  if (count == mostShown)
    return 0x1p64;
  return overMost;
}

Json tonno::countToJson(double count) {
  if (std::isfinite(count))
    return count;
  return overMost;
}

std::optional<uint32_t> Knob::findOptionIndex(const Option &option) const {
  auto it = std::find(options.begin(), options.end(), option);
  if (it == options.end())
    return std::nullopt;
  return static_cast<uint32_t>(it - options.begin());
}

std::string tonno::formatDimensions(std::span<const Dimension> dimensions,
                                    std::string_view separator) {
  std::string text;
  for (const Dimension &dimension : dimensions)
    text.append(text.empty() ? "" : separator)
        .append(dimension.name + "=" + std::to_string(dimension.size));
  return text;
}

/// Returns the dimensions among these names, in the order of the names.
static std::vector<Dimension>
selectDimensions(std::span<const Dimension> dimensions,
                 std::span<const std::string> names) {
  std::vector<Dimension> selected;
  for (const std::string &name : names) {
    auto found = std::ranges::find(dimensions, name, &Dimension::name);
    if (found != dimensions.end())
      selected.push_back(*found);
  }
  return selected;
}

/// Returns " where BM = 32, BN = 16, M = 100": the options of some knobs at a
/// point, and some dimensions.
static std::string describeValues(std::span<const Knob> knobs,
                                  std::span<const uint32_t> shown,
                                  std::span<const uint32_t> options,
                                  std::span<const Dimension> dimensions) {
  std::string text;
  auto add = [&](const std::string &name, const std::string &value) {
    text +=
        (text.empty() ? " where " : ", ") + quoteKnobName(name) + " = " + value;
  };
  for (uint32_t knob : shown)
    add(knobs[knob].name, printed(knobs[knob].options[options[knob]]));
  for (const Dimension &dimension : dimensions)
    add(dimension.name, std::to_string(dimension.size));
  return text;
}

namespace {

/// Finds points at which a constraint divides by zero or leaves 64 bits, and
/// that are allowed by those earlier constraints that depend on no other knobs.
///
/// Tries each combination of options of the constraint's knobs. If there are
/// more than `mostTried`, draws a million with a fixed seed; undefined points
/// that are not drawn stay unreported, and count as illegal.
class SafetyCheck {
public:
  SafetyCheck(std::span<const Knob> knobs,
              std::span<const Dimension> dimensions,
              const ConstraintProgram &program,
              std::span<const ConstraintProgram> earlier)
      : knobs(knobs), dimensions(dimensions), program(program),
        point(knobs.size()) {
    for (const ConstraintProgram &each : earlier)
      if (std::ranges::includes(program.knobs(), each.knobs()))
        guards.push_back(&each);
  }

  bool findsUndefined();
  /// Returns an error that names the operation and the point that was found.
  ConstraintError describe(const Constraint &constraint) const;

private:
  bool isUndefined() const;
  std::optional<int64_t> evaluateAtPoint(const Node &node) const;

  std::span<const Knob> knobs;
  std::span<const Dimension> dimensions;
  const ConstraintProgram &program;
  std::vector<const ConstraintProgram *> guards;
  std::vector<uint32_t> point;
};

} // namespace

bool SafetyCheck::isUndefined() const {
  return program.evaluate(point) == Truth::undefined &&
         std::ranges::all_of(guards, [&](const ConstraintProgram *guard) {
           return guard->evaluate(point) == Truth::holds;
         });
}

bool SafetyCheck::findsUndefined() {
  constexpr uint64_t mostTried = uint64_t(1) << 22;
  // Proved by intervals where that is possible.
  if (std::ranges::none_of(program.conjuncts(), &Condition::mayBeUndefined))
    return false;
  uint64_t combinations = countCombinations(program.knobs(), knobs);
  if (combinations > mostTried) {
    std::mt19937_64 random;
    for (int i = 0; i < 1000000; ++i) {
      for (uint32_t knob : program.knobs())
        point[knob] =
            static_cast<uint32_t>(random() % knobs[knob].options.size());
      if (isUndefined())
        return true;
    }
    return false;
  }
  for (; combinations > 0; --combinations) {
    if (isUndefined())
      return true;
    for (uint32_t knob : program.knobs()) {
      if (++point[knob] < knobs[knob].options.size())
        break;
      point[knob] = 0;
    }
  }
  return false;
}

/// Returns the value at the point; none where it is undefined.
std::optional<int64_t> SafetyCheck::evaluateAtPoint(const Node &node) const {
  int64_t value = 0;
  return compile(node, knobs, {0, 0}).run(point.data(), &value) ==
                 Truth::undefined
             ? std::nullopt
             : std::optional(value);
}

ConstraintError SafetyCheck::describe(const Constraint &constraint) const {
  Node tree = *resolve(constraint, knobs, dimensions);
  // The first undefined operand of those that are evaluated, and so on.
  const Node *culprit = &tree;
  for (const Node *next = culprit; next;) {
    culprit = next;
    next = nullptr;
    const std::vector<Node> &operands = culprit->operands;
    size_t skipped = operands.size();
    if (culprit->kind == Kind::conditional)
      skipped = evaluateAtPoint(operands[0]) == 0 ? 1 : 2;
    for (size_t i = 0; i < operands.size() && !next; ++i)
      if (i != skipped && !evaluateAtPoint(operands[i]))
        next = &operands[i];
  }
  auto quote = [&](const Node &node) {
    return "`" + constraint.text().substr(node.begin, node.end - node.begin) +
           "`";
  };
  std::string where =
      describeValues(knobs, culprit->knobs, point,
                     selectDimensions(dimensions, constraint.getNames()));
  const Node &last = culprit->operands.back();
  bool divides = culprit->kind == Kind::floordiv ||
                 culprit->kind == Kind::ceildiv || culprit->kind == Kind::mod;
  if (divides && evaluateAtPoint(last) == 0)
    return {quote(*culprit) + " divides by zero" + where +
                "; put a condition in front that excludes it, such as `" +
                constraint.text().substr(last.begin, last.end - last.begin) +
                " != 0`",
            culprit->begin + 1};
  return {quote(*culprit) + " needs more than 64 bits" + where +
              "; put a condition in front that excludes it",
          culprit->begin + 1};
}

/// Returns a message about two knobs or dimensions of one name; none if all
/// names differ.
static std::optional<std::string>
findRepeated(std::span<const Knob> knobs,
             std::span<const Dimension> dimensions) {
  std::set<std::string_view> knobNames, dimensionNames;
  for (const Knob &knob : knobs)
    if (!knobNames.insert(knob.name).second)
      return "two knobs are named " + quoteKnobName(knob.name);
  for (const Dimension &dimension : dimensions) {
    std::string name = quoteKnobName(dimension.name);
    if (!dimensionNames.insert(dimension.name).second)
      return "two dimensions are named " + name;
    if (knobNames.contains(dimension.name))
      return name + " names a knob and a dimension; rename one of them";
  }
  return std::nullopt;
}

Result<SearchSpace, ConstraintError>
SearchSpace::create(std::vector<Knob> knobs,
                    std::vector<std::string> constraints,
                    std::vector<Dimension> dimensions) {
  if (auto repeated = findRepeated(knobs, dimensions))
    return ConstraintError{*std::move(repeated)};
  std::vector<ConstraintProgram> programs;
  for (const std::string &text : constraints) {
    auto failed = [&](ConstraintError error) {
      error.index = programs.size();
      return error;
    };
    auto parsed = Constraint::parse(text);
    if (!parsed)
      return failed(parsed.error());
    auto program = ConstraintProgram::compile(*parsed, knobs, {}, dimensions);
    if (!program)
      return failed(program.error());
    if (SafetyCheck check(knobs, dimensions, *program, programs);
        check.findsUndefined())
      return failed(check.describe(*parsed));
    programs.push_back(*std::move(program));
  }
  SearchSpace space(std::move(knobs));
  space.conditions = std::move(constraints);
  space.dimensionList = std::move(dimensions);
  if (!programs.empty())
    space.programs = std::make_shared<const std::vector<ConstraintProgram>>(
        std::move(programs));
  return space;
}

std::span<const ConstraintProgram> SearchSpace::compiledConstraints() const {
  return programs ? std::span(*programs) : std::span<const ConstraintProgram>();
}

std::vector<Dimension> SearchSpace::getConstraintDimensions(
    std::span<const size_t> constraints) const {
  std::vector<std::string> named;
  for (size_t index : constraints) {
    Constraint constraint = *Constraint::parse(conditions[index]);
    for (const std::string &name : constraint.getNames())
      if (std::ranges::find(named, name) == named.end())
        named.push_back(name);
  }
  return selectDimensions(dimensionList, named);
}

SearchSpace SearchSpace::withoutUnusedDimensions() const {
  std::vector<size_t> all(conditions.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<Dimension> used = getConstraintDimensions(all);
  SearchSpace space = *this;
  std::erase_if(space.dimensionList, [&](const Dimension &dimension) {
    return std::ranges::find(used, dimension) == used.end();
  });
  return space;
}

const Knob *SearchSpace::find(std::string_view name) const {
  for (const Knob &knob : knobList)
    if (knob.name == name)
      return &knob;
  return nullptr;
}

PointCount SearchSpace::count() const {
  PointCount count = 1;
  for (const Knob &knob : knobList)
    count = saturatingProduct(count, knob.options.size());
  return count;
}

uint64_t SearchSpace::size() const {
  constexpr uint64_t most = std::numeric_limits<uint64_t>::max();
  return static_cast<uint64_t>(std::min<PointCount>(count(), most));
}

Configuration SearchSpace::defaultConfiguration() const {
  Configuration configuration;
  for (const Knob &knob : knobList)
    configuration.indices.push_back(knob.defaultIndex);
  return configuration;
}

std::optional<size_t>
SearchSpace::brokenConstraint(const Configuration &configuration) const {
  for (size_t i = 0; i < conditions.size(); ++i)
    if ((*programs)[i].evaluate(configuration.indices) != Truth::holds)
      return i;
  return std::nullopt;
}

std::optional<Configuration>
SearchSpace::firstLegal(const std::vector<bool> &isFixed,
                        bool *hasReachedStepLimit) const {
  constexpr uint64_t mostSteps = uint64_t(1) << 25;
  bool ignored;
  return LegalPoints::firstLegal(*this, isFixed, mostSteps,
                                 hasReachedStepLimit ? *hasReachedStepLimit
                                                     : ignored);
}

SearchSpace SearchSpace::withDefault(const Configuration &configuration) const {
  SearchSpace space = *this;
  for (size_t i = 0; i < knobList.size(); ++i)
    space.knobList[i].defaultIndex = configuration.indices[i];
  return space;
}

Configuration SearchSpace::at(uint64_t index) const {
  Configuration configuration;
  configuration.indices.resize(knobList.size());
  for (size_t i = knobList.size(); i-- > 0;) {
    uint64_t options = knobList[i].options.size();
    configuration.indices[i] = static_cast<uint32_t>(index % options);
    index /= options;
  }
  return configuration;
}

Json SearchSpace::values(const Configuration &configuration) const {
  Json values = Json::object();
  for (size_t i = 0; i < knobList.size(); ++i)
    values[knobList[i].name] = knobList[i].options[configuration.indices[i]];
  return values;
}

static std::string listNames(const std::vector<Knob> &knobs) {
  std::string list;
  for (const Knob &knob : knobs)
    list += (list.empty() ? "" : ", ") + knob.name;
  return list;
}

Result<Configuration> SearchSpace::configuration(const Json &values) const {
  if (!values.is_object())
    return Error{"a configuration must be an object of knob values, not " +
                 printed(values)};
  for (const auto &[name, value] : values.items())
    if (!find(name))
      return Error{"unknown knob \"" + name +
                   "\"; the knobs are: " + listNames(knobList)};
  Configuration configuration;
  for (const Knob &knob : knobList) {
    auto value = values.find(knob.name);
    if (value == values.end())
      return Error{"no value for knob \"" + knob.name + "\""};
    auto index = knob.findOptionIndex(*value);
    if (!index)
      return Error{printed(*value) + " is not an option of knob \"" +
                   knob.name +
                   "\"; its options are: " + printed(Json(knob.options))};
    configuration.indices.push_back(*index);
  }
  if (auto broken = brokenConstraint(configuration))
    return Error{
        "the constraint `" + conditions[*broken] + "` does not hold" +
        describeValues(knobList, (*programs)[*broken].knobs(),
                       configuration.indices,
                       getConstraintDimensions(std::span(&*broken, 1)))};
  return configuration;
}

void tonno::mapFields(JsonFields &fields, Knob &knob) {
  fields("name", knob.name);
  fields("options", knob.options);
  Json chosen = fields.read() ? Json() : knob.options.at(knob.defaultIndex);
  fields("default", chosen);
  if (!fields.read())
    return;
  const Json &json = *fields.read();
  (void)json.dump(); // throws on invalid UTF-8, which cannot be printed
  auto index = knob.findOptionIndex(chosen);
  if (!index)
    throw WrongValue("the default of knob '" + knob.name + "' is not an option",
                     json);
  knob.defaultIndex = *index;
}

void tonno::mapFields(JsonFields &fields, Dimension &dimension) {
  fields("name", dimension.name);
  fields("size", dimension.size);
}

void tonno::to_json(Json &json, const SearchSpace &space) {
  json = Json{{"knobs", space.knobs()}};
  if (!space.constraints().empty())
    json["constraints"] = space.constraints();
  if (!space.dimensions().empty())
    json["dimensions"] = space.dimensions();
}

void tonno::from_json(const Json &json, SearchSpace &space) {
  auto constraints = json.value("constraints", std::vector<std::string>());
  auto created = SearchSpace::create(
      json.at("knobs").get<std::vector<Knob>>(), constraints,
      json.value("dimensions", std::vector<Dimension>()));
  if (created) {
    space = *std::move(created);
    return;
  }
  const ConstraintError &error = created.error();
  std::string which =
      error.column ? "constraint \"" + constraints[error.index] + "\", " : "";
  throw WrongValue(which + error.text(), json);
}
