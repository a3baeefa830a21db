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

/// The exit status by which a runner tells that a binary crashed before it was
/// called. Beside Core's outOfMemoryExit.
inline constexpr int runnerLoaderCrashed = 114;

/// That a candidate reached before the start of a block of the host's memory,
/// or behind its end.
inline constexpr int runnerReachedBefore = 115;
inline constexpr int runnerReachedBehind = 116;
/// That it wrote to one that it may only read.
inline constexpr int runnerWroteInput = 117;

/// Of address space, on either side of a block: an access that far outside ends
/// the process, before it reaches what others depend on. The size of a huge
/// page, so that blocks start where they would without.
inline constexpr size_t guardBytes = size_t{2} << 20;

/// Remembers a block of this process for `sideOf`, as long as there is room
/// for it.
void addGuardedBlock(const void *block, size_t bytes);
void removeGuardedBlock(const void *block);

enum class BlockSide { none, before, inside, behind };

/// Where an address lies, of the blocks and what is beside them. For signal
/// handlers.
BlockSide sideOf(const void *address);

/// The limits of resources, by their numbers.
using Limits = std::array<rlimit, RLIM_NLIMITS>;

/// The settings of this process and thread that code may leave changed behind
/// it: what signals do and which are blocked, interval timers (`alarm` among
/// them), the working directory, the mask of file modes, and the limits of
/// resources.
class ProcessState {
public:
  /// As they are now; the directory, as it was the first time.
  ProcessState();
  /// Whether files are made with the same mask.
  bool keptMask() const;
  /// The name of a limit that is another now, such as RLIMIT_NOFILE; null if
  /// there is none.
  const char *findChangedLimit() const;
  /// Makes them so again.
  void restore() const;

private:
  std::array<struct sigaction, NSIG> actions;
  sigset_t blocked;
  std::array<bool, 3> timerRuns;
  mode_t mask;
  Limits limits;
};

/// Around each piece of a candidate's code that runs on this thread. It lives
/// in the process that judges it, and what it does there is to hurt neither the
/// next one nor the machine:
/// - all candidates of the process together may hold half of the memory that
///   was to be had; RLIMIT_AS ends what asks for more;
/// - a process that it forks ends before it can do anything;
/// - rounding, the treatment of subnormals, and masks of exceptions are
///   afterwards as they were, and so are handlers of signals and what else a
///   ProcessState has.
class Confinement {
public:
  enum class Phase { outside, loading, running };

  explicit Confinement(Phase phase);
  ~Confinement();
  Confinement(const Confinement &) = delete;
  Confinement &operator=(const Confinement &) = delete;

  /// A fault if the code has started a process, which has then ended, or left
  /// how numbers are computed, the umask or a limit other than they were.
  Result<void, Failure> check() const;

private:
  std::fenv_t arithmetic;
  uint64_t heldBefore;   ///< bytes of address space; 0 if that is not told
  rlimit limitBefore;    ///< of RLIMIT_AS
  ProcessState settings; ///< with the limit that candidates have
};

/// For a process whose only children are those that candidates start: they are
/// found wherever they come from, and ended. So are their own.
void confineToThisProcess();

/// Lets a process that candidates end tell why, by its exit status: see
/// runnerLoaderCrashed. Of other crashes nothing changes.
void tellHowCandidatesCrash();

/// Whether candidates that have ended still hold so much that those to come
/// would be short of it.
bool isCandidatesMemoryUsedUp();

/// What this process holds and is held to, where nothing but its end takes it
/// back from code that has changed it. One is made before such code runs and
/// one after it. What can be set back is a ProcessState's.
class ProcessInventory {
public:
  /// As it is now.
  ProcessInventory();

  /// Whether nothing has come since, gone or changed; but threads may have
  /// ended. Not so where the system does not tell.
  bool isStill(const ProcessInventory &before) const;
  /// Returns true if the same files are open, and may be, and as much of all
  /// that is limited.
  bool hasSameResources(const ProcessInventory &before) const;

private:
  /// What is open under a number.
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
  /// That the loader has: the next one may be bound to what was not unloaded.
  size_t libraries;
  /// Too many leave none to the next, and those of this process must be what
  /// they were. Empty if that is not told.
  std::vector<OpenFile> files;
  std::vector<std::string> variables; ///< of the environment
  cpu_set_t cores = {};               ///< that this thread may use
  int nice, policy;                   ///< of this thread
  Limits limits;
};

/// Of this process.
size_t countThreads();

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_HOST_CONFINEMENT_H
