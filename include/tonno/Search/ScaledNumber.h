//===- Numbers beyond those of a double ------- ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_SCALEDNUMBER_H
#define TONNO_SEARCH_SCALEDNUMBER_H

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tonno {

/// A number from 0 up, with the precision of a double and no bound: a space of
/// a thousand knobs has more points than a double counts. Rounds as doubles do.
class ScaledNumber {
public:
  ScaledNumber(double number = 0) { set(number, 0); }

  ScaledNumber operator*(const ScaledNumber &other) const {
    return ScaledNumber(mantissa * other.mantissa, exponent + other.exponent);
  }
  ScaledNumber operator+(const ScaledNumber &other) const {
    if (mantissa == 0 || other.mantissa == 0)
      return mantissa == 0 ? other : *this;
    int64_t common = std::max(exponent, other.exponent);
    return ScaledNumber(scaled(common) + other.scaled(common), common);
  }
  /// Returns the quotient, which must fit a double.
  double operator/(const ScaledNumber &other) const {
    return times2To(mantissa / other.mantissa, exponent - other.exponent);
  }
  /// Returns the double, which may be infinite.
  explicit operator double() const { return times2To(mantissa, exponent); }

private:
  ScaledNumber(double number, int64_t exponent) { set(number, exponent); }

  void set(double number, int64_t scale) {
    int shift = 0;
    mantissa = std::frexp(number, &shift);
    exponent = mantissa == 0 ? 0 : scale + shift;
  }
  double scaled(int64_t common) const {
    return times2To(mantissa, exponent - common);
  }
  static double times2To(double number, int64_t power) {
    return std::ldexp(
        number, static_cast<int>(std::clamp<int64_t>(power, -5000, 5000)));
  }

  double mantissa = 0; ///< 0, or from 1/2 to 1
  int64_t exponent = 0;
};

} // namespace tonno

#endif // TONNO_SEARCH_SCALEDNUMBER_H
