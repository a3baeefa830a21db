//===- tonno-runner --bundle ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BundleCommand.h"
#include "Output.h"

#include "tonno/Core/File.h"
#include "tonno/Core/PrintableText.h"
#include "tonno/Engine/Budget.h"
#include "tonno/Runtime/RunnerProcess.h"
#include "tonno/Session/Bundle.h"
#include "tonno/Session/Interrupt.h"
#include "tonno/Session/LiveRegion.h"
#include "tonno/Session/Progress.h"

#include <iostream>
#include <unistd.h>

using namespace tonno;

static int fail(const std::string &message) {
  std::cerr << "tonno-runner: error: " << toPrintable(message) << "\n";
  return 1;
}

static Result<Bundle> readBundle(const std::string &path) {
  auto bytes = TONNO_TRY(readNamedFile(path));
  auto bundle = decodeBundle(bytes);
  if (!bundle)
    return Error{path + ": " + bundle.error().message};
  return bundle;
}

/// Returns the device that runs a target's code.
static std::string getDefaultDevice(const std::string &target) {
  return target == "nvptx" ? "cuda" : target == "amdgpu" ? "hip" : "host";
}

int tonno::runBundle(const BundleCommand &command) {
  auto bundle = readBundle(command.bundle);
  if (!bundle)
    return fail(bundle.error().message);
  if (command.output == command.bundle)
    return fail("'-o' names the bundle, which the results would replace; name "
                "another file");
  auto output = Output::open(command.output);
  if (!output)
    return fail(output.error().message);
  std::string device = command.device.empty() ? getDefaultDevice(bundle->target)
                                              : command.device;
  if (device.starts_with("sim"))
    return fail("the simulated device cannot time candidates; verify them by "
                "'tonno-tune --device=sim'");

  // Candidates run in a process of their own: this same program.
  std::vector<std::string> words = runnerCommand({"/proc/self/exe"}, device);
  if (!command.driver.empty())
    words.push_back("--driver=" + command.driver);
  InterruptScope interrupts;
  BundleOptions options;
  options.failureDirectory = command.failures;
  options.device = device;
  options.referenceSeconds = command.limits.referenceSeconds;
  if (command.seconds > 0)
    options.seconds = command.seconds;
  options.interrupted = [] { return InterruptScope::received() != 0; };
  Progress progress(std::cerr, isRewritable(STDERR_FILENO)
                                   ? LiveRegion::open(std::cerr, STDERR_FILENO)
                                   : nullptr);
  RunnerProcess runner(
      std::move(words), command.limits,
      {options.interrupted,
       [&progress](const std::string &holder) { progress.waiting(holder); }});
  PatientRunner patient(
      runner,
      makePatience(command.whenBusy, {.seconds = options.seconds}, progress),
      options.interrupted);

  if (auto about = patient.device())
    progress.timing(*about);
  int status = 0;
  BundleResults results;
  for (const BundledKernel &kernel : bundle->kernels) {
    auto result = runBundled(kernel, patient, progress, options);
    if (result) {
      results.kernels.push_back(std::move(*result));
    } else {
      progress.finish();
      results.failures[kernel.kernel] = result.error().message;
      status = fail("@" + kernel.kernel + ": " + result.error().message);
    }
    if (options.interrupted())
      break;
  }
  if (!results.isEmpty())
    if (auto written = output->write(encodeResults(results)); !written)
      return fail(written.error().message);
  int signal = InterruptScope::received();
  return signal ? 128 + signal : status;
}
