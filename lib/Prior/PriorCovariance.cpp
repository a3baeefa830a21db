//===- Covariances between configurations of different kernels ------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PriorCovariance.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

using namespace tonno;
using Eigen::Index;
using Eigen::MatrixXd;

/// Correlation of what ops of two kinds of one family have in common.
static constexpr double kindCorrelation = 0.5;

/// Returns a number that grows by one with each octave of the value, and with
/// the step from 0 to 1.
static double toOctaves(double value) {
  if (value < 0)
    return -toOctaves(-value);
  return value < 1 ? value : std::log2(value) + 1;
}

/// Returns the number of a value; none for text and lists.
static std::optional<double> readNumber(const Json &value) {
  if (value.is_boolean())
    return value.get<bool>() ? 1 : 0;
  if (value.is_number())
    return value.get<double>();
  return std::nullopt;
}

/// Returns the name of what kinds of ops have in common.
static std::string nameFamily(const std::string &kind) {
  if (kind.ends_with("convolution"))
    return "contraction";
  if (kind.starts_with("reduction"))
    return "reduction";
  return kind;
}

size_t PriorCovariance::findFamily(const std::string &name) {
  auto found = std::ranges::find(families, name, &Family::name);
  if (found == families.end())
    found = families.insert(families.end(), {name, {}});
  return static_cast<size_t>(found - families.begin());
}

/// Returns a coordinate of a configuration; those that were never set are 0.
float &PriorCovariance::cell(size_t family, const std::string &coordinate,
                             Index column, Coordinates &coordinates) {
  auto &rows = families[family].rows;
  Index row = rows.try_emplace(coordinate, static_cast<Index>(rows.size()))
                  .first->second;
  if (Index before = coordinates.rows(); row >= before) {
    coordinates.conservativeResize(row + 1, coordinates.cols());
    coordinates.bottomRows(row + 1 - before).setZero();
  }
  return coordinates(row, column);
}

/// Sets a coordinate of all configurations. Each text has a coordinate of its
/// own, such that two texts differ by 1.
void PriorCovariance::set(size_t family, const std::string &coordinate,
                          double length, std::span<const Json *const> values,
                          Coordinates &coordinates) {
  for (size_t i = 0; i < values.size(); ++i) {
    auto number = readNumber(*values[i]);
    double octaves = number ? toOctaves(*number) : std::numbers::sqrt2 / 2;
    cell(family, number ? coordinate : coordinate + "=" + printed(*values[i]),
         static_cast<Index>(i), coordinates) =
        static_cast<float>(octaves / length);
  }
}

static bool isTile(const std::string &setting) {
  for (const char *key : {"workgroup.", "subgroup.", "reduction.", "thread.",
                          "within.", "fuse.", "knob."})
    if (setting.starts_with(key))
      return true;
  return setting == "split" || setting == "order" || setting == "threads";
}

void PriorCovariance::encodeOp(const OpFeatures &op, const PriorTask &task,
                               std::span<const std::vector<Json>> points,
                               EncodedTask &result) {
  size_t family = findFamily(nameFamily(op.kind));
  EncodedTask::Op encoded = {family, op.kind, 1,
                             Coordinates::Zero(0, result.size)};
  std::vector<const Json *> values(points.size());
  auto setAll = [&](const std::string &coordinate, double length,
                    const Json &value) {
    std::ranges::fill(values, &value);
    set(family, coordinate, length, values, encoded.coordinates);
  };
  setAll("bits", scales.otherLength, op.bits);
  for (const auto &[loop, size] : op.sizes)
    setAll("size." + loop, scales.sizeLength, size);
  for (const auto &[name, setting] : op.settings) {
    auto knob = std::ranges::find(task.knobs, setting.knob);
    double length = isTile(name) ? scales.tileLength : scales.otherLength;
    if (knob == task.knobs.end()) {
      setAll(name, length, setting.value);
      continue;
    }
    for (size_t i = 0; i < points.size(); ++i)
      values[i] = &points[i][static_cast<size_t>(knob - task.knobs.begin())];
    set(family, name, length, values, encoded.coordinates);
    auto row = families[family].rows.find(name);
    if (row != families[family].rows.end() &&
        row->second < encoded.coordinates.rows())
      encoded.knobRows.push_back(row->second);
  }
  result.ops.push_back(std::move(encoded));
}

/// Returns a rough share of the time that iterations of the op take.
static double estimateWork(const OpFeatures &op) {
  double work = op.kind == "contraction" || op.kind == "convolution" ? 0.1 : 1;
  for (const auto &[loop, size] : op.sizes)
    work *= size > 0 ? static_cast<double>(size) : 64;
  return work;
}

/// Returns an op that stands for knobs which belong to no op. Only kernels with
/// the same of them have it in common.
static std::optional<OpFeatures> makeRest(const PriorTask &task) {
  OpFeatures rest;
  for (const std::string &name : task.knobs) {
    bool belongs =
        std::ranges::any_of(task.features.ops, [&](const OpFeatures &op) {
          return std::ranges::any_of(op.settings, [&](const auto &entry) {
            return entry.second.knob == name;
          });
        });
    if (!belongs)
      rest.settings["knob." + name] = {Json(), name};
  }
  if (rest.settings.empty())
    return std::nullopt;
  rest.kind = "knobs";
  for (const auto &[name, setting] : rest.settings)
    rest.kind += " " + setting.knob;
  return rest;
}

