//===- Tuning of one kernel for many shapes ---------------------*- C++ -*-===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_RANGETUNER_H
#define TONNO_LIB_TUNER_RANGETUNER_H

#include "tonno/Search/Variants.h"
#include "tonno/Tuner/KernelTuner.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Fails if an option does not apply to kernels of several shapes.
Result<void> checkOptionsOfRange(const TunerOptions &options);

/// Tunes a kernel of dynamic shapes at some shapes of its range, one after the
/// other, each search beginning at what is best nearby. Then chooses few
/// configurations for all of them, and measures the kernel that dispatches.
class RangeTuner {
public:
  RangeTuner(mlir::func::FuncOp kernel, const TunerOptions &options,
             Compiler &compiler, Runner &runner, KernelTuner &tuner,
             TuneObserver &observer, DeviceDescription device);

  /// Returns the outcome, whose decision is the default's. The Error has the
  /// sizes where the kernel failed.
  Result<KernelOutcome, LocatedError> tune();

private:
  /// One of the shapes, and what was found there.
  struct Anchor {
    AnchorShape shape;
    std::optional<KernelOutcome> tuned = {};
  };

  Result<KernelOutcome, LocatedError> tuneStated();
  Result<void, LocatedError> chooseShapes();
  std::string computeKey(const TuningProblem &problem,
                         const Json &effort) const;
  KernelOutcome describe(const TuningProblem &problem);
  Result<std::shared_ptr<RangeOutcome>, LocatedError> findKnown();
  void keep(const TuningProblem &problem);
  std::vector<StartingPoint>
  findNearestWinners(llvm::ArrayRef<Dimension> sizes) const;
  RunResult measure(const Artifact &candidate, const Artifact &baseline);
  Result<std::optional<KernelOutcome>, LocatedError>
  recall(const TuningProblem &problem);
  Result<TuningProblem, LocatedError> read(mlir::func::FuncOp function,
                                           llvm::ArrayRef<Dimension> sizes);
  Result<void, LocatedError> checkInterrupt() const;
  Result<void, LocatedError> tuneAnchors();
  Result<SearchSpace, LocatedError>
  readSpace(llvm::ArrayRef<Dimension> sizes) const;
  size_t getNumber(const Configuration &configuration);
  void collectTimes();
  Result<void, LocatedError> measureAt(size_t shape,
                                       llvm::ArrayRef<size_t> numbers);
  Result<void, LocatedError> measureNeighbours();
  Result<bool, LocatedError> measureMissing();
  Result<void, LocatedError> choose();
  void describeChoice();
  Result<mlir::OwningOpRef<mlir::ModuleOp>, LocatedError> writeDispatch();
  Result<void, LocatedError> checkConditions();
  Result<void, LocatedError> check();
  Result<void, LocatedError> checkAt(size_t point, mlir::func::FuncOp dispatch);
  Result<void, LocatedError> verifyBetween(mlir::func::FuncOp dispatch);

  mlir::func::FuncOp kernel;
  const TunerOptions &options;
  Compiler &compiler;
  Runner &runner;
  KernelTuner &tuner;
  TuneObserver &observer;
  DeviceDescription device;
  Shapes shapes;                       ///< of the kernel's own dimensions
  std::vector<Anchor> anchors;         ///< that are tuned
  std::vector<AnchorShape> points;     ///< the anchors', and those between them
  SearchSpace space;                   ///< without constraints over sizes
  std::vector<SearchSpace> spaces;     ///< at the points
  std::vector<std::string> conditions; ///< constraints over sizes
  std::string key;                     ///< of the record
  /// Variants of the decision that is extended, by the values of knobs.
  std::vector<Json> kept;
  VariantLimits limits;
  std::vector<Configuration> configurations; ///< that may become variants
  ShapeTimes times;
  VariantChoice choice;
  std::shared_ptr<RangeOutcome> outcome;
  std::optional<LocatedError> dispatchError; ///< of the kernel that dispatches
  size_t trials = 0, keptFailures = 0;
  bool isContended = false; ///< a measurement
};

} // namespace tonno

#endif // TONNO_LIB_TUNER_RANGETUNER_H
