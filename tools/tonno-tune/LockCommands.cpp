//===- tonno-tune lock and check ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LockCommands.h"
#include "InputModule.h"
#include "Output.h"
#include "Terminal.h"

#include "tonno/Core/Duration.h"
#include "tonno/Core/File.h"
#include "tonno/Session/Interrupt.h"
#include "tonno/Tuner/LockModule.h"
#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Tuner/Processes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tonno;
namespace cl = llvm::cl;

/// The version of `check --json`. docs/guide/cache.md lists the members.
static constexpr int checkSchema = 1;
static constexpr int exitSlower = 3, exitNotCompared = 4;
static constexpr const char *usualLockName = "tonno.lock";

llvm::ArrayRef<llvm::StringRef> tonno::getDecisionFlags() {
  static constexpr llvm::StringRef flags[] = {"target",
                                              "chip",
                                              "device",
                                              "kernel",
                                              "pipeline",
                                              "knob",
                                              "constraint",
                                              "fp-contract",
                                              "whole-function",
                                              "shapes",
                                              "inputs",
                                              "reference",
                                              "cache-state",
                                              "when-busy",
                                              "cache-dir",
                                              "store",
                                              "seed",
                                              "allow-nondeterminism",
                                              "allow-lower-precision",
                                              "allow-nan",
                                              "bits",
                                              "objective",
                                              "pareto",
                                              "apply",
                                              "limit",
                                              "tolerance",
                                              "worker-command",
                                              "runner-command",
                                              "start-seconds",
                                              "load-dialect-plugin",
                                              "load-pass-plugin"};
  return flags;
}

LockOptions::LockOptions(OptionCategories &categories, cl::SubCommand &command)
    : input(cl::Positional, cl::Required, cl::desc("<input file>"),
            cl::sub(command), cl::cat(categories[OptionGroup::input])),
      lock("lock",
           cl::desc("The lock file; tonno.lock beside the input by default"),
           cl::value_desc("file"), cl::sub(command),
           cl::cat(categories[OptionGroup::input])),
      binaries("binaries",
               cl::desc("Directory of binaries, named by the hashes in the "
                        "lock file"),
               cl::value_desc("directory"), cl::sub(command),
               cl::cat(categories[OptionGroup::cache])),
      source(categories, getDecisionFlags(), command) {}

std::string LockOptions::getLockPath() const {
  if (!lock.empty())
    return lock;
  return (std::filesystem::path(input.getValue()).parent_path() / usualLockName)
      .string();
}

/// Returns the options of tuning. The cache is only read.
Result<TunerOptions> LockOptions::resolve() const {
  if (llvm::StringRef(input).ends_with(".cl"))
    return Error{"lock files are for kernels in MLIR; what a driver compiles "
                 "of OpenCL C has no lasting hash"};
  auto request = TONNO_TRY(source.request());
  request.cache = "ro";
  auto options = TONNO_TRY(resolveWithChip(request));
  options.interrupted = [] { return InterruptScope::received() != 0; };
  return options;
}

LockCommand::LockCommand(OptionCategories &categories)
    : command("lock",
              "Write the decision, the hash of the binary and the speedup of "
              "each kernel to a lock file, to be kept beside the IR; entries "
              "of other kernels and chips stay"),
      options(categories, command) {
  categories.hideUnrelatedOptions(command);
}

CheckCommand::CheckCommand(OptionCategories &categories)
    : command("check",
              "Compare the kernels with their lock file: by the hashes of "
              "their binaries, else by timing old and new binary in pairs. "
              "Exit status: 0 if none is slower, 3 if one is or is not right, "
              "4 if one was not compared"),
      options(categories, command),
      risk("risk",
           cl::desc("Probability of a false alarm for each kernel; 0.1% by "
                    "default"),
           cl::value_desc("share"), cl::init("0.1%"), cl::sub(command),
           cl::cat(categories[OptionGroup::verification])),
      allowMissing(
          "allow-missing", cl::desc("Accept kernels that cannot be compared"),
          cl::sub(command), cl::cat(categories[OptionGroup::verification])),
      isJson("json", cl::desc("Print an object a line instead of text"),
             cl::sub(command), cl::cat(categories[OptionGroup::input])) {
  categories.hideUnrelatedOptions(command);
}

/// Reads a lock file; an empty lock if there is none and `mayMiss`.
static Result<LockFile> readLock(const std::string &path, bool mayMiss) {
  auto text = TONNO_TRY(readFileIfAny(path));
  if (!text && mayMiss)
    return LockFile();
  if (!text)
    return Error{"no lock file '" + path +
                 "'; write it by 'tonno-tune lock', or name another by "
                 "'--lock'"};
  auto lock = LockFile::parse(*text);
  if (!lock)
    return lock.error().prefixed(path);
  return lock;
}

static std::optional<BinaryDirectory> getBinaries(const std::string &path) {
  return path.empty() ? std::nullopt : std::optional(BinaryDirectory(path));
}

