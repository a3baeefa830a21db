//===- Clocks and temperature of a GPU ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/File.h"
#include "GpuDevice.h"

#include <charconv>
#include <dlfcn.h>
#include <filesystem>

using namespace tonno;

/// Returns what an Environment says of a limit below the usual, in watts.
static std::string formatPowerLimit(unsigned long long limit,
                                    unsigned long long usual) {
  return "its power limit is " + std::to_string(limit) + " W, usual are " +
         std::to_string(usual) + " W";
}

/// Returns the reasons to distrust a time; that nothing runs is none.
static std::vector<std::string> listReasons(unsigned long long bits) {
  struct Row {
    unsigned long long bit;
    const char *text;
  };
  constexpr Row rows[] = {
      {0x2, "application clocks"},
      {0x4, "power cap"},
      {0x8, "hardware slowdown"},
      {0x10, "sync boost"},
      {0x20, "heat"},
      {0x40, "heat, by hardware"},
      {0x80, "power brake"},
      {0x100, "display clocks"},
  };
  std::vector<std::string> reasons;
  for (const Row &row : rows)
    if (bits & row.bit)
      reasons.emplace_back(row.text);
  return reasons;
}

namespace {

using NvmlDevice = struct NvmlDeviceObject *;

/// NVML functions, named as in nvml.h, which is not needed.
struct NvmlFunctions {
  int (*init)();
  int (*shutdown)();
  int (*handleByBusId)(const char *busId, NvmlDevice *device);
  int (*clock)(NvmlDevice device, int type, unsigned *megahertz);
  int (*temperature)(NvmlDevice device, int sensor, unsigned *celsius);
  int (*throttleReasons)(NvmlDevice device, unsigned long long *reasons);
  int (*powerLimit)(NvmlDevice device, unsigned *milliwatts);
  int (*defaultPowerLimit)(NvmlDevice device, unsigned *milliwatts);
  int (*processes)(NvmlDevice device, unsigned *count, void *about);
};

class Nvml : public GpuMonitor {
public:
  Nvml(const NvmlFunctions &functions, NvmlDevice device)
      : functions(functions), device(device) {}
  ~Nvml() override { functions.shutdown(); }

  DeviceCondition read() override {
    constexpr int computeClock = 1, memoryClock = 2, ofTheChip = 0;
    DeviceCondition condition;
    auto ask = [&](auto function, int kind, std::optional<double> &value) {
      if (unsigned read = 0; function && function(device, kind, &read) == 0)
        value = read;
    };
    ask(functions.clock, computeClock, condition.clockMHz);
    ask(functions.clock, memoryClock, condition.memoryClockMHz);
    ask(functions.temperature, ofTheChip, condition.temperature);
    unsigned long long reasons = 0;
    if (functions.throttleReasons &&
        functions.throttleReasons(device, &reasons) == 0)
      condition.throttleReasons = listReasons(reasons);
    return condition;
  }

  Environment environment() override {
    Environment environment;
    unsigned limit = 0, usual = 0;
    if (functions.powerLimit && functions.defaultPowerLimit &&
        functions.powerLimit(device, &limit) == 0 &&
        functions.defaultPowerLimit(device, &usual) == 0 && limit < usual)
      environment["power-limit"] = formatPowerLimit(limit / 1000, usual / 1000);
    // Without room for details, NVML returns the number with this error.
    constexpr int tooSmall = 7;
    unsigned processes = 0;
    if (functions.processes &&
        functions.processes(device, &processes, nullptr) == tooSmall &&
        processes > 1)
      environment["other-processes"] =
          "other processes compute on it: " + std::to_string(processes - 1);
    return environment;
  }

private:
  NvmlFunctions functions;
  NvmlDevice device;
};

} // namespace

template <typename Pointer>
static void find(void *library, const char *name, Pointer &function) {
  function = reinterpret_cast<Pointer>(::dlsym(library, name));
}

std::unique_ptr<GpuMonitor> tonno::openNvml(const std::string &busId,
                                            const std::string &path) {
  const char *name = path.empty() ? "libnvidia-ml.so.1" : path.c_str();
  void *library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return nullptr;
  NvmlFunctions f;
  find(library, "nvmlInit_v2", f.init);
  find(library, "nvmlShutdown", f.shutdown);
  find(library, "nvmlDeviceGetHandleByPciBusId_v2", f.handleByBusId);
  find(library, "nvmlDeviceGetClockInfo", f.clock);
  find(library, "nvmlDeviceGetTemperature", f.temperature);
  find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", f.throttleReasons);
  find(library, "nvmlDeviceGetPowerManagementLimit", f.powerLimit);
  find(library, "nvmlDeviceGetPowerManagementDefaultLimit",
       f.defaultPowerLimit);
  find(library, "nvmlDeviceGetComputeRunningProcesses_v3", f.processes);
  if (!f.init || !f.shutdown || !f.handleByBusId || f.init() != 0)
    return nullptr;
  NvmlDevice device = nullptr;
  if (f.handleByBusId(busId.c_str(), &device) != 0) {
    f.shutdown();
    return nullptr;
  }
  return std::make_unique<Nvml>(f, device);
}

namespace fs = std::filesystem;

namespace {
class AmdSensors : public GpuMonitor {
public:
  explicit AmdSensors(fs::path folder) : folder(std::move(folder)) {}

  DeviceCondition read() override {
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

  Environment environment() override {
    double limit = readNumber(folder / "power1_cap").value_or(0);
    double usual = readNumber(folder / "power1_cap_default").value_or(0);
    Environment environment;
    if (limit > 0 && limit < usual)
      environment["power-limit"] =
          formatPowerLimit(static_cast<uint64_t>(limit / 1e6),
                           static_cast<uint64_t>(usual / 1e6));
    return environment;
  }

private:
  static std::optional<double> readNumber(const fs::path &path) {
    auto text = readFile(path);
    long long value = 0;
    if (!text ||
        std::from_chars(text->data(), text->data() + text->size(), value).ec !=
            std::errc())
      return std::nullopt;
    return static_cast<double>(value);
  }

  /// Reads `<kind><n>_input`, where `<kind><n>_label` is `label`.
  std::optional<double> find(const std::string &kind, const char *label) const {
    for (int n = 1; n <= 8; ++n) {
      std::string sensor = folder / (kind + std::to_string(n));
      auto text = readFile(sensor + "_label");
      if (!text || text->substr(0, text->find('\n')) != label)
        continue;
      if (auto value = readNumber(sensor + "_input"))
        return value;
    }
    return std::nullopt;
  }

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
