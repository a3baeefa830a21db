//===- Lock files ---------------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/LockFile.h"
#include "tonno/Core/File.h"
#include "tonno/Core/Hash.h"
#include "SealedFile.h"

#include <algorithm>

using namespace tonno;
namespace fs = std::filesystem;

static constexpr std::string_view lockHeader =
    "# tonno.lock 1: 'tonno-tune lock' writes this file, 'tonno-tune check' "
    "compares with it";
static constexpr std::string_view lockVersion = "# tonno.lock 1:";
static constexpr SealedFormat binaryFormat = {"binary", 1};

std::string tonno::hashPlan(const LaunchPlan &plan) {
  return sha256(printed(Json(plan)));
}

std::vector<std::string> tonno::findCauses(const LockedKernel &before,
                                           const LockedKernel &now) {
  std::vector<std::string> causes;
  if (before.values != now.values)
    causes.emplace_back("knobs");
  bool isOtherChip = before.chip != now.chip || before.features != now.features;
  // The description of a compiler has the chip in it.
  if (before.versions != now.versions ||
      (before.compiler != now.compiler && !isOtherChip))
    causes.emplace_back("compiler");
  if (isOtherChip)
    causes.emplace_back("chip");
  if (before.ir != now.ir)
    causes.emplace_back("IR");
  return causes;
}

/// Returns a line: the kernel and the chip first, then all other members.
static std::string printLocked(const LockedKernel &locked) {
  Json rest = locked;
  rest.erase("kernel");
  rest.erase("chip");
  return "{\"kernel\":" + printed(Json(locked.kernel)) +
         ",\"chip\":" + printed(Json(locked.chip)) + "," +
         printed(rest).substr(1);
}

Result<LockFile> LockFile::parse(const std::string &text) {
  LockFile lock;
  size_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.ends_with('\r'))
      line.pop_back();
    auto refuse = [&](const std::string &why) {
      return Error{"line " + std::to_string(number) + ": " + why};
    };
    if (++number == 1) {
      if (!line.starts_with(lockVersion))
        return refuse("not a lock file of this version; remove it, and write "
                      "one by 'tonno-tune lock'");
      continue;
    }
    if (line.empty())
      continue;
    if (!line.starts_with('{'))
      return refuse("not an entry; resolve conflicts of a merge, or remove the "
                    "file and write it again by 'tonno-tune lock'");
    auto json = parseJson(line);
    if (!json)
      return refuse(json.error().message);
    auto locked = decode<LockedKernel>(*json);
    if (!locked)
      return refuse(locked.error().message);
    std::pair place(locked->kernel, locked->chip);
    if (!lock.entries.emplace(std::move(place), std::move(*locked)).second)
      return refuse("a second entry of this kernel and chip; remove one");
  }
  if (number == 0)
    return Error{"the file is empty; remove it, and write one by "
                 "'tonno-tune lock'"};
  return lock;
}

std::string LockFile::print() const {
  std::string text = std::string(lockHeader) + "\n";
  for (const auto &[place, locked] : entries)
    text += printLocked(locked) + "\n";
  return text;
}

void LockFile::set(LockedKernel locked) {
  std::pair place(locked.kernel, locked.chip);
  entries.insert_or_assign(std::move(place), std::move(locked));
}

std::vector<std::string> LockFile::add(const LockFile &other) {
  std::vector<std::string> changed;
  for (const auto &[place, locked] : other.entries) {
    auto known = entries.find(place);
    if (known != entries.end() && known->second.ir != locked.ir)
      changed.push_back(locked.kernel);
    entries.insert_or_assign(place, locked);
  }
  return changed;
}

const LockedKernel *LockFile::find(const std::string &kernel,
                                   const std::string &chip,
                                   bool isExact) const {
  if (auto found = entries.find({kernel, chip}); found != entries.end())
    return &found->second;
  if (isExact)
    return nullptr;
  std::vector<std::string> known = chips(kernel);
  return known.size() == 1 ? &entries.at({kernel, known.front()}) : nullptr;
}

std::vector<std::string> LockFile::chips(const std::string &kernel) const {
  std::vector<std::string> chips;
  for (const auto &[place, locked] : entries)
    if (place.first == kernel)
      chips.push_back(place.second);
  return chips;
}

fs::path BinaryDirectory::getFile(const std::string &hash) const {
  return path / (hash + ".artifact");
}

Result<void> BinaryDirectory::store(const Artifact &artifact) const {
  std::error_code failure;
  fs::create_directories(path, failure);
  if (failure)
    return Error{"cannot create the directory '" + path.string() +
                 "': " + failure.message()};
  return writeFileAtomically(getFile(artifact.hash()),
                             seal(binaryFormat, Json(artifact)));
}

Result<std::optional<Artifact>>
BinaryDirectory::find(const LockedKernel &locked) const {
  // A lock file is text that anybody may have edited: no path leads out.
  if (locked.artifact.size() != 64 ||
      locked.artifact.find_first_not_of("0123456789abcdef") !=
          std::string::npos)
    return Error{"the hash '" + locked.artifact + "' of @" + locked.kernel +
                 " in the lock file is not a SHA-256; write the file again by "
                 "'tonno-tune lock'"};
  const fs::path file = getFile(locked.artifact);
  auto bytes = TONNO_TRY(readFileIfAny(file));
  if (!bytes)
    return std::optional<Artifact>();
  auto content = unseal(binaryFormat, *bytes);
  if (!content)
    return content.error().prefixed("'" + file.string() + "'");
  auto artifact = TONNO_TRY(decode<Artifact>(*content));
  if (artifact.hash() != locked.artifact ||
      hashPlan(artifact.plan) != locked.plan)
    return Error{"'" + file.string() +
                 "' has other contents than its name and the lock file state; "
                 "remove it, or fetch it again"};
  return std::optional(std::move(artifact));
}

void tonno::mapFields(JsonFields &fields, LockedKernel &locked) {
  fields("kernel", locked.kernel);
  fields("chip", locked.chip);
  fields("device", locked.device);
  fields("values", locked.values);
  fields("artifact", locked.artifact);
  fields("plan", locked.plan);
  fields("ir", locked.ir);
  fields("features", locked.features, {});
  fields("compiler", locked.compiler);
  fields("versions", locked.versions);
  fields("speedup", locked.speedup);
  fields("limit_share", locked.limitShare);
}
