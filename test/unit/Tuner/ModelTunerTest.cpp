//===- Tests for the tuning of models kernel by kernel --------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ModelTuner.h"

#include "tonno/Backend/Backend.h"
#include "tonno/Tuner/PrepareModule.h"
#include "Engine/Fakes.h"
#include "TemporaryDirectory.h"

#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

#include <set>

using namespace tonno;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

namespace {

/// The steps of a tuning, each of those that follow each other once.
struct Steps {
  void add(const std::string &step) {
    if (all.empty() || all.back() != step)
      all.push_back(step);
  }
  std::vector<std::string> all;
};

/// "Compiles" a configuration to the kernel's name and the values. Notes when
/// the model is compiled.
class NamingCompiler : public Compiler {
public:
  NamingCompiler(Steps &steps, KernelWork work) : steps(steps), work(work) {}
  Result<CompilerDescription, LocatedError>
  open(const CompilerSession &session) override {
    kernel = session.kernel;
    CompilerDescription description;
    description.work = work;
    return description;
  }
  Result<Problem, LocatedError> reference(ReferenceCpu) override {
    Problem problem;
    problem.reference = name("reference");
    return problem;
  }
  void submit(const Json &values) override {
    if (kernel == "model")
      steps.add("compile model");
    pending.push_back(values);
  }
  Compilation next() override {
    Compilation compilation;
    compilation.artifact = name(pending.front().dump());
    pending.pop_front();
    return compilation;
  }

private:
  Artifact name(const std::string &what) const {
    std::string text = kernel + " " + what;
    Artifact artifact;
    artifact.binary.assign(text.begin(), text.end());
    return artifact;
  }
  Steps &steps;
  KernelWork work;
  std::string kernel;
  std::deque<Json> pending;
};

/// Finds each candidate as fast as the default. Notes which kernels' defaults
/// were compared with a reference in f64, and which were timed when: beside
/// themselves for the profile, beside others in a session.
class NotingRunner : public Runner {
public:
  explicit NotingRunner(Steps &steps) : steps(steps) {}
  Result<DeviceDescription> device() override { return DeviceDescription(); }
  Result<void> open(const RunnerSession &session) override {
    opened = session;
    return {};
  }
  RunResult run(const RunRequest &request) override {
    std::string kernel = findKernel(request.candidate);
    if (request.kind == RunRequest::Kind::peaks) {
      RunResult result;
      result.peaks = peaks;
      return result;
    }
    if (request.kind == RunRequest::Kind::results) {
      EXPECT_TRUE(std::filesystem::is_directory(request.directory));
      steps.add("run model");
      return {};
    }
    if (request.kind == RunRequest::Kind::verify) {
      if (!opened.problem.isVerifiedInParts) { // before finals
        EXPECT_FALSE(faster.empty());
        return {};
      }
      EXPECT_FALSE(opened.problem.isRounded);
      verified.push_back(kernel);
      bool isSecond = std::ranges::count(verified, kernel) == 2;
      bool isWrong = wrong.contains(kernel) || wrongOnce.erase(kernel) > 0 ||
                     (isSecond && wrongSecond.contains(kernel));
      return isWrong ? failedAs(Status::wrong, "element 3") : RunResult();
    }
    if (request.kind == RunRequest::Kind::choose)
      return rankedAs(std::vector<double>(request.finalists.size(), 0.01));
    if (request.kind == RunRequest::Kind::compare)
      return faster.contains(kernel) ? comparedAs(Verdict::faster, 1.25)
                                     : comparedAs(Verdict::tie, 1);
    bool isProfile = opened.problem.isOwnReference;
    EXPECT_EQ(isProfile, opened.problem.isRounded && kernel != "model");
    EXPECT_EQ(opened.protocol.cacheState,
              kernel == "model" ? CacheState::cold : CacheState::warm);
    steps.add((isProfile ? "time " : "tune ") + kernel);
    bool isDefault = request.candidate.hash() == request.baseline.hash();
    if (faster.contains(kernel) && !isDefault)
      return measuredAs(0.8);
    return measuredAs(isProfile && ratios.contains(kernel) ? ratios[kernel]
                                                           : 1);
  }

