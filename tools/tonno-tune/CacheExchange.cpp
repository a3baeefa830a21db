//===- tonno-tune cache export and import ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CacheCommands.h"
#include "Output.h"
#include "Terminal.h"

#include "tonno/Core/File.h"

#include "llvm/Support/raw_ostream.h"

using namespace tonno;
namespace cl = llvm::cl;

namespace {

/// The values of --format.
struct FormatValues {
  template <typename Option> void apply(Option &option) const {
    auto &parser = option.getParser();
    parser.addLiteralOption("t4", TrialFormat::t4,
                            "T4 results, which 'cache import' reads back "
                            "(default)");
    parser.addLiteralOption("csv", TrialFormat::csv,
                            "comma-separated values: knobs, status, seconds, "
                            "resource usage");
  }
};

class ExportVerb : public CacheVerb {
public:
  explicit ExportVerb(OptionCategories &categories)
      : CacheVerb("cache export",
                  "Write the trials of a kernel on a device. 'tonno-tune "
                  "replay' and other tuners read the files",
                  categories),
        key(cl::Positional, cl::Optional, cl::desc("<key>"), cl::sub(command),
            input()),
        format("format", cl::desc("Format of the file:"),
               cl::init(TrialFormat::t4), FormatValues(), cl::sub(command),
               input()),
        output("o", cl::desc("The file; - (default) is stdout"),
               cl::value_desc("file"), cl::init("-"), cl::sub(command),
               input()) {
    categories.hideUnrelatedOptions(command);
  }
  int run() const override;

private:
  cl::opt<std::string> key;
  cl::opt<TrialFormat, false, NamedValues<TrialFormat>> format;
  cl::opt<std::string> output;
};

class ImportVerb : public CacheVerb {
public:
  explicit ImportVerb(OptionCategories &categories)
      : CacheVerb("cache import",
                  "Add the trials of T4 files that 'tonno-tune cache export' "
                  "has written. Exit status: 3 if there are conflicts",
                  categories),
        files(cl::Positional, cl::OneOrMore, cl::desc("<file>..."),
              cl::sub(command), input()),
        isJson("json", cl::desc("Print JSON instead of text"), cl::sub(command),
               input()) {
    categories.hideUnrelatedOptions(command);
  }
  int run() const override;

private:
  cl::list<std::string> files;
  cl::opt<bool> isJson;
};

} // namespace

std::unique_ptr<CacheVerb>
tonno::createCacheExport(OptionCategories &categories) {
  return std::make_unique<ExportVerb>(categories);
}

std::unique_ptr<CacheVerb>
tonno::createCacheImport(OptionCategories &categories) {
  return std::make_unique<ImportVerb>(categories);
}

int ExportVerb::run() const {
  auto cache = open();
  if (!cache)
    return fail(cache.error().message);
  auto problem = findProblemKey(*cache, key, warnOfCache);
  if (!problem)
    return fail(problem.error().message);
  auto file = Output::open(output);
  if (!file)
    return fail(file.error().message);
  std::string text;
  auto count = exportTrials(
      *cache, *problem, format,
      [&](const std::string &piece) { text += piece; }, warnOfCache);
  if (!count)
    return fail(count.error().message);
  if (auto written = file->write(text); !written)
    return fail(written.error().message);
  if (output != "-")
    messages() << "wrote '" << output << "': " << *count << " trials\n";
  return 0;
}

int ImportVerb::run() const {
  std::vector<std::string> texts;
  for (const std::string &file : files) {
    auto text = readNamedFile(file);
    if (!text)
      return fail(text.error().message);
    texts.push_back(std::move(*text));
  }
  auto directory = getDirectory();
  if (!directory)
    return fail(directory.error().message);
  auto merger = CacheMerger::open(*directory, warnOfCache);
  if (!merger)
    return fail(merger.error().message);
  for (auto [file, text] : llvm::zip_equal(files, texts))
    if (auto imported = importTrials(text, *merger); !imported)
      return fail(imported.error().prefixed(file).message);
  return reportMerge(merger->report(), isJson);
}
