//===- Stub for LLVM without Polly ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "llvm/Plugins/PassPlugin.h"

/// Registers nothing. Debian's LLVM refers to Polly, whose library is in none
/// of the packages that tonno is built with; tonno runs no pass of it.
__attribute__((weak)) llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", "", [](llvm::PassBuilder &) {}};
}