  std::map<std::string, double> ratios; ///< of kernels by default, to 1 ms
  std::set<std::string> wrong;
  std::set<std::string> wrongOnce;   ///< when it is verified first
  std::set<std::string> wrongSecond; ///< when it is verified again
  std::set<std::string> faster;      ///< kernels whose candidates are
  std::vector<std::string> verified;
  std::optional<DevicePeaks> peaks;

private:
  static std::string findKernel(const Artifact &artifact) {
    std::string text(artifact.binary.begin(), artifact.binary.end());
    return text.substr(0, text.find(' '));
  }
  Steps &steps;
  RunnerSession opened;
};

struct WarningObserver : TuneObserver {
  void warn(const std::string &message) override {
    warnings.push_back(message);
  }
  void timingInModel(const ModelKernelOutcome &, size_t n,
                     size_t all) override {
    timings.emplace_back(n, all);
  }
  void started(const std::string &kernel, const SearchSpace &,
               const Budget &budget) override {
    budgets[kernel] = budget.seconds;
  }
  void tunedInModel(const ModelKernelOutcome &kernel) override {
    shares.push_back(kernel.share);
  }
  std::vector<std::string> warnings;
  std::vector<std::pair<size_t, size_t>> timings;
  std::map<std::string, double> budgets;
  std::vector<double> shares; ///< of the tuned kernels, as known then
};

/// Returns a model of this many layers, each of another size.
std::string writeLayers(int layers) {
  auto type = [](int rows, int columns) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
           "xf32>";
  };
  std::string arguments = "%x: " + type(16, 16), body, input = "%x";
  int size = 16;
  for (int i = 0; i < layers; ++i) {
    std::string n = std::to_string(i);
    std::string read = type(16, size), weight = type(size, size + 16);
    size += 16;
    std::string result = type(16, size);
    arguments += ", %w" + n + ": " + weight;
    body += "%e" + n + " = tensor.empty() : " + result + "\n";
    body += "%i" + n + " = linalg.fill ins(%zero : f32) outs(%e" + n + " : " +
            result + ") -> " + result + "\n";
    body += "%p" + n + " = linalg.matmul ins(" + input + ", %w" + n + " : " +
            read + ", " + weight + ") outs(%i" + n + " : " + result + ") -> " +
            result + "\n";
    body += "%t" + n + " = linalg.tanh ins(%p" + n + " : " + result +
            ") outs(%e" + n + " : " + result + ") -> " + result + "\n";
    input = "%t" + n;
  }
  return "func.func @model(" + arguments + ") -> " + type(16, size) +
         " {\n%zero = arith.constant 0.0 : f32\n" + body + "return " + input +
         " : " + type(16, size) + "\n}\n";
}

struct ModelTunerTest : testing::Test {
  ModelTunerTest() {
    options.cacheDirectory = (directory / "cache").string();
    options.effort.strategy = "random";
    options.effort.budget.trials = 3;
  }

  /// Tunes a model of this many layers in a process of its own.
  Result<KernelOutcome, LocatedError> tune(int layers) {
    mlir::DialectRegistry registry;
    registerBackendDialects(registry);
    mlir::MLIRContext context(registry);
    auto module =
        mlir::parseSourceString<mlir::ModuleOp>(writeLayers(layers), &context);
    EXPECT_TRUE(mlir::succeeded(prepareModule(*module, options)));
    auto model = module->lookupSymbol<mlir::func::FuncOp>("model");
    NamingCompiler compiler(steps, work);
    KernelTuner tuner(options, compiler, runner, observer);
    EXPECT_TRUE(tuner.open().ok());
    auto problem = readProblem(model, options, compiler, device);
    EXPECT_TRUE(mlir::succeeded(problem));
    return ModelTuner(model, options, compiler, runner, tuner, observer,
                      problem->device)
        .tune(std::move(*problem));
  }

  TemporaryDirectory directory;
  TunerOptions options;
  Steps steps;
  KernelWork work; ///< of each kernel
  DeviceDescription device;
  NotingRunner runner{steps};
  WarningObserver observer;
};

/// Returns why each kernel's search ended.
static std::vector<SearchEnd> getSearchEnds(const ModelOutcome &model) {
  std::vector<SearchEnd> ends;
  for (const ModelKernelOutcome &kernel : model.kernels)
    ends.push_back(kernel.tuned ? kernel.tuned->searchEnd
                                : SearchEnd::interrupted);
  return ends;
}

