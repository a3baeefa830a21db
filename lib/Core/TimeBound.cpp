//===- A lower bound on the time of a GPU kernel --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/TimeBound.h"

#include "tonno/Core/MatrixInstruction.h"
#include "tonno/Core/Occupancy.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

using namespace tonno;

std::string TimeBound::toString() const {
  char text[32];
  if (share > 0)
    std::snprintf(text, sizeof text, "%.2f of peak: ", share);
  else
    std::snprintf(text, sizeof text, "%.3g us: ", seconds * 1e6);
  return text + limit;
}

void tonno::mapFields(JsonFields &fields, TimeBound &bound) {
  fields("seconds", bound.seconds);
  fields("share", bound.share);
  fields("limit", bound.limit);
}

void tonno::mapFields(JsonFields &fields, KernelWork &work) {
  fields("macs", work.macs);
  fields("operand", work.operand);
  fields("sum", work.sum);
  fields("bytes_read", work.bytesRead);
  fields("bytes_written", work.bytesWritten);
  fields("products", work.products, 0);
}

//===----------------------------------------------------------------------===//
// Rates of chips
//===----------------------------------------------------------------------===//

static bool isInteger(ElementType type) {
  return type == ElementType::i64 || type == ElementType::i32 ||
         type == ElementType::i16 || type == ElementType::i8 ||
         type == ElementType::i1;
}

/// Returns the f32 multiply-adds a cycle of a compute unit. NVIDIA: "CUDA C++
/// Programming Guide", throughput of arithmetic instructions. CDNA: by
/// v_pk_fma_f32, as in AMD's data sheets; RDNA: both issue ports of four
/// SIMD32.
static uint32_t fmaRate(const GpuChip &chip) {
  if (chip.vendor == GpuVendor::nvidia)
    return chip.name == "sm_80" ? 64 : 128;
  return chip.name.starts_with("gfx9") ? 128 : 256;
}

/// Returns the multiply-adds of f16 with f32 sums a cycle of a multiprocessor,
/// where mma.sync does not reach them, by the data sheets of H100 and B200; i8
/// has twice as many.
static uint32_t warpgroupRate(const GpuChip &chip) {
  if (chip.name.starts_with("sm_90"))
    return 2048;
  if (chip.name.starts_with("sm_100") || chip.name.starts_with("sm_103"))
    return 4096;
  return 0;
}

double tonno::peakMacs(const GpuChip &chip, ElementType operand,
                       ElementType sum) {
  // Other sums are no faster.
  bool isHalf = operand == ElementType::f16 || operand == ElementType::bf16;
  if (isHalf || operand == ElementType::i8)
    sum = isHalf ? ElementType::f32 : ElementType::i32;
  double rate = 0;
  for (const MatrixInstruction &one : matrixInstructions(chip, operand, sum)) {
    if (one.cycles > 0)
      rate = std::max(rate, double(one.macs()) / one.cycles * chip.partitions);
    rate = std::max<double>(rate,
                            warpgroupRate(chip) * (isInteger(operand) ? 2 : 1));
  }
  if (rate == 0) // numbers of 16 bits are at most four times as fast
    rate = fmaRate(chip) * (getByteSize(operand) < 4 ? 4 : 1);
  return rate * chip.computeUnits * chip.megahertz * 1e6;
}

/// Returns the bytes a cycle of a compute unit from shared memory. NVIDIA: 32
/// banks of 4 bytes. CDNA: "CDNA 3 ISA", chapter "Local Data Share"; RDNA: 2 x
/// 32 banks.
static uint32_t sharedRate(const GpuChip &chip) {
  return chip.name.starts_with("gfx1") ? 256 : 128;
}

/// Returns the bytes a cycle of a compute unit from the L1 cache. NVIDIA: a
/// line of 128 bytes; CDNA: 64 ("AMD CDNA 3 White Paper"); RDNA: two of 128.
static uint32_t cacheRate(const GpuChip &chip) {
  if (chip.name.starts_with("gfx9"))
    return 64;
  return chip.name.starts_with("gfx1") ? 256 : 128;
}

/// Bytes a cycle of a multiprocessor from the second-level cache ("NVIDIA A100
/// Tensor Core GPU Architecture": 5120 a cycle for two halves of 54).
static constexpr uint32_t asyncRate = 64;

/// Nanoseconds of an access to device memory, at least: no published
/// measurement of these chips is below.
static constexpr double memoryLatency = 200e-9;

//===----------------------------------------------------------------------===//
// The bound of a launch
//===----------------------------------------------------------------------===//

namespace {

/// A candidate for what takes the time.
struct Limit {
  double seconds = 0;
  const char *name = "";
};

/// Bounds one launch.
class LaunchBound {
public:
  LaunchBound(const GpuChip &chip, const KernelUsage &kernel,
              const LaunchGeometry &geometry);

  /// Returns the most multiply-adds of the type that the code can perform.
  double getMostMacs(ElementType operand) const;
  bool hasMatrix() const;
  /// Returns the bound if the launch performs all these multiply-adds.
  Limit ofProduct(double macs, ElementType operand) const;
  /// Returns the bound by code that is executed whatever the launch loads.
  /// `bytes`, if more than zero, are loaded from memory by all lanes.
  Limit ofCode(double bytes) const;

private:
  using Amount = std::function<double(const InstructionCounts &)>;

