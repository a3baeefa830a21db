//===- Reproductions of failures ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/Reproduction.h"
#include "tonno/Core/File.h"
#include "SealedFile.h"

using namespace tonno;

static constexpr SealedFormat reproductionFormat = {"reproduction", 1};

namespace tonno {

namespace {
/// A file of Reproduction::files.
struct EmbeddedFile {
  std::string path;
  std::vector<uint8_t> bytes;
};

void mapFields(JsonFields &fields, EmbeddedFile &file) {
  fields("path", file.path);
  fields.binary("bytes", file.bytes);
}
} // namespace

static void mapFields(JsonFields &fields, Reproduction &reproduction) {
  fields("kernel", reproduction.kernel);
  fields("values", reproduction.values);
  fields("status", reproduction.status);
  fields("message", reproduction.message);
  fields("versions", reproduction.versions);
  fields("device", reproduction.device);
  fields("source", reproduction.source);
  if (fields.has("reference_seconds", true))
    fields("reference_seconds", reproduction.referenceSeconds);
  fields("runner", reproduction.runner);
  fields("request", reproduction.request);
  std::vector<EmbeddedFile> files;
  for (const auto &[path, bytes] : reproduction.files)
    files.push_back({path, bytes});
  fields.list("files", files);
  if (!fields.read())
    return;
  for (EmbeddedFile &file : files)
    reproduction.files[file.path] = std::move(file.bytes);
}

} // namespace tonno

void tonno::embedFiles(Reproduction &reproduction) {
  for (const BufferSpec &buffer : reproduction.runner->signature) {
    if (!buffer.input || buffer.input->kind != InputSpec::Kind::npy)
      continue;
    const std::string &path = buffer.input->path;
    std::error_code unknown;
    auto size = std::filesystem::file_size(path, unknown);
    if (unknown || size > mostEmbedded)
      continue;
    if (auto bytes = readFile(path))
      reproduction.files[path].assign(bytes->begin(), bytes->end());
  }
}

Result<void> tonno::extractFiles(Reproduction &reproduction,
                                 const std::filesystem::path &directory) {
  size_t index = 0;
  for (BufferSpec &buffer : reproduction.runner->signature) {
    auto copy = directory / (std::to_string(index++) + ".npy");
    if (!buffer.input)
      continue;
    auto file = reproduction.files.find(buffer.input->path);
    if (file == reproduction.files.end())
      continue;
    if (auto written = writeFileAtomically(
            copy, {reinterpret_cast<const char *>(file->second.data()),
                   file->second.size()});
        !written)
      return written;
    buffer.input->path = copy;
  }
  return {};
}

std::string tonno::encodeReproduction(const Reproduction &reproduction) {
  return seal(reproductionFormat, reproduction);
}

Result<Reproduction> tonno::decodeReproduction(std::string_view bytes) {
  auto json = TONNO_TRY(unseal(reproductionFormat, bytes));
  auto reproduction = decode<Reproduction>(json);
  if (reproduction &&
      reproduction->runner.has_value() != reproduction->request.has_value())
    return Error{"the file does not state how the candidate was run"};
  return reproduction;
}
