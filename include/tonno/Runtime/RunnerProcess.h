//===- Runners in this process and in one of their own --------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_RUNNERPROCESS_H
#define TONNO_RUNTIME_RUNNERPROCESS_H

#include "tonno/Core/Descriptor.h"
#include "tonno/Engine/Runner.h"
#include "tonno/Process/ProcessEnd.h"
#include "tonno/Process/ProgramStart.h"
#include "tonno/Process/Subprocess.h"
#include "tonno/Runtime/Device.h"
#include "tonno/Runtime/PatientRunner.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tonno {

/// Begins the errors of the reference that a runner is opened with.
inline constexpr const char *whileRunningReference =
    "while running the reference";

class PrintedOutput;

/// Limits on a runner's silence: each launch shows life, so the limits bound a
/// launch, not a trial. Waiting for a processor does not count (Subprocess.h).
struct RunnerLimits {
  double referenceSeconds = 300; ///< one launch of the reference
  /// Limit of a candidate; with a known baseline, 20 times the baseline's
  /// seconds and the preparation.
  double launchSeconds = 30;
  double minLaunchSeconds = 2;
  /// Limits the time until the device is known: an ssh connection or a driver
  /// may take 20 s.
  double startSeconds = defaultStartSeconds;
  double sendSeconds = 300; ///< until it has taken a request, over any wire
};

/// A runner in a process of its own (`tonno-runner`, or a command that starts
/// one elsewhere). A candidate's effect on the process becomes its trial's
/// status: a crash or a wrong answer is `fault`, silence is `hang`. The next
/// request starts a fresh process, as after a lost device.
///
/// Retries a request once, in a fresh process, if the failure may be
/// environmental. If signals end two processes in a row during one candidate,
/// the candidate is at fault. Finals in which an unknown entrant failed are
/// repeated with RunRequest::announcesEntrants.
class RunnerProcess : public Runner {
public:
  /// Callbacks invoked while a request is in progress.
  struct Listener {
    /// Returns true to give up; the request then ends as `lost`.
    std::function<bool()> cancelled = [] { return false; };
    /// Another process, the `holder`, has the device; said once.
    std::function<void(const std::string &holder)> waiting =
        [](const std::string &) {};
  };

  explicit RunnerProcess(std::vector<std::string> command,
                         RunnerLimits limits = {})
      : RunnerProcess(std::move(command), limits, Listener()) {}
  RunnerProcess(std::vector<std::string> command, RunnerLimits limits,
                Listener listener)
      : command(std::move(command)), limits(limits),
        listener(std::move(listener)) {}

  Result<DeviceDescription> device() override;
  Result<void> open(const RunnerSession &session) override;
  RunResult run(const RunRequest &request) override;

private:
  /// Sends a request with a ticket that answers must repeat.
  Result<void, FrameFailure> send(Json message, double silenceSeconds);
  /// Waits for an answer; signs of life set the limit of silence anew.
  Result<Json, FrameFailure> receive(double silenceSeconds);
  /// Starts the process, which first has to say what its device is.
  Result<DeviceDescription> start();
  Result<DeviceDescription> describe();
  using CrashRemedy = std::function<std::string(const ProcessEnd &end)>;
  /// Sends a request and returns the reply's member `answer`. Errors end with
  /// `lateRemedy` after silence, with `crashRemedy` of the end after one.
  Result<Json> ask(const Json &message, const char *answer,
                   double silenceSeconds, const std::string &lateRemedy = "",
                   const CrashRemedy &crashRemedy = nullptr);
  Result<void> reopen(double waitSeconds);
  Result<void> openOnce(double waitSeconds);
  /// Outcome of the attempts at one request.
  struct Attempts {
    bool mayBeOthersFault = false; ///< that the last one failed
    bool wasSignalled = false;     ///< one that ran the candidate, by a signal
  };
  RunResult runOnce(const RunRequest &request, Attempts &attempts);
  /// Returns true if a signal that ends the process may be a candidate's.
  bool mayCandidateSignal() const;
  double launchLimit() const;

  std::vector<std::string> command;
  RunnerLimits limits;
  Listener listener;
  bool hasWaited = false;
  std::optional<RunnerSession> session;
  Descriptor keptPasses; ///< of the session, from a runner to the next
  std::optional<Subprocess> process;
  std::optional<Deadline> deadline; ///< of the request, if it has one
  uint64_t ticket = 0;              ///< of the last request
  bool isWaiting = false;          ///< for the device, by the last sign of life
  std::optional<size_t> entrant;   ///< announced last
  std::optional<NoAnswer> silence; ///< to the last that was asked by `ask`
  std::string deviceKind;          ///< "" until the device is known
  double openSeconds = 0;          ///< the last preparation took
  double baselineSeconds = 0;      ///< of a launch, once one was timed
};

/// A process that is asked again where others disturb its times.
class PatientProcess : public Runner {
public:
  explicit PatientProcess(
      RunnerProcess process, Patience patience = {},
      std::function<bool()> interrupted = [] { return false; })
      : process(std::move(process)),
        patient(this->process, std::move(patience), std::move(interrupted)) {}

  Result<DeviceDescription> device() override { return patient.device(); }
  Result<void> open(const RunnerSession &session) override {
    return patient.open(session);
  }
  RunResult run(const RunRequest &request) override {
    return patient.run(request);
  }

private:
  RunnerProcess process;
  PatientRunner patient;
};

/// Makes a runner in this process, which a crash takes along. The reference
/// runs on `host`. `announce` gets each entrant of the finals that are to be
/// announced.
std::unique_ptr<Runner> createLocalRunner(
    std::unique_ptr<Device> device, std::unique_ptr<Device> host,
    std::function<void(size_t)> announce = [](size_t) {});

/// Returns the command that starts the runner of a device.
std::vector<std::string> runnerCommand(std::vector<std::string> command,
                                       const std::string &device);

/// Serves a RunnerProcess until the channel closes. The requests `{"device":
/// ...}`, `{"open": ...}` and `{"run": ...}` are answered by `{"device": ...}`,
/// `{"opened": true}` and `{"result": ...}`, or by `{"error": ...}`, preceded
/// by `{"alive": true}` from time to time. All repeat the request's `"ticket"`.
///
/// Locks the device while a request runs (DeviceLock.h). While another process
/// holds it, signs of life name the holder, `"waiting": "process 4711 ..."`,
/// until the request's `"wait_seconds"` end in an error or `contended`. A lost
/// device, or a candidate that leaves state in the process, ends the process:
/// the last answer has `"ending": true`. Captured output follows each answer,
/// if `printed` is given. Returns the exit status.
int serveRunner(const FrameChannel &channel, std::unique_ptr<Device> device,
                std::unique_ptr<Device> host,
                std::function<void(const std::string &)> warn,
                PrintedOutput *printed = nullptr);

} // namespace tonno

#endif // TONNO_RUNTIME_RUNNERPROCESS_H
