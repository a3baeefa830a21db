//===- Tuning options as users write them ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/TuneRequest.h"
#include "tonno/Core/File.h"
#include "tonno/Core/Hash.h"
#include "tonno/Prior/ShippedPrior.h"
#include "tonno/Space/Shapes.h"
#include "tonno/Strategies/Strategies.h"
#include "tonno/Tuner/Processes.h"
#include "Jobs.h"
#include "RangeTuner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/StringSaver.h"

#include <algorithm>
#include <filesystem>

using namespace tonno;

/// Returns the devices that run the code of a target, the default one first.
/// Unknown targets belong to custom workers.
static std::vector<std::string> getSupportedDevices(const std::string &target) {
  if (target == "host")
    return {"host"};
  if (target == "nvptx")
    return {"cuda", "sim"};
  if (target == "amdgpu")
    return {"hip", "sim"};
  if (target == openClTarget)
    return {"opencl"};
  return {"host", "cuda", "hip"};
}

/// Returns the device, after a check that it runs the target's code.
static Result<std::string> resolveDevice(const std::string &target,
                                         const std::string &device) {
  std::vector<std::string> known = getSupportedDevices(target);
  if (device.empty())
    return known.front();
  std::string kind = device.substr(0, device.find(':'));
  if (std::find(known.begin(), known.end(), kind) != known.end())
    return device;
  std::string names;
  for (const std::string &name : known)
    names += (names.empty() ? "" : ", ") + name;
  return Error{"'--device=" + device + "' does not run the code of '--target=" +
               target + "'; the devices are: " + names};
}

/// Returns the devices of a list with commas.
static Result<std::vector<std::string>>
resolveDevices(const std::string &target, const std::string &list) {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(list).split(names, ',');
  std::vector<std::string> devices;
  for (llvm::StringRef name : names) {
    if (names.size() > 1 && name.trim().empty())
      return Error{"'--device=" + list + "' has an empty name"};
    auto device = TONNO_TRY(resolveDevice(target, name.trim().str()));
    if (names.size() > 1 && device.find(':') == device.npos)
      return Error{"'--device=" + list +
                   "' names several devices; number each, such as '" + device +
                   ":0'"};
    if (llvm::is_contained(devices, device))
      return Error{"'--device=" + list + "' names '" + device +
                   "' twice; name each device once"};
    devices.push_back(std::move(device));
  }
  return devices;
}

/// Checks that there is a command for each device. Of one device, each command
/// may have its own.
static Result<void> checkRunners(const TunerOptions &options) {
  size_t devices = options.devices.size();
  size_t commands = options.runnerCommands.size();
  if (devices == 1 || commands <= 1 || commands == devices)
    return {};
  return Error{std::to_string(commands) + " of '--runner-command' for " +
               std::to_string(devices) +
               " of '--device'; give one command for all devices, or one for "
               "each"};
}

/// Returns a word as a shell takes it.
static std::string quote(const std::string &word) {
  bool isPlain = llvm::all_of(word, [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("-_./=:,@%+").contains(c);
  });
  return isPlain && !word.empty() ? word : "'" + word + "'";
}

Result<std::vector<Command>>
tonno::splitCommands(const char *flag, const std::vector<std::string> &texts) {
  std::vector<Command> commands;
  for (const std::string &text : texts) {
    llvm::BumpPtrAllocator allocator;
    llvm::StringSaver saver(allocator);
    llvm::SmallVector<const char *> words;
    llvm::cl::TokenizeGNUCommandLine(text, saver, words);
    if (words.empty())
      return Error{"'--" + std::string(flag) + "' has no command"};
    commands.emplace_back(words.begin(), words.end());
  }
  // Each word was an option of its own once.
  for (size_t i = 1; i < commands.size(); ++i)
    if (const std::string &program = commands[i].front();
        program.starts_with('-') || !llvm::sys::findProgramByName(program))
      return Error{"there is no program '" + program + "' for '--" + flag +
                   "'; a command is one option: --" + flag + "=\"" +
                   llvm::join(llvm::map_range(texts, quote), " ") + "\""};
  return commands;
}

