//===- The version of tonno -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Version.h"

std::string_view tonno::version() { return TONNO_VERSION; }
