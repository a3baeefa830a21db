//===- The verbs of tonno-tune cache --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_CACHECOMMANDS_H
#define TONNO_TOOLS_CACHECOMMANDS_H

#include "Commands.h"

#include "tonno/Cache/CacheDirectory.h"
#include "tonno/Cache/MergeCaches.h"
#include "tonno/Cache/TrialFiles.h"

namespace tonno {

/// Begins every JSON document of these verbs. It grows if a member is removed
/// or changes its meaning. docs/guide/cache.md lists the members.
inline constexpr int cacheSchema = 1;

/// Exit status: the answer is no, or something needs a look. Errors are 1.
inline constexpr int exitDiffers = 3;

/// A verb: `tonno-tune cache list`. LLVM has no nested subcommands, so that the
/// name has both words, which `joinCacheVerb` makes one.
class CacheVerb {
public:
  virtual ~CacheVerb() = default;

  bool isGiven() const { return bool(command); }
  virtual int run() const = 0;

protected:
  CacheVerb(const char *name, const char *help, OptionCategories &categories);

  /// Returns the cache that the options name.
  Result<CacheDirectory> open() const;
  Result<std::string> getDirectory() const;
  llvm::cl::cat input() {
    return llvm::cl::cat(categories[OptionGroup::input]);
  }
  llvm::cl::cat select() {
    return llvm::cl::cat(categories[OptionGroup::cache]);
  }

  OptionCategories &categories;
  llvm::cl::SubCommand command;

private:
  RequestOptions place;
};

/// Prints a warning of the cache on standard error.
void warnOfCache(const std::string &message);
/// Parses a value of '--kind'. The Error lists the kinds.
Result<RecordKind> parseKind(const std::string &name);
/// Returns the first digits of a key, as people and `show` take them.
std::string abbreviateKey(const std::string &key);
/// Returns a stored record as JSON.
Json describeStored(const StoredRecord &stored);
/// Returns a line that describes a record; without its end.
std::string summarizeStored(const StoredRecord &stored);

/// Prints the numbers of a merge. Returns the exit status.
int reportMerge(const MergeReport &report, bool isJson);

/// All verbs.
class CacheCommands {
public:
  explicit CacheCommands(OptionCategories &categories);
  ~CacheCommands();

  /// Returns the verb that the command line has; null if it has none.
  const CacheVerb *given() const;

private:
  std::vector<std::unique_ptr<CacheVerb>> verbs;
};

std::unique_ptr<CacheVerb> createCacheList(OptionCategories &categories);
std::unique_ptr<CacheVerb> createCacheShow(OptionCategories &categories);
std::unique_ptr<CacheVerb> createCacheWhyMiss(OptionCategories &categories);
std::unique_ptr<CacheVerb> createCacheDiff(OptionCategories &categories);
std::unique_ptr<CacheVerb> createCacheMerge(OptionCategories &categories);
std::unique_ptr<CacheVerb> createCachePrune(OptionCategories &categories);
std::unique_ptr<CacheVerb> createCacheExport(OptionCategories &categories);
std::unique_ptr<CacheVerb> createCacheImport(OptionCategories &categories);

/// Joins `cache` and its verb to one word. Prints the help of `tonno-tune
/// cache`, or an error that lists the verbs, and ends the program, if there is
/// no verb.
void joinCacheVerb(int &argc, char **argv);

} // namespace tonno

#endif // TONNO_TOOLS_CACHECOMMANDS_H
