//===- A small network ----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BENCHMARKS_SEARCH_NEURALNETWORK_H
#define TONNO_BENCHMARKS_SEARCH_NEURALNETWORK_H

#include "tonno/Space/Encoding.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tonno {

/// Network with one hidden layer of tanh units, fitted to the squared error of
/// all rows at once by Adam (D. P. Kingma and J. Ba, "Adam", 2015), with weight
/// decay.
class NeuralNetwork {
public:
  struct Options {
    size_t units = 32;
    size_t steps = 200;
    double rate = 0.02;
    double decay = 1e-3; ///< of weights, for each step, times the rate
  };

  /// Fits the network to at least one row, with a target for each.
  NeuralNetwork(const Rows<float> &rows, std::span<const double> targets,
                const Options &options, uint64_t seed);
  ~NeuralNetwork();

  std::vector<double> predict(const Rows<float> &rows) const;

private:
  struct Layers;
  std::unique_ptr<Layers> layers;
  double mean = 0, deviation = 1; ///< of the targets
};

} // namespace tonno

#endif // TONNO_BENCHMARKS_SEARCH_NEURALNETWORK_H
