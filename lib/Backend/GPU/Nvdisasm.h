//===- nvdisasm -----------------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_GPU_NVDISASM_H
#define TONNO_LIB_BACKEND_GPU_NVDISASM_H

#include "CudaInstallation.h"

#include "tonno/Core/Result.h"

#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>
#include <vector>

namespace tonno {

/// The instructions of each function, in order, 16 bytes each.
using SassText = std::map<std::string, std::vector<std::string>>;

/// Disassembles a cubin by NVIDIA's nvdisasm. The Error has a remedy.
Result<SassText> printSass(llvm::StringRef cubin, const CudaSearch &search);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_GPU_NVDISASM_H
