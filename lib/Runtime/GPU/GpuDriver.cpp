//===- A GPU vendor's driver ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/GpuDriver.h"

#include <algorithm>
#include <dlfcn.h>
#include <iterator>
#include <optional>

using namespace tonno;

Result<GpuFunctions> tonno::bindFunctions(const GpuDriverTraits &vendor,
                                          const SymbolLookup &lookup) {
  GpuFunctions functions;
  for (const GpuFunctionName &function : vendor.functions) {
    void *symbol = lookup(function.name);
    if (!symbol && function.required)
      return Error{std::string("the ") + vendor.name + " driver has no '" +
                   function.name + "'; tonno needs that of " +
                   vendor.oldestRelease + " or newer"};
    function.bind(functions, symbol);
  }
  return functions;
}

GpuTrouble tonno::classifyGpuError(const GpuDriverTraits &vendor,
                                   GpuCode code) {
  for (const GpuErrorRange &range : vendor.errors)
    if (range.first <= code && code <= range.last)
      return range.trouble;
  return GpuTrouble::unknown;
}

std::string tonno::formatUuid(const GpuUuid &uuid) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "GPU";
  for (size_t i = 0; i < uuid.size(); ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10)
      text += '-';
    text += {digits[uuid[i] >> 4], digits[uuid[i] & 15]};
  }
  return text;
}

/// Opens the library at `path`, or the first of the vendor's libraries that is
/// loaded, or else that exists. torch may have brought its own HIP runtime, and
/// the streams of one runtime are unknown to another.
static Result<void *> openLibrary(const GpuDriverTraits &vendor,
                                  const std::string &path,
                                  const std::string &option) {
  std::vector<std::string> names(vendor.libraries.begin(),
                                 vendor.libraries.end());
  if (!path.empty())
    names = {path};
  for (const std::string &name : names)
    if (void *library =
            ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD))
      return library;
  std::string why;
  for (const std::string &name : names) {
    if (void *library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))
      return library;
    if (why.empty())
      why = ::dlerror();
  }
  return Error{std::string("no ") + vendor.name + " driver (" + why +
               "); install " + vendor.package + ", or name its library by " +
               option};
}

Result<GpuDriver> GpuDriver::open(const GpuDriverTraits &vendor,
                                  const std::string &path,
                                  const std::string &option) {
  auto library = TONNO_TRY(openLibrary(vendor, path, option));
  auto functions = TONNO_TRY(bindFunctions(
      vendor, [&](const char *name) { return ::dlsym(library, name); }));
  return start(vendor, functions);
}

static Error noDevice(const GpuDriverTraits &vendor) {
  return {std::string("no ") + vendor.name + " device is visible; check " +
          vendor.visible + ", and that this user may open the device"};
}

Result<GpuDriver> GpuDriver::start(const GpuDriverTraits &vendor,
                                   const GpuFunctions &functions) {
  constexpr GpuCode noDeviceCode = 100; // of both vendors
  GpuDriver driver(vendor, functions);
  GpuCode code = functions.init(0);
  if (code == noDeviceCode)
    return noDevice(vendor);
  TONNO_TRY(driver.check(code, "start"));
  TONNO_TRY(driver.check(functions.driverVersion(&driver.version),
                         "report its version"));
  if (driver.version < vendor.oldestVersion)
    return Error{std::string("the ") + vendor.name + " driver is of " +
                 vendor.versionText(driver.version) + ", but tonno needs " +
                 vendor.oldestRelease + " or newer; install a newer one"};
  code = functions.deviceCount(&driver.devices);
  if (code == noDeviceCode || (code == 0 && driver.devices < 1))
    return noDevice(vendor);
  TONNO_TRY(driver.check(code, "count its devices"));
  return driver;
}

/// Returns advice for errors that the user can fix.
static std::string getErrorAdvice(GpuCode code) {
  switch (code) {
  case 34:
    return "; this is a stub for linking: install the driver itself, or take "
           "the stub's folder out of LD_LIBRARY_PATH";
  case 35:
  case 803:
    return "; the library and the kernel's module differ in version: restart "
           "the machine after updating the driver";
  case 46:
    return "; another process has exclusive access";
  case 802:
    return "; the system is not ready: check that the fabric manager runs";
  case 999:
    return "; reload the driver's kernel module, or restart the machine";
  default:
    return "";
  }
}

Result<void> GpuDriver::check(GpuCode code, const std::string &doing) const {
  if (code == 0)
    return {};
  return Error{std::string("the ") + itsVendor->name + " driver cannot " +
               doing + ": " + errorText(code) + getErrorAdvice(code)};
}

namespace {
struct Consequence {
  std::optional<Status> status; ///< none if the caller says it
  bool losesDevice;
};
} // namespace

static constexpr Consequence consequences[] = {
    {std::nullopt, false},          // request
    {Status::out_of_memory, false}, // memory
    {Status::load_error, false},    // binary
    {Status::unlaunchable, false},  // resources
    {Status::fault, true},          // fault
    {Status::hang, true},           // hang
    {Status::lost, true},           // device
    {std::nullopt, true}, // unknown: perhaps a new way to crash, so a fresh
                          // process is the safe answer
};
static_assert(std::size(consequences) ==
              static_cast<size_t>(GpuTrouble::unknown) + 1);

Result<void, GpuFailure> GpuDriver::checkCall(GpuCode code, Status refused,
                                              const std::string &doing) const {
  if (code == 0)
    return {};
  auto [status, losesDevice] =
      consequences[static_cast<size_t>(classifyGpuError(*itsVendor, code))];
  return GpuFailure{
      {status.value_or(refused), "cannot " + doing + ": " + errorText(code)},
      losesDevice};
}

std::string GpuDriver::errorText(GpuCode code) const {
  const char *name = nullptr;
  const char *text = nullptr;
  bool isNamed = table.errorName && table.errorName(code, &name) == 0 && name;
  std::string number = std::to_string(code);
  std::string full =
      isNamed ? std::string(name) + " (" + number + ")" : "error " + number;
  if (table.errorString && table.errorString(code, &text) == 0 && text)
    full += std::string(", ") + text;
  return full;
}

Result<DeviceDescription> GpuDriver::describe(int index) const {
  int device = 0, cacheBytes = 0;
  char name[256] = {};
  GpuUuid uuid = {};
  size_t memory = 0;
  DeviceDescription about;
  about.kind = itsVendor->kind;
  about.driver = itsVendor->versionText(version);
  auto ask = [&](GpuCode code) {
    return check(code, "describe device " + std::to_string(index));
  };
  TONNO_TRY(ask(table.deviceGet(&device, index)));
  for (GpuCode code :
       {table.deviceName(name, sizeof name - 1, device),
        table.deviceUuid(&uuid, device), table.deviceMemory(&memory, device),
        table.deviceAttribute(&cacheBytes, itsVendor->attributes.cacheBytes,
                              device),
        itsVendor->chip(table, device, about.chip)})
    TONNO_TRY(ask(code));
  about.name = name;
  about.uuid = itsVendor->uuidText(uuid);
  about.memoryBytes = memory;
  about.cacheBytes = itsVendor->cacheBytes(
      about.chip, static_cast<uint64_t>(std::max(cacheBytes, 0)));
  return about;
}