/// Parses "1%" or "1.5 %".
static Result<double> parseShare(const std::string &text) {
  llvm::StringRef number = llvm::StringRef(text).trim();
  double percent;
  if (!number.consume_back("%") || number.trim().getAsDouble(percent) ||
      !(percent >= 0 && percent <= 100))
    return Error{"'--stop-at-gain=" + text +
                 "' is not a share; give one such as '1%'"};
  return percent / 100;
}

static Result<BundleResults> readResults(const std::string &path) {
  auto text = TONNO_TRY(readNamedFile(path));
  auto results = decodeResults(text);
  if (!results)
    return Error{path + ": " + results.error().message};
  return results;
}

/// Sets the number of worker processes: by default one if the timed device is
/// the host or OpenCL, whose cores compilers would disturb.
static Result<void> resolveJobs(const TuneRequest &request,
                                TunerOptions &options) {
  JobLimits limits = JobLimits::ofThisMachine();
  if (!request.jobs) {
    bool areCoresTimed =
        options.device().starts_with("host") || options.target == openClTarget;
    options.jobs = areCoresTimed && !options.isSurvey() ? 1 : limits.useful();
    return {};
  }
  if (*request.jobs == 0)
    return Error{"'--jobs' must be at least 1"};
  limits.isElsewhere = options.target == openClTarget
                           ? !request.runnerCommands.empty()
                           : !request.workerCommands.empty();
  BoundedJobs bounded = boundJobs(*request.jobs, limits);
  options.jobs = bounded.jobs;
  if (!bounded.warning.empty())
    options.warnings.push_back(std::move(bounded.warning));
  return {};
}

/// Sets the strategy and the budget: those of the effort, unless the user gives
/// others.
static Result<void> chooseSearch(const TuneRequest &request, Effort &effort) {
  if (!request.strategy.empty())
    TONNO_TRY(checkStrategyName(request.strategy));
  if (request.budgetTrials && *request.budgetTrials == 0)
    return Error{"'--budget-trials' must be at least 1"};
  if (request.budgetSeconds && !(*request.budgetSeconds > 0)) // NaN neither
    return Error{"'--budget-seconds' must be more than 0"};
  if (effort.isNone) {
    if (request.compileOnly || request.verifyOnly ||
        request.device.starts_with("sim"))
      return Error{
          "'--effort=none' has no candidates to survey; give another effort"};
    if (!request.strategy.empty() || request.budgetTrials ||
        request.budgetSeconds || request.resume)
      return Error{"'--effort=none' does not search; leave out '--strategy', "
                   "'--resume', '--budget-trials' and '--budget-seconds'"};
    return {};
  }
  if (!request.strategy.empty())
    effort.strategy = request.strategy;
  Budget &budget = effort.budget;
  budget.trials = request.budgetTrials.value_or(budget.trials);
  budget.seconds = request.budgetSeconds.value_or(budget.seconds);
  return {};
}

/// Sets the mode. The environment variable does not apply to a survey, which
/// makes no decision.
static Result<void> resolveMode(const TuneRequest &request,
                                TunerOptions &options) {
  if (request.requireCached && request.mode && request.mode != "cached")
    return Error{"'--require-cached' contradicts '--mode=" + *request.mode +
                 "'; leave out one of them"};
  auto chosen = TONNO_TRY(
      chooseMode("mode", request.requireCached ? "cached" : request.mode));
  if (options.isSurvey()) {
    if (request.requireCached || request.mode)
      return Error{
          "a survey has no mode; leave out '--mode' and '--require-cached'"};
    return {};
  }
  options.mode = chosen;
  if (options.requiresCache() && options.cacheMode == CacheMode::off)
    return Error{chosen.describe() +
                 " needs the cache; leave out '--cache=off'"};
  if (options.isOff() && options.results)
    return Error{chosen.describe() +
                 " takes the defaults; leave out '--results'"};
  if (options.isOff())
    options.cacheMode = CacheMode::off;
  else if (options.requiresCache())
    options.cacheMode = CacheMode::read_only;
  return {};
}

