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

/// Parses the spill stores of each function, in bytes of a thread, from a
/// verbose log. Functions that the log does not mention are missing.
std::map<std::string, uint64_t> spillsInLog(llvm::StringRef log);

/// Returns the errors in a log, one a line, at most a few kilobytes;
/// `otherwise` if there are none.
std::string assemblerErrors(llvm::StringRef log, const std::string &otherwise);

/// Replaces the path of the input in a log by "kernel.ptx".
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
  /// Assembles PTX text, which has the chip's name and PTX version.
  virtual Result<Assembly, AssemblyFailure>
  assemble(llvm::StringRef ptx, const GpuChip &chip) const = 0;

  /// Checks that `version` supports the chip. The failure is of kind
  /// unsupported and names the version that does: "sm_120 needs CUDA 12.8 or
  /// newer; this is 12.2".
  Result<void, AssemblyFailure> checkSupport(const GpuChip &chip) const;
};

/// Finds the best assembler for a chip: nvJitLink in this process, else ptxas,
/// which starts a process each time; one that is too old for the chip only if
/// there is no other. Null if none was found, so that only the driver can
/// compile PTX.
std::unique_ptr<PtxAssembler> findPtxAssembler(const CudaSearch &search,
                                               const GpuChip &chip);

/// Loads the nvJitLink library, permanently: the first that has all required
/// functions. Null if there is none.
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
