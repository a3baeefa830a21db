//===- tonno-tune cache why-miss and diff ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CacheCommands.h"
#include "InputModule.h"
#include "Terminal.h"

#include "tonno/Cache/RecordDifferences.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "tonno/Tuner/KernelProblems.h"
#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Tuner/Processes.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tonno;
namespace cl = llvm::cl;

namespace {

class WhyMissVerb : public CacheVerb {
public:
  explicit WhyMissVerb(OptionCategories &categories)
      : CacheVerb("cache why-miss",
                  "Explain why tuning finds no decision in the cache: the "
                  "fields that differ from the nearest one. Takes the options "
                  "of tuning; nothing is measured. Exit status: 0 if the cache "
                  "has the decision, 3 if not",
                  categories),
        file(cl::Positional, cl::desc("<input file>"), cl::init("-"),
             cl::sub(command), input()),
        source(categories, questionFlags, command),
        isJson("json", cl::desc("Print an object a line instead of text"),
               cl::sub(command), input()) {
    categories.hideUnrelatedOptions(command);
  }
  int run() const override;

private:
  void explainResolved(const std::string &kernel) const;
  bool explain(const std::string &kernel, const Json &question,
               const SearchSpace &space, const CacheDirectory &cache,
               bool takesContended) const;

  cl::opt<std::string> file;
  RequestOptions source;
  cl::opt<bool> isJson;
};

class DiffVerb : public CacheVerb {
public:
  explicit DiffVerb(OptionCategories &categories)
      : CacheVerb("cache diff",
                  "Compare two records, named by their keys, or the decisions "
                  "of two caches, named by their directories. Exit status: 0 "
                  "if they are equal, 3 if not",
                  categories),
        sides(cl::Positional, cl::OneOrMore,
              cl::desc("<key or cache> <key or cache>"), cl::sub(command),
              input()),
        isJson("json", cl::desc("Print an object a line instead of text"),
               cl::sub(command), input()) {
    categories.hideUnrelatedOptions(command);
  }
  int run() const override;

private:
  int compareRecords() const;
  int compareCaches() const;

  cl::list<std::string> sides;
  cl::opt<bool> isJson;
};

} // namespace

std::unique_ptr<CacheVerb>
tonno::createCacheWhyMiss(OptionCategories &categories) {
  return std::make_unique<WhyMissVerb>(categories);
}

std::unique_ptr<CacheVerb>
tonno::createCacheDiff(OptionCategories &categories) {
  return std::make_unique<DiffVerb>(categories);
}

/// Returns the text of a value.
static std::string toText(const std::optional<Json> &value) {
  if (!value)
    return "(none)";
  std::string text =
      value->is_string() ? value->get<std::string>() : printed(*value);
  return text.empty() ? "(empty)" : text;
}

/// Returns a text for a line: hashes and long values are cut, to what follows
/// `begin`.
static std::string abbreviate(const std::string &text, size_t begin) {
  constexpr size_t most = 60;
  return (begin > 0 ? "..." : "") + text.substr(begin, most) +
         (text.size() - begin > most ? "..." : "");
}

/// Returns where the line of two different texts begins: at their begin, if
/// they differ near it.
static size_t findBeginOfLine(const std::string &left,
                              const std::string &right) {
  constexpr size_t near = 50, shownBefore = 10;
  auto [first, other] = std::ranges::mismatch(left, right);
  auto same = static_cast<size_t>(first - left.begin());
  return same < near ? 0 : same - shownBefore;
}

static void printDifferences(const std::vector<FieldDifference> &differences,
                             llvm::StringRef left, llvm::StringRef right,
                             bool isQuestion) {
  for (const FieldDifference &each : differences) {
    std::string meaning =
        isQuestion ? describeQuestionField(each.field) : std::string();
    std::string ours = toText(each.left), theirs = toText(each.right);
    size_t begin = findBeginOfLine(ours, theirs);
    answers() << "  " << each.field
              << (meaning.empty() ? "" : "  (" + meaning + ")") << "\n"
              << "    " << left << "  " << abbreviate(ours, begin) << "\n"
              << "    " << right << "  " << abbreviate(theirs, begin) << "\n";
  }
}

