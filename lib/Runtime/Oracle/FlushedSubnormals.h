//===- Arithmetic without subnormals --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_ORACLE_FLUSHEDSUBNORMALS_H
#define TONNO_LIB_RUNTIME_ORACLE_FLUSHEDSUBNORMALS_H

#include <cstdint>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tonno {

/// While it lives, the processor takes subnormal numbers for 0, in this thread
/// and those that it starts. Does nothing on processors other than x86-64 and
/// AArch64.
class FlushedSubnormals {
public:
  FlushedSubnormals() : before(read()) { write(before | bits); }
  FlushedSubnormals(const FlushedSubnormals &) = delete;
  FlushedSubnormals &operator=(const FlushedSubnormals &) = delete;
  ~FlushedSubnormals() { write(before); }

private:
#if defined(__x86_64__)
  static constexpr uint64_t bits = 0x8040; // of results, and of arguments
  static uint64_t read() { return _mm_getcsr(); }
  static void write(uint64_t control) {
    _mm_setcsr(static_cast<unsigned>(control));
  }
#elif defined(__aarch64__)
  static constexpr uint64_t bits = 1 << 24;
  static uint64_t read() {
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
  }
  static void write(uint64_t control) {
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
  }
#else
  static constexpr uint64_t bits = 0;
  static uint64_t read() { return 0; }
  static void write(uint64_t) {}
#endif

  uint64_t before;
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_ORACLE_FLUSHEDSUBNORMALS_H
