//===- Sources of measurement noise on the host ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/Environment.h"
#include "tonno/Core/File.h"
#include "tonno/Engine/Budget.h"
#include "tonno/Process/ProcessTable.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <thread>
#include <unistd.h>

using namespace tonno;

namespace fs = std::filesystem;

static std::string readFileOrEmpty(const fs::path &path) {
  auto text = readFile(path.string());
  return text ? *text : std::string();
}

/// Reads the first T of a file, such as a word or a number.
template <typename T> static std::optional<T> first(const fs::path &path) {
  std::istringstream stream(readFileOrEmpty(path));
  T value;
  return stream >> value ? std::optional(value) : std::nullopt;
}

static std::string format(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

template <typename T, typename U>
static void lower(std::optional<T> &limit, const std::optional<U> &other) {
  if (other && *other > 0 && (!limit || static_cast<T>(*other) < *limit))
    limit = static_cast<T>(*other);
}

/// Reads the limits of one group of cgroups version 2.
static void readGroup(const fs::path &group, CgroupLimits &limits) {
  std::istringstream cpu(readFileOrEmpty(group / "cpu.max"));
  double quota = 0, period = 0;
  if (cpu >> quota >> period && period > 0) // else "max"
    lower(limits.cores, std::optional(quota / period));
  lower(limits.memoryBytes, first<double>(group / "memory.max"));
}

/// Reads the limits of one group of cgroups version 1, by the controllers of
/// its hierarchy.
static void readOldGroup(const fs::path &group, const std::string &controller,
                         CgroupLimits &limits) {
  if (controller == "memory") {
    auto bytes = first<double>(group / "memory.limit_in_bytes");
    if (bytes && *bytes < 1e18) // else all there could be
      lower(limits.memoryBytes, bytes);
    return;
  }
  auto quota = first<double>(group / "cpu.cfs_quota_us");
  auto period = first<double>(group / "cpu.cfs_period_us");
  if (quota && *quota > 0 && period && *period > 0)
    lower(limits.cores, std::optional(*quota / *period));
}

/// Calls visit with a group's folder and all above it.
template <typename Visit>
static void walkUp(const fs::path &hierarchy, fs::path group, Visit visit) {
  group = group.relative_path();
  for (;; group = group.parent_path()) {
    visit(hierarchy / group);
    if (group.empty())
      return;
  }
}

CgroupLimits tonno::readCgroupLimits(const fs::path &root) {
  CgroupLimits limits;
  fs::path mounted = root / "sys/fs/cgroup";
  std::istringstream lines(readFileOrEmpty(root / "proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    // "4:cpu,cpuacct:/user.slice", of version 2 "0::/user.slice".
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string names = line.substr(first + 1, second - first - 1);
    std::string group = line.substr(second + 1);
    if (names.empty())
      walkUp(mounted, group,
             [&](const fs::path &folder) { readGroup(folder, limits); });
    std::istringstream each(names);
    for (std::string name; std::getline(each, name, ',');)
      if (name == "cpu" || name == "memory")
        walkUp(mounted / name, group, [&](const fs::path &folder) {
          readOldGroup(folder, name, limits);
        });
  }
  return limits;
}

std::vector<int> tonno::getSiblingCores(int core, const fs::path &root) {
  // "3,7" or "6-7".
  std::istringstream stream(readFileOrEmpty(root / "sys/devices/system/cpu" /
                                            ("cpu" + std::to_string(core)) /
                                            "topology/thread_siblings_list"));
  std::vector<int> siblings;
  for (std::string range; std::getline(stream, range, ',');) {
    std::istringstream ends(range);
    int first = 0, last = 0;
    char dash = 0;
    if (!(ends >> first))
      continue;
    if (!(ends >> dash >> last))
      last = first;
    for (int each = first; each <= last; ++each)
      siblings.push_back(each);
  }
  if (std::ranges::find(siblings, core) == siblings.end())
    siblings.push_back(core);
  return siblings;
}

/// Returns a line of meminfo, within the limits of the control groups.
static uint64_t memoryBytes(const fs::path &root, std::string_view name) {
  // "MemTotal:       24576000 kB"
  std::istringstream lines(readFileOrEmpty(root / "proc/meminfo"));
  uint64_t bytes = 0;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name))
      bytes = std::strtoull(&line[name.size()], nullptr, 10) << 10;
  auto limit = readCgroupLimits(root).memoryBytes;
  return limit && (bytes == 0 || *limit < bytes) ? *limit : bytes;
}