/// Returns " of @name" if the nearest decision is of another kernel.
static std::string describeOther(const NearestDecision &nearest,
                                 const std::string &kernel) {
  auto name = decodeMember<std::string>(nearest.decision.record, "kernel");
  return name && *name != kernel ? " of @" + *name : "";
}

/// Returns why tuning does not use a stored decision; none if it does.
static std::optional<std::string> explainUnused(const StoredRecord &stored,
                                                const SearchSpace &space,
                                                bool isBuild) {
  auto decision = decode<DecisionRecord>(stored.record);
  if (!decision)
    return "it is not a decision (" + decision.error().message + ")";
  if (!space.configuration(decision->values))
    return "its values " + printed(decision->values) + " are not in the space";
  if (decision->comparison.contended && !isBuild)
    return "it is contended, so that tuning measures again";
  return std::nullopt;
}

bool WhyMissVerb::explain(const std::string &kernel, const Json &question,
                          const SearchSpace &space, const CacheDirectory &cache,
                          bool takesContended) const {
  const std::string key = computeKey(question);
  auto records = cache.read(key, warnOfCache);
  if (!records)
    warnOfCache(records.error().message);
  std::optional<std::string> unused;
  bool isBuild =
      takesContended || question.value("search", Json()) == latestSearch;
  if (records && !records->empty())
    unused = explainUnused(records->front(), space, isBuild);
  bool isKnown = records && !records->empty() && !unused;
  MissReport report;
  if (!isKnown && !unused)
    report = findNearestDecision(cache, kernel, question, warnOfCache);
  if (isJson) {
    Json json = {{"schema", cacheSchema},
                 {"kernel", kernel},
                 {"key", key},
                 {"found", isKnown},
                 {"compared", report.compared},
                 {"without_question", report.withoutQuestion}};
    if (unused)
      json["unused"] = *unused;
    if (report.nearest) {
      json["nearest"] = report.nearest->decision.key;
      json["differences"] = report.nearest->differences;
    }
    answers() << printed(json) << "\n";
    return isKnown;
  }
  answers() << "@" << kernel << ": ";
  if (isKnown) {
    answers() << "found  " << summarizeStored(records->front()) << "\n";
    return true;
  }
  if (unused) {
    answers() << "not used  " << summarizeStored(records->front()) << "\n  "
              << *unused << "\n";
    return false;
  }
  answers() << "no decision " << abbreviateKey(key);
  if (!report.nearest) {
    answers() << ", and no other to compare with\n";
  } else {
    size_t count = report.nearest->differences.size();
    answers() << "; the nearest of " << report.compared << " is "
              << abbreviateKey(report.nearest->decision.key)
              << describeOther(*report.nearest, kernel) << ", which differs in "
              << count << (count == 1 ? " field:\n" : " fields:\n");
    printDifferences(report.nearest->differences, "cache", "asked",
                     /*isQuestion=*/true);
  }
  if (report.withoutQuestion > 0)
    answers() << "  " << report.withoutQuestion
              << " decisions of earlier versions do not state their question, "
                 "and are not compared\n";
  return false;
}

/// Says that the cache is not asked for a kernel.
void WhyMissVerb::explainResolved(const std::string &kernel) const {
  if (isJson)
    answers() << printed(Json{{"schema", cacheSchema},
                              {"kernel", kernel},
                              {"selected", true}})
              << "\n";
  else
    answers() << "@" << kernel
              << ": all its knobs are selected, so that tuning leaves it "
                 "unchanged; '--retune' searches again\n";
}

int WhyMissVerb::run() const {
  if (llvm::StringRef(file).ends_with(".cl"))
    return fail("'why-miss' reads kernels in MLIR; for OpenCL C, compare "
                "decisions by 'tonno-tune cache diff'");
  auto request = source.request();
  if (!request)
    return fail(request.error().message);
  auto options = resolveWithChip(*request);
  if (!options)
    return fail(options.error().message);
  auto cache = open();
  if (!cache)
    return fail(cache.error().message);
  const Messages messages("tonno-tune", ProgressForm::none);
  auto opened = InputModule::open(file, *request, messages);
  if (!opened)
    return fail(opened.error().message);
  ModuleOp module = (*opened)->get();
  if (!module || failed(prepareModule(module, *options)))
    return 1;
  std::unique_ptr<TuneObserver> progress =
      messages.createProgress(/*isVerbose=*/false);
  KernelProblems problems(module, *options, *progress);
  bool isWhole = true;
  auto explained =
      problems.visit([&](func::FuncOp kernel, const TuningProblem &problem) {
        if (isResolved(kernel) && !options->retune) {
          explainResolved(kernel.getSymName().str());
          return success();
        }
        isWhole &= explain(kernel.getSymName().str(),
                           makeDecisionQuestion(kernel, problem, *options),
                           problem.space, *cache, options->requiresCache());
        return success();
      });
  if (failed(explained))
    return 1;
  return isWhole ? 0 : exitDiffers;
}

