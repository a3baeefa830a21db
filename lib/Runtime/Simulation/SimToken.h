//===- Registers that stand for values to come ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_SIMULATION_SIMTOKEN_H
#define TONNO_LIB_RUNTIME_SIMULATION_SIMTOKEN_H

#include <cstdint>

namespace tonno {

/// Content of a register that an asynchronous instruction is to write: a quiet
/// NaN with 15 bits for the number of the values and 7 for the register among
/// them.
class SimToken {
public:
  static constexpr uint32_t mostValues = 0x7fff, mostRegisters = 128;

  static uint32_t make(uint32_t values, uint32_t index) {
    return base | values << 7 | index;
  }
  explicit SimToken(uint32_t word) : word(word) {}

  bool isToken() const { return (word & base) == base && !(word >> 31); }
  uint32_t values() const { return word >> 7 & mostValues; }
  uint32_t index() const { return word % mostRegisters; }

private:
  static constexpr uint32_t base = 0x7fc00000;
  uint32_t word;
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_SIMULATION_SIMTOKEN_H