EncodedTask PriorCovariance::encode(const PriorTask &task,
                                    std::span<const std::vector<Json>> points) {
  EncodedTask result;
  result.task = task;
  result.size = static_cast<Index>(points.size());
  double all = 0;
  std::vector<double> works;
  for (const OpFeatures &op : task.features.ops) {
    bool varies = std::ranges::any_of(op.settings, [](const auto &entry) {
      return !entry.second.knob.empty();
    });
    if (!varies)
      continue;
    encodeOp(op, task, points, result);
    works.push_back(estimateWork(op));
    all += works.back();
  }
  if (auto rest = makeRest(task)) {
    encodeOp(*rest, task, points, result);
    works.push_back(std::max(all, 1.0));
    all += works.back();
  }
  for (size_t i = 0; i < works.size(); ++i)
    result.ops[i].share = std::sqrt(works[i] / all);
  std::string own = "own";
  for (const std::string &knob : task.knobs)
    own += " " + knob;
  size_t family = findFamily(own);
  result.own = Coordinates::Zero(0, result.size);
  std::vector<const Json *> values(points.size());
  for (size_t knob = 0; knob < task.knobs.size(); ++knob) {
    for (size_t i = 0; i < points.size(); ++i)
      values[i] = &points[i][knob];
    set(family, task.knobs[knob], scales.tileLength, values, result.own);
  }
  return result;
}

/// Adds Matern 5/2 of the distances between the columns, times `factor`.
static void addMatern(const Coordinates &one, const Coordinates &other,
                      double factor, MatrixXd &sum) {
  constexpr Index block = 64; // columns that stay in the cache
  Index common = std::min(one.rows(), other.rows());
  Eigen::VectorXf ofOne = one.colwise().squaredNorm();
  Eigen::MatrixXf squares;
  for (Index first = 0; first < other.cols(); first += block) {
    Index count = std::min(block, other.cols() - first);
    auto part = other.middleCols(first, count);
    squares.noalias() =
        -2 * (one.topRows(common).transpose() * part.topRows(common));
    squares.colwise() += ofOne;
    squares.rowwise() += part.colwise().squaredNorm();
    auto r = squares.array();
    r = (5 * r.max(0.0F)).sqrt().min(40.0F);
    r = (1 + r + r.square() / 3) * (-r).exp();
    sum.middleCols(first, count) += factor * squares.cast<double>();
  }
}

bool tonno::areOfOneKernel(const PriorTask &one, const PriorTask &other) {
  return one.features == other.features && one.knobs == other.knobs;
}

MatrixXd PriorCovariance::compute(const EncodedTask &one,
                                  const EncodedTask &other, bool isSame) const {
  MatrixXd sum = MatrixXd::Zero(one.size, other.size);
  double shared = scales.shared * scales.shared;
  for (const EncodedTask::Op &a : one.ops)
    for (const EncodedTask::Op &b : other.ops)
      if (a.family == b.family)
        addMatern(a.coordinates, b.coordinates,
                  (a.kind == b.kind ? 1 : kindCorrelation) * shared * a.share *
                      b.share,
                  sum);
  if (areOfOneKernel(one.task, other.task))
    addMatern(one.own, other.own, scales.own * scales.own, sum);
  if (one.task.chip != other.task.chip)
    sum *= scales.chipCorrelation;
  if (isSame)
    sum.array() += offsetVariance;
  return sum;
}

MatrixXd
PriorCovariance::computeAll(std::span<const EncodedTask> sources) const {
  Index count = 0;
  for (const EncodedTask &source : sources)
    count += source.size;
  MatrixXd all = MatrixXd::Zero(count, count);
  Index row = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    Index column = 0;
    for (size_t j = 0; j <= i; ++j) {
      all.block(row, column, sources[i].size, sources[j].size) =
          compute(sources[i], sources[j], i == j);
      column += sources[j].size;
    }
    row += sources[i].size;
  }
  all.diagonal().array() += scales.noise * scales.noise;
  return all;
}

Eigen::VectorXd
PriorCovariance::computeVariances(const EncodedTask &task) const {
  Eigen::VectorXd variances(task.size);
  auto column = [](const Coordinates &of, Index i) -> Coordinates {
    return of.col(i);
  };
  for (Index i = 0; i < task.size; ++i) {
    EncodedTask one = {task.task, {}, column(task.own, i), 1};
    for (const EncodedTask::Op &op : task.ops)
      one.ops.push_back(
          {op.family, op.kind, op.share, column(op.coordinates, i)});
    variances[i] = compute(one, one, true)(0, 0);
  }
  return variances;
}

bool PriorCovariance::areRelated(const EncodedTask &one,
                                 const EncodedTask &other) {
  return std::ranges::any_of(one.ops, [&](const EncodedTask::Op &a) {
    return std::ranges::any_of(other.ops, [&](const EncodedTask::Op &b) {
      return a.family == b.family;
    });
  });
}
