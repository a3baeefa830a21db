//===- A failure to have again --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/Reproduction.h"
#include "tonno/Core/File.h"
#include "SealedFile.h"

using namespace tonno;

static constexpr SealedFormat reproductionFormat = {"reproduction", 1};

namespace tonno {

static void to_json(Json &json, const Reproduction &reproduction) {
  json = Json{{"kernel", reproduction.kernel},
              {"values", reproduction.values},
              {"status", reproduction.status},
              {"message", reproduction.message},
              {"versions", reproduction.versions},
              {"device", reproduction.device},
              {"source", reproduction.source},
              {"reference_seconds", reproduction.referenceSeconds}};
  putOptional(json, "runner", reproduction.runner);
  putOptional(json, "request", reproduction.request);
  Json files = Json::array();
  for (const auto &[path, bytes] : reproduction.files)
    files.push_back({{"path", path}, {"bytes", Json::binary(bytes)}});
  if (!files.empty())
    json["files"] = std::move(files);
}

static void from_json(const Json &json, Reproduction &reproduction) {
  json.at("kernel").get_to(reproduction.kernel);
  reproduction.values = json.at("values");
  json.at("status").get_to(reproduction.status);
  json.at("message").get_to(reproduction.message);
  json.at("versions").get_to(reproduction.versions);
  json.at("device").get_to(reproduction.device);
  json.at("source").get_to(reproduction.source);
  reproduction.referenceSeconds =
      json.value("reference_seconds", reproduction.referenceSeconds);
  getOptional(json, "runner", reproduction.runner);
  getOptional(json, "request", reproduction.request);
  if (auto files = json.find("files"); files != json.end())
    for (const Json &file : *files)
      reproduction.files[file.at("path").get<std::string>()] =
          file.at("bytes").get_binary();
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
    return Error{"it does not say how the candidate was run"};
  return reproduction;
}
