//===- Tunable tile sizes -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_DEFAULTSPACE_KNOBSIZES_H
#define TONNO_LIB_TRANSFORMS_DEFAULTSPACE_KNOBSIZES_H

#include "tonno/Dialect/TonnoAttrs.h"

#include "llvm/ADT/StringSet.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// A tile size: a knob, or a number where there is nothing to choose.
struct KnobSize {
  mlir::Attribute attribute;
  std::string text; ///< in a constraint
  int64_t standard; ///< the default
  int64_t least, most;

  bool isKnob() const { return least != most; }
};

/// Returns the smallest power of two that is no less than `value` and than 1.
int64_t powerOfTwoAbove(int64_t value);

/// Returns the largest power of two that is no more than `value`; 1 if there is
/// none.
int64_t powerOfTwoBelow(int64_t value);

/// Tile sizes of one level, by loop; none if it says nothing.
struct KnobLevel {
  llvm::StringRef key; ///< of `tonno.lowering_config`
  llvm::ArrayRef<mlir::Attribute> sizes;
};

/// Makes the knobs of a kernel's default space, under names that nothing in its
/// closure has, and the constraints over them.
class KnobSizes {
public:
  explicit KnobSizes(mlir::func::FuncOp function);

  /// Returns a power of two from `low` to what covers `high`, by default the
  /// next to `standard`; a number is added to a name that is taken.
  KnobSize size(llvm::StringRef name, int64_t low, int64_t high,
                int64_t standard);
  /// Adds a knob with `options`, in ascending order, and the default
  /// `standard`.
  KnobSize choice(llvm::StringRef name, llvm::ArrayRef<int64_t> options,
                  int64_t standard);
  /// Adds a knob with these texts as options and the default `standard`.
  /// Returns the text itself if there is only one.
  mlir::Attribute text(llvm::StringRef name,
                       llvm::ArrayRef<llvm::StringRef> options,
                       llvm::StringRef standard);
  /// Adds a constraint over these sizes, unless none is a knob. The defaults
  /// must satisfy it.
  void constrain(llvm::ArrayRef<KnobSize> sizes, const llvm::Twine &text);
  /// Sets the op's configuration, without empty levels and with other entries,
  /// if it has a knob.
  bool configure(mlir::Operation *op, llvm::ArrayRef<KnobLevel> levels,
                 llvm::ArrayRef<mlir::NamedAttribute> others = {});
  /// Appends the constraints to the function's own.
  void finish();

private:
  KnobSize make(llvm::StringRef name, mlir::Attribute domain, int64_t standard,
                int64_t least, int64_t most);
  /// Adds a number to a name that is taken.
  std::string unique(llvm::StringRef name);

  mlir::func::FuncOp function;
  llvm::StringSet<> names; ///< of the kernel's knobs and dimensions
  llvm::SmallVector<mlir::Attribute> constraints;
};

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_DEFAULTSPACE_KNOBSIZES_H
