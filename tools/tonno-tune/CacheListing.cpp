//===- tonno-tune cache list and show -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CacheCommands.h"
#include "Terminal.h"

#include "llvm/Support/raw_ostream.h"

using namespace tonno;
namespace cl = llvm::cl;

namespace {

class ListVerb : public CacheVerb {
public:
  explicit ListVerb(OptionCategories &categories)
      : CacheVerb("cache list", "Print a line for each decision", categories),
        kinds("kind",
              cl::desc("Kinds of records: decision (default), latest, trial, "
                       "problem, best, siblings, peaks, other; or all"),
              cl::value_desc("name,..."), cl::CommaSeparated, cl::sub(command),
              select()),
        isJson("json", cl::desc("Print an object a line instead of text"),
               cl::sub(command), input()) {
    categories.hideUnrelatedOptions(command);
  }
  int run() const override;

private:
  Result<std::set<RecordKind>> parseKinds() const;

  cl::list<std::string> kinds;
  cl::opt<bool> isJson;
};

class ShowVerb : public CacheVerb {
public:
  explicit ShowVerb(OptionCategories &categories)
      : CacheVerb("cache show", "Print records whole, with those in conflict",
                  categories),
        keys(cl::Positional, cl::OneOrMore, cl::desc("<key>..."),
             cl::sub(command), input()),
        isJson("json", cl::desc("Print an object a line instead of text"),
               cl::sub(command), input()) {
    categories.hideUnrelatedOptions(command);
  }
  int run() const override;

private:
  cl::list<std::string> keys;
  cl::opt<bool> isJson;
};

} // namespace

std::unique_ptr<CacheVerb>
tonno::createCacheList(OptionCategories &categories) {
  return std::make_unique<ListVerb>(categories);
}

std::unique_ptr<CacheVerb>
tonno::createCacheShow(OptionCategories &categories) {
  return std::make_unique<ShowVerb>(categories);
}

Result<std::set<RecordKind>> ListVerb::parseKinds() const {
  std::set<RecordKind> parsed;
  for (const std::string &name : kinds) {
    if (name == "all")
      return std::set<RecordKind>();
    auto kind = parseKind(name);
    if (!kind)
      return Error{kind.error().message + ", all"};
    parsed.insert(*kind);
  }
  if (parsed.empty())
    parsed.insert(RecordKind::decision);
  return parsed;
}

int ListVerb::run() const {
  auto wanted = parseKinds();
  if (!wanted)
    return fail(wanted.error().message);
  auto cache = open();
  if (!cache)
    return fail(cache.error().message);
  bool isClosed = false;
  auto print = [&](StoredRecord stored) {
    answers() << (isJson ? printed(describeStored(stored))
                         : summarizeStored(stored))
              << "\n";
    answers().flush();
    isClosed = llvm::outs().error() == std::errc::broken_pipe;
    return !isClosed;
  };
  size_t others = cache->visit(*wanted, print, warnOfCache);
  // A reader such as `head` has enough.
  if (isClosed)
    llvm::outs().clear_error();
  if (others > 0 && !isClosed && !isJson && kinds.empty())
    messages() << others << " other records; '--kind=all' lists them\n";
  return 0;
}

int ShowVerb::run() const {
  auto cache = open();
  if (!cache)
    return fail(cache.error().message);
  for (const std::string &prefix : keys) {
    auto key = cache->resolveKey(prefix);
    if (!key)
      return fail(key.error().message);
    auto records = cache->read(*key, warnOfCache);
    if (!records)
      return fail(records.error().message);
    for (const StoredRecord &stored : *records) {
      if (isJson)
        answers() << printed(describeStored(stored)) << "\n";
      else
        answers() << summarizeStored(stored) << "\nkey  " << stored.key << "\n"
                  << printed(stored.record, 2) << "\n";
    }
  }
  return 0;
}
