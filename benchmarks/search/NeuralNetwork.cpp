//===- A small network ----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NeuralNetwork.h"
#include "tonno/Space/Random.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

using namespace tonno;
using Eigen::MatrixXf;
using Eigen::VectorXf;

namespace {

/// Weights that Adam moves.
struct Weights {
  Weights(Eigen::Index rows, Eigen::Index columns, double scale, Random &random)
      : value(rows, columns), mean(MatrixXf::Zero(rows, columns)),
        square(MatrixXf::Zero(rows, columns)) {
    for (float &each : value.reshaped())
      each = static_cast<float>(scale * random.normal());
  }

  void move(const MatrixXf &gradient, size_t step, double rate, double decay) {
    constexpr double keepsMean = 0.9, keepsSquare = 0.999;
    mean = keepsMean * mean + (1 - keepsMean) * gradient;
    square =
        keepsSquare * square + (1 - keepsSquare) * gradient.cwiseAbs2().eval();
    auto count = static_cast<double>(step);
    auto scale =
        static_cast<float>(rate * std::sqrt(1 - std::pow(keepsSquare, count)) /
                           (1 - std::pow(keepsMean, count)));
    value -= (scale * mean.array() / (square.array().sqrt() + 1e-8F)).matrix() +
             static_cast<float>(rate * decay) * value;
  }

  MatrixXf value, mean, square;
};

} // namespace

struct NeuralNetwork::Layers {
  Weights hidden, output; ///< the last row of each is the bias
};

/// Returns the rows with a 1 appended to each.
static MatrixXf withOne(const Rows<float> &rows) {
  MatrixXf matrix(rows.size(), rows.columns() + 1);
  for (size_t row = 0; row < rows.size(); ++row)
    for (size_t column = 0; column <= rows.columns(); ++column)
      matrix(static_cast<Eigen::Index>(row),
             static_cast<Eigen::Index>(column)) =
          column < rows.columns() ? rows[row][column] : 1;
  return matrix;
}

static MatrixXf activate(const MatrixXf &inputs, const Weights &hidden) {
  MatrixXf active(inputs.rows(), hidden.value.cols() + 1);
  active.leftCols(hidden.value.cols()) =
      (inputs * hidden.value).array().tanh().matrix();
  active.rightCols(1).setOnes();
  return active;
}

NeuralNetwork::NeuralNetwork(const Rows<float> &rows,
                             std::span<const double> targets,
                             const Options &options, uint64_t seed) {
  Random random(seed);
  MatrixXf inputs = withOne(rows);
  auto units = static_cast<Eigen::Index>(options.units);
  layers = std::make_unique<Layers>(
      Layers{Weights(inputs.cols(), units,
                     1 / std::sqrt(static_cast<double>(inputs.cols())), random),
             Weights(units + 1, 1, 1 / std::sqrt(static_cast<double>(units)),
                     random)});
  VectorXf wanted(inputs.rows());
  for (Eigen::Index i = 0; i < wanted.size(); ++i)
    wanted[i] = static_cast<float>(targets[static_cast<size_t>(i)]);
  mean = wanted.mean();
  wanted.array() -= static_cast<float>(mean);
  deviation =
      std::max(1e-12, static_cast<double>(wanted.norm()) /
                          std::sqrt(static_cast<double>(wanted.size())));
  wanted /= static_cast<float>(deviation);

  auto &[hidden, output] = *layers;
  for (size_t step = 1; step <= options.steps; ++step) {
    MatrixXf active = activate(inputs, hidden);
    VectorXf error =
        (active * output.value - wanted) / static_cast<float>(wanted.size());
    MatrixXf back = (error * output.value.topRows(units).transpose()).array() *
                    (1 - active.leftCols(units).array().square());
    output.move(active.transpose() * error, step, options.rate, options.decay);
    hidden.move(inputs.transpose() * back, step, options.rate, options.decay);
  }
}

NeuralNetwork::~NeuralNetwork() = default;

std::vector<double> NeuralNetwork::predict(const Rows<float> &rows) const {
  VectorXf found =
      activate(withOne(rows), layers->hidden) * layers->output.value;
  std::vector<double> values;
  for (float each : found)
    values.push_back(mean + deviation * each);
  return values;
}
