//===- Micro-benchmarks of the host ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostPeaks.h"
#include "ThreadTeam.h"

#include "tonno/Core/File.h"
#include "tonno/Engine/Budget.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sys/mman.h>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

using namespace tonno;

/// Chains of multiply-adds that do not wait for each other: more than any core
/// has latency times units, and few enough for 16 registers.
static constexpr unsigned chains = 12;

static constexpr size_t pageBytes = 4096;

namespace {

/// Repeats multiply-adds, or passes over memory. What is at `data` is input,
/// and receives a result, so that nothing is left out.
using MacLoop = void (*)(uint64_t rounds, std::byte *data);
using MemoryLoop = void (*)(uint64_t passes, std::byte *data, size_t bytes);

struct MacBenchmark {
  const char *instruction = "";
  double macsOfRound = 0;
  MacLoop run = nullptr;
};

struct MemoryBenchmark {
  MemoryLoop read = nullptr;  ///< all bytes
  MemoryLoop copy = nullptr;  ///< the first half to the second
  MemoryLoop store = nullptr; ///< the same, past the caches; may be null
};

} // namespace

//===----------------------------------------------------------------------===//
// Loops for vectors of a type
//===----------------------------------------------------------------------===//

// The functions of `Ops` are inlined into loops with the target's features, so
// the loops are templates for each set of features.

#define TONNO_DEFINE_LOOPS(set, features)                                      \
  template <typename Ops>                                                      \
  [[gnu::target(features), gnu::noinline]] static void runMacs##set(           \
      uint64_t rounds, std::byte *data) {                                      \
    typename Ops::Vector sums[chains], a, b;                                   \
    for (auto &sum : sums)                                                     \
      sum = Ops::load(data + (&sum - sums) * sizeof sum);                      \
    a = Ops::load(data), b = Ops::load(data + sizeof a);                       \
    for (; rounds > 0; --rounds)                                               \
      for (auto &sum : sums) {                                                 \
        sum = Ops::mac(sum, a, b);                                             \
        asm volatile("" : TONNO_VECTOR_IN_OUT(sum));                           \
      }                                                                        \
    for (auto &sum : sums)                                                     \
      Ops::store(data + (&sum - sums) * sizeof sum, sum);                      \
  }                                                                            \
  template <typename Ops>                                                      \
  [[gnu::target(features), gnu::noinline]] static void readAll##set(           \
      uint64_t passes, std::byte *data, size_t bytes) {                        \
    constexpr size_t size = sizeof(typename Ops::Vector);                      \
    for (; passes > 0; --passes)                                               \
      for (size_t i = 0; i + 8 * size <= bytes; i += 8 * size)                 \
        for (size_t j = 0; j < 8; ++j) {                                       \
          auto value = Ops::load(data + i + j * size);                         \
          asm volatile("" : TONNO_VECTOR_IN_OUT(value));                       \
        }                                                                      \
  }                                                                            \
  template <typename Ops, bool isStreaming>                                    \
  [[gnu::target(features), gnu::noinline]] static void copyHalf##set(          \
      uint64_t passes, std::byte *data, size_t bytes) {                        \
    constexpr size_t size = sizeof(typename Ops::Vector);                      \
    std::byte *to = data + bytes / 2;                                          \
    for (; passes > 0; --passes)                                               \
      for (size_t i = 0; i + 8 * size <= bytes / 2; i += 8 * size)             \
        for (size_t j = 0; j < 8; ++j) {                                       \
          auto value = Ops::load(data + i + j * size);                         \
          if constexpr (isStreaming)                                           \
            Ops::stream(to + i + j * size, value);                             \
          else                                                                 \
            Ops::store(to + i + j * size, value);                              \
        }                                                                      \
  }

#if defined(__x86_64__)
#define TONNO_VECTOR_IN_OUT(value) "+x"(value)
TONNO_DEFINE_LOOPS(Sse, "sse2")
TONNO_DEFINE_LOOPS(Avx, "avx2,fma")
#undef TONNO_VECTOR_IN_OUT
#define TONNO_VECTOR_IN_OUT(value) "+v"(value)
TONNO_DEFINE_LOOPS(Avx512, "avx512f,avx512bw,avx512vnni,avx512bf16")
#elif defined(__aarch64__)
#define TONNO_VECTOR_IN_OUT(value) "+w"(value)
TONNO_DEFINE_LOOPS(Neon, "simd")
#endif

#define TONNO_FOR(features)                                                    \
  [[gnu::target(features), gnu::always_inline]] static inline

