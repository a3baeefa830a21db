//===- tonno-tune cache ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CacheCommands.h"
#include "Terminal.h"

#include "tonno/Cache/RecordStore.h"
#include "tonno/Core/Duration.h"
#include "tonno/Core/FileDate.h"
#include "tonno/Session/Progress.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace tonno;
namespace cl = llvm::cl;

static constexpr llvm::StringRef placeFlags[] = {"cache-dir"};

namespace {

struct VerbHelp {
  const char *name;
  const char *joined; ///< with `cache`
  const char *help;
};

} // namespace

static constexpr VerbHelp verbHelp[] = {
    {"list", "cache list", "Print a line for each decision"},
    {"show", "cache show", "Print records whole, with those in conflict"},
    {"why-miss", "cache why-miss",
     "Explain why tuning finds no decision: the fields that differ from the "
     "nearest one"},
    {"diff", "cache diff", "Compare two records, or two caches"},
    {"merge", "cache merge",
     "Add the records of other caches; conflicts stay visible"},
    {"prune", "cache prune", "Remove records by age, device or versions"},
    {"export", "cache export", "Write a kernel's trials as T4 or CSV"},
    {"import", "cache import", "Add the trials of a T4 file of cache export"},
};

static void printVerbs(llvm::raw_ostream &stream) {
  for (const VerbHelp &verb : verbHelp)
    stream << "  " << llvm::left_justify(verb.name, 10) << verb.help << "\n";
}

static void printCacheHelp(llvm::raw_ostream &stream) {
  stream << "OVERVIEW: looks at the cache of decisions, and maintains it\n\n"
            "USAGE: tonno-tune cache <verb> [options]\n\nVERBS:\n\n";
  printVerbs(stream);
  stream << "\nEXAMPLES:\n\n"
            "  tonno-tune cache list\n"
            "  tonno-tune cache show 3f2a91c0\n"
            "  tonno-tune cache why-miss matmul.mlir --effort=full\n"
            "  tonno-tune cache merge /shared/tonno-cache\n"
            "  tonno-tune cache prune --older-than=90d --dry-run\n"
            "  tonno-tune cache export 3f2a91c0 --format=csv -o matmul.csv\n"
            "\nEXIT STATUS:\n\n"
            "  0    done; why-miss: the cache has the decision; diff: equal\n"
            "  1    an error\n"
            "  3    why-miss: a miss; diff: different; merge and import: there "
            "are conflicts\n"
            "\n'tonno-tune cache <verb> --help' lists the options of a verb. "
            "The cache is the directory of '--cache-dir', else "
            "$TONNO_CACHE_DIR, else .tonno-cache.\n";
}

void tonno::joinCacheVerb(int &argc, char **argv) {
  if (argc < 2 || llvm::StringRef(argv[1]) != "cache")
    return;
  llvm::StringRef name = argc > 2 ? argv[2] : "";
  if (name.ltrim('-') == "help" || name == "-h") {
    printCacheHelp(answers());
    answers().flush();
    std::exit(0);
  }
  for (const VerbHelp &verb : verbHelp)
    if (name == verb.name) {
      argv[1] = const_cast<char *>(verb.joined); // LLVM only reads it
      std::move(argv + 3, argv + argc, argv + 2);
      argv[--argc] = nullptr;
      return;
    }
  fail(name.empty() ? "'tonno-tune cache' needs a verb"
                    : "'tonno-tune cache' has no verb '" + name.str() + "'");
  messages() << "the verbs are:\n";
  printVerbs(messages());
  std::exit(1);
}

CacheVerb::CacheVerb(const char *name, const char *help,
                     OptionCategories &categories)
    : categories(categories), command(name, help),
      place(categories, placeFlags, command) {}

Result<std::string> CacheVerb::getDirectory() const {
  auto request = TONNO_TRY(place.request());
  return resolveCacheDirectory(request.cacheDirectory);
}

Result<CacheDirectory> CacheVerb::open() const {
  return CacheDirectory::open(TONNO_TRY(getDirectory()));
}

