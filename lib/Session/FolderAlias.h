//===- A folder's name without blanks -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SESSION_FOLDERALIAS_H
#define TONNO_LIB_SESSION_FOLDERALIAS_H

#include <string>

namespace tonno {

/// A folder under a name that every driver takes for one: PoCL, for example,
/// knows no way to write a blank in its options, quoted or not. The name is of
/// this process and those that it starts, and leaves no file behind.
class FolderAlias {
public:
  /// Of a folder without blanks, and of one that can't be opened, its own name.
  explicit FolderAlias(std::string folder);
  FolderAlias(const FolderAlias &) = delete;
  FolderAlias &operator=(const FolderAlias &) = delete;
  ~FolderAlias();

  const std::string &name() const { return alias; }
  /// What a compiler has said of the alias, said of the folder.
  std::string resolve(std::string text) const;

private:
  std::string folder, alias;
  int descriptor = -1;
};

} // namespace tonno

#endif // TONNO_LIB_SESSION_FOLDERALIAS_H
