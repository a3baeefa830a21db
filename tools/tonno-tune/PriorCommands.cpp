//===- tonno-tune learn and prior -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PriorCommands.h"
#include "Terminal.h"

#include "tonno/Core/File.h"
#include "tonno/Prior/LearnPrior.h"
#include "tonno/Prior/PriorTest.h"
#include "tonno/Session/RecordedJournal.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace tonno;
namespace cl = llvm::cl;

static constexpr const char *joinedName = "prior test";

/// Begins the JSON of `prior test`. It grows if a member is removed or changes
/// its meaning.
static constexpr int priorTestSchema = 1;
/// Exit status: the model is not calibrated.
static constexpr int exitNothingToClaim = 3;

void tonno::joinPriorVerb(int &argc, char **argv) {
  if (argc < 2 || llvm::StringRef(argv[1]) != "prior")
    return;
  if (argc > 2 && llvm::StringRef(argv[2]) == "test") {
    argv[1] = const_cast<char *>(joinedName); // LLVM only reads it
    std::move(argv + 3, argv + argc, argv + 2);
    argv[--argc] = nullptr;
    return;
  }
  std::exit(fail("'tonno-tune prior' has the verb 'test' only"));
}

static Result<std::vector<Recording>>
readNamed(const cl::list<std::string> &files) {
  std::vector<std::filesystem::path> paths(files.begin(), files.end());
  auto recordings = TONNO_TRY(readAllRecordings(paths));
  for (const Recording &recording : recordings)
    for (const std::string &note : recording.notes())
      messages() << "warning: " << recording.name() << ": " << note << "\n";
  return recordings;
}

static Prior learnFrom(llvm::ArrayRef<Recording> recordings) {
  return learnPrior(makePriorSources(recordings));
}

static std::string describeCoverage(double coverage) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.0f", 100 * coverage)
      << " % of the losses of kernels that were left out are in the model's "
         "95 % intervals";
  return text;
}

LearnCommand::LearnCommand(OptionCategories &categories)
    : command("learn",
              "Write what was measured of kernels to a prior, from which "
              "searches of other kernels begin. Takes directories of caches, "
              "journals, T4 files, CSV and cache files of Kernel Tuner"),
      files(cl::Positional, cl::OneOrMore, cl::desc("<file>..."),
            cl::sub(command), cl::cat(categories[OptionGroup::input])),
      output("o", cl::desc("The prior; - is stdout"), cl::value_desc("file"),
             cl::init("-"), cl::sub(command),
             cl::cat(categories[OptionGroup::input])) {
  categories.hideUnrelatedOptions(command);
}

int LearnCommand::run() const {
  auto recordings = readNamed(files);
  if (!recordings)
    return fail(recordings.error().message);
  Prior prior = learnFrom(*recordings);
  std::string text = formatPrior(prior);
  size_t points = 0;
  for (const PriorSource &source : prior.sources)
    points += source.points.size();
  if (output == "-")
    answers() << text;
  else if (auto written = writeFileAtomically(output.getValue(), text);
           !written)
    return fail(written.error().message);
  messages() << "learnt from " << prior.sources.size() << " recordings, "
             << points << " configurations, " << text.size() / 1000 << " kB\n"
             << describeCoverage(prior.coverage) << "\n";
  return 0;
}

PriorTestCommand::PriorTestCommand(OptionCategories &categories)
    : command(joinedName,
              "Report what a prior is worth: searches each recording with a "
              "prior that was learnt from the others. Takes the same files as "
              "learn; nothing is measured. Exit status: 3 if nothing can be "
              "claimed"),
      files(cl::Positional, cl::OneOrMore, cl::desc("<file>..."),
            cl::sub(command), cl::cat(categories[OptionGroup::input])),
      trials("budget-trials", cl::desc("Trials of a search; 8 by default"),
             cl::value_desc("n"), cl::init(8), cl::sub(command),
             cl::cat(categories[OptionGroup::search])),
      seeds("seeds", cl::desc("Searches of each recording; 10 by default"),
            cl::value_desc("n"), cl::init(10), cl::sub(command),
            cl::cat(categories[OptionGroup::search])),
      isJson("json", cl::desc("Print JSON instead of a table"),
             cl::sub(command), cl::cat(categories[OptionGroup::input])) {
  categories.hideUnrelatedOptions(command);
}

static Json describeScores(llvm::ArrayRef<PriorScore> scores) {
  Json list = Json::array();
  for (const PriorScore &score : scores)
    list.push_back({{"recording", score.recording},
                    {"sources", score.sources},
                    {"first", score.first},
                    {"with_prior", score.withPrior},
                    {"without_prior", score.withoutPrior}});
  return list;
}

static void printScores(llvm::StringRef title,
                        llvm::ArrayRef<PriorScore> scores) {
  double with = 0, without = 0;
  size_t width = title.size();
  for (const PriorScore &score : scores)
    width = std::max(width, score.recording.size());
  answers() << llvm::left_justify(title, width + 2)
            << "sources  first  with prior  without\n";
  auto line = [&](llvm::StringRef name, size_t sources, double first,
                  double with, double without) {
    answers() << llvm::left_justify(name, width + 2)
              << llvm::format("%7zu  %5.3f  %10.3f  %7.3f\n", sources, first,
                              with, without);
  };
  for (const PriorScore &score : scores) {
    line(score.recording, score.sources, score.first, score.withPrior,
         score.withoutPrior);
    with += score.withPrior / static_cast<double>(scores.size());
    without += score.withoutPrior / static_cast<double>(scores.size());
  }
  answers() << llvm::left_justify("mean", width + 2)
            << llvm::format("%26.3f  %7.3f\n", with, without);
}

int PriorTestCommand::run() const {
  auto recordings = readNamed(files);
  if (!recordings)
    return fail(recordings.error().message);
  Json json = {{"schema", priorTestSchema}};
  for (bool leavesKernelOut : {true, false}) {
    PriorTestOptions options = {trials, seeds, leavesKernelOut};
    auto scores = testPrior(*recordings, options);
    if (!scores)
      return fail(scores.error().message);
    const char *left = leavesKernelOut ? "kernel" : "device";
    json[std::string(left) + "_left_out"] = describeScores(*scores);
    if (!isJson)
      printScores(left + std::string(" left out"), *scores);
  }
  double coverage = learnFrom(*recordings).coverage;
  bool isCalibrated = coverage >= leastCoverage;
  json["coverage"] = coverage;
  json["calibrated"] = isCalibrated;
  if (isJson)
    answers() << printed(json, 1) << "\n";
  else
    answers() << describeCoverage(coverage) << "\n";
  if (isCalibrated)
    return 0;
  messages() << "tonno-tune: not calibrated, so that nothing can be claimed of "
                "other kernels; record more kernels, or more points of each\n";
  return exitNothingToClaim;
}
