//===- ptxas --------------------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "PtxAssembler.h"
#include "ToolProcess.h"
#include <cerrno>
#include <cstring>
#include <optional>
#include <unistd.h>

using namespace tonno;

using llvm::StringRef;

static constexpr size_t mostBytes = 2000;

/// Returns the function of a line "ptxas info    : Function properties for
/// 'name'".
static StringRef functionIn(StringRef line) {
  return line.split("Function properties for ").second.trim("':");
}

/// Parses the number in a line "0 bytes stack frame, 8 bytes spill stores,
/// ...".
static bool parseSpills(StringRef line, uint64_t &bytes) {
  StringRef before = line.split(" bytes spill stores").first;
  StringRef number = before.substr(before.rfind(' ') + 1);
  return before.size() < line.size() && !number.getAsInteger(10, bytes);
}

std::map<std::string, uint64_t> tonno::spillsInLog(StringRef log) {
  std::map<std::string, uint64_t> spills;
  llvm::SmallVector<StringRef> lines;
  log.split(lines, '\n');
  StringRef function;
  for (StringRef line : lines) {
    if (StringRef name = functionIn(line); !name.empty())
      function = name;
    if (uint64_t bytes; !function.empty() && parseSpills(line, bytes))
      spills[function.str()] = bytes;
  }
  return spills;
}

std::string tonno::assemblerErrors(StringRef log,
                                   const std::string &otherwise) {
  std::string errors;
  llvm::SmallVector<StringRef> lines;
  log.split(lines, '\n');
  for (StringRef line : lines) {
    if (!line.contains_insensitive("error") && !line.contains("fatal"))
      continue;
    if (errors.size() + line.size() > mostBytes)
      return errors.empty() ? line.take_front(mostBytes).str() + " ..."
                            : errors + "\n...";
    errors += (errors.empty() ? "" : "\n") + line.trim().str();
  }
  return errors.empty() ? otherwise : errors;
}

std::string tonno::withoutPath(StringRef log, StringRef path) {
  std::string text;
  while (!log.empty()) {
    auto [before, after] = log.split(path);
    text += before;
    if (before.size() < log.size())
      text += "kernel.ptx";
    log = after;
  }
  return text;
}

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
  TONNO_TRY(checkSupport(chip));
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

/// Parses "Cuda compilation tools, release 13.0, V13.0.88".
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

PtxAssembler::~PtxAssembler() = default;

Result<void, AssemblyFailure>
PtxAssembler::checkSupport(const GpuChip &chip) const {
  if (version() >= chip.cuda)
    return {};
  return AssemblyFailure{AssemblyFailure::Kind::unsupported,
                         std::string(chip.name) + " needs CUDA " +
                             chip.cuda.toString() + " or newer; this is " +
                             version().toString()};
}

std::unique_ptr<PtxAssembler> tonno::findPtxAssembler(const CudaSearch &search,
                                                      const GpuChip &chip) {
  std::unique_ptr<PtxAssembler> library = loadNvJitLink(search);
  if (library && library->checkSupport(chip))
    return library;
  std::unique_ptr<PtxAssembler> program = startPtxas(search);
  if (program && (!library || program->checkSupport(chip)))
    return program;
  return library;
}