namespace {
#if defined(__x86_64__)

struct SseFloat {
  using Vector = __m128;
  TONNO_FOR("sse2") Vector load(const void *from) {
    return _mm_loadu_ps(static_cast<const float *>(from));
  }
  TONNO_FOR("sse2") void store(void *to, Vector v) {
    _mm_storeu_ps(static_cast<float *>(to), v);
  }
  TONNO_FOR("sse2") void stream(void *to, Vector v) {
    _mm_stream_ps(static_cast<float *>(to), v);
  }
  TONNO_FOR("sse2") Vector mac(Vector sum, Vector a, Vector b) {
    return _mm_add_ps(sum, _mm_mul_ps(a, b));
  }
};

struct AvxFloat {
  using Vector = __m256;
  TONNO_FOR("avx2,fma") Vector load(const void *from) {
    return _mm256_loadu_ps(static_cast<const float *>(from));
  }
  TONNO_FOR("avx2,fma") void store(void *to, Vector v) {
    _mm256_storeu_ps(static_cast<float *>(to), v);
  }
  TONNO_FOR("avx2,fma") void stream(void *to, Vector v) {
    _mm256_stream_ps(static_cast<float *>(to), v);
  }
  TONNO_FOR("avx2,fma") Vector mac(Vector sum, Vector a, Vector b) {
    return _mm256_fmadd_ps(a, b, sum);
  }
};

struct AvxDouble : AvxFloat {
  TONNO_FOR("avx2,fma") Vector mac(Vector sum, Vector a, Vector b) {
    return _mm256_castpd_ps(_mm256_fmadd_pd(
        _mm256_castps_pd(a), _mm256_castps_pd(b), _mm256_castps_pd(sum)));
  }
};

struct Avx512Float {
  using Vector = __m512;
  TONNO_FOR("avx512f") Vector load(const void *from) {
    return _mm512_loadu_ps(from);
  }
  TONNO_FOR("avx512f") void store(void *to, Vector v) {
    _mm512_storeu_ps(to, v);
  }
  TONNO_FOR("avx512f") void stream(void *to, Vector v) {
    _mm512_stream_ps(static_cast<float *>(to), v);
  }
  TONNO_FOR("avx512f") Vector mac(Vector sum, Vector a, Vector b) {
    return _mm512_fmadd_ps(a, b, sum);
  }
};

struct Avx512Double : Avx512Float {
  TONNO_FOR("avx512f") Vector mac(Vector sum, Vector a, Vector b) {
    return _mm512_castpd_ps(_mm512_fmadd_pd(
        _mm512_castps_pd(a), _mm512_castps_pd(b), _mm512_castps_pd(sum)));
  }
};

struct Avx512Bf16 : Avx512Float {
  TONNO_FOR("avx512f,avx512bf16") Vector mac(Vector sum, Vector a, Vector b) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(a),
                            reinterpret_cast<__m512bh>(b));
  }
};

struct Avx512Bytes : Avx512Float {
  TONNO_FOR("avx512f,avx512vnni") Vector mac(Vector sum, Vector a, Vector b) {
    return _mm512_castsi512_ps(_mm512_dpbusd_epi32(_mm512_castps_si512(sum),
                                                   _mm512_castps_si512(a),
                                                   _mm512_castps_si512(b)));
  }
};

#elif defined(__aarch64__)

struct NeonFloat {
  using Vector = float32x4_t;
  TONNO_FOR("simd") Vector load(const void *from) {
    return vld1q_f32(static_cast<const float *>(from));
  }
  TONNO_FOR("simd") void store(void *to, Vector v) {
    vst1q_f32(static_cast<float *>(to), v);
  }
  TONNO_FOR("simd") void stream(void *to, Vector v) { store(to, v); }
  TONNO_FOR("simd") Vector mac(Vector sum, Vector a, Vector b) {
    return vfmaq_f32(sum, a, b);
  }
};

struct NeonDouble : NeonFloat {
  TONNO_FOR("simd") Vector mac(Vector sum, Vector a, Vector b) {
    return vreinterpretq_f32_f64(vfmaq_f64(vreinterpretq_f64_f32(sum),
                                           vreinterpretq_f64_f32(a),
                                           vreinterpretq_f64_f32(b)));
  }
};

#endif
} // namespace

//===----------------------------------------------------------------------===//
// The loops of this CPU
//===----------------------------------------------------------------------===//

