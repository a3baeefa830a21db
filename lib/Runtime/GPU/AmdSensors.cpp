//===- Clocks and heat of AMD's GPUs --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/File.h"
#include "tonno/Runtime/GpuMonitor.h"

#include <charconv>
#include <filesystem>

using namespace tonno;
namespace fs = std::filesystem;

namespace {
class AmdSensors : public GpuMonitor {
public:
  explicit AmdSensors(fs::path folder) : folder(std::move(folder)) {}

  DeviceCondition read() override;
  Environment environment() override;

private:
  /// What stands in `<kind><n>_input`, where `<kind><n>_label` is `label`.
  std::optional<double> find(const std::string &kind, const char *label) const;

  fs::path folder;
};
} // namespace

std::unique_ptr<GpuMonitor> tonno::openAmdSensors(const std::string &busId,
                                                  const std::string &folder) {
  std::error_code none;
  if (!busId.empty())
    for (const fs::directory_entry &each :
         fs::directory_iterator(fs::path(folder) / busId / "hwmon", none))
      return std::make_unique<AmdSensors>(each.path());
  return nullptr;
}

std::optional<double> AmdSensors::find(const std::string &kind,
                                       const char *label) const {
  for (int n = 1; n <= 8; ++n) {
    fs::path sensor = folder / (kind + std::to_string(n));
    auto text = readFile(sensor.string() + "_label");
    auto input = readFile(sensor.string() + "_input");
    if (!text || !input || text->substr(0, text->find('\n')) != label)
      continue;
    long long value = 0;
    if (std::from_chars(input->data(), input->data() + input->size(), value)
            .ec == std::errc())
      return static_cast<double>(value);
  }
  return std::nullopt;
}

DeviceCondition AmdSensors::read() {
  DeviceCondition condition;
  if (auto hertz = find("freq", "sclk"))
    condition.clockMHz = *hertz * 1e-6;
  if (auto hertz = find("freq", "mclk"))
    condition.memoryClockMHz = *hertz * 1e-6;
  auto thousandths = find("temp", "junction");
  if (!thousandths)
    thousandths = find("temp", "edge");
  if (thousandths)
    condition.temperature = *thousandths * 1e-3;
  return condition;
}

Environment AmdSensors::environment() {
  auto microwatts = [&](const char *name) {
    auto text = readFile((folder / name).string());
    unsigned long long value = 0;
    if (text)
      std::from_chars(text->data(), text->data() + text->size(), value);
    return value;
  };
  unsigned long long limit = microwatts("power1_cap");
  unsigned long long usual = microwatts("power1_cap_default");
  Environment environment;
  if (limit != 0 && limit < usual)
    environment["power-limit"] =
        formatPowerLimit(limit / 1000000, usual / 1000000);
  return environment;
}
