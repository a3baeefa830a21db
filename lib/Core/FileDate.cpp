//===- Dates of files -----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/FileDate.h"

#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>

using namespace tonno;
namespace fs = std::filesystem;

static constexpr char dateFormat[] = "%Y-%m-%dT%H:%M:%SZ";

static std::optional<timespec> readFileDate(const fs::path &path) {
  struct stat about = {};
  if (::stat(path.c_str(), &about) != 0)
    return std::nullopt;
  return about.st_mtim;
}

std::string tonno::getFileDate(const fs::path &path) {
  auto date = readFileDate(path);
  std::tm parts = {};
  if (!date || !::gmtime_r(&date->tv_sec, &parts))
    return {};
  char text[sizeof("2026-11-25T18:43:33Z") + 8];
  return std::string(text,
                     std::strftime(text, sizeof(text), dateFormat, &parts));
}

std::optional<double> tonno::getFileAge(const fs::path &path) {
  auto date = readFileDate(path);
  timespec now = {};
  if (!date || ::clock_gettime(CLOCK_REALTIME, &now) != 0)
    return std::nullopt;
  return static_cast<double>(now.tv_sec - date->tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec - date->tv_nsec);
}

static void writeFileDate(const fs::path &path, timespec date) {
  const timespec dates[] = {{0, UTIME_OMIT}, date};
  ::utimensat(AT_FDCWD, path.c_str(), dates, 0);
}

void tonno::copyFileDate(const fs::path &from, const fs::path &to) {
  if (auto date = readFileDate(from))
    writeFileDate(to, *date);
}

void tonno::setFileDate(const fs::path &path, const std::string &date) {
  std::tm parts = {};
  const char *end = ::strptime(date.c_str(), dateFormat, &parts);
  if (end && !*end)
    writeFileDate(path, {::timegm(&parts), 0});
}
