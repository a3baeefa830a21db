//===- Samples that Python takes ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_PYTHONSAMPLER_H
#define PYTHON_SRC_PYTHONSAMPLER_H

#include "Refusal.h"

#include "tonno/Engine/Frontend.h"

#include <nanobind/nanobind.h>

#include <cmath>

namespace tonno::python {

/// Returns the protocol's options with these changes, by their names.
ProtocolOptions toProtocolOptions(nanobind::handle changes);

/// Returns a `tonno.frontends.CandidateFailed` as a Failure.
inline Failure toFailure(nanobind::handle failed) {
  nanobind::object type =
      nanobind::module_::import_("tonno.frontends").attr("CandidateFailed");
  if (!nanobind::isinstance(failed, type))
    throw Refusal("expected None or a CandidateFailed, not " +
                  nanobind::cast<std::string>(nanobind::repr(failed)));
  auto name = nanobind::cast<std::string>(failed.attr("status"));
  auto status = parseStatus(name);
  if (!status || *status == Status::ok || *status == Status::pruned ||
      *status == Status::bounded)
    throw Refusal("'" + name + "' is no failure of a candidate");
  return {*status, nanobind::cast<std::string>(failed.attr("message"))};
}

/// Calls Python, and returns a CandidateFailed that it raises as a Failure.
/// Whatever else it raises goes through.
template <typename Call>
auto callPython(Call &&call) -> Result<decltype(call()), Failure> {
  nanobind::gil_scoped_acquire locked;
  try {
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      return {};
    } else {
      return call();
    }
  } catch (nanobind::python_error &error) {
    nanobind::object failed =
        nanobind::module_::import_("tonno.frontends").attr("CandidateFailed");
    if (!error.matches(failed))
      throw;
    return toFailure(error.value());
  }
}

/// Calls a `tonno.protocol.Sampler`, or a `tonno.frontends.TrialSampler`.
class PythonSampler : public TrialSampler {
public:
  explicit PythonSampler(nanobind::object sampler)
      : sampler(std::move(sampler)), sampleCall(this->sampler.attr("sample")),
        warmCall(this->sampler.attr("warm")) {}
  ~PythonSampler() override {
    nanobind::gil_scoped_acquire locked;
    sampler.reset();
    sampleCall.reset();
    warmCall.reset();
  }

  Result<double, Failure> sample(size_t entrant) override {
    return callPython([&] { return checkSeconds(sampleCall(entrant)); });
  }
  Result<double, Failure> warm(size_t entrant) override {
    return callPython([&] { return checkSeconds(warmCall(entrant)); });
  }
  Result<double, Failure> launchFirst() override {
    return callPython(
        [&] { return checkSeconds(sampler.attr("launch_first")()); });
  }
  Result<void, Failure> verifyLast() override {
    return callPython([&] { sampler.attr("verify_last")(); });
  }
  double clockSeconds() const override { return steadySeconds(); }
  Result<void, Failure> redraw() override {
    return callPython([&] { sampler.attr("redraw")(); });
  }
  Result<void, Failure> reload() override { return {}; }

private:
  static double checkSeconds(nanobind::handle given) {
    double seconds = nanobind::cast<double>(nanobind::float_(given));
    if (!(seconds > 0 && std::isfinite(seconds)))
      throw Refusal("a sample takes seconds above 0, not " +
                    std::to_string(seconds));
    return seconds;
  }

  nanobind::object sampler, sampleCall, warmCall;
};

} // namespace tonno::python

#endif // PYTHON_SRC_PYTHONSAMPLER_H
