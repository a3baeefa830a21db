//===- Where knobs stand --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_KNOBSITES_H
#define TONNO_TRANSFORMS_KNOBSITES_H

#include "tonno/Dialect/TonnoAttrs.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace tonno {

/// A place in the IR where a knob's value stands.
struct KnobSite {
  enum class Kind {
    attribute,    ///< a leaf of an attribute or type of the op
    side,         ///< in `tonno.knobs`, for an attribute that must be plain
    tune_knob,    ///< the op is a transform.tune.knob
    alternatives, ///< the op is a transform.tune.alternatives
  };

  Kind kind;
  mlir::Operation *op; ///< the first that has it
  llvm::StringRef name;
  DomainAttrInterface domain;
  std::optional<uint64_t> selected;      ///< the option that somebody chose
  std::optional<uint64_t> statedDefault; ///< that somebody stated
  KnobAttr knob;                         ///< of attribute and side

  uint64_t defaultIndex() const { return statedDefault.value_or(0); }
};

/// Calls `visit` for each place of a knob in `root`, the operation itself and
/// those inside, in order of appearance; stops at the first failure. Leaves of
/// attributes and types are told once for each distinct knob. A knob of a
/// schedule whose options can't be listed is an error, unless one is selected:
/// then it is no knob. So is a selected region that a parameter decides.
mlir::LogicalResult
walkKnobSites(mlir::Operation *root,
              llvm::function_ref<mlir::LogicalResult(const KnobSite &)> visit);

} // namespace tonno

#endif // TONNO_TRANSFORMS_KNOBSITES_H
