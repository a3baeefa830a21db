//===- The work of instructions of x86 ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InstructionWork.h"

using namespace llvm;
using namespace tonno;

/// Returns the operations of a lane, and takes the operation off the name:
/// "VFMADD231PSZrm" leaves "231PSZrm".
static double consumeOperation(StringRef &name) {
  name.consume_front("V");
  for (StringRef fused :
       {"FMADDSUB", "FMSUBADD", "FNMADD", "FNMSUB", "FMADD", "FMSUB"})
    if (name.consume_front(fused))
      return 2;
  for (StringRef single :
       {"ADDSUB", "ADD", "SUB", "MUL", "DIV", "MIN", "MAX", "SQRT"})
    if (name.consume_front(single)) {
      name.consume_front("C"); // VMINCPS
      return 1;
    }
  return 0;
}

double tonno::countFlops(StringRef name, double vectorBytes) {
  if (name.consume_front("VDPBF16PS")) // two products a lane
    return 4 * vectorBytes / sizeof(float);
  double operations = consumeOperation(name);
  name = name.drop_while([](char c) { return c >= '0' && c <= '9'; });
  if (operations == 0 || name.size() < 2)
    return 0;
  bool isPacked = name[0] == 'P';
  if (!isPacked && name[0] != 'S')
    return 0;
  double lane = name[1] == 'S'   ? 4
                : name[1] == 'D' ? 8
                : name[1] == 'H' ? 2
                                 : 0;
  // ADD64ri8 and the like have no such letters.
  if (lane == 0)
    return 0;
  return operations * (isPacked ? vectorBytes / lane : 1);
}

bool tonno::isScalarAccess(StringRef name) {
  return name.contains("BROADCASTS") || name.contains("mb") ||
         name.contains("SSr") || name.contains("SSm") ||
         name.contains("SSZr") || name.contains("SSZm") ||
         name.contains("SDr") || name.contains("SDm") ||
         name.contains("SDZr") || name.contains("SDZm");
}

double tonno::countBytes(StringRef name, const MCInstrDesc &desc,
                         double vectorBytes) {
  if ((!desc.mayLoad() && !desc.mayStore()) || desc.isCall() ||
      desc.isReturn() || desc.isBranch())
    return 0;
  bool isDouble = name.contains("SD") || name.contains("PD");
  if (isScalarAccess(name))
    return isDouble ? 8 : 4;
  if (vectorBytes > 0)
    return vectorBytes;
  return name.contains("32")                          ? 4
         : name.contains("16")                        ? 2
         : name.contains("8r") || name.contains("8m") ? 1
                                                      : 8;
}