TEST_F(ModelTunerTest, EachKernelEndsAtItsShareOfTheLimit) {
  device.kind = "host";
  work.bytesRead = 900;
  runner.peaks.emplace();
  runner.peaks->memory = {{"DRAM", 0, 1e6}}; // 0.9 ms of each 1 ms
  options.stopAtLimit = 0.85;
  auto near = tune(3);
  ASSERT_TRUE(near.ok()) << near.error().message;
  ASSERT_TRUE(near->model);
  EXPECT_THAT(getSearchEnds(*near->model),
              AllOf(SizeIs(3), Each(SearchEnd::limit)));
  EXPECT_NE(near->searchEnd, SearchEnd::limit)
      << "the comparison in the model has no limit";

  options.stopAtLimit = 0.95;
  auto far = tune(3);
  ASSERT_TRUE(far.ok()) << far.error().message;
  ASSERT_TRUE(far->model) << "another stop, another decision";
  EXPECT_THAT(getSearchEnds(*far->model),
              AllOf(SizeIs(3), Not(Contains(SearchEnd::limit))));
  for (const ModelKernelOutcome &kernel : far->model->kernels)
    EXPECT_TRUE(kernel.tuned->source.empty()) << "nor is it the kernel's";
}

TEST_F(ModelTunerTest, VerifiesTheDefaultsOfKernelsThatAreNotTuned) {
  options.stopAtGain = 1;
  auto outcome = tune(5);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  ASSERT_TRUE(outcome->model);
  EXPECT_EQ(outcome->model->numTuned(), 1u);
  EXPECT_EQ(runner.verified.size(), 4u) << "the tuned one had a session";
  EXPECT_EQ(outcome->model->numVerified(), 5u);
  EXPECT_DOUBLE_EQ(outcome->model->verifiedShare(), 1);
  EXPECT_THAT(observer.warnings, IsEmpty());
}

TEST_F(ModelTunerTest, TunesTheLaunchesOfAGpuOneByOne) {
  options.target = "amdgpu";
  options.chip = "gfx942";
  runner.faster = {"kernel_0", "kernel_2"};
  auto outcome = tune(3);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  ASSERT_TRUE(outcome->model);
  ASSERT_THAT(outcome->model->kernels, SizeIs(3));
  EXPECT_EQ(outcome->model->numTuned(), 3u);
  EXPECT_THAT(steps.all, Contains("run model"))
      << "winners are verified on the values that they have there";
  EXPECT_THAT(observer.warnings, IsEmpty());
}

TEST_F(ModelTunerTest, FailsIfADefaultThatIsNotTunedIsWrong) {
  options.stopAtGain = 1;
  runner.wrong = {"kernel_2"};
  auto outcome = tune(5);
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message,
              HasSubstr("the default of kernel 'kernel_2' failed ('wrong': "
                        "element 3), and so the model's results"));
}

TEST_F(ModelTunerTest, TakesKnownKernelsWithoutTimeForASearch) {
  ASSERT_TRUE(tune(5).ok());
  options.effort.budget.seconds = 3; // of which none suffices for a session
  auto outcome = tune(5);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  ASSERT_TRUE(outcome->model) << "another budget, another decision";
  ASSERT_EQ(outcome->model->numTuned(), 5u);
  for (const ModelKernelOutcome &kernel : outcome->model->kernels)
    EXPECT_EQ(kernel.tuned->source, "the cache");
  EXPECT_EQ(outcome->model->trials, 0u);
  EXPECT_THAT(observer.warnings, IsEmpty());

  options.effort.budget.trials = 4; // of other searches
  auto unknown = tune(5);
  ASSERT_TRUE(unknown.ok()) << unknown.error().message;
  EXPECT_EQ(unknown->model->numTuned(), 0u);
  EXPECT_THAT(observer.warnings,
              ElementsAre(HasSubstr("stay at their defaults, for lack of")));
}

TEST_F(ModelTunerTest, WarnsOfNewSessionsOnce) {
  options.journal.directory = (directory / "journals").string();
  options.resume = true;
  ASSERT_TRUE(tune(5).ok());
  EXPECT_THAT(observer.warnings, ElementsAre(HasSubstr("has no session of")));
}

TEST_F(ModelTunerTest, TunesAKernelBeforeOthersAreTimed) {
  auto outcome = tune(5);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  // The two have 5/7 of the iterations.
  EXPECT_THAT(steps.all,
              ElementsAre("time kernel_4", "time kernel_3", "tune kernel_4",
                          "compile model", "time kernel_2", "time kernel_1",
                          "time kernel_0", "tune kernel_3", "tune kernel_2",
                          "tune kernel_1", "tune kernel_0", "compile model",
                          "tune model"));
  EXPECT_THAT(observer.timings,
              ElementsAre(std::pair(1, 5), std::pair(2, 5), std::pair(3, 5),
                          std::pair(4, 5), std::pair(5, 5)));
  // The two took 2 ms: all would take 2.8 ms at that rate.
  ASSERT_EQ(observer.shares.size(), 5u);
  EXPECT_NEAR(observer.shares.front(), 1 / 2.8, 1e-9);
  for (const ModelKernelOutcome &kernel : outcome->model->kernels)
    EXPECT_DOUBLE_EQ(kernel.share, 0.2);
}