int LockCommand::run() const {
  InterruptScope interrupts;
  auto resolved = options.resolve();
  auto request = options.request();
  if (!resolved || !request)
    return fail(resolved ? request.error().message : resolved.error().message);
  const std::string path = options.getLockPath();
  if (auto lock = readLock(path, /*mayMiss=*/true); !lock)
    return fail(lock.error().message);
  const Messages messages("tonno-tune", ProgressForm::none);
  auto opened = InputModule::open(options.input, *request, messages);
  if (!opened)
    return fail(opened.error().message);
  ModuleOp module = (*opened)->get();
  if (!module || failed(prepareModule(module, *resolved)))
    return 1;
  auto output = Output::open(path);
  if (!output)
    return fail(output.error().message);
  std::unique_ptr<TuneObserver> progress =
      messages.createProgress(/*isVerbose=*/false);
  LockFile made;
  auto locked = lockModule(module, *resolved, getBinaries(options.binaries),
                           *progress, made);
  if (int signal = InterruptScope::received())
    return 128 + signal;
  if (failed(locked))
    return 1;
  // Others may have written meanwhile, and do not until this has.
  Descriptor guard =
      lockDirectory(std::filesystem::absolute(path).parent_path());
  auto lock = readLock(path, /*mayMiss=*/true);
  if (!lock)
    return fail(lock.error().message);
  for (const std::string &kernel : lock->add(made))
    progress->warn("the entry of @" + kernel +
                   " was of other IR, and is replaced; if it is of another "
                   "kernel, give each a lock file of its own by '--lock'");
  if (auto written = output->write(lock->print()); !written)
    return fail(written.error().message);
  tonno::messages() << "wrote '" << path << "': " << lock->size()
                    << (lock->size() == 1 ? " entry\n" : " entries\n");
  return 0;
}

/// Parses a share: 0.001 or 0.1%.
static Result<double> parseRisk(llvm::StringRef text) {
  double value = 0;
  bool isPercent = text.consume_back("%");
  if (text.getAsDouble(value) ||
      !((value /= isPercent ? 100 : 1) >= leastRisk && value <= mostRisk))
    return Error{"'--risk' must be a share from 1e-9 to 10%, such as 0.1%"};
  return value;
}

/// Prints what became of a kernel: "@matmul, znver4: slower: 1.021x [1.018,
/// 1.024] of the old time; changed: compiler".
static void printCheck(const KernelCheck &check) {
  if (check.status == CheckStatus::error)
    return; // a diagnostic has been printed
  llvm::raw_ostream &stream = answers();
  stream << "@" << check.kernel << ", " << check.chip << ": ";
  switch (check.status) {
  case CheckStatus::same:
    stream << "same binary";
    break;
  case CheckStatus::holds:
    stream << "holds";
    break;
  case CheckStatus::slower:
    stream << "SLOWER";
    break;
  case CheckStatus::failed:
    stream << "FAILED: " << check.reason;
    break;
  case CheckStatus::not_compared:
    stream << "not compared: " << check.reason;
    break;
  case CheckStatus::error:
    break;
  }
  if (check.comparison) {
    const Comparison &comparison = *check.comparison;
    stream << ": "
           << llvm::format("%.4fx [%.4f, %.4f]", comparison.speedup,
                           comparison.speedupInterval.low,
                           comparison.speedupInterval.high)
           << " of the old time, " << formatSeconds(comparison.seconds.median)
           << " before";
  }
  if (!check.causes.empty())
    stream << "; changed: " << llvm::join(check.causes, ", ");
  if (check.valuesFrom == ValuesFrom::lock &&
      check.status != CheckStatus::not_compared)
    stream << "; by the values of the lock, as the cache has no decision";
  stream << "\n";
  stream.flush();
}

int CheckCommand::run() const {
  InterruptScope interrupts;
  CheckOptions checkOptions;
  auto share = parseRisk(risk.getValue());
  if (!share)
    return fail(share.error().message);
  checkOptions.risk = *share;
  checkOptions.binaries = getBinaries(options.binaries);
  auto resolved = options.resolve();
  auto request = options.request();
  if (!resolved || !request)
    return fail(resolved ? request.error().message : resolved.error().message);
  auto lock = readLock(options.getLockPath(), /*mayMiss=*/false);
  if (!lock)
    return fail(lock.error().message);
  const Messages messages("tonno-tune", ProgressForm::none);
  auto opened = InputModule::open(options.input, *request, messages);
  if (!opened)
    return fail(opened.error().message);
  ModuleOp module = (*opened)->get();
  if (!module || failed(prepareModule(module, *resolved)))
    return 1;
  std::unique_ptr<TuneObserver> progress =
      messages.createProgress(/*isVerbose=*/false);
  bool isSlower = false, isUncompared = false;
  auto report = [&](const KernelCheck &check) {
    isSlower |= check.status == CheckStatus::slower ||
                check.status == CheckStatus::failed;
    isUncompared |= check.status == CheckStatus::not_compared;
    if (!isJson)
      return printCheck(check);
    Json json = check;
    json["schema"] = checkSchema;
    answers() << printed(json) << "\n";
    answers().flush();
  };
  auto checked =
      checkModule(module, *resolved, *lock, checkOptions, *progress, report);
  if (int signal = InterruptScope::received())
    return 128 + signal;
  if (isSlower)
    return exitSlower;
  if (failed(checked))
    return 1;
  return isUncompared && !allowMissing ? exitNotCompared : 0;
}
