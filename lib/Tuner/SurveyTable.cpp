//===- Surveys as tables --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/Progress.h"
#include "tonno/Tuner/SurveyModule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <map>

using namespace tonno;

namespace {

/// Rows of text in columns as wide as their widest cell.
class Table {
public:
  explicit Table(std::vector<std::string> heads) { add(std::move(heads)); }

  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
  void print(llvm::raw_ostream &stream) const {
    std::vector<size_t> widths(rows.front().size());
    for (const auto &row : rows)
      for (auto [i, cell] : llvm::enumerate(row))
        widths[i] = std::max(widths[i], cell.size());
    for (const auto &row : rows) {
      std::string line;
      for (auto [i, cell] : llvm::enumerate(row))
        line += "  " + cell + std::string(widths[i] - cell.size(), ' ');
      stream << llvm::StringRef(line).rtrim() << "\n";
    }
  }

private:
  std::vector<std::vector<std::string>> rows;
};

} // namespace

template <typename T> static std::string cell(const std::optional<T> &value) {
  return value ? std::to_string(*value) : "?";
}

static std::string percent(const std::optional<double> &share) {
  return share ? std::to_string(std::lround(*share * 100)) + " %" : "?";
}

/// What went wrong, with the first candidate that it befell; what befell most
/// candidates first. Compilers' reasons are told apart; what happens to kernels
/// that run is told once for each status, since hardly two say the same.
static void printFailures(llvm::raw_ostream &stream,
                          const SurveyOutcome &outcome) {
  std::map<std::pair<Status, std::string>, std::vector<const Trial *>> reasons;
  for (const Trial &trial : outcome.trials)
    if (trial.status != Status::ok)
      reasons[{trial.status,
               trial.status == Status::compile_error ? trial.message : ""}]
          .push_back(&trial);
  std::vector<std::vector<const Trial *>> groups;
  for (auto &[reason, trials] : reasons)
    groups.push_back(std::move(trials));
  // Trials lie in the order in which they were made.
  llvm::sort(groups, [](const auto &a, const auto &b) {
    return std::make_pair(b.size(), a.front()) <
           std::make_pair(a.size(), b.front());
  });
  constexpr size_t mostShown = 20;
  for (const auto &trials : llvm::ArrayRef(groups).take_front(mostShown)) {
    const Trial &first = *trials.front();
    std::string values =
        formatValues(outcome.space.values(first.configuration));
    stream << "  " << trials.size() << " "
           << std::string(toString(first.status));
    if (!values.empty()) // as without knobs
      stream << (trials.size() == 1 ? ", " : ", first ") << values;
    stream << ": " << first.message << "\n";
  }
  if (groups.size() > mostShown)
    stream << "  and " << groups.size() - mostShown << " more reasons\n";
}

void tonno::printSurvey(llvm::raw_ostream &stream,
                        const SurveyOutcome &outcome) {
  auto numOk = llvm::count_if(outcome.trials, [](const Trial &trial) {
    return trial.status == Status::ok;
  });
  stream << "@" << outcome.kernel << " for " << outcome.target << " "
         << outcome.chip << ": " << numOk << " of " << outcome.trials.size()
         << " candidates "
         << (outcome.isVerified ? "compile and compute the right result, "
                                : "compile, ")
         << "in " << formatSeconds(outcome.seconds) << "\n";
  Table table({"status", "registers", "spills", "shared", "occupancy",
               "instructions", "workspace", "configuration", "proposed"});
  for (const Trial &trial : outcome.trials) {
    const ResourceUsage &usage = trial.usage;
    table.add({std::string(toString(trial.status)), cell(usage.registers),
               cell(usage.spillBytes), cell(usage.sharedBytes),
               percent(usage.occupancy), cell(usage.instructions),
               cell(usage.workspaceBytes),
               formatValues(outcome.space.values(trial.configuration)),
               trial.reason});
  }
  table.print(stream);
  printFailures(stream, outcome);
  if (outcome.keptFailures > 0)
    stream << "  failures  " << outcome.keptFailures << " in "
           << outcome.failureDirectory << ", for tonno-tune reproduce\n";
}
