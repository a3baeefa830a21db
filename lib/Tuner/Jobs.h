//===- Number of concurrent workers ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_JOBS_H
#define TONNO_LIB_TUNER_JOBS_H

#include <cstdint>
#include <string>

namespace tonno {

/// Bounds the workers that run at the same time.
struct JobLimits {
  unsigned cores = 1;       ///< that this process may use
  uint64_t memoryBytes = 0; ///< available; 0: unknown
  /// A command starts the workers, perhaps on other machines, whose cores and
  /// memory are unknown.
  bool isElsewhere = false;

  /// Reads the limits of this machine, and of the control groups that this
  /// process is in.
  static JobLimits ofThisMachine();

  /// Returns the number of workers that keep all cores busy.
  unsigned useful() const;
};

/// A number of workers, and the warning that says why there are not more.
struct BoundedJobs {
  unsigned jobs = 1;
  std::string warning; ///< empty: as many as were asked for
};

/// Returns the requested number of jobs, or as many as are useful.
/// Precondition: asked > 0.
BoundedJobs boundJobs(unsigned asked, const JobLimits &limits);

} // namespace tonno

#endif // TONNO_LIB_TUNER_JOBS_H
