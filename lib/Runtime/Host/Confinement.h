//===- What candidates may do to this process -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_HOST_CONFINEMENT_H
#define TONNO_LIB_RUNTIME_HOST_CONFINEMENT_H

#include "tonno/Core/Result.h"
#include "tonno/Core/Status.h"

#include <array>
#include <cfenv>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <vector>

namespace tonno {

/// A runner's exit status if a binary crashed before it was called.
inline constexpr int runnerLoaderCrashed = 114;

/// If a candidate reached before or behind a block of the host's memory.
inline constexpr int runnerReachedBefore = 115;
inline constexpr int runnerReachedBehind = 116;
/// If a candidate wrote to a block that it may only read.
inline constexpr int runnerWroteInput = 117;

/// Inaccessible bytes on either side of a block. The size of a huge page, so
/// that blocks start where they would without.
inline constexpr size_t guardBytes = size_t{2} << 20;

/// Remembers a block for `findBlockSide`, as long as there is room for it.
void addGuardedBlock(const void *block, size_t bytes);
void removeGuardedBlock(const void *block);

enum class BlockSide { none, before, inside, behind };

/// Returns where an address lies among them. Safe in signal handlers.
BlockSide findBlockSide(const void *address);

/// The limits of resources, by their numbers.
using Limits = std::array<rlimit, RLIM_NLIMITS>;

/// The settings of this process and thread that code may change and that can be
/// restored: signals, interval timers, the working directory, umask, limits.
class ProcessState {
public:
  /// Saves the current settings; the directory is that of the first object.
  ProcessState();
  bool hasUnchangedUmask() const;
  /// Returns the name of a changed limit such as RLIMIT_NOFILE, or null.
  const char *findChangedLimit() const;
  void restore() const;

private:
  std::array<struct sigaction, NSIG> actions;
  sigset_t blocked;
  std::array<bool, 3> timerRuns;
  mode_t mask;
  Limits limits;
};

/// Around each piece of a candidate's code on this thread, in the process that
/// judges it, to protect the next candidate and the machine:
/// - RLIMIT_AS bounds all candidates of the process to half of the memory;
/// - a process that it forks ends at once;
/// - rounding, subnormals and exception masks, and a ProcessState, are
///   restored.
class Confinement {
public:
  enum class Phase { outside, loading, running };

  explicit Confinement(Phase phase);
  ~Confinement();
  Confinement(const Confinement &) = delete;
  Confinement &operator=(const Confinement &) = delete;

  /// Fails with a fault if the code has started a process, which has then
  /// ended, or changed how numbers are computed, the umask or a limit.
  Result<void, Failure> check() const;

private:
  std::fenv_t arithmetic;
  uint64_t heldBefore;   ///< bytes of address space; 0 if that is not told
  rlimit limitBefore;    ///< of RLIMIT_AS
  ProcessState settings; ///< with the limit that candidates have
};

/// Ends all children and their own from now on: they are candidates'.
void confineToThisProcess();

/// Lets a process that candidates end tell why by its exit status.
void installCrashHandlers();

/// Returns true if ended candidates hold too much for those to come.
bool isCandidatesMemoryUsedUp();

/// Resources that code may change and that only the process's end restores.
/// Compared from before to after such code.
class ProcessInventory {
public:
  ProcessInventory();

  /// Returns true if nothing has changed, but that threads may have ended.
  /// False where the system does not tell.
  bool isUnchangedSince(const ProcessInventory &before) const;
  /// Returns true if the open files and the limits are the same.
  bool hasSameResources(const ProcessInventory &before) const;

private:
  struct OpenFile {
    int descriptor;
    dev_t device;
    ino_t file;
    bool operator==(const OpenFile &) const = default;
  };
  static std::vector<OpenFile> openFiles();
  static std::vector<std::string> allVariables();

  size_t threads; ///< may run code that is no longer there
  size_t timers;  ///< of timer_create: one ends the process some day
  /// Loaded libraries: the next candidate may be bound to one that stayed.
  size_t libraries;
  /// Open files; empty if the system does not list them.
  std::vector<OpenFile> files;
  std::vector<std::string> variables; ///< of the environment
  cpu_set_t cores = {};               ///< that this thread may use
  int nice, policy;                   ///< of this thread
  Limits limits;
};

size_t countThreads();

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_HOST_CONFINEMENT_H
