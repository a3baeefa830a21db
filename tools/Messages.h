//===- Messages of tools on standard error --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_MESSAGES_H
#define TONNO_TOOLS_MESSAGES_H

#include "Output.h"

#include "tonno/Engine/Compiler.h"
#include "tonno/Session/TuneObserver.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "mlir/IR/MLIRContext.h"

#include <fstream>
#include <memory>
#include <string>

namespace tonno {

/// The form of progress, and of messages beside it.
enum class ProgressForm {
  automatic, ///< `live` on a terminal that can rewrite lines, else `lines`
  live,      ///< lines that are rewritten, with the session's state
  lines,     ///< lines that stay
  none,      ///< warnings and errors only
  json,      ///< events for programs
};

/// The values of --progress of a tool that tunes.
struct ProgressValues {
  template <typename Option> void apply(Option &option) const {
    auto &parser = option.getParser();
    parser.addLiteralOption("auto", ProgressForm::automatic,
                            "live on a terminal, lines elsewhere: also in CI, "
                            "and with TERM=dumb");
    parser.addLiteralOption("live", ProgressForm::live,
                            "the session's state, rewritten in place");
    parser.addLiteralOption("lines", ProgressForm::lines, "lines that stay");
    parser.addLiteralOption("none", ProgressForm::none,
                            "warnings and errors only");
    parser.addLiteralOption("json", ProgressForm::json,
                            "an event a line, for programs; errors, too");
  }
};

/// Parses a command line. An error is reported in the requested form, and ends
/// the program.
void parseCommandLine(int argc, char **argv, const char *overview,
                      const std::string &tool);

/// Reports errors, diagnostics and progress of a tool on standard error: as
/// text, or as an event a line.
class Messages {
public:
  /// Reports in this form on standard error and, if `eventFile` is no empty
  /// path, also by events in that file.
  static Result<Messages> open(std::string tool, ProgressForm form,
                               const std::string &eventFile);
  Messages(std::string tool, ProgressForm form);

  /// Reports an error, with its location and note if it has any. Returns the
  /// exit status of a failure.
  int fail(const LocatedError &error) const;
  int fail(const std::string &message) const {
    return fail(LocatedError{message});
  }

  /// Reports what is read from standard input, if that is a terminal: the tool
  /// would seem to hang.
  void announceStandardInput(const std::string &what) const;

  /// Reports the files that the tool wrote.
  void reportWritten(llvm::ArrayRef<WrittenFile> files) const;

  /// Reports diagnostics of a context, whose source is `sources`, while the
  /// result lives.
  std::shared_ptr<void> reportDiagnostics(llvm::SourceMgr &sources,
                                          mlir::MLIRContext &context) const;

  std::unique_ptr<TuneObserver> createProgress(bool isVerbose) const;

private:
  /// Writes the event to standard error if its form is JSON, and to the file.
  void writeEvents(const char *event, const Json &members) const;
  std::unique_ptr<TuneObserver> createErrorProgress(bool isVerbose) const;

  std::string tool;
  ProgressForm form;
  std::shared_ptr<std::ofstream> eventFile; ///< null if there is none
};

} // namespace tonno

#endif // TONNO_TOOLS_MESSAGES_H
