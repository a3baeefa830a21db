//===- Detection rates of the correctness gate ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures how often the correctness gate finds mutants of kernels written for
// it, by which pass, and how near to its bounds legitimate variants come.

#include "Escapes.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <thread>

using namespace tonno;
using namespace tonno::gate;

static constexpr int64_t lengths[] = {16, 64, 256, 1024, 4096, 16384};

namespace {

/// Outcomes of one candidate of one kernel in one cell.
struct Tally {
  size_t seeds = 0;
  size_t caught = 0;
  std::map<std::string, size_t> byPass;
  double worst = 0;
};

/// Tallies by kernel and candidate; the cells keep their order.
using Table = std::map<std::pair<std::string, std::string>, Tally>;

struct CellResult {
  Table right, mutants;
  std::string failure;
};

} // namespace

/// Counts the outcomes of one seed. Returns false if the passes one by one
/// disagree with the gate.
static bool countSeed(OpenedKernel &opened, const Candidate &candidate,
                      Tally &tally, std::string &failure) {
  ++tally.seeds;
  auto verdict = opened.judge(candidate);
  tally.caught += !verdict;
  bool isRefused = false;
  for (const OraclePass &pass : opened.passes()) {
    auto outcome = opened.judge(candidate, pass);
    if (!outcome) {
      failure = outcome.error().message;
      return false;
    }
    tally.byPass[pass.name] += !outcome->isRight;
    tally.worst = std::max(tally.worst, outcome->worst);
    isRefused |= !outcome->isRight;
  }
  if (isRefused != !verdict)
    failure = candidate.name + ": the gate says '" +
              (verdict ? "ok" : verdict.error().message) +
              "', its passes do not";
  return isRefused == !verdict;
}

static CellResult judgeCell(const Cell &cell, size_t seeds, uint64_t first) {
  CellResult result;
  for (const GateKernel &kernel : kernelsOf(cell))
    for (uint64_t seed = first; seed < first + seeds; ++seed) {
      auto opened = OpenedKernel::open(kernel, seed);
      if (!opened) {
        result.failure = kernel.name + ": " + opened.error().message;
        return result;
      }
      for (bool isMutant : {false, true})
        for (const Candidate &candidate :
             isMutant ? kernel.mutants : kernel.right) {
          Table &table = isMutant ? result.mutants : result.right;
          if (!countSeed(*opened, candidate,
                         table[{kernel.name, candidate.name}], result.failure))
            return result;
        }
    }
  return result;
}

static std::vector<Cell> allCells() {
  std::vector<Cell> cells;
  for (int64_t k : lengths)
    for (const Cell &cell : cellsOf(k))
      cells.push_back(cell);
  return cells;
}