int DiffVerb::run() const {
  if (sides.size() != 2)
    return fail("'tonno-tune cache diff' compares two records or two caches; "
                "give two keys or two directories");
  bool isFirstCache = isCache(sides[0]), isSecondCache = isCache(sides[1]);
  if (isFirstCache && isSecondCache)
    return compareCaches();
  auto isKey = [](const std::string &side) {
    return side.find_first_not_of("0123456789abcdef") == side.npos;
  };
  if (isFirstCache || isSecondCache)
    return fail("'" + sides[isFirstCache ? 0 : 1] + "' is a cache, and '" +
                sides[isFirstCache ? 1 : 0] +
                "' is not; give two directories of caches, or two keys");
  for (const std::string &side : sides)
    if (!isKey(side) || llvm::sys::fs::is_directory(side))
      return fail("no cache at '" + side +
                  "', and it is not a key; give two directories of caches, or "
                  "two keys");
  return compareRecords();
}

int DiffVerb::compareRecords() const {
  auto cache = open();
  if (!cache)
    return fail(cache.error().message);
  std::vector<StoredRecord> records;
  for (const std::string &side : sides) {
    auto key = cache->resolveKey(side);
    if (!key)
      return fail(key.error().message);
    auto read = cache->read(*key, warnOfCache);
    if (!read)
      return fail(read.error().message);
    records.push_back(std::move(read->front()));
  }
  auto differences = compareFields(records[0].record, records[1].record);
  if (isJson) {
    answers() << printed(Json{{"schema", cacheSchema},
                              {"left", records[0].key},
                              {"right", records[1].key},
                              {"differences", differences}})
              << "\n";
  } else {
    for (const StoredRecord &record : records)
      answers() << summarizeStored(record) << "\n";
    printDifferences(differences, abbreviateKey(records[0].key),
                     abbreviateKey(records[1].key), /*isQuestion=*/false);
  }
  return differences.empty() ? 0 : exitDiffers;
}

/// Returns the decisions of a cache by their keys.
static std::map<std::string, StoredRecord>
readDecisions(const CacheDirectory &cache) {
  std::map<std::string, StoredRecord> decisions;
  cache.visit(
      {RecordKind::decision},
      [&](StoredRecord stored) {
        if (!stored.isConflict)
          decisions.emplace(stored.key, std::move(stored));
        return true;
      },
      warnOfCache);
  return decisions;
}

int DiffVerb::compareCaches() const {
  std::map<std::string, StoredRecord> decisions[2];
  std::set<std::string> keys;
  for (size_t side : {0, 1}) {
    auto cache = CacheDirectory::open(sides[side]);
    if (!cache)
      return fail(cache.error().message);
    decisions[side] = readDecisions(*cache);
    for (const auto &[key, stored] : decisions[side])
      keys.insert(key);
  }
  bool isEqual = true;
  for (const std::string &key : keys) {
    auto left = decisions[0].find(key), right = decisions[1].find(key);
    bool hasLeft = left != decisions[0].end();
    bool hasRight = right != decisions[1].end();
    if (hasLeft && hasRight && left->second.record == right->second.record)
      continue;
    isEqual = false;
    const char *state = !hasRight ? "left" : !hasLeft ? "right" : "both";
    if (isJson) {
      answers() << printed(Json{
                       {"schema", cacheSchema}, {"key", key}, {"in", state}})
                << "\n";
      continue;
    }
    if (hasLeft)
      answers() << "< " << summarizeStored(left->second) << "\n";
    if (hasRight)
      answers() << "> " << summarizeStored(right->second) << "\n";
    if (hasLeft && hasRight)
      printDifferences(compareFields(left->second.record, right->second.record),
                       "left", "right", /*isQuestion=*/false);
  }
  return isEqual ? 0 : exitDiffers;
}