void tonno::warnOfCache(const std::string &message) {
  messages() << "tonno-tune: warning: " << message << "\n";
}

std::string tonno::abbreviateKey(const std::string &key) {
  constexpr size_t digits = 12;
  return key.substr(0, digits);
}

Json tonno::describeStored(const StoredRecord &stored) {
  return {
      {"schema", cacheSchema},         {"key", stored.key},
      {"kind", stored.kind},           {"written", getFileDate(stored.path)},
      {"conflict", stored.isConflict}, {"record", stored.record}};
}

/// Describes a decision: its verdict, kernel and device.
static std::string summarizeDecision(const StoredRecord &stored) {
  auto decision = decode<DecisionRecord>(stored.record);
  if (!decision)
    return decision.error().message;
  auto question = stored.record.find(questionMember);
  std::string device =
      question == stored.record.end()
          ? "device not stated"
          : question->value("device", std::string("device not stated"));
  std::string text;
  llvm::raw_string_ostream stream(text);
  const Comparison &comparison = decision->comparison;
  stream << llvm::left_justify(toString(comparison.verdict), 12);
  if (comparison.verdict != Verdict::no_baseline)
    stream << llvm::format("%5.2fx [%.2f, %.2f]  ", comparison.speedup,
                           comparison.speedupInterval.low,
                           comparison.speedupInterval.high);
  stream << llvm::left_justify(formatSeconds(comparison.chosenSeconds()), 9)
         << " @" << decision->kernel << "  " << device;
  if (comparison.contended)
    stream << "  (contended)";
  return text;
}

static std::string summarizeTrial(const StoredRecord &stored) {
  auto trial = decode<TrialRecord>(stored.record);
  if (!trial)
    return trial.error().message;
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::left_justify(toString(trial->status), 18)
         << llvm::left_justify(
                trial->measurement
                    ? formatSeconds(trial->measurement->seconds.median)
                    : "",
                9)
         << " " << formatValues(trial->values);
  return text;
}

Result<RecordKind> tonno::parseKind(const std::string &name) {
  if (auto kind = parseEnum<RecordKind>(name))
    return *kind;
  std::string known;
  for (std::string_view each : getEnumNames(RecordKind()).names)
    known += (known.empty() ? "" : ", ") + std::string(each);
  return Error{"unknown kind '" + name +
               "' of '--kind'; the kinds are: " + known};
}

std::string tonno::summarizeStored(const StoredRecord &stored) {
  std::string text = abbreviateKey(stored.key) + "  " +
                     getFileDate(stored.path).substr(0, 10) + "  ";
  if (stored.isConflict)
    text += "CONFLICT ";
  switch (stored.kind) {
  case RecordKind::latest:
    text += "latest  ";
    [[fallthrough]];
  case RecordKind::decision:
    return text + summarizeDecision(stored);
  case RecordKind::trial:
    return text + summarizeTrial(stored);
  case RecordKind::problem: {
    auto problem = decode<ProblemRecord>(stored.record);
    return text + "problem  " +
           (problem ? problem->identity.device + "  kernel " +
                          abbreviateKey(problem->identity.kernelHash)
                    : problem.error().message);
  }
  case RecordKind::peaks:
    return text + "peaks  " + stored.record.value("device", "");
  case RecordKind::best:
  case RecordKind::siblings:
  case RecordKind::other:
    return text + std::string(toString(stored.kind));
  }
  return text;
}

CacheCommands::CacheCommands(OptionCategories &categories) {
  for (auto *create : {createCacheList, createCacheShow, createCacheWhyMiss,
                       createCacheDiff, createCacheMerge, createCachePrune,
                       createCacheExport, createCacheImport})
    verbs.push_back(create(categories));
}

CacheCommands::~CacheCommands() = default;

const CacheVerb *CacheCommands::given() const {
  for (const std::unique_ptr<CacheVerb> &verb : verbs)
    if (verb->isGiven())
      return verb.get();
  return nullptr;
}