/// Returns the benchmark of a type's multiply-adds; without a loop if there is
/// none, since a peak that is too low would be no limit. Numbers of 16 bits are
/// computed in f32 where no instruction multiplies them.
static MacBenchmark chooseMacs(const PeakQuery &query) {
  bool isFloat = query.sum == ElementType::f32 || query.sum == ElementType::f64;
  bool isDouble = query.sum == ElementType::f64;
  bool isBytes =
      query.operand == ElementType::i8 && query.sum == ElementType::i32;
  bool isBf16 =
      query.operand == ElementType::bf16 || query.sum == ElementType::bf16;
  bool isHalf =
      query.operand == ElementType::f16 || query.sum == ElementType::f16;
  (void)isBytes, (void)isBf16;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    if (isHalf && __builtin_cpu_supports("avx512fp16"))
      return {};
    if (isBytes && __builtin_cpu_supports("avx512vnni"))
      return {"vpdpbusd zmm", 64 * chains, runMacsAvx512<Avx512Bytes>};
    if (isBf16 && __builtin_cpu_supports("avx512bf16"))
      return {"vdpbf16ps zmm", 32 * chains, runMacsAvx512<Avx512Bf16>};
    if (isDouble)
      return {"vfmadd231pd zmm", 8 * chains, runMacsAvx512<Avx512Double>};
    if (isFloat || isBf16 || isHalf)
      return {"vfmadd231ps zmm", 16 * chains, runMacsAvx512<Avx512Float>};
    return {};
  }
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return {};
  if (isDouble)
    return {"vfmadd231pd ymm", 4 * chains, runMacsAvx<AvxDouble>};
  if (isFloat || isBf16 || isHalf)
    return {"vfmadd231ps ymm", 8 * chains, runMacsAvx<AvxFloat>};
#elif defined(__aarch64__)
  // SVE's vectors may be wider, and 16-bit products twice as fast.
  if (isDouble)
    return {"fmla v.2d", 2 * chains, runMacsNeon<NeonDouble>};
  if (isFloat && !isBf16 && !isHalf)
    return {"fmla v.4s", 4 * chains, runMacsNeon<NeonFloat>};
#endif
  return {};
}

static MemoryBenchmark chooseMemory() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return {readAllAvx512<Avx512Float>, copyHalfAvx512<Avx512Float, false>,
            copyHalfAvx512<Avx512Float, true>};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {readAllAvx<AvxFloat>, copyHalfAvx<AvxFloat, false>,
            copyHalfAvx<AvxFloat, true>};
  return {readAllSse<SseFloat>, copyHalfSse<SseFloat, false>,
          copyHalfSse<SseFloat, true>};
#elif defined(__aarch64__)
  return {readAllNeon<NeonFloat>, copyHalfNeon<NeonFloat, false>, nullptr};
#else
  return {};
#endif
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

static std::string readCacheFile(unsigned index, const char *name) {
  auto text = readFile("/sys/devices/system/cpu/cpu0/cache/index" +
                       std::to_string(index) + "/" + name);
  return text ? *text : std::string();
}

/// Returns the index of the level's cache for data in the system's list.
static std::optional<unsigned> findCache(unsigned level) {
  for (unsigned index = 0; index < 8; ++index)
    if (readCacheFile(index, "level") == std::to_string(level) + "\n" &&
        !readCacheFile(index, "type").starts_with("Instruction"))
      return index;
  return std::nullopt;
}

uint64_t tonno::getCacheBytes(unsigned level) {
  auto index = findCache(level);
  if (!index)
    return 0;
  std::string text = readCacheFile(*index, "size");
  char *unit = nullptr;
  uint64_t size = std::strtoull(text.c_str(), &unit, 10);
  return size << (*unit == 'K' ? 10 : *unit == 'M' ? 20 : 0);
}

unsigned tonno::getCacheSharers(unsigned level) {
  auto index = findCache(level);
  if (!index)
    return 1;
  // A mask in hexadecimal, in groups that commas separate.
  unsigned sharers = 0;
  for (char digit : readCacheFile(*index, "shared_cpu_map"))
    if (std::isxdigit(static_cast<unsigned char>(digit)))
      sharers += static_cast<unsigned>(__builtin_popcount(static_cast<unsigned>(
          std::strtoul(std::string(1, digit).c_str(), nullptr, 16))));
  return std::max(1u, sharers);
}

namespace {

/// Memory of a thread, with its pages in place.
class Pages {
public:
  explicit Pages(size_t bytes) : bytes(bytes) {
    void *mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
      return;
    memory = static_cast<std::byte *>(mapped);
#ifdef MADV_HUGEPAGE
    ::madvise(mapped, bytes, MADV_HUGEPAGE);
#endif
    // Small numbers, which no instruction is slow for.
    std::array<float, pageBytes / sizeof(float)> page;
    for (size_t i = 0; i < page.size(); ++i)
      page[i] = 1.0f / static_cast<float>(1 + i % 64);
    for (size_t i = 0; i + pageBytes <= bytes; i += pageBytes)
      std::memcpy(memory + i, page.data(), pageBytes);
  }
  Pages(const Pages &) = delete;
  ~Pages() {
    if (memory)
      ::munmap(memory, bytes);
  }

