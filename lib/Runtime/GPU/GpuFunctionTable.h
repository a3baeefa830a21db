//===- Rows of a vendor's table -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_GPU_GPUFUNCTIONTABLE_H
#define TONNO_LIB_RUNTIME_GPU_GPUFUNCTIONTABLE_H

#include "tonno/Runtime/GpuDriver.h"

namespace tonno {

/// Stores a symbol in the member that has its type.
template <auto member> void bindSymbol(GpuFunctions &functions, void *symbol) {
  using Pointer = std::remove_reference_t<decltype(functions.*member)>;
  functions.*member = reinterpret_cast<Pointer>(symbol);
}

template <auto member> constexpr GpuFunctionName required(const char *name) {
  return {name, bindSymbol<member>, true};
}

template <auto member> constexpr GpuFunctionName optional(const char *name) {
  return {name, bindSymbol<member>, false};
}

/// "GPU-00112233-4455-6677-8899-aabbccddeeff", as vendors' tools print it.
std::string formatUuid(const GpuUuid &uuid);

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_GPU_GPUFUNCTIONTABLE_H
