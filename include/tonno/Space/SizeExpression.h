//===- Sizes as expressions of knobs --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SPACE_SIZEEXPRESSION_H
#define TONNO_SPACE_SIZEEXPRESSION_H

#include "tonno/Space/SearchSpace.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tonno {

namespace constraint {
struct Code;
} // namespace constraint

/// A positive integer that knobs and dimensions decide, in a constraint's
/// language (Constraint.h), such as `1024 ceildiv BM * BM`; `/` is `floordiv`.
class SizeExpression {
public:
  /// Parses an expression; fails like a constraint, with the text in the Error.
  static Result<SizeExpression>
  parse(std::string_view text, std::span<const Knob> knobs,
        std::span<const Dimension> dimensions = {});
  /// Sizes with commas between them: "1024 / WPT, 1024".
  static Result<std::vector<SizeExpression>>
  parseList(std::string_view text, std::span<const Knob> knobs,
            std::span<const Dimension> dimensions = {});

  /// Evaluates the expression; fails if it is undefined.
  Result<int64_t> compute(const Configuration &configuration) const;
  /// The same; fails if it is less than 1, too.
  Result<uint64_t> evaluate(const Configuration &configuration) const;

  /// Returns true if the value depends on the knob.
  bool dependsOn(uint32_t knob) const;
  const std::string &text() const { return source; }

private:
  std::string source;
  std::shared_ptr<const constraint::Code> size;
  std::vector<uint32_t> knobs; ///< that decide the size, as indices
};

} // namespace tonno

#endif // TONNO_SPACE_SIZEEXPRESSION_H
