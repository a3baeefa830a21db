//===- Who a process is ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProcessDescription.h"
#include "tonno/Core/File.h"
#include "tonno/Core/PrintableText.h"
#include "tonno/Core/ProcessTable.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <pwd.h>
#include <sys/stat.h>
#include <vector>

using namespace tonno;
namespace fs = std::filesystem;

static fs::path procFolder(pid_t process) {
  return fs::path("/proc") / std::to_string(process);
}

static std::optional<uid_t> findUser(pid_t process) {
  struct stat about = {};
  if (::stat(procFolder(process).c_str(), &about) != 0)
    return std::nullopt;
  return about.st_uid;
}

static std::string nameUser(uid_t user) {
  std::vector<char> buffer(1 << 14);
  struct passwd entry = {};
  struct passwd *found = nullptr;
  if (::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) != 0 ||
      !found)
    return std::to_string(user);
  return found->pw_name;
}

/// Its words with blanks between.
static std::string readCommand(pid_t process) {
  constexpr size_t most = 200;
  auto text = readFile(procFolder(process) / "cmdline");
  std::string command = text ? std::move(*text) : std::string();
  while (command.ends_with('\0'))
    command.pop_back();
  std::ranges::replace(command, '\0', ' ');
  if (command.size() > most)
    command = command.substr(0, most) + "...";
  return command;
}

/// The first above it that is not the same program, such as its supervisor.
static pid_t findStarter(pid_t process, const std::string &command) {
  constexpr int most = 4;
  for (int i = 0; i < most && process > 1; ++i) {
    auto stat = readProcessStat(process);
    process = stat ? stat->parent : 0;
    if (readCommand(process) != command)
      break;
  }
  return process;
}

std::string tonno::describeProcess(pid_t process) {
  std::string text = "process " + std::to_string(process);
  std::optional<uid_t> user = findUser(process);
  if (user)
    text += " of user " + nameUser(*user);
  std::string command = readCommand(process);
  if (command.empty())
    return toPrintable(text);
  text += ", '" + command + "'";
  pid_t starter = findStarter(process, command);
  if (starter > 1 && findUser(starter) == user)
    text += ", started by process " + std::to_string(starter) + ", '" +
            readCommand(starter) + "'";
  return toPrintable(text);
}
