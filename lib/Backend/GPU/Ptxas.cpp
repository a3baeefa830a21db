//===- NVIDIA's assembler as a program ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ptxas.h"
#include "MemoryFile.h"
#include "PtxasLog.h"
#include "ToolProcess.h"

#include "llvm/ADT/StringExtras.h"

#include <cerrno>
#include <cstring>
#include <optional>
#include <unistd.h>

using namespace tonno;
using Kind = AssemblyFailure::Kind;

namespace {

class Ptxas : public PtxAssembler {
public:
  Ptxas(std::string path, CudaVersion release, std::string build)
      : path(std::move(path)), release(release), build(std::move(build)) {}

  CudaVersion version() const override { return release; }
  std::string description() const override { return "ptxas " + build; }
  Result<Assembly, AssemblyFailure>
  assemble(llvm::StringRef ptx, const GpuChip &chip) const override;

private:
  std::string path;
  CudaVersion release;
  std::string build; ///< "13.0.88"
};

} // namespace

static AssemblyFailure noFile() {
  return {Kind::outside,
          std::string("no file in memory for ptxas: ") + std::strerror(errno)};
}

Result<Assembly, AssemblyFailure> Ptxas::assemble(llvm::StringRef ptx,
                                                  const GpuChip &chip) const {
  if (auto supported = checkSupport(chip); !supported)
    return supported.error();
  // Files in memory leave nothing behind, however this ends.
  Descriptor input = fileInMemory(ptx, /*inherited=*/true);
  Descriptor output = fileInMemory("", /*inherited=*/true);
  if (!input.valid() || !output.valid())
    return noFile();
  Result<ToolRun> run =
      runTool({path, "-v", "-O3", "-arch=" + std::string(chip.name),
               input.path(), "-o", output.path()});
  if (!run)
    return AssemblyFailure{Kind::outside, run.error().message};
  std::string said = withoutPath(run->output, input.path());
  if (!run->succeeded)
    return AssemblyFailure{Kind::refused,
                           assemblerErrors(said, "ptxas ended by " + run->end)};
  if (::lseek(output.get(), 0, SEEK_SET) != 0)
    return noFile();
  std::string cubin = readToEnd(output.get());
  if (cubin.empty())
    return AssemblyFailure{Kind::refused, "ptxas made no machine code"};
  return Assembly{std::move(cubin), std::move(said)};
}

/// From "Cuda compilation tools, release 13.0, V13.0.88".
static std::optional<std::pair<CudaVersion, std::string>>
parseVersion(llvm::StringRef text) {
  llvm::StringRef rest = text.split("release ").second;
  CudaVersion version;
  if (rest.consumeInteger(10, version.major) || !rest.consume_front(".") ||
      rest.consumeInteger(10, version.minor))
    return std::nullopt;
  llvm::StringRef build = rest.split(", V").second;
  build = build.take_while([](char c) { return llvm::isDigit(c) || c == '.'; });
  return std::pair(version, build.empty() ? version.toString() : build.str());
}

std::unique_ptr<PtxAssembler> tonno::startPtxas(const CudaSearch &search) {
  std::optional<std::string> path = findPtxas(search);
  if (!path)
    return nullptr;
  Result<ToolRun> run = runTool({*path, "--version"});
  if (!run || !run->succeeded)
    return nullptr;
  auto version = parseVersion(run->output);
  if (!version)
    return nullptr;
  return std::make_unique<Ptxas>(*path, version->first, version->second);
}
