//===- tonno-tune cache merge and prune -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CacheCommands.h"
#include "Terminal.h"

#include "tonno/Cache/MergeCaches.h"
#include "tonno/Cache/PruneCache.h"

using namespace tonno;
namespace cl = llvm::cl;

namespace {

class MergeVerb : public CacheVerb {
public:
  explicit MergeVerb(OptionCategories &categories)
      : CacheVerb("cache merge",
                  "Add the records of other caches. Of two records of a key, "
                  "the one with more evidence stays; one that disagrees is "
                  "kept beside it as a conflict. The order does not matter. "
                  "Exit status: 3 if there are conflicts",
                  categories),
        sources(cl::Positional, cl::OneOrMore, cl::desc("<cache>..."),
                cl::sub(command), input()),
        isJson("json", cl::desc("Print JSON instead of text"), cl::sub(command),
               input()) {
    categories.hideUnrelatedOptions(command);
  }
  int run() const override;

private:
  cl::list<std::string> sources;
  cl::opt<bool> isJson;
};

class PruneVerb : public CacheVerb {
public:
  explicit PruneVerb(OptionCategories &categories)
      : CacheVerb("cache prune",
                  "Remove the records that satisfy all given conditions",
                  categories),
        olderThan("older-than",
                  cl::desc("Records written longer ago: 90s, 30m, 12h, 30d, "
                           "8w"),
                  cl::value_desc("age"), cl::sub(command), select()),
        device("device", cl::desc("Records of the device of this name"),
               cl::value_desc("name"), cl::sub(command), select()),
        madeBy("made-by",
               cl::desc("Records whose versions contain this text, such as "
                        "'tonno 0.9' or 'LLVM 21'"),
               cl::value_desc("text"), cl::sub(command), select()),
        kind("kind",
             cl::desc("Records of this kind, such as peaks, which are then "
                      "measured again; 'cache list' has the kinds"),
             cl::value_desc("name"), cl::sub(command), select()),
        conflicts("conflicts",
                  cl::desc("Records in conflict with a preferred one"),
                  cl::sub(command), select()),
        damaged("damaged",
                cl::desc("Damaged records, which are left out everywhere, "
                         "instead of whole ones"),
                cl::sub(command), select()),
        isDry("dry-run", cl::desc("Remove nothing: report how many would be"),
              cl::sub(command), select()),
        isJson("json", cl::desc("Print JSON instead of text"), cl::sub(command),
               input()) {
    categories.hideUnrelatedOptions(command);
  }
  int run() const override;

private:
  cl::opt<std::string> olderThan, device, madeBy, kind;
  cl::opt<bool> conflicts, damaged, isDry, isJson;
};

} // namespace

std::unique_ptr<CacheVerb>
tonno::createCacheMerge(OptionCategories &categories) {
  return std::make_unique<MergeVerb>(categories);
}

std::unique_ptr<CacheVerb>
tonno::createCachePrune(OptionCategories &categories) {
  return std::make_unique<PruneVerb>(categories);
}

int tonno::reportMerge(const MergeReport &report, bool isJson) {
  if (isJson) {
    Json json = report;
    json["schema"] = cacheSchema;
    answers() << printed(json, 1) << "\n";
  } else {
    answers() << report.added << " added, " << report.replaced << " replaced, "
              << report.kept << " kept, " << report.equal << " equal, "
              << report.conflicts.size() << " in conflict\n";
    for (const std::string &key : report.conflicts)
      answers() << "conflict  " << key << "\n";
    if (!report.conflicts.empty())
      answers() << "'tonno-tune cache show <key>' prints both; 'tonno-tune "
                   "cache prune --conflicts' keeps the preferred ones\n";
  }
  return report.conflicts.empty() ? 0 : exitDiffers;
}

int MergeVerb::run() const {
  auto target = getDirectory();
  if (!target)
    return fail(target.error().message);
  std::vector<CacheDirectory> opened;
  for (const std::string &source : sources) {
    auto cache = CacheDirectory::open(source);
    if (!cache)
      return fail("no cache at '" + source + "' to merge; name its directory");
    opened.push_back(std::move(*cache));
  }
  auto merger = CacheMerger::open(*target, warnOfCache);
  if (!merger)
    return fail(merger.error().message);
  for (const CacheDirectory &source : opened)
    if (auto merged = merger->merge(source, warnOfCache); !merged)
      return fail(merged.error().message);
  return reportMerge(merger->report(), isJson);
}

int PruneVerb::run() const {
  PruneConditions conditions;
  if (!olderThan.empty()) {
    auto age = parseAge(olderThan);
    if (!age)
      return fail("'--older-than': " + age.error().message);
    conditions.olderThanSeconds = *age;
  }
  conditions.device = device;
  conditions.madeBy = madeBy;
  if (!kind.empty()) {
    auto parsed = parseKind(kind);
    if (!parsed)
      return fail(parsed.error().message);
    conditions.kind = *parsed;
  }
  conditions.conflicts = conflicts;
  conditions.damaged = damaged;
  auto cache = open();
  if (!cache)
    return fail(cache.error().message);
  auto report = pruneCache(*cache, conditions, isDry, warnOfCache);
  if (!report)
    return fail(report.error().message);
  if (isJson) {
    Json json = *report;
    json["schema"] = cacheSchema;
    json["dry_run"] = isDry.getValue();
    answers() << printed(json, 1) << "\n";
    return 0;
  }
  answers() << report->removed << (isDry ? " would be removed, " : " removed, ")
            << report->left << " left\n";
  if (report->unknown > 0)
    answers() << report->unknown
              << " state neither device nor versions; only '--older-than', "
                 "'--kind' and '--conflicts' remove them\n";
  return 0;
}
