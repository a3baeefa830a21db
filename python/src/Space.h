//===- A search space for Python ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_SPACE_H
#define PYTHON_SRC_SPACE_H

#include "tonno/Space/LegalSpace.h"

#include <nanobind/nanobind.h>

#include <mutex>

namespace tonno::python {

/// A dict as bindings declare it: text to anything.
using Values = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;
/// Several configurations.
using Points = nanobind::typed<nanobind::list, Values>;

/// A search space with its legal points, which are found when somebody asks for
/// them. Immutable: threads may share it.
class Space {
public:
  /// The legal points are those that the constraints allow.
  explicit Space(SearchSpace space);
  /// They are these.
  Space(SearchSpace space, std::vector<Configuration> points);

  const SearchSpace &searchSpace() const { return constrained; }
  bool isListed() const { return isList; }

  /// Without the interpreter's lock, since it may take a second.
  std::shared_ptr<const LegalSpace> legal() const;

  /// The point that a dict means, legal or not; raises where it has another
  /// knob, another option, or lacks one.
  Configuration point(nanobind::handle values) const;
  /// The same of a legal point; raises where it is none.
  Configuration legalPoint(nanobind::handle values) const;
  /// The same of several.
  std::vector<Configuration> legalPoints(const Points &values) const;
  bool isLegal(const Configuration &point) const;
  /// By name, in the order of the knobs.
  Values values(const Configuration &point) const;
  Points values(const std::vector<Configuration> &points) const;

private:
  SearchSpace constrained;
  SearchSpace unconstrained; ///< the same knobs
  bool isList = false;
  mutable std::once_flag isBuilt;
  mutable std::shared_ptr<const LegalSpace> legalSpace;
};

void bindSpace(nanobind::module_ &module);

} // namespace tonno::python

#endif // PYTHON_SRC_SPACE_H
