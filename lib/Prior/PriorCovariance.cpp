//===- Covariances between configurations of different kernels ------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PriorCovariance.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace tonno;
using Eigen::Index;
using Eigen::MatrixXd;

/// Offsets of tasks have this standard deviation: losses of a new task are
/// relative to one configuration, of which nothing is known.
static constexpr double offsetDeviation = 1;

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

size_t PriorCovariance::findFamily(const std::string &kind) {
  std::string name = nameFamily(kind);
  auto found = std::ranges::find(families, name, &Family::name);
  if (found == families.end())
    found = families.insert(families.end(), {name, {}});
  return static_cast<size_t>(found - families.begin());
}

int PriorCovariance::findText(const std::string &text) {
  return textNumbers.try_emplace(text, static_cast<int>(textNumbers.size()))
      .first->second;
}

void PriorCovariance::set(Coordinates &coordinates, Index row, Index column,
                          const Json &value, double length) {
  if (auto number = readNumber(value)) {
    coordinates.numbers(row, column) = toOctaves(*number) / length;
    return;
  }
  coordinates.texts(row, column) = findText(printed(value));
  coordinates.hasTexts = true;
}

static Coordinates makeCoordinates(Index rows, Index columns) {
  return {MatrixXd::Zero(rows, columns),
          Eigen::MatrixXi::Constant(rows, columns, -1)};
}

/// Appends rows of zeros.
static void grow(Coordinates &coordinates, Index rows) {
  Index before = coordinates.numbers.rows();
  if (before >= rows)
    return;
  Index columns = coordinates.numbers.cols();
  coordinates.numbers.conservativeResize(rows, columns);
  coordinates.numbers.bottomRows(rows - before).setZero();
  coordinates.texts.conservativeResize(rows, columns);
  coordinates.texts.bottomRows(rows - before).setConstant(-1);
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
  size_t family = findFamily(op.kind);
  auto findRow = [&](const std::string &coordinate) {
    auto &rows = families[family].rows;
    return rows.try_emplace(coordinate, static_cast<Index>(rows.size()))
        .first->second;
  };
  EncodedTask::Op encoded = {family, op.kind, 1,
                             makeCoordinates(0, result.size)};
  auto setAll = [&](const std::string &coordinate, double length,
                    const auto &getValue) {
    Index row = findRow(coordinate);
    grow(encoded.coordinates, row + 1);
    for (Index i = 0; i < result.size; ++i)
      set(encoded.coordinates, row, i, getValue(static_cast<size_t>(i)),
          length);
  };
  setAll("bits", scales.otherLength, [&](size_t) { return Json(op.bits); });
  for (const auto &[loop, size] : op.sizes)
    setAll("size." + loop, scales.sizeLength,
           [&](size_t) { return Json(size); });
  for (const auto &[name, setting] : op.settings) {
    auto knob = std::ranges::find(task.knobs, setting.knob);
    double length = isTile(name) ? scales.tileLength : scales.otherLength;
    setAll(name, length, [&](size_t i) {
      return knob == task.knobs.end()
                 ? setting.value
                 : points[i][static_cast<size_t>(knob - task.knobs.begin())];
    });
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

EncodedTask
PriorCovariance::encode(const PriorTask &task,
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
  result.own =
      makeCoordinates(static_cast<Index>(task.knobs.size()), result.size);
  for (Index i = 0; i < result.size; ++i)
    for (size_t knob = 0; knob < task.knobs.size(); ++knob)
      set(result.own, static_cast<Index>(knob), i,
          points[static_cast<size_t>(i)][knob], scales.tileLength);
  return result;
}

/// Adds to the squared distance for each coordinate with different texts, or
/// with a text in one only.
static void addTextDistances(const Coordinates &one, const Coordinates &other,
                             double length, MatrixXd &squares) {
  Index rows = std::max(one.texts.rows(), other.texts.rows());
  auto at = [](const Coordinates &of, Index row, Index column) {
    return row < of.texts.rows() ? of.texts(row, column) : -1;
  };
  for (Index j = 0; j < squares.cols(); ++j)
    for (Index i = 0; i < squares.rows(); ++i)
      for (Index row = 0; row < rows; ++row)
        if (at(one, row, i) != at(other, row, j))
          squares(i, j) += 1 / (length * length);
}

/// Returns Matern 5/2 of the distances between the columns.
MatrixXd PriorCovariance::computeMatern(const Coordinates &one,
                                        const Coordinates &other) const {
  Index common = std::min(one.numbers.rows(), other.numbers.rows());
  Eigen::VectorXd ofOne = one.numbers.colwise().squaredNorm();
  Eigen::RowVectorXd ofOther = other.numbers.colwise().squaredNorm();
  MatrixXd squares = -2 * (one.numbers.topRows(common).transpose() *
                           other.numbers.topRows(common));
  squares.colwise() += ofOne;
  squares.rowwise() += ofOther;
  if (one.hasTexts || other.hasTexts)
    addTextDistances(one, other, scales.otherLength, squares);
  auto r = (5 * squares.array().max(0)).sqrt().min(40.0);
  return ((1 + r + r.square() / 3) * (-r).exp()).matrix();
}

MatrixXd PriorCovariance::compute(const EncodedTask &one,
                                  const EncodedTask &other,
                                  bool isSame) const {
  MatrixXd sum = MatrixXd::Zero(one.size, other.size);
  double shared = scales.shared * scales.shared;
  for (const EncodedTask::Op &a : one.ops)
    for (const EncodedTask::Op &b : other.ops)
      if (a.family == b.family)
        sum += (a.kind == b.kind ? 1 : kindCorrelation) * shared * a.share *
               b.share * computeMatern(a.coordinates, b.coordinates);
  if (one.task.features == other.task.features &&
      one.task.knobs == other.task.knobs)
    sum += scales.own * scales.own * computeMatern(one.own, other.own);
  if (one.task.chip != other.task.chip)
    sum *= scales.chipCorrelation;
  if (isSame)
    sum.array() += offsetDeviation * offsetDeviation;
  return sum;
}

Eigen::VectorXd
PriorCovariance::computeVariances(const EncodedTask &task) const {
  Eigen::VectorXd variances(task.size);
  auto column = [](const Coordinates &of, Index i) {
    return Coordinates{of.numbers.col(i), of.texts.col(i), of.hasTexts};
  };
  for (Index i = 0; i < task.size; ++i) {
    EncodedTask one = {task.task, {}, column(task.own, i), 1};
    for (const EncodedTask::Op &op : task.ops)
      one.ops.push_back({op.family, op.kind, op.share, column(op.coordinates, i)});
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
