//===- Mistakes made on purpose -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_MUTATION_H
#define TONNO_MUTATION_H

#include "Workbench.h"

#include <functional>

namespace tonno {

/// A mistake that a schedule might make, put into a lowered kernel.
struct Mutation {
  std::string kind;
  size_t site = 0;  ///< which of the places for one of this kind
  std::string what; ///< the op or the launch there
  std::function<void(Workbench::Lowered &)> apply;
};

/// All mutations of a kernel that there are places for, by kinds:
///
/// - drop barrier
/// - shift index, scale index, divide otherwise: a constant that is added,
///   multiplied with, or divided by is one more
/// - swap difference: a - b becomes b - a
/// - shuffle from afar, no shuffle: twice the distance; the thread's own value
/// - loosen bound, drop bound: all comparisons with one number, but of loops
/// - all for one: all threads do what one of them shall
/// - shorten loop: by one step
/// - store beside: one element further
/// - fewer workgroups, drop launch, swap launches, swap buffers: of the plan
std::vector<Mutation> mutationsOf(const Workbench::Lowered &lowered);

} // namespace tonno

#endif // TONNO_MUTATION_H
