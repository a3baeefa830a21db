//===- A search that others measure for -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_ASKTELL_H
#define PYTHON_SRC_ASKTELL_H

#include "Space.h"

#include "tonno/Search/ProposerSearch.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace tonno::python {

/// A trial as it was told.
struct ToldTrial {
  Configuration configuration;
  Status status = Status::ok;
  double seconds = 0; ///< of one that is ok or pruned
  std::string message;
};

/// A strategy, asked and told by whoever measures. Calls from several threads
/// take turns. None needs the interpreter's lock, and none may be made with it
/// held, or two threads could wait for each other.
class AskTell {
public:
  /// The starting points are legal, and proposed first.
  AskTell(std::shared_ptr<const Space> space, const std::string &strategy,
          uint64_t seed, std::vector<Configuration> start, bool hasProposer);

  const Space &space() const { return *searched; }
  /// The proposer is called while others wait for their turn; null unless the
  /// search was created with one.
  std::vector<Configuration> ask(size_t count,
                                 const ProposerSearch::Proposer &proposer);
  /// Raises where the point was told before.
  void tell(const ToldTrial &trial);

  /// Why it was proposed; empty: for no reason, or it was not.
  std::string explain(const Configuration &point) const;
  std::vector<Configuration> pending() const;
  std::vector<ToldTrial> trials() const;
  /// Returns true if the last call of `ask` returned no candidate.
  bool isDone() const;

private:
  /// Waits for the turn. Raises in a call from the proposer, which would wait
  /// for itself.
  std::unique_lock<std::mutex> takeTurn() const;
  std::vector<Configuration> propose(size_t count);

  std::shared_ptr<const Space> searched;
  std::unique_ptr<SearchStrategy> strategy;
  bool hasProposer;
  const ProposerSearch::Proposer *asking = nullptr; ///< in a call of `ask`
  mutable std::mutex turn;
  std::atomic<std::thread::id> asker; ///< of the proposer, while it runs
  /// Proposed in a call of `ask` that an exception has ended.
  std::vector<Configuration> ready;
  std::vector<Configuration> asked; ///< and not told yet, in order
  std::unordered_map<Configuration, std::string, ConfigurationHash> reasons;
  std::unordered_map<Configuration, size_t, ConfigurationHash> places;
  std::vector<ToldTrial> told;
  bool hasEnded = false;
};

void bindAskTell(nanobind::module_ &module);

} // namespace tonno::python

#endif // PYTHON_SRC_ASKTELL_H
