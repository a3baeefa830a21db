//===- Samples that Python takes ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_PYTHONSAMPLER_H
#define PYTHON_SRC_PYTHONSAMPLER_H

#include "Refusal.h"

#include "tonno/Engine/Frontend.h"

#include <nanobind/nanobind.h>

#include <cmath>
#include <optional>

namespace tonno::python {

/// The KeyboardInterrupt that ended a session. The session keeps its trials and
/// concludes; then the exception goes on.
class Interruption {
public:
  bool isSet() const { return error.has_value(); }
  /// Keeps a KeyboardInterrupt; returns false for any other exception. Needs
  /// the interpreter's lock.
  bool keep(nanobind::python_error &raised) {
    if (!raised.matches(PyExc_KeyboardInterrupt))
      return false;
    error.emplace(std::move(raised));
    return true;
  }
  /// Returns the exception that was kept, or None.
  nanobind::object get() const {
    return error ? nanobind::borrow(error->value()) : nanobind::none();
  }
  static Failure failure() { return {Status::lost, "interrupted"}; }

private:
  std::optional<nanobind::python_error> error;
};

/// Returns the protocol's options with these changes, by their names.
ProtocolOptions toProtocolOptions(nanobind::handle changes);

/// Returns a `tonno.frontends.CandidateFailed` as a Failure.
inline Failure toFailure(nanobind::handle failed) {
  nanobind::object type =
      nanobind::module_::import_("tonno.frontends").attr("CandidateFailed");
  if (!nanobind::isinstance(failed, type))
    throw Refusal("expected None, text or a CandidateFailed, not " +
                  nanobind::cast<std::string>(nanobind::repr(failed)));
  auto name = nanobind::cast<std::string>(failed.attr("status"));
  auto status = parseStatus(name);
  if (!status || *status == Status::ok || *status == Status::pruned ||
      isHeldBack(*status))
    throw Refusal("'" + name + "' is not a failure status");
  return {*status, nanobind::cast<std::string>(failed.attr("message"))};
}

/// Calls Python, and returns a CandidateFailed that it raises as a Failure, as
/// well as a KeyboardInterrupt that `interruption` keeps if there is one.
/// Whatever else it raises goes through.
template <typename Call>
auto callPython(Call &&call, Interruption *interruption = nullptr)
    -> Result<decltype(call()), Failure> {
  nanobind::gil_scoped_acquire locked;
  if (interruption && interruption->isSet())
    return Interruption::failure();
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
    if (error.matches(failed))
      return toFailure(error.value());
    if (!interruption || !interruption->keep(error))
      throw;
    return Interruption::failure();
  }
}

/// Calls a `tonno.protocol.Sampler`, or a `tonno.frontends.TrialSampler`.
class PythonSampler : public TrialSampler {
  template <typename Call> auto call(Call &&call) {
    return callPython(std::forward<Call>(call), interruption);
  }

public:
  explicit PythonSampler(nanobind::object sampler,
                         Interruption *interruption = nullptr,
                         Objective objective = Objective::time)
      : sampler(std::move(sampler)), sampleCall(this->sampler.attr("sample")),
        warmCall(this->sampler.attr("warm")), interruption(interruption),
        objective(objective) {}
  ~PythonSampler() override {
    nanobind::gil_scoped_acquire locked;
    sampler.reset();
    sampleCall.reset();
    warmCall.reset();
  }

  Result<double, Failure> sample(size_t entrant) override {
    return call([&] { return check(sampleCall(entrant)); });
  }
  Result<double, Failure> warm(size_t entrant) override {
    return call([&] { return check(warmCall(entrant)); });
  }
  Result<double, Failure> launchFirst() override {
    return call([&] { return check(sampler.attr("launch_first")()); });
  }
  Result<void, Failure> verifyLast() override {
    return call([&] { sampler.attr("verify_last")(); });
  }
  double clockSeconds() const override { return steadySeconds(); }
  Result<void, Failure> redraw() override {
    return call([&] { sampler.attr("redraw")(); });
  }
  Result<void, Failure> reload() override { return {}; }

private:
  double check(nanobind::handle given) const {
    double sample = nanobind::cast<double>(nanobind::float_(given));
    bool isOfObjective = objective == Objective::value || sample > 0;
    if (!isOfObjective || !std::isfinite(sample))
      throw Refusal((objective == Objective::value
                         ? "a sample must be a finite value, not "
                         : "a sample must be more than 0 seconds, not ") +
                    std::to_string(sample));
    return sample;
  }

  nanobind::object sampler, sampleCall, warmCall;
  Interruption *interruption;
  Objective objective;
};

} // namespace tonno::python

#endif // PYTHON_SRC_PYTHONSAMPLER_H
