//===- The runner's end of the protocol -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_RUNNERSERVER_H
#define TONNO_RUNTIME_RUNNERSERVER_H

#include <functional>
#include <memory>
#include <string>

namespace tonno {

class Device;
class PrintedOutput;
struct ProtocolChannel;

/// Serves a RunnerProcess on this descriptor until it closes: `{"device": {}}`
/// is answered by `{"device": ...}`, `{"open": ...}` by `{"opened": true}`,
/// `{"run": ...}` by `{"result": ...}`, or each by `{"error": ...}`. Before
/// an answer comes `{"alive": true}`, from time to time as launches go on. All
/// of them repeat the request's `"ticket"`.
/// What a request runs on is locked for its time (DeviceLock.h); while another
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

#endif // TONNO_RUNTIME_RUNNERSERVER_H