/// Judges all cells, the longest first, on all cores.
static std::vector<CellResult> judgeAll(const std::vector<Cell> &cells,
                                        size_t seeds, uint64_t first) {
  std::vector<CellResult> results(cells.size());
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> threads;
  for (size_t i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back([&] {
      for (size_t taken = next++; taken < cells.size(); taken = next++) {
        size_t cell = cells.size() - 1 - taken;
        results[cell] = judgeCell(cells[cell], seeds, first);
      }
    });
  return threads.clear(), results;
}

/// Returns "all", or a percentage.
static std::string share(size_t hits, size_t of) {
  return hits == of ? "all" : std::to_string(100 * hits / of);
}

/// Returns the pairs of kernel and mutant, each once.
static std::set<Table::key_type>
namesOf(const std::vector<CellResult> &results) {
  std::set<Table::key_type> names;
  for (const CellResult &result : results)
    for (const auto &[name, tally] : result.mutants)
      names.insert(name);
  return names;
}

/// Prints the counts by pass, over all cells that have it.
static void printByPass(const std::vector<CellResult> &results) {
  static const char *const passes[] = {"small exact", wideExactPass, "shifted",
                                       "small", "real-valued"};
  std::printf("\n| kernel | mutant |");
  for (const char *pass : passes)
    std::printf(" %s |", pass);
  std::printf(
      " together |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const auto &name : namesOf(results)) {
    Tally sum;
    std::map<std::string, size_t> seedsOf;
    for (const CellResult &result : results)
      if (auto found = result.mutants.find(name);
          found != result.mutants.end()) {
        sum.seeds += found->second.seeds;
        sum.caught += found->second.caught;
        for (const auto &[pass, hits] : found->second.byPass) {
          sum.byPass[pass] += hits;
          seedsOf[pass] += found->second.seeds;
        }
      }
    std::printf("| %s | %s |", name.first.c_str(), name.second.c_str());
    for (const char *pass : passes)
      std::printf(" %s |", seedsOf.contains(pass)
                               ? share(sum.byPass[pass], seedsOf[pass]).c_str()
                               : "");
    std::printf(" %s |\n", share(sum.caught, sum.seeds).c_str());
  }
}

/// Prints the rows with a mutant that was not always caught.
static void printEscapes(const std::vector<Cell> &cells,
                         const std::vector<CellResult> &results) {
  std::printf("\n| kernel | mutant | types |");
  for (int64_t length : lengths)
    std::printf(" %lld |", (long long)length);
  std::printf("\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  size_t types = cells.size() / std::size(lengths);
  for (const auto &name : namesOf(results))
    for (size_t type = 0; type < types; ++type) {
      std::string line;
      bool escapes = false;
      for (size_t i = type; i < cells.size(); i += types) {
        auto found = results[i].mutants.find(name);
        if (found == results[i].mutants.end())
          continue;
        const Tally &tally = found->second;
        line += " " + share(tally.caught, tally.seeds) + " |";
        escapes |= tally.caught != tally.seeds;
      }
      if (escapes)
        std::printf("| %s | %s | %s |%s\n", name.first.c_str(),
                    name.second.c_str(), cells[type].types().c_str(),
                    line.c_str());
    }
}

/// Prints the mutants that the tests claim to be always caught, but that were
/// not; returns their number.
static size_t printFalseClaims(const std::vector<Cell> &cells,
                               const std::vector<CellResult> &results) {
  size_t count = 0;
  for (size_t i = 0; i < cells.size(); ++i)
    for (const auto &[name, tally] : results[i].mutants)
      if (tally.caught != tally.seeds &&
          !mayEscape(name.first, name.second, cells[i])) {
        std::printf("not always caught, which the tests claim: %s, %s, %s, "
                    "K = %lld\n",
                    name.first.c_str(), name.second.c_str(),
                    cells[i].types().c_str(), (long long)cells[i].k);
        ++count;
      }
  return count;
}

static void printRight(const std::vector<Cell> &cells,
                       const std::vector<CellResult> &results) {
  std::map<std::pair<std::string, std::string>, Tally> rows;
  std::map<std::pair<std::string, std::string>, std::string> worstCells;
  for (size_t i = 0; i < cells.size(); ++i)
    for (const auto &[name, tally] : results[i].right) {
      Tally &row = rows[name];
      row.seeds += tally.seeds;
      row.caught += tally.caught;
      // Rounding to the output's type may legitimately come near the bound.
      if (cells[i].output != cells[i].sums)
        continue;
      if (tally.worst > row.worst)
        worstCells[name] =
            cells[i].types() + " K = " + std::to_string(cells[i].k);
      row.worst = std::max(row.worst, tally.worst);
    }
  std::printf("| kernel | variant | accepted | worst error / bound |\n"
              "| --- | --- | --- | --- |\n");
  for (const auto &[name, row] : rows) {
    std::printf("| %s | %s | %s of %zu |", name.first.c_str(),
                name.second.c_str(),
                share(row.seeds - row.caught, row.seeds).c_str(), row.seeds);
    if (row.worst > 0)
      std::printf(" %.2f (%s)", row.worst, worstCells[name].c_str());
    std::printf(" |\n");
  }
}

int main(int argc, char **argv) {
  size_t seeds = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100;
  uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  if (seeds == 0 || argc > 3) {
    std::fprintf(stderr, "usage: %s [seeds [seed]]\n", argv[0]);
    return 1;
  }
  std::vector<Cell> cells = allCells();
  std::vector<CellResult> results = judgeAll(cells, seeds, first);
  for (size_t i = 0; i < cells.size(); ++i)
    if (!results[i].failure.empty()) {
      std::fprintf(stderr, "error: %s, K = %lld: %s\n",
                   cells[i].types().c_str(), (long long)cells[i].k,
                   results[i].failure.c_str());
      return 1;
    }
  std::printf("%s %zu %llu\n\nLegitimate variants, over all types and K; "
              "errors where the output is as precise as the sums:\n\n",
              argv[0], seeds, (unsigned long long)first);
  printRight(cells, results);
  std::printf("\nMutants caught by each pass, in percent over all types and "
              "K:\n");
  printByPass(results);
  std::printf("\nPercent caught by all passes together at each K, where it is "
              "not all:\n");
  printEscapes(cells, results);
  return printFalseClaims(cells, results) ? 1 : 0;
}
