//===- RAPL's counters of energy ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/File.h"
#include "EnergyCounters.h"

#include <charconv>
#include <filesystem>
#include <optional>
#include <vector>

using namespace tonno;
namespace fs = std::filesystem;

static Result<uint64_t> readNumber(const fs::path &path) {
  auto text = TONNO_TRY(readFile(path));
  uint64_t value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec !=
      std::errc())
    return Error{"'" + path.string() + "' has no number"};
  return value;
}

namespace {

/// A package's counter, which begins again after `most`.
struct Package {
  fs::path folder;
  uint64_t most = 0;
  std::optional<uint64_t> last = {}; ///< in microjoules
  double joules = 0;                 ///< since the first reading
};

class Rapl : public EnergyCounter {
public:
  explicit Rapl(std::vector<Package> packages)
      : packages(std::move(packages)) {}

  Result<double> readJoules() override {
    double sum = 0;
    for (Package &package : packages) {
      auto now = TONNO_TRY(readNumber(package.folder / "energy_uj"));
      uint64_t last = package.last.value_or(now);
      uint64_t used = now >= last ? now - last : now + package.most - last;
      package.last = now;
      package.joules += 1e-6 * static_cast<double>(used);
      sum += package.joules;
    }
    return sum;
  }

  // The counters change every millisecond.
  double windowSeconds() const override { return 0.1; }

private:
  std::vector<Package> packages;
};

} // namespace

EnergyCounterResult tonno::openRapl(const std::string &folder) {
  std::vector<Package> packages;
  std::error_code none;
  for (const fs::directory_entry &each : fs::directory_iterator(folder, none)) {
    // Not the parts of packages, which have names such as intel-rapl:0:1.
    auto name = readFile(each.path() / "name");
    if (!name || !name->starts_with("package-"))
      continue;
    if (auto now = readNumber(each.path() / "energy_uj"); !now)
      return Error{now.error().message +
                   "; only root may read it, unless root gives all users the "
                   "right to"};
    auto most = TONNO_TRY(readNumber(each.path() / "max_energy_range_uj"));
    packages.push_back({each.path(), most});
  }
  if (packages.empty())
    return Error{"'" + folder +
                 "' has no package with a counter of energy; virtual machines "
                 "and containers usually have none"};
  return std::unique_ptr<EnergyCounter>(new Rapl(std::move(packages)));
}
