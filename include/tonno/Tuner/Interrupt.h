//===- Interrupt.h - Ctrl-C and SIGTERM -------------------------*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_TUNER_INTERRUPT_H
#define TONNO_TUNER_INTERRUPT_H

namespace tonno {

/// While it lives, the first SIGINT or SIGTERM only sets a flag, so that a
/// session can end in order; the second one ends the process at once.
class InterruptScope {
public:
  InterruptScope();
  ~InterruptScope();

  /// The signal that came, or 0.
  static int received();
};

} // namespace tonno

#endif // TONNO_TUNER_INTERRUPT_H
