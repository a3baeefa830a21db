//===- Compiles OpenCL kernels --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/OpenClC/Worker/OpenClWorker.h"
#include "tonno/Process/Frame.h"
#include "tonno/Process/Protocol.h"
#include "tonno/Runtime/PrintedOutput.h"
#include "tonno/Session/CompilingChild.h"
#include "OpenClBuilder.h"

#include <iostream>
#include <limits>

using namespace tonno;

namespace {

/// Parent process of all compilations: holds a kernel's text and no driver.
class Worker {
public:
  Worker(const FrameChannel &channel, std::string which, std::string loader,
         PrintedOutput printed)
      : which(std::move(which)), loader(std::move(loader)),
        printed(std::move(printed)),
        child(
            std::numeric_limits<uint64_t>::max(), channel,
            [this](const Json &request) { return answerHere(request); },
            [this] { this->printed.capture(); }) {}

  Json reply(const Json &request);

private:
  Json open(const CompilerSession &session);
  Json compile(const Json &values);
  Json answerHere(const Json &request);
  Result<Json, Failure> ask(const Json &request, double seconds);

  static constexpr double mostSeconds = 60, leastSeconds = 10;
  CompileLimit limit{mostSeconds, leastSeconds};
  std::string which, loader;
  PrintedOutput printed;                ///< by drivers, instead of their logs
  std::vector<uint8_t> kernel;          ///< as CBOR
  std::optional<OpenClBuilder> builder; ///< in a child
  CompilingChild child;
};

} // namespace

static Json errorReply(const LocatedError &error) { return {{"error", error}}; }

/// Answers a request in a child process.
Json Worker::answerHere(const Json &request) {
  if (!builder) {
    auto json = parseCbor(kernel);
    auto decoded =
        json ? decode<OpenClSource>(*json) : Result<OpenClSource>(json.error());
    if (!decoded)
      return errorReply(
          {"the kernel's description: " + decoded.error().message});
    auto opened = OpenClBuilder::open(std::move(*decoded), which, loader);
    if (!opened)
      return errorReply(opened.error());
    builder.emplace(std::move(*opened));
  }
  if (auto values = request.find("compile"); values != request.end())
    return builder->compile(*values);
  if (request.contains("reference")) {
    auto problem = builder->reference();
    return problem ? Json{{"problem", *problem}} : errorReply(problem.error());
  }
  return {{"opened", builder->describe()}};
}

/// Appends the end of a compiler's output to the message.
static std::string withPrinted(const std::string &message,
                               const std::string &printed) {
  constexpr size_t most = 1000;
  size_t end = printed.find_last_not_of(" \n") + 1;
  if (end == 0)
    return message;
  size_t begin = end > most ? end - most : 0;
  return message +
         "; its output ends with: " + printed.substr(begin, end - begin);
}

/// Adds the output of drivers that print their build log instead of returning
/// it.
static void addPrinted(Json &reply, const std::string &printed) {
  auto error = reply.find("error");
  Json &told = error == reply.end() ? reply : *error;
  auto message = told.find("message");
  if (message == told.end() || !message->is_string())
    return;
  auto text = message->get<std::string>();
  bool hasLog = text.find('\n') != std::string::npos;
  if (text.find("cannot build the program") != std::string::npos && !hasLog)
    *message = withPrinted(text, printed);
}

/// Asks the child. If a reused process fails, retries once in a fresh one, as
/// an earlier candidate may be the cause.
Result<Json, Failure> Worker::ask(const Json &request, double seconds) {
  bool isFresh = child.answered() == 0;
  auto message = child.ask(request, seconds);
  bool isTried = message || message.error().status == Status::compile_timeout ||
                 (isFresh && message.error().status != Status::lost);
  std::string text = printed.take();
  if (!isTried) {
    message = child.ask(request, seconds);
    text = printed.take();
  }
  if (!message)
    return Failure{message.error().status,
                   withPrinted(message.error().message, text)};
  addPrinted(*message, text);
  return message;
}

Json Worker::open(const CompilerSession &session) {
  limit.restart(session.compileSeconds);
  child.end();
  kernel = session.module;
  auto message = ask({{"open", true}}, limit.mostSeconds());
  if (message)
    return std::move(*message);
  std::string why = message.error().message;
  if (message.error().status == Status::compile_timeout)
    why += CompileLimit::remedy();
  return errorReply({"the default configuration: " + why});
}

Json Worker::compile(const Json &values) {
  auto start = Clock::now();
  auto message = ask({{"compile", values}}, limit.seconds());
  Compilation compilation;
  if (!message) {
    const Failure &failure = message.error();
    bool isTimeout = failure.status == Status::compile_timeout;
    compilation = {failure.status,
                   failure.message + (isTimeout ? limit.explanation() : ""),
                   std::nullopt, 0};
  } else if (auto error = message->find("error"); error != message->end()) {
    // The default was built before: this is nothing of the candidate's.
    auto located = decode<LocatedError>(*error);
    compilation = {Status::lost,
                   located ? located->text() : located.error().message,
                   std::nullopt, 0};
  } else if (auto decoded = decode<Compilation>(*message)) {
    compilation = std::move(*decoded);
  } else {
    compilation = {Status::lost, decoded.error().message, std::nullopt, 0};
  }
  compilation.seconds =
      std::chrono::duration<double>(Clock::now() - start).count();
  if (compilation.status == Status::ok)
    limit.add(compilation.seconds);
  // A failed compilation may have left state behind: do not reuse its process.
  else if (compilation.status != Status::unlaunchable)
    child.end();
  return {{"compiled", compilation}, {"values", values}};
}

Json Worker::reply(const Json &request) {
  if (request.contains("hello"))
    return {{"hello", makeGreeting()}};
  if (auto wanted = request.find("open"); wanted != request.end()) {
    auto session = decode<CompilerSession>(*wanted);
    return session ? open(*session) : errorReply({session.error().message});
  }
  if (request.contains("reference")) {
    auto message = ask({{"reference", true}}, limit.mostSeconds());
    return message ? std::move(*message)
                   : errorReply({"the default configuration: " +
                                 message.error().message});
  }
  if (auto values = request.find("compile"); values != request.end())
    return compile(*values);
  return errorReply({"unknown request"});
}

int tonno::serveOpenClWorker(const FrameChannel &channel,
                             const std::string &which,
                             const std::string &loader) {
  auto printed = PrintedOutput::create();
  if (!printed) {
    std::cerr << "tonno-runner: " << printed.error().message << "\n";
    return 1;
  }
  Worker worker(channel, which, loader, std::move(*printed));
  return answerFrames(channel.input, channel.output, [&](const Json &request) {
    return worker.reply(request);
  });
}
