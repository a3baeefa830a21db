//===- tonno._core.Space --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Refusal.h"
#include "Space.h"
#include "Values.h"

#include "tonno/Space/LegalSpace.h"
#include "tonno/Space/Random.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <set>

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;

using Options = nb::typed<nb::sequence, nb::any>;
using Knobs = std::vector<std::pair<std::string, Options>>;
/// Dimensions by name, in order.
using Sizes = std::vector<std::pair<std::string, int64_t>>;

static Knob makeKnob(const std::string &name, const Options &options) {
  Knob knob;
  knob.name = name;
  std::set<Option> seen;
  for (nb::handle option : options) {
    knob.options.push_back(toJson(option));
    if (!seen.insert(knob.options.back()).second)
      throw Refusal("knob \"" + name + "\" has the option " +
                    printed(knob.options.back()) + " twice");
  }
  if (knob.options.empty())
    throw Refusal("knob \"" + name + "\" has no options");
  return knob;
}

static std::vector<Knob> makeKnobs(const Knobs &knobs) {
  std::vector<Knob> list;
  for (const auto &[name, options] : knobs)
    list.push_back(makeKnob(name, options));
  if (list.empty())
    throw Refusal("a search space needs at least one knob");
  return list;
}

static std::vector<Dimension> toDimensions(const Sizes &sizes) {
  std::vector<Dimension> dimensions;
  for (const auto &[name, size] : sizes)
    dimensions.push_back({name, size});
  return dimensions;
}

/// Sets the defaults that are stated; which these are.
static std::vector<bool> setDefaults(std::vector<Knob> &knobs,
                                     const Values &defaults) {
  std::vector<bool> isStated(knobs.size());
  for (auto [key, value] : defaults) {
    auto name = nb::cast<std::string>(key);
    auto knob = std::ranges::find(knobs, name, &Knob::name);
    if (knob == knobs.end())
      throw Refusal("the default for \"" + name + "\" names an unknown knob");
    Json option = toJson(value);
    auto index = knob->findOptionIndex(option);
    if (!index)
      throw Refusal("the default " + printed(option) +
                    " is not an option of knob \"" + name +
                    "\"; its options are: " + printed(Json(knob->options)));
    knob->defaultIndex = *index;
    isStated[static_cast<size_t>(knob - knobs.begin())] = true;
  }
  return isStated;
}

/// Lets the defaults that nobody stated give way where they break a constraint.
static SearchSpace withLegalDefault(SearchSpace space,
                                    const std::vector<bool> &isStated) {
  auto broken = space.brokenConstraint(space.defaultConfiguration());
  if (!broken)
    return space;
  bool hasReachedStepLimit = false;
  if (auto legal = space.firstLegal(isStated, &hasReachedStepLimit))
    return space.withDefault(*legal);
  std::string defaults = printed(space.values(space.defaultConfiguration()));
  std::string breaks =
      "the defaults " + defaults + " break \"" + space.constraints()[*broken];
  std::string sizes = formatDimensions(
      space.getConstraintDimensions(std::vector<size_t>{*broken}), ", ");
  breaks += sizes.empty() ? "\"" : "\" where " + sizes;
  if (hasReachedStepLimit)
    throw Refusal(breaks +
                  "; no legal configuration was found; state one as defaults");
  auto other = space.firstLegal(std::vector<bool>(isStated.size()),
                                &hasReachedStepLimit);
  if (other)
    throw Refusal(breaks + "; a legal configuration is " +
                  printed(space.values(*other)));
  throw Refusal(hasReachedStepLimit
                    ? breaks + "; state legal defaults"
                    : "no configuration satisfies the " +
                          describeConflict(space) + "; " + breaks);
}

static std::shared_ptr<Space>
constrainedSpace(const Knobs &knobs, const std::vector<std::string> &texts,
                 const Values &defaults, const Sizes &sizes) {
  std::vector<Knob> list = makeKnobs(knobs);
  std::vector<bool> isStated = setDefaults(list, defaults);
  nb::gil_scoped_release released;
  auto space = SearchSpace::create(std::move(list), texts, toDimensions(sizes));
  if (!space)
    throw Refusal(space.error(), texts);
  return std::make_shared<Space>(withLegalDefault(*std::move(space), isStated));
}