/// Parses "code-size,workspace"; in one order, since the order in which they
/// are written is no part of a key. Every front is of time, too.
static Result<std::vector<Resource>> parseFront(const std::string &text) {
  std::vector<Resource> resources;
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(text).split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef name : names) {
    if (name.trim() == "time")
      continue;
    auto resource = parseEnum<Resource>(std::string_view(name.trim()));
    if (!resource)
      return Error{"'--pareto': unknown resource '" + name.trim().str() +
                   "'; the resources are: " + listResources()};
    resources.push_back(*resource);
  }
  if (!names.empty() && resources.empty())
    return Error{"'--pareto' needs a resource besides time: " +
                 listResources()};
  std::ranges::sort(resources);
  auto twice = std::ranges::unique(resources);
  resources.erase(twice.begin(), twice.end());
  return resources;
}

/// Reads shapes: their text, or the name of a file that lists them.
static Result<Shapes> readShapes(const std::string &given) {
  auto refuse = [&](const std::string &why) {
    return Error{"'--shapes=" + given + "': " + why};
  };
  std::error_code ignored;
  bool isText = !std::filesystem::is_regular_file(given, ignored) &&
                (given.find('=') != given.npos ||
                 given.find(" in ") != given.npos || given.empty());
  if (isText) {
    auto shapes = parseShapes(given);
    if (!shapes)
      return refuse(shapes.error().message);
    return shapes;
  }
  auto file = readNamedFile(given);
  if (!file)
    return refuse("neither sizes, such as M=64 or M=1..8192, nor a file: " +
                  file.error().message);
  auto shapes = parseShapeList(*file);
  if (!shapes)
    return refuse(shapes.error().message);
  return shapes;
}

Result<std::vector<Dimension>> TuneRequest::resolveShapes() const {
  if (shapes.empty())
    return std::vector<Dimension>();
  auto read = TONNO_TRY(readShapes(shapes));
  if (!read.areFixed())
    return Error{"'--shapes=" + shapes +
                 "': several shapes have no use here; give each dimension one "
                 "size"};
  return read.sizes();
}

Result<OracleOptions> TuneRequest::resolveOracle() const {
  OracleOptions options = oracle;
  auto parsed = parseBits(bits);
  if (!parsed)
    return Error{"unknown '--bits' '" + bits + "'; the values are: free, same"};
  options.bits = *parsed;
  if (options.bits == Bits::same && options.allowNondeterminism)
    return Error{"'--bits=same' contradicts '--allow-nondeterminism'; leave "
                 "out one of them"};
  if (!tolerance.empty()) {
    auto errors = parseAcceptedErrors(tolerance);
    if (!errors)
      return Error{"'--tolerance': " + errors.error().message};
    if (options.bits == Bits::same)
      return Error{"'--bits=same' contradicts '--tolerance'; omit one of them"};
    options.errors = std::move(*errors);
  }
  if (objective != "time") {
    options.objective = parseEnum<Resource>(objective);
    if (!options.objective)
      return Error{"unknown '--objective' '" + objective +
                   "'; the values are: time, " + listResources()};
    if (stopAtLimit || !stopAtGain.empty())
      return Error{"'--objective=" + objective +
                   "' does not search for the least time; omit "
                   "'--stop-at-limit' and '--stop-at-gain'"};
  }
  options.front = TONNO_TRY(parseFront(pareto));
  for (const std::string &text : limits) {
    if (auto time = parseTimeLimit(text)) {
      if (time->ok() && !options.objective)
        return Error{"'--limit=" + text +
                     "' needs an '--objective' other than time"};
      if (time->ok() && options.mostTime)
        return Error{"'--limit' limits time twice; omit one of them"};
      if (!time->ok())
        return Error{"'--limit': " + time->error().message};
      options.mostTime = **time;
      continue;
    }
    auto limit = parseUsageLimit(text);
    if (!limit)
      return Error{"'--limit': " + limit.error().message};
    options.limits.push_back(*limit);
  }
  // The order in which limits are written is no part of a key.
  std::ranges::sort(options.limits);
  auto isTwice = [](const UsageLimit &a, const UsageLimit &b) {
    return a.resource == b.resource;
  };
  if (auto twice = std::ranges::adjacent_find(options.limits, isTwice);
      twice != options.limits.end())
    return Error{"'--limit' limits " + std::string(toString(twice->resource)) +
                 " twice; leave out one of them"};
  return options;
}