uint64_t tonno::usableMemory(const fs::path &root) {
  return memoryBytes(root, "MemTotal:");
}

uint64_t tonno::availableMemory(const fs::path &root) {
  return memoryBytes(root, "MemAvailable:");
}

/// Returns the share of a core's time since boot that a hypervisor gave to
/// others.
static double stolenShare(int core, const fs::path &root) {
  std::istringstream lines(readFileOrEmpty(root / "proc/stat"));
  std::string wanted = "cpu" + std::to_string(core) + " ";
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(wanted))
      continue;
    // user nice system idle iowait irq softirq steal
    std::istringstream numbers(line.substr(wanted.size()));
    double sum = 0, number = 0;
    for (int i = 0; i < 8 && numbers >> number; ++i)
      sum += number;
    return sum > 0 && numbers ? number / sum : 0;
  }
  return 0;
}

static void inspectClocks(const fs::path &cpus, int core, bool isVirtual,
                          Environment &environment) {
  fs::path own = cpus / ("cpu" + std::to_string(core)) / "cpufreq";
  std::string governor =
      first<std::string>(own / "scaling_governor").value_or("");
  if (governor.empty() && !isVirtual)
    environment["clock"] = "the clock can be neither seen nor held";
  else if (!governor.empty() && governor != "performance")
    environment["clock"] = "the clock follows the load (governor " + governor +
                           "; performance is steadier)";
  if (first<std::string>(cpus / "intel_pstate/no_turbo") == "0" ||
      first<std::string>(cpus / "cpufreq/boost") == "1")
    environment["boost"] = "the clock rises and falls with heat (boost is on)";
}

static void inspectSharing(int core, size_t cores, const fs::path &root,
                           Environment &environment) {
  if (cores < 2)
    environment["one-core"] = "compiling and timing take turns on one core";
  std::vector<int> siblings = getSiblingCores(core, root);
  std::erase(siblings, core);
  if (!siblings.empty())
    environment["shared-core"] = "core " + std::to_string(core) +
                                 " shares its units with core " +
                                 std::to_string(siblings.front());
  double stolen = stolenShare(core, root);
  if (stolen > 0.001)
    environment["stolen"] = "the hypervisor has given " + format(100 * stolen) +
                            " % of core " + std::to_string(core) +
                            " to other guests";
  auto load = first<double>(root / "proc/loadavg");
  if (load && *load > static_cast<double>(cores))
    environment["load"] = "other work is running (load " + format(*load) +
                          " on " + std::to_string(cores) + " cores)";
}

/// Returns the value of the first "field : " in /proc/cpuinfo.
static std::optional<std::string> findCpuInfoField(const std::string &text,
                                                   const std::string &field) {
  size_t at = text.starts_with(field) ? 0 : text.find("\n" + field);
  size_t colon = at == std::string::npos ? at : text.find(": ", at);
  if (colon == std::string::npos)
    return std::nullopt;
  return text.substr(colon + 2, text.find('\n', colon) - colon - 2);
}

std::string tonno::processorName(const fs::path &root) {
  std::string text = readFileOrEmpty(root / "proc/cpuinfo");
  if (auto name = findCpuInfoField(text, "model name"))
    return *name;
  auto maker = findCpuInfoField(text, "CPU implementer"),
       part = findCpuInfoField(text, "CPU part");
  return maker && part ? "Arm CPU " + *maker + " " + *part : "unknown CPU";
}

