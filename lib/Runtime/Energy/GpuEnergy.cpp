//===- Counters of GPUs' energy -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EnergyCounters.h"

#include <charconv>
#include <cstdint>
#include <dlfcn.h>
#include <optional>
#include <string_view>
#include <utility>

using namespace tonno;

/// Opens a library that stays loaded.
static Result<void *> openLibrary(const std::string &path, const char *usual) {
  const char *name = path.empty() ? usual : path.c_str();
  if (void *library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL))
    return library;
  return Error{"the library '" + std::string(name) +
               "', which has the device's counter of energy, cannot be loaded"};
}

template <typename Pointer>
static Result<void> find(void *library, const char *name, Pointer &function) {
  function = reinterpret_cast<Pointer>(::dlsym(library, name));
  if (function)
    return {};
  return Error{"the function '" + std::string(name) +
               "', which has to do with the device's counter of energy, is "
               "missing from its library"};
}

static Error refuse(const char *function, int code) {
  return {"the device's counter of energy cannot be read: " +
          std::string(function) + " returned " + std::to_string(code)};
}

namespace {

/// NVML's functions, named as in nvml.h, which is not needed.
struct NvmlFunctions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*handleByBusId)(const char *busId, void **device) = nullptr;
  int (*energy)(void *device, unsigned long long *millijoules) = nullptr;
};

class NvmlEnergy : public EnergyCounter {
public:
  explicit NvmlEnergy(const NvmlFunctions &functions) : f(functions) {}
  ~NvmlEnergy() override { f.shutdown(); }

  Result<void> attach(const std::string &busId) {
    if (int code = f.handleByBusId(busId.c_str(), &device); code != 0)
      return refuse("nvmlDeviceGetHandleByPciBusId", code);
    TONNO_TRY(readJoules());
    return {};
  }

  Result<double> readJoules() override {
    unsigned long long millijoules = 0;
    if (int code = f.energy(device, &millijoules); code != 0)
      return refuse("nvmlDeviceGetTotalEnergyConsumption", code);
    return 1e-3 * static_cast<double>(millijoules);
  }

  // The counter changes every 100 ms (H100, driver 580).
  double windowSeconds() const override { return 0.5; }

private:
  NvmlFunctions f;
  void *device = nullptr;
};

/// Packs "0000:17:00.0" as AMD SMI does: a domain of 32 bits, a bus of 8, a
/// device of 5 and a function of 3.
std::optional<uint64_t> packBusId(std::string_view text) {
  uint64_t packed = 0;
  for (auto [bits, separator] :
       {std::pair(32, ':'), {8, ':'}, {5, '.'}, {3, 0}}) {
    uint64_t field = 0;
    auto [rest, error] =
        std::from_chars(text.data(), text.data() + text.size(), field, 16);
    text.remove_prefix(rest - text.data());
    bool ends = separator ? text.starts_with(separator) : text.empty();
    if (error != std::errc() || field >> bits || !ends)
      return std::nullopt;
    text.remove_prefix(separator ? 1 : 0);
    packed = packed << bits | field;
  }
  return packed;
}

/// AMD SMI's functions, named as in amdsmi.h, which is not needed.
struct AmdSmiFunctions {
  int (*init)(uint64_t flags) = nullptr;
  int (*shutDown)() = nullptr;
  int (*handleByBus)(uint64_t bus, void **device) = nullptr;
  int (*energy)(void *device, uint64_t *count, float *microjoules,
                uint64_t *nanoseconds) = nullptr;
};

class AmdSmiEnergy : public EnergyCounter {
public:
  explicit AmdSmiEnergy(const AmdSmiFunctions &functions) : f(functions) {}
  ~AmdSmiEnergy() override { f.shutDown(); }

  Result<void> attach(const std::string &busId) {
    auto packed = packBusId(busId);
    if (!packed)
      return Error{"the device's PCI bus is unknown"};
    if (int code = f.handleByBus(*packed, &device); code != 0)
      return refuse("amdsmi_get_processor_handle_from_bdf", code);
    TONNO_TRY(readJoules());
    return {};
  }

  Result<double> readJoules() override {
    uint64_t count = 0, nanoseconds = 0;
    float microjoules = 0;
    if (int code = f.energy(device, &count, &microjoules, &nanoseconds);
        code != 0)
      return refuse("amdsmi_get_energy_count", code);
    return 1e-6 * microjoules * static_cast<double>(count);
  }

  // The counter changes every millisecond.
  double windowSeconds() const override { return 0.1; }

private:
  AmdSmiFunctions f;
  void *device = nullptr;
};

} // namespace

template <typename Counter, typename Functions>
static EnergyCounterResult attach(const Functions &functions,
                                  const std::string &busId) {
  auto counter = std::make_unique<Counter>(functions);
  TONNO_TRY(counter->attach(busId));
  return std::unique_ptr<EnergyCounter>(std::move(counter));
}

EnergyCounterResult tonno::openNvmlEnergy(const std::string &busId,
                                          const std::string &library) {
  auto *opened = TONNO_TRY(openLibrary(library, "libnvidia-ml.so.1"));
  NvmlFunctions f;
  TONNO_TRY(find(opened, "nvmlInit_v2", f.init));
  TONNO_TRY(find(opened, "nvmlShutdown", f.shutdown));
  TONNO_TRY(find(opened, "nvmlDeviceGetHandleByPciBusId_v2", f.handleByBusId));
  TONNO_TRY(find(opened, "nvmlDeviceGetTotalEnergyConsumption", f.energy));
  if (int code = f.init(); code != 0)
    return refuse("nvmlInit", code);
  return attach<NvmlEnergy>(f, busId);
}

EnergyCounterResult tonno::openAmdSmiEnergy(const std::string &busId,
                                            const std::string &library) {
  auto *opened = TONNO_TRY(openLibrary(library, "libamd_smi.so"));
  AmdSmiFunctions f;
  TONNO_TRY(find(opened, "amdsmi_init", f.init));
  TONNO_TRY(find(opened, "amdsmi_shut_down", f.shutDown));
  TONNO_TRY(
      find(opened, "amdsmi_get_processor_handle_from_bdf", f.handleByBus));
  TONNO_TRY(find(opened, "amdsmi_get_energy_count", f.energy));
  constexpr uint64_t gpus = 2; // AMDSMI_INIT_AMD_GPUS
  if (int code = f.init(gpus); code != 0)
    return refuse("amdsmi_init", code);
  return attach<AmdSmiEnergy>(f, busId);
}