Result<std::optional<FrontChoice>> TuneRequest::resolveChoice() const {
  if (apply.empty())
    return std::optional<FrontChoice>();
  auto choice = FrontChoice::parse(apply);
  if (!choice)
    return Error{"'--apply': " + choice.error().message};
  if (pareto.empty())
    return Error{"'--apply' chooses from the front of '--pareto'; give both"};
  auto front = TONNO_TRY(parseFront(pareto));
  for (Resource resource : choice->resources())
    if (!llvm::is_contained(front, resource))
      return Error{"'--apply': the front is not of " +
                   std::string(toString(resource)) + "; add it to '--pareto'"};
  return std::optional(std::move(*choice));
}

std::shared_ptr<const Prior>
PriorChoice::find(const std::string &triple) const {
  return identity.empty() ? findShippedPrior(triple.substr(0, triple.find('-')))
                          : prior;
}

static Result<PriorChoice> resolvePrior(const std::string &stated,
                                        const Effort &effort) {
  if (stated.empty() || stated == "none")
    return PriorChoice{nullptr, stated};
  if (!effort.isNone && effort.strategy != ensembleName)
    return Error{"'--prior' is for the strategy '" + std::string(ensembleName) +
                 "', and '" + effort.strategy + "' uses none"};
  auto prior = readPrior(stated);
  if (!prior)
    return prior.error().prefixed("'--prior'");
  return PriorChoice{std::make_shared<const Prior>(std::move(*prior)),
                     sha256(formatPrior(*prior))};
}