  double getNumMacs(const InstructionCounts &counts, ElementType operand) const;
  Limit largest(const std::function<double(const Amount &)> &dynamic,
                bool hasDistinctLoads) const;

  const GpuChip &chip;
  const MachineCode &code;
  double subgroups = 1;    ///< of a workgroup
  double workgroups = 1;   ///< in all
  double busiest = 1;      ///< workgroups of the busiest unit
  double perPartition = 1; ///< subgroups of its busiest partition
  double resident = 1;     ///< workgroups that a unit runs at a time
  double evenly = 1;       ///< subgroups of a partition, if all had as many
};

} // namespace

static uint32_t toCount(const std::optional<uint64_t> &value) {
  return static_cast<uint32_t>(std::min<uint64_t>(value.value_or(0), 1u << 30));
}

LaunchBound::LaunchBound(const GpuChip &chip, const KernelUsage &kernel,
                         const LaunchGeometry &geometry)
    : chip(chip), code(*kernel.code) {
  uint64_t threads = 1;
  for (unsigned i = 0; i < 3; ++i) {
    threads *= geometry.block[i];
    workgroups *= geometry.grid[i];
  }
  subgroups = std::ceil(double(threads) / chip.subgroupSize);
  busiest = std::ceil(workgroups / chip.computeUnits);
  perPartition = std::ceil(busiest * subgroups / chip.partitions);
  evenly = workgroups * subgroups / chip.computeUnits / chip.partitions;
  uint32_t held = residentWorkgroups(
      chip,
      {.threads = static_cast<uint32_t>(threads),
       .registers = toCount(kernel.registers),
       .scalarRegisters = toCount(kernel.scalarRegisters),
       .sharedBytes = toCount(kernel.sharedBytes) + geometry.sharedBytes});
  resident = std::clamp<double>(held, 1, busiest);
}

bool LaunchBound::hasMatrix() const {
  return code.all.matrix > 0 ||
         std::ranges::any_of(code.loops, [](const CodeLoop &loop) {
           return loop.all.matrix > 0;
         });
}

double LaunchBound::getNumMacs(const InstructionCounts &counts,
                               ElementType operand) const {
  if (hasMatrix())
    return double(counts.matrixMacs) + double(counts.workgroupMacs) / subgroups;
  return double(isInteger(operand) ? counts.integerMacs : counts.fmaMacs);
}

double LaunchBound::getMostMacs(ElementType operand) const {
  if (std::ranges::any_of(code.loops, [&](const CodeLoop &loop) {
        return getNumMacs(loop.all, operand) > 0;
      }))
    return HUGE_VAL;
  return getNumMacs(code.all, operand) * workgroups * subgroups;
}

/// Returns the largest of the resources' times. `dynamic` returns a subgroup's
/// total use of a resource.
Limit LaunchBound::largest(const std::function<double(const Amount &)> &dynamic,
                           bool hasDistinctLoads) const {
  using Counts = InstructionCounts;
  double hertz = chip.megahertz * 1e6;
  Limit limit;
  auto consider = [&](const char *name, double cycles) {
    if (cycles / hertz > limit.seconds)
      limit = {cycles / hertz, name};
  };
  double matrix =
      dynamic([](const Counts &counts) { return counts.matrixCycles; });
  consider("matrix", perPartition * matrix);
  consider("matrix", busiest * dynamic([](const Counts &counts) {
                       return counts.workgroupCycles;
                     }));
  consider("FMA", perPartition * dynamic([](const Counts &counts) {
                    return counts.fmaCycles;
                  }));
  consider("special", perPartition * dynamic([](const Counts &counts) {
                        return counts.specialCycles;
                      }));
  consider("issue", perPartition * dynamic([](const Counts &counts) {
                      return counts.issueCycles;
                    }));
  // Lanes may load the same word, unless they load fragments of operands, of
  // which RDNA 3 has two copies. Each instruction takes a cycle.
  double copies = chip.name.starts_with("gfx11") ? 2 : 1;
  double lanes = chip.subgroupSize, rate = sharedRate(chip);
  double shared = dynamic([&](const Counts &counts) {
    double loads = hasDistinctLoads
                       ? double(counts.sharedLoadBytes) * lanes / copies / rate
                       : counts.sharedLoads;
    double stores =
        double(counts.sharedStoreBytes + counts.asyncBytes) * lanes / rate;
    return loads + stores;
  });
  consider("LDS", busiest * subgroups * shared);
  if (hasDistinctLoads)
    consider("cache",
             busiest * subgroups * lanes * dynamic([&](const Counts &counts) {
               return double(counts.globalLoadBytes) / cacheRate(chip) +
                      double(counts.asyncBytes) / asyncRate;
             }));
  double rounds = std::ceil(busiest / resident);
  consider("latency", rounds * dynamic([](const Counts &counts) {
                        return counts.latency;
                      }));
  // The matrix units are as fast as they are: what idles is units.
  if (limit.name == std::string_view("matrix") && evenly < 0.98 * perPartition)
    limit.name = "waves";
  return limit;
}