/// Returns true in a virtual machine. Arm's processors have no flag for it; the
/// device tree or the firmware names the hypervisor.
static bool isVirtualMachine(const fs::path &root) {
  return readFileOrEmpty(root / "proc/cpuinfo").find(" hypervisor") !=
             std::string::npos ||
         fs::exists(root / "sys/hypervisor/type") ||
         fs::exists(root / "proc/device-tree/hypervisor") ||
         readFileOrEmpty(root / "sys/class/dmi/id/sys_vendor")
             .starts_with("QEMU");
}

Environment tonno::inspectHost(int timingCore, size_t cores,
                               const fs::path &root) {
  Environment environment;
  bool isVirtual = isVirtualMachine(root);
  if (isVirtual)
    environment["virtual-machine"] =
        "in a virtual machine, which hides the clock and other guests";
  std::string groups = readFileOrEmpty(root / "proc/1/cgroup");
  bool isContained =
      fs::exists(root / ".dockerenv") || fs::exists(root / "run/.containerenv");
  for (const char *sign : {"docker", "kubepods", "lxc", "containerd"})
    isContained |= groups.find(sign) != std::string::npos;
  if (isContained)
    environment["container"] =
        "in a container, which hides what runs outside of it";
  inspectClocks(root / "sys/devices/system/cpu", timingCore, isVirtual,
                environment);
  inspectSharing(timingCore, cores, root, environment);
  CgroupLimits limits = readCgroupLimits(root);
  if (limits.cores)
    environment["core-limit"] = "a control group allows " +
                                format(*limits.cores) +
                                " cores and stops what goes beyond";
  if (limits.memoryBytes)
    environment["memory-limit"] = "a control group allows " +
                                  std::to_string(*limits.memoryBytes >> 20) +
                                  " MiB of memory";
  return environment;
}

/// Between two looks, so that a busy process has used ten ticks.
static constexpr std::chrono::milliseconds lookPause{100};
/// Least share of a core of a process that is reported.
static constexpr double leastShare = 0.2;
static constexpr size_t mostNamed = 3;

/// Removes this process and its descendants, such as workers that compile.
static void removeOwn(std::map<pid_t, ProcessStat> &table) {
  auto isOwn = [&](pid_t process) {
    // A process that ended since may leave a cycle of reused numbers.
    for (size_t depth = 0; process > 1 && depth <= table.size(); ++depth) {
      if (process == ::getpid())
        return true;
      auto entry = table.find(process);
      process = entry == table.end() ? 0 : entry->second.parent;
    }
    return false;
  };
  std::vector<pid_t> own;
  for (const auto &[process, stat] : table)
    if (isOwn(process))
      own.push_back(process);
  for (pid_t process : own)
    table.erase(process);
}

std::string tonno::busiestProcesses(const fs::path &proc) {
  double start = steadySeconds();
  std::map<pid_t, ProcessStat> before = readProcessTable(proc);
  std::this_thread::sleep_for(lookPause);
  std::map<pid_t, ProcessStat> after = readProcessTable(proc);
  double elapsed = steadySeconds() - start;
  removeOwn(after);
  double ticks = elapsed * static_cast<double>(::sysconf(_SC_CLK_TCK));

  std::vector<std::pair<double, std::string>> busiest;
  for (const auto &[pid, stat] : after) {
    auto known = before.find(pid);
    // Another may have its number since.
    uint64_t since =
        known == before.end() ? 0 : std::min(known->second.ticks, stat.ticks);
    double share = static_cast<double>(stat.ticks - since) / ticks;
    if (share >= leastShare)
      busiest.emplace_back(share,
                           stat.name + " (pid " + std::to_string(pid) + ") " +
                               std::to_string(std::lround(100 * share)) + " %");
  }
  std::ranges::sort(busiest, std::ranges::greater());
  std::string text;
  for (size_t i = 0; i < std::min(busiest.size(), mostNamed); ++i)
    text += (i ? ", " : "") + busiest[i].second;
  return text.empty() ? text : text + " of a core";
}