Result<TunerOptions> TuneRequest::resolve() const {
  TunerOptions options;
  auto parsed = TONNO_TRY(parseEffort(effort));
  options.effort = parsed;
  TONNO_TRY(chooseSearch(*this, options.effort));
  options.referenceSeconds =
      referenceSeconds.value_or(options.referenceSeconds);
  if (!(options.referenceSeconds > 0))
    return Error{"'--reference-seconds' must be more than 0"};
  options.compileSeconds = compileSeconds;
  if (compileSeconds && !(*compileSeconds > 0))
    return Error{"'--compile-seconds' must be more than 0"};
  options.startSeconds = startSeconds.value_or(options.startSeconds);
  if (!(options.startSeconds > 0))
    return Error{"'--start-seconds' must be more than 0"};
  if (cache == "rw")
    options.cacheMode = CacheMode::read_write;
  else if (cache == "ro")
    options.cacheMode = CacheMode::read_only;
  else if (cache == "off")
    options.cacheMode = CacheMode::off;
  else
    return Error{"unknown '--cache' '" + cache +
                 "'; the values are: rw, ro, off"};
  auto state = parseCacheState(cacheState);
  if (!state)
    return Error{"unknown '--cache-state' '" + cacheState +
                 "'; the values are: cold, warm"};
  options.protocol.cacheState = *state;
  auto way = parseWhenBusy(whenBusy);
  if (!way)
    return Error{"unknown '--when-busy' '" + whenBusy +
                 "'; the values are: wait, measure, fail"};
  options.whenBusy = *way;
  auto bounds = parseTimeBounds(timeBounds);
  if (!bounds)
    return Error{"unknown '--time-bounds' '" + timeBounds +
                 "'; the values are: use, record, off"};
  options.timeBounds = *bounds;
  options.target = target;
  options.devices = TONNO_TRY(resolveDevices(target, device));
  options.compileOnly = compileOnly;
  options.verifyOnly = verifyOnly;
  if (options.devices.size() > 1 && options.isSurvey())
    return Error{"a survey uses one device, and '--device=" + device +
                 "' names several"};
  if (compileOnly && verifyOnly)
    return Error{
        "'--compile-only' contradicts '--verify-only'; leave out one of them"};
  if (compileOnly && options.isSimulated())
    return Error{
        "'--compile-only' contradicts '--device=sim'; leave out one of them"};
  if (bundle && !compileOnly)
    return Error{"'--bundle' needs '--compile-only'; give both"};
  if (bundle && bundle->empty())
    return Error{"'--bundle' needs the name of a file"};
  options.bundle = bundle.value_or("");
  if (results) {
    if (options.isSurvey())
      return Error{"a survey does not use results; leave out '--results'"};
    auto read = TONNO_TRY(readResults(*results));
    options.results = std::move(read);
  }
  TONNO_TRY(resolveMode(*this, options));
  TONNO_TRY(resolveJobs(*this, options));
  options.chip = chip;
  options.kernel = kernel;
  if (!shapes.empty()) {
    auto read = TONNO_TRY(readShapes(shapes));
    if (read.areFixed())
      options.shapes = read.sizes();
    else
      options.range = std::move(read);
  }
  options.prior = TONNO_TRY(resolvePrior(prior, options.effort));
  if (!(regret >= 1))
    return Error{"'--regret' is a ratio of times; give one of at least 1, such "
                 "as 1.05"};
  options.variants = {maxVariants, regret};
  options.seed = seed;
  options.retune = retune;
  options.wholeFunction = wholeFunction;
  if (!stopAtGain.empty()) {
    options.stopAtGain = TONNO_TRY(parseShare(stopAtGain));
    options.leastGain = options.stopAtGain;
  }
  if (stopAtLimit && !(*stopAtLimit > 0 && *stopAtLimit <= 1))
    return Error{"'--stop-at-limit' is a share of the machine's limit; give "
                 "one above 0 and at most 1, such as 0.95"};
  options.stopAtLimit = stopAtLimit;
  options.cacheDirectory = cacheDirectory;
  options.store = store;
  options.journal.file = journal;
  options.failureDirectory = failures;
  if (options.cacheMode == CacheMode::read_write) {
    std::string kept = resolveCacheDirectory(cacheDirectory);
    options.journal.directory = kept + "/journals";
    if (failures.empty())
      options.failureDirectory = kept + "/failures";
  }
  options.resume = resume && options.mode.mode == TuneMode::tune;
  if ((resume || !journal.empty()) && options.isSurvey())
    return Error{"a survey keeps no journal; leave out '" +
                 std::string(resume ? "--resume" : "--journal") + "'"};
  if (options.resume && journal.empty() && options.journal.directory.empty())
    return Error{"'--resume' needs a journal, and '--cache=" + cache +
                 "' keeps none; name one by '--journal'"};
  options.oracle = TONNO_TRY(resolveOracle());
  options.choice = TONNO_TRY(resolveChoice());
  if (options.range)
    TONNO_TRY(checkOptionsOfRange(options));
  options.kernelOptions = kernelOptions;
  options.workerCommands =
      TONNO_TRY(splitCommands("worker-command", workerCommands));
  options.workerCommands =
      withPlugins(options.workerCommands, dialectPlugins, passPlugins);
  options.runnerCommands =
      TONNO_TRY(splitCommands("runner-command", runnerCommands));
  TONNO_TRY(checkRunners(options));
  return options;
}
