//===- Messages of tools on standard error --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Messages.h"
#include "Terminal.h"

#include "tonno/Process/CapturedErrors.h"
#include "tonno/Session/JsonProgress.h"
#include "tonno/Session/LiveRegion.h"
#include "tonno/Session/Progress.h"
#include "tonno/Session/TuneObservers.h"
#include "tonno/Session/TuneReport.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <unistd.h>

using namespace mlir;
using namespace tonno;
namespace cl = llvm::cl;

/// Returns the members of an event for a message; those that are empty are left
/// out.
static Json describeMessage(const LocatedError &error) {
  Json json = {{"message", error.message}};
  if (!error.file.empty())
    json["file"] = error.file;
  if (error.line != 0) {
    json["line"] = error.line;
    json["column"] = error.column;
  }
  if (!error.note.empty())
    json["notes"] = {{{"message", error.note}}};
  return json;
}

static Json describeDiagnostic(Diagnostic &diagnostic) {
  LocatedError located{diagnostic.str()};
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>()) {
    located.file = place.getFilename().str();
    located.line = place.getLine();
    located.column = place.getColumn();
  }
  Json json = describeMessage(located);
  for (Diagnostic &note : diagnostic.getNotes())
    json["notes"].push_back(describeDiagnostic(note));
  return json;
}

static const char *toEvent(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Remark:
    return "remark";
  case DiagnosticSeverity::Note:
    return "note";
  }
  llvm_unreachable("unknown severity");
}

/// Returns true if the command line requests events, even if other arguments
/// are wrong.
static bool asksForEvents(llvm::ArrayRef<char *> words) {
  for (auto [i, word] : llvm::enumerate(words)) {
    llvm::StringRef option = llvm::StringRef(word).ltrim('-');
    bool isSplit = option == "progress" && i + 1 < words.size() &&
                   llvm::StringRef(words[i + 1]) == "json";
    if (option == "progress=json" || isSplit)
      return true;
  }
  return false;
}

void tonno::parseCommandLine(int argc, char **argv, const char *overview,
                             const std::string &tool) {
  // LLVM reports wrong values of options nowhere else.
  CapturedErrors captured;
  std::string text;
  llvm::raw_string_ostream errors(text);
  if (cl::ParseCommandLineOptions(argc, argv, overview, &errors))
    return;
  text = captured.take() + text;
  if (asksForEvents(llvm::ArrayRef(argv, argc))) {
    llvm::StringRef message = llvm::StringRef(text).trim();
    message.consume_front(tool + ": ");
    Messages(tool, ProgressForm::json).fail(message.str());
  } else {
    messages() << text;
  }
  std::exit(1);
}

Messages::Messages(std::string tool, ProgressForm form)
    : tool(std::move(tool)), form(form) {
  if (form == ProgressForm::json)
    writeEvent(std::cerr, "start", describeTool(this->tool));
}

Result<Messages> Messages::open(std::string tool, ProgressForm form,
                                const std::string &eventFile) {
  Messages messages(std::move(tool), form);
  if (eventFile.empty())
    return messages;
  messages.eventFile = std::make_shared<std::ofstream>(eventFile);
  if (!*messages.eventFile)
    return Error{"cannot write '" + eventFile + "': " + std::strerror(errno)};
  writeEvent(*messages.eventFile, "start", describeTool(messages.tool));
  return messages;
}

void Messages::writeEvents(const char *event, const Json &members) const {
  if (form == ProgressForm::json)
    writeEvent(std::cerr, event, members);
  if (eventFile)
    writeEvent(*eventFile, event, members);
}

int Messages::fail(const LocatedError &error) const {
  writeEvents("error", describeMessage(error));
  if (form == ProgressForm::json)
    return 1;
  messages() << (error.file.empty() ? tool : error.file);
  if (error.line != 0)
    messages() << ":" << error.line << ":" << error.column;
  messages() << ": error: " << error.message << "\n";
  if (!error.note.empty())
    messages() << "note: " << error.note << "\n";
  return 1;
}

void Messages::announceStandardInput(const std::string &what) const {
  if (form == ProgressForm::none || !::isatty(STDIN_FILENO))
    return;
  std::string message =
      "reading " + what + " from standard input; end the input by Ctrl-D";
  writeEvents("note", {{"message", message}});
  if (form != ProgressForm::json)
    messages() << tool << ": note: " << message << "\n";
}

void Messages::reportWritten(llvm::ArrayRef<WrittenFile> files) const {
  for (const WrittenFile &file : files) {
    writeEvents("written", {{"file", file.path}, {"form", file.form}});
    if (form != ProgressForm::json && form != ProgressForm::none)
      messages() << "wrote '" << file.path << "': " << file.meaning << "\n";
  }
}

std::shared_ptr<void> Messages::reportDiagnostics(llvm::SourceMgr &sources,
                                                  MLIRContext &context) const {
  // The handler registered last is asked first, and passes what it returns
  // `failure` for to the one before.
  std::shared_ptr<void> text;
  if (form != ProgressForm::json)
    text = std::make_shared<SourceMgrDiagnosticHandler>(sources, &context,
                                                        messages());
  if (form != ProgressForm::json && !eventFile)
    return text;
  auto events = std::make_unique<ScopedDiagnosticHandler>(
      &context, [messages = *this](Diagnostic &diagnostic) {
        messages.writeEvents(toEvent(diagnostic.getSeverity()),
                             describeDiagnostic(diagnostic));
        return success(messages.form == ProgressForm::json);
      });
  // Handlers are removed in the reverse order.
  return {events.release(), [text](ScopedDiagnosticHandler *handler) mutable {
            delete handler;
            text.reset();
          }};
}

/// Creates the live region of standard error, above which messages are printed
/// from now on.
static std::shared_ptr<LiveRegion> createRegion() {
  auto region = LiveRegion::open(std::cerr, STDERR_FILENO);
  redirectMessages([region](const std::string &text) { region->print(text); });
  return region;
}

std::unique_ptr<TuneObserver> Messages::createProgress(bool isVerbose) const {
  if (!eventFile)
    return createErrorProgress(isVerbose);
  auto both = std::make_unique<TuneObservers>();
  both->add(createErrorProgress(isVerbose));
  both->add(std::make_unique<JsonProgress>(*eventFile));
  return both;
}

std::unique_ptr<TuneObserver>
Messages::createErrorProgress(bool isVerbose) const {
  bool isLive =
      form == ProgressForm::live ||
      (form == ProgressForm::automatic && isRewritable(STDERR_FILENO));
  switch (form) {
  case ProgressForm::automatic:
  case ProgressForm::live:
  case ProgressForm::lines:
    return std::make_unique<Progress>(
        std::cerr, isLive ? createRegion() : nullptr, isVerbose);
  case ProgressForm::none:
    return std::make_unique<WarningPrinter>(std::cerr);
  case ProgressForm::json:
    return std::make_unique<JsonProgress>(std::cerr);
  }
  llvm_unreachable("unknown form");
}