  std::byte *memory = nullptr;

private:
  size_t bytes;
};

/// Threads that run a loop at the same time, each on its core.
class Team {
public:
  Team(std::span<const int> cores, size_t bytes)
      : cores(cores.begin(), cores.end()) {
    for (size_t i = 0; i < cores.size(); ++i)
      pages.push_back(std::make_unique<Pages>(bytes));
  }

  bool hasMemory() const {
    return std::ranges::all_of(pages,
                               [](const auto &own) { return own->memory; });
  }

  /// Returns the least seconds of the slowest thread, over some repetitions.
  double time(const std::function<void(std::byte *)> &run, int repeats) {
    std::barrier together(static_cast<ptrdiff_t>(cores.size()));
    std::vector<std::vector<double>> seconds(
        cores.size(), std::vector<double>(static_cast<size_t>(repeats)));
    std::vector<std::thread> threads;
    for (size_t i = 0; i < cores.size(); ++i)
      threads.emplace_back([&, i] {
        (void)useCores(std::span(cores).subspan(i, 1)).ok();
        run(pages[i]->memory); // warms caches and clocks up
        for (double &one : seconds[i]) {
          together.arrive_and_wait();
          double begin = steadySeconds();
          run(pages[i]->memory);
          one = steadySeconds() - begin;
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    double least = HUGE_VAL;
    for (size_t repeat = 0; repeat < size_t(repeats); ++repeat) {
      double slowest = 0;
      for (const std::vector<double> &own : seconds)
        slowest = std::max(slowest, own[repeat]);
      least = std::min(least, slowest);
    }
    return least;
  }

private:
  std::vector<int> cores;
  std::vector<std::unique_ptr<Pages>> pages;
};

} // namespace

/// The least seconds of a repetition, which timers and time slices hardly
/// disturb; and the number of repetitions, of which the best counts. Those that
/// take long need fewer: what disturbs them is in each of them.
static constexpr double leastSeconds = 2e-3;
static constexpr double leastRepeats = 3;
static constexpr double mostRepeats = 8;

/// Returns the seconds of one round, by as many as take long enough.
static double timeRound(Team &team,
                        const std::function<void(uint64_t, std::byte *)> &run) {
  for (uint64_t rounds = 1;; rounds *= 4) {
    double seconds =
        team.time([&](std::byte *data) { run(rounds, data); }, /*repeats=*/1);
    if (seconds < leastSeconds)
      continue;
    auto repeats = static_cast<int>(std::clamp(
        mostRepeats * leastSeconds / seconds, leastRepeats, mostRepeats));
    return team.time([&](std::byte *data) { run(rounds, data); }, repeats) /
           static_cast<double>(rounds);
  }
}

/// Measures the highest rate of reading, copying, and copying past the caches;
/// a copied byte counts twice.
static double measureBandwidth(std::span<const int> cores, size_t bytes) {
  bytes = bytes / pageBytes * pageBytes; // halves are whole vectors, too
  MemoryBenchmark loops = chooseMemory();
  Team team(cores, bytes);
  if (!loops.read || !team.hasMemory())
    return 0;
  double least = HUGE_VAL;
  for (MemoryLoop loop : {loops.read, loops.copy, loops.store})
    if (loop)
      least = std::min(least,
                       timeRound(team, [&](uint64_t passes, std::byte *data) {
                         loop(passes, data, bytes);
                       }));
  return static_cast<double>(bytes * cores.size()) / least;
}

DevicePeaks tonno::measureHostPeaks(std::span<const int> cores,
                                    const PeakQuery &query,
                                    uint64_t mostBytes) {
  DevicePeaks peaks;
  peaks.query = query;
  if (MacBenchmark macs = chooseMacs(query); macs.run) {
    Team team(cores, pageBytes);
    if (team.hasMemory()) {
      peaks.macs = macs.macsOfRound * static_cast<double>(cores.size()) /
                   timeRound(team, macs.run);
      peaks.instruction = macs.instruction;
    }
  }
  uint64_t largest = 0;
  for (unsigned level = 1; uint64_t bytes = getCacheBytes(level); ++level) {
    // Threads share a cache as far as its cores are theirs.
    uint64_t sharers = std::min<uint64_t>(cores.size(), getCacheSharers(level));
    uint64_t share = bytes / sharers;
    largest = std::max(largest, share);
    // Half of it: other data is there, too.
    peaks.memory.push_back({"L" + std::to_string(level), share,
                            measureBandwidth(cores, share / 2)});
  }
  // No cache has much of it left from the pass before.
  constexpr uint64_t least = 16u << 20;
  uint64_t beyond = std::max(4 * largest, least);
  if (beyond * cores.size() <= mostBytes)
    peaks.memory.push_back({"DRAM", 0, measureBandwidth(cores, beyond)});
  return peaks;
}
