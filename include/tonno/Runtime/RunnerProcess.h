//===- A runner in a process of its own, and what that process serves -----===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_RUNNERPROCESS_H
#define TONNO_RUNTIME_RUNNERPROCESS_H

#include "tonno/Core/Descriptor.h"
#include "tonno/Core/ProcessEnd.h"
#include "tonno/Core/StartLimit.h"
#include "tonno/Core/Subprocess.h"
#include "tonno/Engine/Runner.h"
#include "tonno/Runtime/Device.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tonno {

class PrintedOutput;

/// How long a runner may be silent: it shows life with each launch, so these
/// bound a single launch, not a trial. Waiting for a processor does not count
/// (FairLimit.h).
struct RunnerLimits {
  double referenceSeconds = 300; ///< one launch of the reference
  /// A launch of a candidate, if nothing is known of the baseline yet; else 20
  /// times the baseline's and what preparing took, within these bounds.
  double launchSeconds = 30;
  double minLaunchSeconds = 2;
  /// From the start of its command until it has told what its device is: an
  /// ssh connection may take 20 s, and so may a GPU's driver.
  double startSeconds = defaultStartSeconds;
  double sendSeconds = 300; ///< until it has taken a request, over any wire
};

/// A runner in a process of its own (`tonno-runner`, or a command that brings
/// one up elsewhere). What a candidate does to that process is its trial's
/// status: a crash is `fault`, an answer that is none to the request, too, no
/// sign of life in time is `hang`; the next
/// request starts a fresh process, as it does after a device was lost.
///
/// A fresh process does again, once, what somebody else may have ended: a
/// reference, a candidate, finals. A candidate during which signals end two
/// processes in a row is to blame. Finals in which an unknown entrant failed
/// are asked for again with RunRequest::announcesEntrants, which names it.
class RunnerProcess : public Runner {
public:
  /// Who hears of a request that goes on.
  struct Listener {
    /// Whether to give up; the request then ends as `lost`.
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
  /// Waits for an answer until the deadline; signs of life set the limit of
  /// silence anew.
  Result<Json, FrameFailure> receive(double silenceSeconds);
  /// Starts the process, which has to say what its device is before it is asked
  /// for anything that may take long.
  Result<DeviceDescription> start();
  Result<DeviceDescription> describe();
  using CrashRemedy = std::function<std::string(const ProcessEnd &end)>;
  /// Sends a request and returns the reply's member `answer`. Errors end with
  /// `lateRemedy` if the process was silent for too long, and with what
  /// `crashRemedy` says of its end if it ended.
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

/// How a command starts the runner of a device.
std::vector<std::string> runnerCommand(std::vector<std::string> command,
                                       const std::string &device);

/// Serves a RunnerProcess on this descriptor until it closes: `{"device": {}}`
/// is answered by `{"device": ...}`, `{"open": ...}` by `{"opened": true}`,
/// `{"run": ...}` by `{"result": ...}`, or each by `{"error": ...}`. Before
/// an answer comes `{"alive": true}`, from time to time as launches go on. All
/// of them repeat the request's `"ticket"`.
/// The device is locked while a request runs (DeviceLock.h); while another
/// process has it, signs of life say who, `"waiting": "process 4711 ..."`.
/// After the request's `"wait_seconds"` that is an error, or the result
/// `contended`. A device that was lost ends it, and candidates that leave
/// something in this process, as threads or descriptors, or hold much memory:
/// its last answer says `"ending": true`. What is printed meanwhile comes
/// behind each answer, if `printed` is given. Returns the exit status.
int serveRunner(const ProtocolChannel &channel, std::unique_ptr<Device> device,
                std::unique_ptr<Device> host,
                std::function<void(const std::string &)> warn,
                PrintedOutput *printed = nullptr);

} // namespace tonno

#endif // TONNO_RUNTIME_RUNNERPROCESS_H
