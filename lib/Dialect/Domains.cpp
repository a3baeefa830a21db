//===- Domains of knobs ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Dialect/TonnoDialect.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tonno;

static Attribute toAttribute(MLIRContext *context, int64_t value) {
  return IntegerAttr::get(IntegerType::get(context, 64), value);
}

/// Returns the value of an option of type i64.
static std::optional<int64_t> toInteger(Attribute option) {
  auto integer = dyn_cast_if_present<IntegerAttr>(option);
  if (!integer || !integer.getType().isSignlessInteger(64))
    return std::nullopt;
  return integer.getInt();
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

namespace {
struct ArrayDomain
    : DomainAttrInterface::ExternalModel<ArrayDomain, ArrayAttr> {
  uint64_t getNumOptions(Attribute domain) const {
    return cast<ArrayAttr>(domain).size();
  }
  Attribute getOption(Attribute domain, uint64_t index) const {
    return cast<ArrayAttr>(domain)[index];
  }
};

template <typename DenseArray>
Attribute getElementAttr(DenseArray array, uint64_t index) {
  Type type = array.getElementType();
  if constexpr (std::is_floating_point_v<std::decay_t<decltype(array[index])>>)
    return FloatAttr::get(type, array[index]);
  else
    return IntegerAttr::get(type, static_cast<int64_t>(array[index]));
}

/// Domain of dense arrays such as `array<i64: 4, 8>`; the options have the
/// element type.
struct DenseArrayDomain
    : DomainAttrInterface::ExternalModel<DenseArrayDomain, DenseArrayAttr> {
  uint64_t getNumOptions(Attribute domain) const {
    return cast<DenseArrayAttr>(domain).size();
  }
  Attribute getOption(Attribute domain, uint64_t index) const {
    return llvm::TypeSwitch<Attribute, Attribute>(domain)
        .Case<DenseI64ArrayAttr, DenseI32ArrayAttr, DenseI16ArrayAttr,
              DenseI8ArrayAttr, DenseBoolArrayAttr, DenseF64ArrayAttr,
              DenseF32ArrayAttr>(
            [&](auto array) { return getElementAttr(array, index); });
  }
};
} // namespace

void TonnoDialect::registerDomains() {
  MLIRContext &context = *getContext();
  ArrayAttr::attachInterface<ArrayDomain>(context);
  DenseArrayAttr::attachInterface<DenseArrayDomain>(context);
}

//===----------------------------------------------------------------------===//
// Powers of two
//===----------------------------------------------------------------------===//

uint64_t Pow2Attr::getNumOptions() const {
  return llvm::Log2_64(getHigh()) - llvm::Log2_64(getLow()) + 1;
}

Attribute Pow2Attr::getOption(uint64_t index) const {
  return toAttribute(getContext(), getLow() << index);
}

std::optional<uint64_t> Pow2Attr::getOptionIndex(Attribute option) const {
  std::optional<int64_t> value = toInteger(option);
  if (!value || *value < getLow() || *value > getHigh() ||
      !llvm::isPowerOf2_64(*value))
    return std::nullopt;
  return llvm::Log2_64(*value) - llvm::Log2_64(getLow());
}

LogicalResult Pow2Attr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t low, int64_t high) {
  for (int64_t bound : {low, high})
    if (bound < 1 || !llvm::isPowerOf2_64(bound))
      return emitError() << bound << " is not a power of two";
  if (low > high)
    return emitError() << "the lower bound " << low
                       << " is greater than the upper bound " << high;
  return success();
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// Distances between i64 need 64 bits without a sign.
static uint64_t distance(int64_t low, int64_t high) {
  return static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
}

uint64_t RangeAttr::getNumOptions() const {
  return distance(getLow(), getHigh()) / getStep() + 1;
}

Attribute RangeAttr::getOption(uint64_t index) const {
  return toAttribute(getContext(), getLow() + index * getStep());
}

std::optional<uint64_t> RangeAttr::getOptionIndex(Attribute option) const {
  std::optional<int64_t> value = toInteger(option);
  if (!value || *value < getLow() || *value > getHigh() ||
      distance(getLow(), *value) % getStep() != 0)
    return std::nullopt;
  return distance(getLow(), *value) / getStep();
}

LogicalResult RangeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t low, int64_t high, int64_t step) {
  if (low > high)
    return emitError() << "the lower bound " << low
                       << " is greater than the upper bound " << high;
  if (step < 1)
    return emitError() << "the step must be at least 1, not " << step;
  if (distance(low, high) / step >= KnobAttr::kMaxOptions)
    return emitError() << "a range has at most " << KnobAttr::kMaxOptions
                       << " options";
  return success();
}

//===----------------------------------------------------------------------===//
// Permutations
//===----------------------------------------------------------------------===//

uint64_t PermutationsAttr::getNumOptions() const {
  uint64_t count = 1;
  for (int64_t i = 2; i <= getCount(); ++i)
    count *= i;
  return count;
}

Attribute PermutationsAttr::getOption(uint64_t index) const {
  SmallVector<int64_t> left =
      llvm::to_vector(llvm::seq<int64_t>(0, getCount()));
  SmallVector<int64_t> permutation;
  uint64_t block = getNumOptions();
  while (!left.empty()) {
    block /= left.size(); // permutations that begin with the same element
    auto *chosen = left.begin() + index / block;
    index %= block;
    permutation.push_back(*chosen);
    left.erase(chosen);
  }
  return Builder(getContext()).getI64ArrayAttr(permutation);
}

std::optional<uint64_t>
PermutationsAttr::getOptionIndex(Attribute option) const {
  auto array = dyn_cast_if_present<ArrayAttr>(option);
  if (!array || static_cast<int64_t>(array.size()) != getCount())
    return std::nullopt;
  SmallVector<int64_t> left =
      llvm::to_vector(llvm::seq<int64_t>(0, getCount()));
  uint64_t index = 0;
  for (Attribute element : array) {
    std::optional<int64_t> value = toInteger(element);
    auto *found = value ? llvm::find(left, *value) : left.end();
    if (found == left.end())
      return std::nullopt;
    index = index * left.size() + (found - left.begin());
    left.erase(found);
  }
  return index;
}

LogicalResult
PermutationsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         int64_t count) {
  if (count < 1 || count > 8)
    return emitError() << "permutations have 1 to 8 elements, not " << count;
  return success();
}
