//===- Decision diagrams of constraints -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstraintDiagram.h"

#include "ConstraintProgram.h"

#include <limits>
#include <numeric>
#include <unordered_map>

using namespace tonno;

/// Operations that take as long as one unit of work.
static constexpr size_t pointsPerWork = 16; // at which a condition is evaluated
static constexpr size_t partsPerWork = 8;   // of which intervals are found
static constexpr size_t numbersPerWork = 4; // of a key
/// The largest number of options for which sets of a knob's options are kept.
static constexpr size_t mostInSet = 1 << 16;

namespace {

/// Hashes what nodes, remainders and sets are found by.
struct WordsHash {
  template <typename Word>
  size_t operator()(const std::vector<Word> &words) const {
    uint64_t hash = words.size();
    for (Word word : words) {
      hash = (hash ^ static_cast<uint64_t>(word)) * 0x9E3779B97F4A7C15ull;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

/// Sets of options of one knob, each with a number: equal sets, equal numbers.
class OptionSets {
public:
  static constexpr uint32_t all = 0, empty = ~uint32_t(0);

  explicit OptionSets(size_t options);

  /// Returns the number of the set of the options whose bits are set.
  uint32_t add(std::vector<uint64_t> words);

  uint32_t intersection(uint32_t one, uint32_t other);

  /// Returns true if the set has the option. Precondition: the set is not
  /// empty.
  bool has(uint32_t set, uint32_t option) const {
    return sets[set * width + option / 64] >> option % 64 & 1;
  }

private:
  size_t width; ///< words of a set
  std::vector<uint64_t> sets;
  std::unordered_map<std::vector<uint64_t>, uint32_t, WordsHash> numbers;
  std::unordered_map<uint64_t, uint32_t> intersections; ///< by both numbers
};

/// The knobs that are left, joined where they share a condition.
class Elimination {
public:
  Elimination(std::span<const Condition *const> conditions,
              std::span<const Knob> knobs)
      : knobs(knobs), left(knobs.size()),
        neighbours(knobs.size(), KnobSet(knobs.size())) {
    for (uint32_t knob = 0; knob < knobs.size(); ++knob)
      left.insert(knob);
    for (const Condition *condition : conditions)
      for (uint32_t knob : condition->knobs().members()) {
        neighbours[knob].insert(condition->knobs());
        neighbours[knob].erase(knob);
      }
  }

  bool isDone() const { return left.count() == 0; }
  std::vector<uint32_t> candidates() const { return left.members(); }

  double estimateCost(uint32_t knob) const {
    double fill = 0, size = 0;
    for (uint32_t neighbour : neighbours[knob].members()) {
      // A neighbour counts as not joined with itself.
      fill += static_cast<double>(
                  neighbours[knob].countWithout(neighbours[neighbour])) -
              1;
      size += std::log(static_cast<double>(knobs[neighbour].options.size()));
    }
    return fill / 2 + 0.3 * size;
  }

  /// Joins its neighbours with each other; returns them.
  KnobSet eliminate(uint32_t knob) {
    KnobSet joined = neighbours[knob];
    left.erase(knob);
    for (uint32_t neighbour : joined.members()) {
      neighbours[neighbour].insert(joined);
      neighbours[neighbour].erase(neighbour);
      neighbours[neighbour].erase(knob);
    }
    return joined;
  }

private:
  std::span<const Knob> knobs;
  KnobSet left;
  std::vector<KnobSet> neighbours; ///< among those left
};

/// The order in which knobs get options: each after those above it in a forest.
/// The knobs of a condition stand one above the other.
struct KnobOrder {
  Diagram::Forest forest;
  std::vector<std::optional<uint32_t>> parents;
  std::vector<uint32_t> upward; ///< each knob before its parent

  /// Eliminates greedily the knob that joins the fewest others (min-fill), with
  /// a small weight for large domains; `spread` perturbs the order.
  static KnobOrder create(std::span<const Condition *const> conditions,
                          std::span<const Knob> knobs, double spread,
                          Random &random);
};

/// Builds the diagram of the points that satisfy some conditions, for one order
/// of the knobs. The diagram below a knob is determined by the remainders of
/// the conditions, so equal remainders share a node. The remainders of
/// conditions with one open knob are merged into one option set for each knob.
class ConstraintDiagram {
public:
  ConstraintDiagram(std::span<const Condition *const> conditions,
                    std::span<const Knob> knobs, KnobOrder order);

  /// Builds the diagram; none if that exceeds `mostWork`. A unit takes about
  /// 0.2 us, or 16 bytes while building.
  std::optional<Diagram> build(size_t mostWork);

  size_t work() const { return workDone; }

  /// Returns the number of distinct remainders of a condition.
  size_t remainders(size_t condition) const {
    return classes[condition].size();
  }

private:
  /// The remainder of a condition after some knobs have options. Equal
  /// remainders have equal classes. With one open knob, the number of a set of
  /// its options.
  using Class = uint32_t;
  static constexpr Class satisfied = OptionSets::all,
                         broken = OptionSets::empty;

  /// A condition on a knob.
  struct Touch {
    uint32_t condition;
    uint32_t open; ///< how many of its knobs have no option once this has
  };

  using Key = std::vector<int64_t>;
  template <typename Value>
  using Table = std::unordered_map<Key, Value, WordsHash>;

  void arrange();
  bool isSet(uint32_t condition, size_t open) const;
  uint32_t getOrCreateNode(uint32_t knob);
  bool descend(uint32_t knob, uint32_t option,
               std::vector<Diagram::Branch> &branches);
  bool update(const Touch &touch);
  Class getRemainderClass(const Touch &touch);
  Class decide(const Touch &touch, const Key &key);
  Class tabulate(const Touch &touch, const std::vector<uint32_t> &open,
                 size_t combinations);
  Class getOrCreateClass(uint32_t condition, Key key);

  std::span<const Condition *const> conditions;
  std::span<const Knob> knobs;
  KnobOrder order;
  Diagram::Builder builder;
  PartialPoint point;

  std::vector<std::vector<Touch>> touching; ///< each knob's conditions
  std::vector<uint32_t> lastKnobs;          ///< of each condition
  /// The knobs whose option sets change when a knob gets an option, by knob.
  std::vector<std::vector<uint32_t>> narrowed;
  /// The key of the diagram below a knob: conditions with knobs both above and
  /// below it, and the knobs among it and those below whose option sets such
  /// conditions restrict.
  std::vector<std::vector<uint32_t>> crossing, crossingSets;

  std::vector<Class> current; ///< of each condition
  std::vector<OptionSets> sets;
  std::vector<uint32_t> allowed;        ///< the set of each knob
  std::vector<Table<Class>> remembered; ///< of each condition, by its key
  std::vector<Table<Class>> classes;
  std::vector<Table<uint32_t>> nodes; ///< of each knob, by what is crossing
  size_t workDone = 0;
  size_t workAllowed = 0;
};

class Relaxation {
public:
  Relaxation(const SearchSpace &space, const LegalSpace::Limits &limits)
      : space(space), limits(limits) {
    for (const ConstraintProgram &program : space.compiledConstraints())
      for (const Condition &condition : program.conjuncts())
        used.push_back(&condition);
  }

  RelaxedDiagram build();

private:
  std::optional<Diagram> smallest();
  void drop(size_t count);

  const SearchSpace &space;
  const LegalSpace::Limits &limits;
  std::vector<const Condition *> used, dropped;
  std::vector<size_t> remainders; ///< of each used one, in the last failure
  size_t workInAll = 0;
  Random random{1};
};

} // namespace

OptionSets::OptionSets(size_t options) : width((options + 63) / 64) {
  std::vector<uint64_t> words(width, ~uint64_t(0));
  if (options % 64 != 0)
    words.back() >>= 64 - options % 64;
  add(std::move(words));
}

uint32_t OptionSets::add(std::vector<uint64_t> words) {
  if (std::ranges::all_of(words, [](uint64_t word) { return word == 0; }))
    return empty;
  auto next = static_cast<uint32_t>(numbers.size());
  auto [place, isNew] = numbers.emplace(std::move(words), next);
  if (isNew)
    sets.insert(sets.end(), place->first.begin(), place->first.end());
  return place->second;
}

uint32_t OptionSets::intersection(uint32_t one, uint32_t other) {
  if (one == other || other == all)
    return one;
  if (one == all || one == empty || other == empty)
    return one == all ? other : empty;
  if (one > other)
    std::swap(one, other);
  uint64_t both = uint64_t(one) << 32 | other;
  if (auto known = intersections.find(both); known != intersections.end())
    return known->second;
  std::vector<uint64_t> words(width);
  for (size_t i = 0; i < width; ++i)
    words[i] = sets[one * width + i] & sets[other * width + i];
  uint32_t found = add(std::move(words));
  intersections.emplace(both, found);
  return found;
}

KnobOrder KnobOrder::create(std::span<const Condition *const> conditions,
                            std::span<const Knob> knobs, double spread,
                            Random &random) {
  Elimination elimination(conditions, knobs);
  KnobOrder order;
  order.parents.resize(knobs.size());
  order.forest.children.resize(knobs.size());
  std::vector<size_t> position(knobs.size());
  std::vector<KnobSet> above(knobs.size(), KnobSet(knobs.size()));
  while (!elimination.isDone()) {
    uint32_t best = 0;
    double leastCost = std::numeric_limits<double>::infinity();
    for (uint32_t knob : elimination.candidates()) {
      double cost = elimination.estimateCost(knob) + spread * random.uniform();
      if (cost < leastCost) {
        leastCost = cost;
        best = knob;
      }
    }
    position[best] = order.upward.size();
    order.upward.push_back(best);
    above[best] = elimination.eliminate(best);
  }
  // A knob hangs below the next of its neighbours to be eliminated.
  for (uint32_t knob = 0; knob < knobs.size(); ++knob) {
    std::optional<uint32_t> &parent = order.parents[knob];
    for (uint32_t other : above[knob].members())
      if (!parent || position[other] < position[*parent])
        parent = other;
    if (parent)
      order.forest.children[*parent].push_back(knob);
    else
      order.forest.roots.push_back(knob);
  }
  return order;
}

ConstraintDiagram::ConstraintDiagram(
    std::span<const Condition *const> conditions, std::span<const Knob> knobs,
    KnobOrder knobOrder)
    : conditions(conditions), knobs(knobs), order(std::move(knobOrder)),
      builder(order.forest), point(knobs.size()), touching(knobs.size()),
      lastKnobs(conditions.size()), narrowed(knobs.size()),
      crossing(knobs.size()), crossingSets(knobs.size()),
      current(conditions.size()), allowed(knobs.size(), OptionSets::all),
      remembered(conditions.size()), classes(conditions.size()),
      nodes(knobs.size()) {
  for (const Knob &knob : knobs)
    sets.emplace_back(knob.options.size());
  arrange();
}

/// Returns true if the remainder of the condition is a set of its last knob's
/// options once it has `open` open knobs.
bool ConstraintDiagram::isSet(uint32_t condition, size_t open) const {
  return open == 1 && knobs[lastKnobs[condition]].options.size() <= mostInSet;
}

void ConstraintDiagram::arrange() {
  std::vector<uint32_t> openAfter(conditions.size());
  std::vector<KnobSet> setsBelow(knobs.size(), KnobSet(knobs.size()));
  std::vector<KnobSet> below = setsBelow, narrows = setsBelow;
  for (uint32_t knob : order.upward) {
    below[knob].insert(knob);
    if (auto parent = order.parents[knob])
      below[*parent].insert(below[knob]);
  }
  for (uint32_t knob : order.upward)
    for (uint32_t condition = 0; condition < conditions.size(); ++condition) {
      const KnobSet &scope = conditions[condition]->knobs();
      if (!scope.contains(knob))
        continue;
      uint32_t &open = openAfter[condition];
      if (open == 0)
        lastKnobs[condition] = knob;
      touching[knob].push_back({condition, open});
      if (isSet(condition, open))
        narrows[knob].insert(lastKnobs[condition]);
      ++open;
    }
  for (uint32_t knob = 0; knob < knobs.size(); ++knob) {
    for (uint32_t condition = 0; condition < conditions.size(); ++condition) {
      const KnobSet &scope = conditions[condition]->knobs();
      if (!scope.meets(below[knob]) || scope.isWithin(below[knob]))
        continue;
      if (isSet(condition, scope.count() - scope.countWithout(below[knob])))
        setsBelow[knob].insert(lastKnobs[condition]);
      else
        crossing[knob].push_back(condition);
    }
    narrowed[knob] = narrows[knob].members();
    crossingSets[knob] = setsBelow[knob].members();
  }
}

ConstraintDiagram::Class ConstraintDiagram::getOrCreateClass(uint32_t condition,
                                                             Key key) {
  auto next = static_cast<Class>(classes[condition].size() + 1);
  return classes[condition].emplace(std::move(key), next).first->second;
}

/// Computes the remainder from the truth at each combination of the open knobs'
/// options.
ConstraintDiagram::Class
ConstraintDiagram::tabulate(const Touch &touch,
                            const std::vector<uint32_t> &open,
                            size_t combinations) {
  workDone += combinations / pointsPerWork;
  const Condition &condition = *conditions[touch.condition];
  std::vector<uint64_t> truths((combinations + 63) / 64);
  size_t held = 0;
  for (uint32_t knob : open)
    point.options[knob] = 0;
  for (size_t i = 0; i < combinations; ++i) {
    if (condition.holds(point)) {
      truths[i / 64] |= uint64_t(1) << i % 64;
      ++held;
    }
    for (uint32_t knob : open) {
      if (++point.options[knob] < knobs[knob].options.size())
        break;
      point.options[knob] = 0;
    }
  }
  if (held == combinations)
    return satisfied;
  if (held == 0)
    return broken;
  if (isSet(touch.condition, touch.open))
    return sets[lastKnobs[touch.condition]].add(std::move(truths));
  Key key = {-1 - static_cast<int64_t>(open.size())};
  for (uint64_t word : truths)
    key.push_back(static_cast<int64_t>(word));
  return getOrCreateClass(touch.condition, std::move(key));
}

/// Computes the remainder of the condition at the current point, which `key`
/// identifies.
ConstraintDiagram::Class ConstraintDiagram::decide(const Touch &touch,
                                                   const Key &key) {
  const Condition &condition = *conditions[touch.condition];
  workDone += 1 + condition.size() / partsPerWork;
  Outlook outlook = condition.outlook(point);
  if (outlook != Outlook::open)
    return outlook == Outlook::holds ? satisfied : broken;
  constexpr double mostTabulated = 4096;
  std::vector<uint32_t> open;
  double combinations = 1;
  for (uint32_t knob : condition.knobs().members())
    if (!point.decided.contains(knob)) {
      open.push_back(knob);
      combinations *= static_cast<double>(knobs[knob].options.size());
    }
  return combinations <= mostTabulated || isSet(touch.condition, touch.open)
             ? tabulate(touch, open, static_cast<size_t>(combinations))
             : getOrCreateClass(touch.condition, key);
}

ConstraintDiagram::Class
ConstraintDiagram::getRemainderClass(const Touch &touch) {
  const Condition &condition = *conditions[touch.condition];
  ++workDone;
  if (touch.open == 0)
    return condition.holds(point) ? satisfied : broken;
  // The knobs of a condition get options in one order, so that their number
  // says which are open.
  Key key = {static_cast<int64_t>(touch.open)};
  workDone += condition.size() / partsPerWork;
  condition.appendKey(point, key);
  Table<Class> &known = remembered[touch.condition];
  if (auto found = known.find(key); found != known.end())
    return found->second;
  Class found = decide(touch, key);
  workDone += key.size() / numbersPerWork;
  known.emplace(std::move(key), found);
  return found;
}

/// Updates the remainder of the condition after its knob got an option; returns
/// false if no point satisfies it.
bool ConstraintDiagram::update(const Touch &touch) {
  Class &remainder = current[touch.condition];
  if (remainder == satisfied)
    return true;
  remainder = getRemainderClass(touch);
  if (remainder == broken)
    return false;
  if (isSet(touch.condition, touch.open)) {
    uint32_t last = lastKnobs[touch.condition];
    allowed[last] = sets[last].intersection(allowed[last], remainder);
    remainder = satisfied; // since the set says it
    return allowed[last] != OptionSets::empty;
  }
  return true;
}

/// Sets the option of the knob and appends the branch of the diagram below, if
/// it is not empty. Restores the conditions and sets afterwards.
bool ConstraintDiagram::descend(uint32_t knob, uint32_t option,
                                std::vector<Diagram::Branch> &branches) {
  ++workDone;
  point.options[knob] = option;
  for (const Touch &touch : touching[knob])
    if (!update(touch))
      return false;
  Diagram::Branch branch = {option, {}};
  for (uint32_t child : order.forest.children[knob]) {
    uint32_t node = getOrCreateNode(child);
    if (node == Diagram::Builder::none)
      return false;
    branch.nodes.push_back(node);
  }
  branches.push_back(std::move(branch));
  return true;
}

uint32_t ConstraintDiagram::getOrCreateNode(uint32_t knob) {
  Key key;
  for (uint32_t condition : crossing[knob])
    key.push_back(current[condition]);
  for (uint32_t other : crossingSets[knob])
    key.push_back(allowed[other]);
  workDone += key.size() / numbersPerWork;
  if (auto known = nodes[knob].find(key); known != nodes[knob].end())
    return known->second;

  std::vector<Class> before;
  for (const Touch &touch : touching[knob])
    before.push_back(current[touch.condition]);
  std::vector<uint32_t> setsBefore;
  for (uint32_t other : narrowed[knob])
    setsBefore.push_back(allowed[other]);
  std::vector<Diagram::Branch> branches;
  point.decided.insert(knob);
  for (uint32_t option = 0;
       option < knobs[knob].options.size() && workDone < workAllowed;
       ++option) {
    if (!sets[knob].has(allowed[knob], option))
      continue;
    descend(knob, option, branches);
    for (size_t i = 0; i < before.size(); ++i)
      current[touching[knob][i].condition] = before[i];
    for (size_t i = 0; i < setsBefore.size(); ++i)
      allowed[narrowed[knob][i]] = setsBefore[i];
  }
  point.decided.erase(knob);
  workDone += knobs[knob].options.size() / pointsPerWork;
  uint32_t node = builder.node(knob, branches);
  nodes[knob].emplace(std::move(key), node);
  return node;
}

std::optional<Diagram> ConstraintDiagram::build(size_t mostWork) {
  workAllowed = mostWork;
  for (const Knob &knob : knobs) // what no condition can save
    workAllowed += 4 * knob.options.size();
  for (uint32_t condition = 0; condition < conditions.size(); ++condition) {
    Outlook outlook = conditions[condition]->outlook(point);
    if (outlook == Outlook::broken)
      return builder.finish({Diagram::Builder::none});
    size_t open = conditions[condition]->knobs().count();
    current[condition] =
        outlook == Outlook::holds ? satisfied : getOrCreateClass(condition, {});
    if (isSet(condition, open) &&
        !update({condition, static_cast<uint32_t>(open)}))
      return builder.finish({Diagram::Builder::none});
  }
  std::vector<uint32_t> roots;
  for (uint32_t root : order.forest.roots)
    roots.push_back(getOrCreateNode(root));
  if (workDone >= workAllowed)
    return std::nullopt;
  return builder.finish(std::move(roots));
}

RelaxedDiagram Relaxation::build() {
  std::optional<Diagram> found = smallest();
  for (size_t toDrop = 1; !found; toDrop *= 2) {
    // Work that was in vain is bounded too.
    drop(workInAll < limits.mostInAll ? toDrop : 4 * toDrop);
    found = smallest();
  }
  RelaxedDiagram relaxed = {*std::move(found), {}, workInAll};
  std::span<const ConstraintProgram> programs = space.compiledConstraints();
  for (size_t i = 0; i < programs.size(); ++i)
    if (std::ranges::any_of(
            programs[i].conjuncts(), [&](const Condition &each) {
              return std::ranges::find(dropped, &each) != dropped.end();
            }))
      relaxed.tangled.push_back(i);
  return relaxed;
}

std::optional<Diagram> Relaxation::smallest() {
  constexpr double spread = 2; // of the orders after the first
  size_t mostFailures = dropped.empty() ? 2 : 1;
  std::optional<Diagram> best;
  size_t failures = 0;
  for (size_t i = 0;
       i < limits.orders && (!best || workInAll < limits.mostInAll); ++i) {
    ConstraintDiagram builder(
        used, space.knobs(),
        KnobOrder::create(used, space.knobs(), i ? spread : 0, random));
    std::optional<Diagram> found = builder.build(limits.mostWork);
    workInAll += builder.work();
    if (!found) {
      remainders.clear();
      for (size_t condition = 0; condition < used.size(); ++condition)
        remainders.push_back(builder.remainders(condition));
      if (!best && ++failures == mostFailures)
        return std::nullopt;
      continue;
    }
    bool isSame = best && found->edges() == best->edges();
    if (!best || found->edges() < best->edges())
      best = std::move(found);
    if (best->edges() < limits.fewEdges || isSame)
      break;
  }
  return best;
}

void Relaxation::drop(size_t count) {
  std::vector<size_t> order(used.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(remainders[a], b) > std::pair(remainders[b], a);
  });
  order.resize(std::min(count, order.size()));
  std::sort(order.rbegin(), order.rend());
  for (size_t condition : order) {
    dropped.push_back(used[condition]);
    used.erase(used.begin() + static_cast<ptrdiff_t>(condition));
  }
}

RelaxedDiagram RelaxedDiagram::create(const SearchSpace &space,
                                      const LegalSpace::Limits &limits) {
  return Relaxation(space, limits).build();
}
