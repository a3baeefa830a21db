//===- nvdisasm -----------------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Nvdisasm.h"

#include "ToolProcess.h"

#include "tonno/Core/Json.h"

#include "llvm/ADT/StringExtras.h"

#include <cerrno>
#include <cstring>

using namespace tonno;

namespace {

/// An instruction in nvdisasm's JSON.
struct SassLine {
  std::string predicate, opcode, operands;
};

/// A function in nvdisasm's JSON.
struct SassFunction {
  std::string name;
  std::vector<SassLine> instructions;
};

void mapFields(JsonFields &fields, SassLine &line) {
  fields("predicate", line.predicate, {});
  fields("opcode", line.opcode);
  fields("operands", line.operands, {});
}

void mapFields(JsonFields &fields, SassFunction &function) {
  fields("function-name", function.name);
  fields("sass-instructions", function.instructions);
}

} // namespace

/// Formats an instruction as nvdisasm's text has it: "@!P0 BRA 0x1c50".
static std::string format(const SassLine &line) {
  std::string text;
  for (const std::string *part :
       {&line.predicate, &line.opcode, &line.operands})
    if (!part->empty())
      text += (text.empty() ? "" : " ") + *part;
  return text;
}

/// Parses nvdisasm's JSON: an array of the file's properties and of an array of
/// functions.
static std::optional<SassText> parse(const std::string &output) {
  Json json = Json::parse(output, nullptr, /*allow_exceptions=*/false);
  if (!json.is_array() || json.size() < 2)
    return std::nullopt;
  auto functions = decode<std::vector<SassFunction>>(json[1]);
  if (!functions)
    return std::nullopt;
  SassText text;
  for (const SassFunction &function : *functions)
    for (const SassLine &line : function.instructions)
      text[function.name].push_back(format(line));
  return text;
}

Result<SassText> tonno::printSass(llvm::StringRef cubin,
                                  const CudaSearch &search) {
  std::optional<std::string> path = findNvdisasm(search);
  if (!path)
    return Error{"nvdisasm, which disassembles NVIDIA's machine code, was not "
                 "found; install CUDA's binary utilities, or "
                 "'pip install nvidia-cuda-nvdisasm', or give its installation "
                 "by $CUDA_PATH"};
  Descriptor input = fileInMemory(cubin, /*inherited=*/true);
  if (!input.valid())
    return Error{std::string("no file in memory for nvdisasm: ") +
                 std::strerror(errno)};
  auto run = TONNO_TRY(runTool({*path, "--emit-json", input.path()}));
  auto text = run.succeeded ? parse(run.output) : std::nullopt;
  if (text)
    return std::move(*text);
  llvm::StringRef said = llvm::StringRef(run.output).split('\n').first.trim();
  return Error{"'" + *path + "' wrote no JSON (" +
               (run.succeeded ? "exit status 0" : run.end) +
               (run.succeeded || said.empty() ? "" : ": " + said.str()) +
               "); give a newer CUDA by $CUDA_PATH"};
}
