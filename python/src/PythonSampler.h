//===- Samples that Python takes ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_PYTHONSAMPLER_H
#define PYTHON_SRC_PYTHONSAMPLER_H

#include "Refusal.h"

#include "tonno/Timing/Protocol.h"

#include <nanobind/nanobind.h>

#include <chrono>
#include <cmath>
#include <vector>

namespace tonno::python {

/// Takes samples by calling Python. What that raises ends the measurement.
class PythonSampler : public Sampler {
public:
  double clockSeconds() const override {
    std::chrono::duration<double> now =
        std::chrono::steady_clock::now().time_since_epoch();
    return now.count();
  }
  Result<void, Failure> redraw() override { return {}; }
  Result<void, Failure> reload() override { return {}; }

protected:
  static double checkSeconds(double seconds) {
    if (!(seconds > 0 && std::isfinite(seconds)))
      throw Refusal("a sample takes seconds above 0, not " +
                    std::to_string(seconds));
    return seconds;
  }
};

/// Entrants that are callables without arguments. One that returns None is
/// timed by the clock, any other returns its seconds.
class CallableSampler : public PythonSampler {
public:
  explicit CallableSampler(std::vector<nanobind::object> entrants)
      : entrants(std::move(entrants)) {}

  Result<double, Failure> sample(size_t entrant) override {
    last = entrant;
    double begin = clockSeconds();
    nanobind::object returned = entrants[entrant]();
    double end = clockSeconds();
    return checkSeconds(returned.is_none() ? end - begin
                                           : nanobind::cast<double>(
                                                 nanobind::float_(returned)));
  }
  /// The entrant that was called last.
  size_t running() const { return last; }

private:
  std::vector<nanobind::object> entrants;
  size_t last = 0;
};

} // namespace tonno::python

#endif // PYTHON_SRC_PYTHONSAMPLER_H