static std::shared_ptr<Space> listedSpace(const Knobs &knobs,
                                          const Points &points) {
  SearchSpace space(makeKnobs(knobs));
  std::vector<Configuration> list;
  for (nb::handle point : points)
    list.push_back(Space(space).point(point));
  if (list.empty())
    throw Refusal("a space needs at least one configuration");
  space = space.withDefault(list.front());
  return std::make_shared<Space>(std::move(space), std::move(list));
}

static nb::list knobList(const Space &space) {
  nb::list list;
  for (const Knob &knob : space.searchSpace().knobs())
    list.append(nb::make_tuple(knob.name, toPython(Json(knob.options))));
  return list;
}

static std::vector<Configuration> draw(const Space &space, size_t count,
                                       uint64_t seed) {
  LegalSampler sampler(space.legal());
  Random random(seed);
  std::vector<Configuration> drawn;
  while (drawn.size() < count) {
    auto point = sampler.draw(random);
    if (!point)
      throw Refusal("no legal configuration was found");
    drawn.push_back(*std::move(point));
  }
  return drawn;
}

static void bindQuestions(nb::class_<Space> &type) {
  type.def(
      "broken_constraint",
      [](const Space &space, nb::handle values) -> nb::object {
        const SearchSpace &plain = space.searchSpace();
        auto broken = plain.brokenConstraint(space.point(values));
        return broken ? nb::cast(plain.constraints()[*broken]) : nb::none();
      },
      nb::sig("def broken_constraint(self, values: "
              "collections.abc.Mapping[str, typing.Any], /) -> str | "
              "None"));
  type.def("is_legal", [](const Space &space, nb::handle values) {
    return space.isLegal(space.point(values));
  });
  type.def("count", [](const Space &space) {
    LegalCount count = unlocked([&] { return space.legal()->count(); });
    return std::tuple(count.points, count.share,
                      std::string(toString(count.exactness)), count.low,
                      count.high, count.effectiveSamples, count.isLeast);
  });
}

static void bindPoints(nb::class_<Space> &type) {
  type.def("draw", [](const Space &space, size_t count, uint64_t seed) {
    return space.values(unlocked([&] { return draw(space, count, seed); }));
  });
  type.def(
      "points",
      [](const Space &space, size_t most) -> nb::object {
        auto list = unlocked([&] { return space.legal()->list(most); });
        return list ? nb::object(space.values(*list)) : nb::none();
      },
      nb::sig("def points(self, most: int, /) -> list[dict[str, typing.Any]] | "
              "None"));
}

static std::vector<std::string> constraintNames(const std::string &text) {
  auto parsed = Constraint::parse(text);
  if (!parsed)
    throw Refusal(parsed.error(), {text});
  return parsed->getNames();
}

/// Returns the first constraint that does not hold where each knob has its one
/// option.
static std::optional<std::string>
brokenConstraintAt(const Knobs &values, const std::vector<std::string> &texts,
                   const Sizes &sizes) {
  std::vector<Knob> knobs;
  for (const auto &[name, value] : values)
    knobs.push_back(makeKnob(name, value));
  auto space =
      SearchSpace::create(std::move(knobs), texts, toDimensions(sizes));
  if (!space)
    throw Refusal(space.error(), texts);
  auto broken = space->brokenConstraint(space->defaultConfiguration());
  return broken ? std::optional(texts[*broken]) : std::nullopt;
}

static void bindConstraints(nb::module_ &module) {
  module.def("constraint_names", &constraintNames);
  module.def("broken_constraint_at", &brokenConstraintAt);
  module.def("is_plain_name",
             [](const std::string &name) { return isPlainName(name); });
  module.def("format_dimensions", [](const Sizes &sizes) {
    return formatDimensions(toDimensions(sizes));
  });
}

void tonno::python::bindSpace(nb::module_ &module) {
  bindConstraints(module);
  nb::class_<Space> type(module, "Space");
  type.def_static("constrained", &constrainedSpace);
  type.def_static("listed", &listedSpace);
  type.def("knobs", &knobList,
           nb::sig("def knobs(self) -> list[tuple[str, "
                   "tuple[typing.Any, ...]]]"));
  type.def("constraints", [](const Space &space) {
    return space.searchSpace().constraints();
  });
  type.def("dimensions", [](const Space &space) {
    Sizes sizes;
    for (const Dimension &dimension : space.searchSpace().dimensions())
      sizes.emplace_back(dimension.name, dimension.size);
    return sizes;
  });
  type.def("default", [](const Space &space) {
    return space.values(space.searchSpace().defaultConfiguration());
  });
  type.def("is_listed", &Space::isListed);
  bindQuestions(type);
  bindPoints(type);
}
