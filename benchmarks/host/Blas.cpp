//===- OpenBLAS, found at run time ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Blas.h"

#include <algorithm>
#include <chrono>
#include <dlfcn.h>
#include <limits>
#include <vector>

using namespace tonno;

namespace {
using Text = char *();
using Sgemm = void(int, int, int, int, int, int, float, const float *, int,
                   const float *, int, float, float *, int);
constexpr int rowMajor = 101, noTranspose = 111;
} // namespace

Result<Blas> Blas::load(const std::string &library) {
  void *loaded = ::dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!loaded)
    return Error{
        std::string("no OpenBLAS (of Debian: libopenblas0-pthread): ") +
        ::dlerror()};
  for (const char *name :
       {"openblas_get_corename", "openblas_get_config", "cblas_sgemm"})
    if (!::dlsym(loaded, name))
      return Error{library + " is no OpenBLAS: it has no " + name};
  return Blas(loaded);
}

static std::string ask(void *library, const char *name) {
  return reinterpret_cast<Text *>(::dlsym(library, name))();
}

std::string Blas::core() const { return ask(library, "openblas_get_corename"); }

std::string Blas::configuration() const {
  return ask(library, "openblas_get_config");
}

double Blas::speed() const {
  auto *sgemm = reinterpret_cast<Sgemm *>(::dlsym(library, "cblas_sgemm"));
  double sum = 0;
  for (int size : {256, 1024}) {
    auto elements = size_t(size) * size_t(size);
    std::vector<float> a(elements, 0.5F), b(elements, 0.25F), c(elements);
    double least = std::numeric_limits<double>::infinity();
    for (int run = 0; run < 12; ++run) {
      auto start = std::chrono::steady_clock::now();
      sgemm(rowMajor, noTranspose, noTranspose, size, size, size, 1, a.data(),
            size, b.data(), size, 0, c.data(), size);
      std::chrono::duration<double> elapsed =
          std::chrono::steady_clock::now() - start;
      least = std::min(least, elapsed.count());
    }
    sum += 2e-9 * double(elements) * size / least;
  }
  return sum / 2;
}
