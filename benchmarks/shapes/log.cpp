//===- What a log of shapes costs a call ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   tonno-compile log.mlir --emit=so -o without.so
//   tonno-compile log.mlir --emit=so --log-shapes -o with.so
//   tonno-benchmark-shape-log ./without.so ./with.so THREADS SIZES
//
// Prints the time that the log adds to a call: the median and the quartiles of
// rounds in which both take turns. Each thread calls with this many sizes in
// turn.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <thread>
#include <vector>

namespace {

constexpr int rounds = 41, calls = 1'000'000;
constexpr int64_t mostSizes = 64, rowElements = 4;

using Kernel = void (*)(void **);

Kernel load(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  void *found = library ? dlsym(library, "rows_entry") : nullptr;
  if (!found) {
    (void)std::fprintf(stderr, "error: %s\n", dlerror());
    std::exit(1);
  }
  return reinterpret_cast<Kernel>(found);
}

void callOften(Kernel kernel, int64_t sizes) {
  alignas(64) std::array<float, mostSizes * rowElements> input{}, output{};
  int64_t size = 1;
  std::array<void *, 3> buffers = {input.data(), output.data(), &size};
  for (int i = 0; i < calls; ++i) {
    size = 1 + i % sizes;
    kernel(buffers.data());
  }
}

double takeNanoseconds(Kernel kernel, int threads, int64_t sizes) {
  auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i)
    running.emplace_back(callOften, kernel, sizes);
  for (std::thread &thread : running)
    thread.join();
  std::chrono::duration<double, std::nano> time =
      std::chrono::steady_clock::now() - begin;
  return time.count() / calls;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 5) {
    (void)std::fprintf(stderr, "usage: %s WITHOUT WITH THREADS SIZES\n",
                       argv[0]);
    return 1;
  }
  Kernel without = load(argv[1]), with = load(argv[2]);
  int threads = std::atoi(argv[3]);
  int64_t sizes = std::clamp<int64_t>(std::atoll(argv[4]), 1, mostSizes);
  std::vector<double> added;
  for (int round = 0; round < rounds; ++round) {
    double before = takeNanoseconds(without, threads, sizes);
    added.push_back(takeNanoseconds(with, threads, sizes) - before);
  }
  std::ranges::sort(added);
  std::printf("%d threads, %lld sizes: %.2f ns a call more (%.2f to %.2f)\n",
              threads, static_cast<long long>(sizes), added[rounds / 2],
              added[rounds / 4], added[3 * rounds / 4]);
}
