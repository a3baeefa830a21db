//===- Chooses a configuration from a front -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_FRONTCHOICE_H
#define TONNO_SESSION_FRONTCHOICE_H

#include "tonno/Cache/Records.h"

#include <span>
#include <string>
#include <variant>
#include <vector>

namespace tonno {

/// A rule by which a point of a front is chosen: "time within 1.05x, least
/// code-size".
class FrontChoice {
public:
  /// Parses terms, separated by commas. Conditions are `RESOURCE <= AMOUNT`,
  /// `time <= 1.05x` of the default's, and `within 1.05x` of the least on the
  /// front, of a resource or time. `least` orders by a resource or time; the
  /// first such term counts most, and time last. The Error names the term.
  static Result<FrontChoice> parse(std::string_view text);

  /// Returns the resources of which the choice takes little, besides time.
  std::vector<Resource> resources() const;

  /// Returns the chosen point. The Error names the condition that no point
  /// meets, or a resource that is unknown.
  Result<const FrontPoint *> choose(std::span<const FrontPoint> front) const;

  /// Makes the chosen point the decision. The Error is that of `choose`, or
  /// that no front was tested.
  Result<void> apply(DecisionRecord &decision) const;

private:
  /// A resource, or time if none.
  using Quantity = std::optional<Resource>;

  struct Within {
    Quantity quantity;
    double factor;
  };
  struct TimeLimit {
    double most; ///< as a multiple of the default's time
  };
  struct Condition {
    std::variant<UsageLimit, TimeLimit, Within> bound;
    std::string text;
  };

  Result<void> add(const std::string &term);
  static Result<Quantity> parseQuantity(std::string_view name,
                                        std::string_view term);
  static Result<double> compute(const FrontPoint &point, Quantity quantity);
  static Result<bool> holds(const Condition &condition, const FrontPoint &point,
                            std::span<const FrontPoint> front);

  std::vector<Condition> conditions;
  std::vector<Quantity> least; ///< in the order in which they count
};

} // namespace tonno

#endif // TONNO_SESSION_FRONTCHOICE_H