TEST_F(ModelTunerTest, TheOthersShareTheSecondsThatTheFirstKernelLeaves) {
  runner.ratios["kernel_4"] = 0.6; // the one with the most iterations still
  auto outcome = tune(5);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->model->kernels.back().kernel, "kernel_4");
  // The model keeps 30 of 120 s, and verification 18.
  EXPECT_NEAR(observer.budgets["kernel_3"], 72 / 4.0, 0.5);
}

TEST_F(ModelTunerTest, BeginsWithAKernelThatIsNotMuchShorterThanTheLongest) {
  runner.ratios["kernel_4"] = 0.4;
  auto outcome = tune(5);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  ASSERT_GT(steps.all.size(), 2u);
  EXPECT_EQ(steps.all[2], "tune kernel_3");
}

TEST_F(ModelTunerTest, KeepsAnInterruptedFirstKernel) {
  options.interrupted = [&] {
    return !steps.all.empty() && steps.all.back() == "tune kernel_4";
  };
  auto outcome = tune(5);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_THAT(steps.all,
              ElementsAre("time kernel_4", "time kernel_3", "tune kernel_4"));
  EXPECT_EQ(outcome->decision.comparison.verdict, Verdict::interrupted);
  ASSERT_TRUE(outcome->model);
  EXPECT_EQ(outcome->model->numTuned(), 1u);
  EXPECT_EQ(outcome->model->kernels.size(), 5u);
}

TEST_F(ModelTunerTest, ComparesSmallModelsWithTheirReference) {
  options.stopAtGain = 1;
  auto outcome = tune(3);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_FALSE(outcome->model->isAgainstDefault);
  EXPECT_THAT(runner.verified, IsEmpty());
}

TEST_F(ModelTunerTest, VerifiesWinnersOnTheModelsValues) {
  runner.faster = {"kernel_1", "kernel_4"};
  auto outcome = tune(5);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_THAT(steps.all, Contains("run model"));
  EXPECT_THAT(runner.verified, UnorderedElementsAre("kernel_1", "kernel_1",
                                                    "kernel_4", "kernel_4"))
      << "its two candidates; the default is verified in the session";
  EXPECT_THAT(runner.verified, SizeIs(4));
  for (const ModelKernelOutcome &kernel : outcome->model->kernels)
    EXPECT_EQ(kernel.onModelValues == Status::ok,
              runner.faster.contains(kernel.kernel));
  EXPECT_THAT(observer.warnings, IsEmpty());
}

TEST_F(ModelTunerTest, WinnersThatFailOnTheModelsValuesAreNotUsed) {
  runner.faster = {"kernel_1", "kernel_4"};
  runner.wrongOnce = {"kernel_4"};
  auto outcome = tune(5);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_THAT(observer.warnings,
              ElementsAre(HasSubstr("kernel 'kernel_4' of @model stays at its "
                                    "default: its winner fails on the model's "
                                    "own values ('wrong': element 3)")));
  EXPECT_THAT(outcome->trials, Not(IsEmpty()));
  for (const Trial &trial : outcome->trials) {
    Json values = outcome->space.values(trial.configuration);
    Json byDefault =
        outcome->space.values(outcome->space.defaultConfiguration());
    for (const auto &[knob, value] : values.items())
      if (knob.starts_with("kernel_4."))
        EXPECT_EQ(value, byDefault[knob]);
  }
}

TEST_F(ModelTunerTest, OtherConfigurationsThatFailThereAreNotUsed) {
  runner.faster = {"kernel_4"};
  runner.wrongSecond = {"kernel_4"};
  auto outcome = tune(5);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_THAT(observer.warnings,
              ElementsAre(HasSubstr("a configuration of kernel 'kernel_4' of "
                                    "@model is not used, as it fails")));
  std::set<Json> used;
  for (const Trial &trial : outcome->trials) {
    Json values = outcome->space.values(trial.configuration), own;
    for (const auto &[knob, value] : values.items())
      if (knob.starts_with("kernel_4."))
        own[knob] = value;
    used.insert(own);
  }
  EXPECT_THAT(used, SizeIs(2)) << "the winner and the default";
}

TEST_F(ModelTunerTest, FailsIfADefaultIsWrongOnTheModelsValues) {
  runner.faster = {"kernel_4"};
  runner.wrong = {"kernel_4"};
  auto outcome = tune(5);
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(
      outcome.error().message,
      HasSubstr("the default of kernel 'kernel_4' failed on the model's "
                "own values ('wrong': element 3)"));
}

} // namespace
