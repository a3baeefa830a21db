//===- Journals of killed sessions ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/File.h"
#include "tonno/Session/JournaledTrialLog.h"
#include "Fuzz.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace tonno;

namespace {
/// A file with a name, since a journal without one counts as removed.
class NamedFile {
public:
  explicit NamedFile(const std::string &text)
      : path(std::filesystem::temp_directory_path() /
             ("tonno-fuzz-journal-" + std::to_string(::getpid()))) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    require(file.flush().good(), "there is room for it");
  }
  ~NamedFile() { std::filesystem::remove(path); }

  const std::filesystem::path path;
};
} // namespace

/// None if the file is somebody else's.
static std::optional<size_t> countTrials(const std::filesystem::path &path,
                                         bool add) {
  auto journal = Journal::open(path, [](const std::string &) {});
  if (!journal)
    return std::nullopt;
  SearchSpace space({{"BM", {16, 32, "x"}, 0}});
  TrialLog nobody;
  JournaledTrialLog log(**journal, "s", space, nobody);
  for (uint32_t i = 0; i < 3; ++i)
    if (auto past = log.replay({{i}}))
      require(past->status != Status::lost && past->status != Status::contended,
              "what has told nothing is not replayed");
  if (add) {
    require((*journal)->begin("s", Json::object()).ok() &&
                (*journal)->add("s", {}).ok(),
            "whatever it holds, it goes on");
  }
  const JournaledSession *session = (*journal)->find("s");
  return session ? session->trials.size() : 0;
}

static void use(const std::string &text) {
  NamedFile file(text);
  if (!countTrials(file.path, /*add=*/true)) {
    auto left = readFile(file.path);
    require(left.ok() && *left == text, "somebody else's file stays as it is");
    return;
  }
  auto trials = countTrials(file.path, /*add=*/false);
  require(trials == 1, "what was begun and added is there");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(textOf(data, size)), sealed;
  use(text);
  // No mutation finds a checksum.
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    if (auto object = parseJson(text.substr(begin, end - begin));
        object && object->is_object()) {
      std::string line = sealLine(*object);
      require(unsealLine(line) == *object, "a line comes back");
      sealed += line + "\n";
    }
    begin = end + 1;
  }
  use(sealed);
  return 0;
}
