//===- Assemblers of PTX --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_GPU_PTXASSEMBLER_H
#define TONNO_LIB_BACKEND_GPU_PTXASSEMBLER_H

#include "tonno/Core/GpuChip.h"
#include "tonno/Core/Occupancy.h"
#include "tonno/Core/Result.h"
#include "llvm/ADT/StringRef.h"
#include "CudaInstallation.h"
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace tonno {

/// The bytes that each function stores when it spills registers, of a thread,
/// from a log that was asked to be verbose. Functions of which it says nothing
/// are missing.
std::map<std::string, uint64_t> spillsInLog(llvm::StringRef log);

/// The errors in a log, one line each, at most a few kilobytes; without any,
/// `otherwise`.
std::string assemblerErrors(llvm::StringRef log, const std::string &otherwise);

/// The log with "kernel.ptx" where it names the input.
std::string withoutPath(llvm::StringRef log, llvm::StringRef path);

/// Why there is no machine code.
struct AssemblyFailure {
  enum class Kind {
    refused,     ///< something is wrong with the PTX, or it asks for too much
    unsupported, ///< this assembler can't do the chip, whatever the PTX
    outside,     ///< it could not run; another time it may
  };
  Kind kind;
  std::string message;
};

/// Machine code and the assembler's log.
struct Assembly {
  std::string cubin; ///< an ELF file that CUDA's driver loads
  std::string log;   ///< of each kernel, spills among others: see spillsInLog
};

/// Makes machine code of PTX. Equal input gives equal bytes.
class PtxAssembler {
public:
  virtual ~PtxAssembler();

  virtual CudaVersion version() const = 0;
  /// Returns name, version and build of the assembler, for fingerprints.
  virtual std::string description() const = 0;
  /// PTX in text, of the chip's name and PTX version.
  virtual Result<Assembly, AssemblyFailure>
  assemble(llvm::StringRef ptx, const GpuChip &chip) const = 0;

  /// Checks that `version` supports the chip. The failure is of kind
  /// unsupported and names the version that does: "sm_120 needs CUDA 12.8 or
  /// newer; this is 12.2".
  Result<void, AssemblyFailure> checkSupport(const GpuChip &chip) const;
};

/// The best assembler there is for a chip: nvJitLink in this process, else
/// ptxas, which costs a process each time; one that is too old for the chip
/// only where no other is there. Null: none was found, and only the driver can
/// make machine code of PTX.
std::unique_ptr<PtxAssembler> findPtxAssembler(const CudaSearch &search,
                                               const GpuChip &chip);

/// The nvJitLink library, loaded for good: the first that has all functions
/// needed. Null: there is none.
std::unique_ptr<PtxAssembler> loadNvJitLink(const CudaSearch &search);

/// Starts the ptxas that was found and reads its version. Null if none works.
std::unique_ptr<PtxAssembler> startPtxas(const CudaSearch &search);

/// Returns the resources that a cubin states, with the spills in the
/// assembler's log (empty: spills are unknown). Instructions are counted
/// without the padding behind the last one; their cycles are the chip's. The
/// Error: this is no cubin.
Result<std::vector<KernelUsage>>
cubinUsage(llvm::StringRef cubin, llvm::StringRef log, const GpuChip &chip);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_GPU_PTXASSEMBLER_H