Limit LaunchBound::ofProduct(double macs, ElementType operand) const {
  double whole = macs / (workgroups * subgroups);
  // The more is assumed to be done outside of the loops, the less is left.
  double left = std::max(0.0, whole - getNumMacs(code.all, operand));
  auto dynamic = [&](const Amount &amount) {
    double least = HUGE_VAL;
    for (const CodeLoop &loop : code.loops)
      if (double each = getNumMacs(loop.all, operand); each > 0)
        least = std::min(least, amount(loop.always) / each);
    return amount(code.always) + (least == HUGE_VAL ? 0 : left * least);
  };
  return largest(dynamic, /*hasDistinctLoads=*/hasMatrix());
}

Limit LaunchBound::ofCode(double bytes) const {
  double lanes = workgroups * subgroups * chip.subgroupSize;
  double each = bytes / lanes;
  double straight = double(code.all.globalLoadBytes + code.all.asyncBytes);
  double left = std::max(0.0, each - straight);
  // If all loads are needed, so is the code around them.
  bool needsAll = each > 0 && straight <= 1.001 * each;
  auto dynamic = [&](const Amount &amount) {
    double least = HUGE_VAL;
    for (const CodeLoop &loop : code.loops)
      if (double loaded =
              double(loop.all.globalLoadBytes + loop.all.asyncBytes);
          loaded > 0)
        least = std::min(least, amount(loop.always) / loaded);
    return amount(needsAll ? code.withMemory : code.always) +
           (least == HUGE_VAL ? 0 : left * least);
  };
  Limit limit = largest(dynamic, /*hasDistinctLoads=*/false);
  // A lane has one access of each of its instructions under way.
  double pending = straight;
  for (const CodeLoop &loop : code.loops)
    pending += double(loop.all.globalLoadBytes + loop.all.asyncBytes);
  double underWay = std::min(workgroups, resident * chip.computeUnits) *
                    subgroups * chip.subgroupSize * pending;
  if (bytes > 0 && pending > 0)
    if (double seconds = bytes / underWay * memoryLatency;
        seconds > limit.seconds)
      limit = {seconds, "latency"};
  return limit;
}

//===----------------------------------------------------------------------===//
// The bound of a plan
//===----------------------------------------------------------------------===//

static const KernelUsage *findKernel(const std::vector<KernelUsage> &kernels,
                                     const Launch &launch) {
  auto found = std::ranges::find(kernels, launch.symbol, &KernelUsage::symbol);
  return found == kernels.end() || !found->code ? nullptr : &*found;
}

/// Returns the bound by the code of all launches.
static std::optional<Limit> boundCode(const std::vector<KernelUsage> &kernels,
                                      const LaunchPlan &plan,
                                      const KernelWork &work,
                                      const GpuChip &chip) {
  std::vector<LaunchBound> bounds;
  for (const Launch &launch : plan.launches) {
    const KernelUsage *kernel = findKernel(kernels, launch);
    if (!kernel)
      return std::nullopt;
    bounds.emplace_back(chip, *kernel, launch.geometry);
  }
  // Launches that can't perform the whole product may perform what they can.
  auto isPart = [&](const LaunchBound &bound) {
    return bound.getMostMacs(work.operand) < double(work.macs);
  };
  double macs = double(work.macs);
  for (const LaunchBound &bound : bounds)
    if (isPart(bound))
      macs = std::max(0.0, macs - bound.getMostMacs(work.operand));
  Limit all;
  std::optional<Limit> product; // all of it by the fastest launch
  for (const LaunchBound &bound : bounds) {
    if (work.macs > 0 && !isPart(bound)) {
      Limit one = bound.ofProduct(macs, work.operand);
      if (!product || one.seconds < product->seconds)
        product = one;
      continue;
    }
    Limit one = bound.ofCode(bounds.size() == 1 ? double(work.bytesRead) : 0);
    if (one.seconds > all.seconds)
      all.name = one.name;
    all.seconds += one.seconds;
  }
  if (product) {
    if (product->seconds > all.seconds)
      all.name = product->name;
    all.seconds += product->seconds;
  }
  return all;
}

std::optional<TimeBound>
tonno::boundTime(const std::vector<KernelUsage> &kernels,
                 const LaunchPlan &plan, const KernelWork &work,
                 const GpuChip &chip) {
  auto limit = boundCode(kernels, plan, work, chip);
  if (!limit || plan.launches.empty())
    return std::nullopt;
  double bytes = double(work.bytesRead + work.bytesWritten);
  double memory = bytes / (chip.gigabytes * 1e9);
  if (memory > limit->seconds)
    limit = {memory, "DRAM"};
  double best = std::max(memory, double(work.macs) /
                                     peakMacs(chip, work.operand, work.sum));
  // No unit is faster, whichever executes the product.
  if (best > limit->seconds)
    limit = {best, "peak"};
  if (limit->seconds == 0)
    return std::nullopt;
  return TimeBound{.seconds = limit->seconds,
                   .share = best / limit->seconds,
                   .limit = limit->name};
}
