//===- Integers of the command line ---------- ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_INTEGEROPTION_H
#define TONNO_TOOLS_INTEGEROPTION_H

#include "tonno/Tuner/RequestOptions.h"

#include <cstdint>
#include <limits>

namespace tonno {

/// An integer within bounds. A type of its own, since LLVM's parsers of
/// integers are final.
template <typename T, T least, T greatest> struct BoundedInteger {
  BoundedInteger(T value = least) : value(value) {}
  operator T() const { return value; }

  T value;
};

template <typename T, T least = 0, T greatest = std::numeric_limits<T>::max()>
using IntegerOption = llvm::cl::opt<BoundedInteger<T, least, greatest>>;

} // namespace tonno

/// Parses integers as the parser of T does; the error says which ones fit.
template <typename T, T least, T greatest>
class llvm::cl::parser<tonno::BoundedInteger<T, least, greatest>>
    : public llvm::cl::basic_parser<tonno::BoundedInteger<T, least, greatest>> {
  using Value = tonno::BoundedInteger<T, least, greatest>;

public:
  using basic_parser<Value>::basic_parser;

  bool parse(Option &option, StringRef, StringRef text, Value &value) {
    auto parsed = tonno::parseInteger<T>(text, least, greatest);
    if (!parsed)
      return option.error(parsed.error().message);
    value = *parsed;
    return false;
  }
  void printOptionDiff(const Option &option, const Value &,
                       const OptionValue<Value> &, size_t width) const {
    this->printOptionNoValue(option, width);
  }
};

#endif // TONNO_TOOLS_INTEGEROPTION_H
