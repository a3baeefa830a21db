//===- A language server for MLIR with tonno ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InputModule.h"
#include "Messages.h"
#include "NamedValues.h"
#include "Relay.h"

#include "tonno/Core/Version.h"
#include "tonno/Process/ProgramStart.h"
#include "tonno/Tuner/RequestOptions.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/LSP/Logging.h"
#include "llvm/Support/LSP/Protocol.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

#include <thread>
#include <unistd.h>

using namespace mlir;
using namespace tonno;
namespace cl = llvm::cl;
using llvm::lsp::Logger;

namespace {

constexpr char toolName[] = "tonno-lsp-server";

constexpr char overview[] =
    "describes, completes and checks MLIR files in an editor\n"
    "\n"
    "An editor starts the server, and talks to it on stdin and stdout by the\n"
    "Language Server Protocol. The server is upstream's mlir-lsp-server, and "
    "also\n"
    "describes and completes knobs, constraints and tuning results, selects\n"
    "options of knobs, and reports what tonno-tune would refuse.\n";

constexpr llvm::StringRef flags[] = {"load-dialect-plugin", "load-pass-plugin"};

/// The command line. A local of main: nothing else reads it.
struct CommandLine {
  OptionCategories categories;
  cl::opt<Logger::Level, false, NamedValues<Logger::Level>> log{
      "log", cl::desc("Messages on stderr:"), cl::init(Logger::Level::Error),
      cl::values(clEnumValN(Logger::Level::Error, "error", "errors"),
                 clEnumValN(Logger::Level::Info, "info", "names of messages"),
                 clEnumValN(Logger::Level::Debug, "verbose", "all messages")),
      cl::cat(categories[OptionGroup::input])};
  RequestOptions options{categories, flags};
};

/// A pipe of this process.
struct Pipe {
  int readEnd = -1;
  int writeEnd = -1;

  bool open() {
    int ends[2];
    if (::pipe(ends) != 0)
      return false;
    readEnd = ends[0];
    writeEnd = ends[1];
    return true;
  }
};

/// A stream whose reader may end first: write errors are ignored.
struct PipeStream : llvm::raw_fd_ostream {
  explicit PipeStream(int descriptor)
      : raw_fd_ostream(descriptor, /*shouldClose=*/true) {}
  ~PipeStream() override { clear_error(); }
};

/// Runs upstream's server, which reads standard input and writes standard
/// output, with pipes in place of these. Returns the exit status.
int serve(DialectRegistry &registry, const char *level,
          const Messages &messages) {
  Pipe input;
  Pipe output;
  int clientInput = ::dup(STDIN_FILENO);
  int clientOutput = ::dup(STDOUT_FILENO);
  if (clientInput < 0 || clientOutput < 0 || !input.open() || !output.open() ||
      ::dup2(input.readEnd, STDIN_FILENO) < 0 ||
      ::dup2(output.writeEnd, STDOUT_FILENO) < 0)
    return messages.fail("cannot open pipes: " +
                         std::string(std::strerror(errno)));
  ::close(input.readEnd);
  ::close(output.writeEnd);

  // Upstream's server registers this scheme as it starts, while the relay
  // already parses URIs. Registering it here first avoids the race.
  llvm::lsp::URIForFile::registerSupportedScheme("mlir.bytecode-mlir");
  PipeStream toClient(clientOutput);
  auto toServer = std::make_unique<PipeStream>(input.writeEnd);
  std::FILE *fromClient = ::fdopen(clientInput, "r");
  std::FILE *fromServer = ::fdopen(output.readEnd, "r");
  Relay relay(fromClient, toClient, fromServer, *toServer, registry);
  std::thread client([&] {
    relay.serveClient();
    // The server ends with its input.
    toServer.reset();
  });
  std::thread server([&] { relay.serveServer(); });
  std::string log = std::string("--log=") + level;
  char *arguments[] = {const_cast<char *>(toolName), log.data(), nullptr};
  bool isOrderly = succeeded(MlirLspServerMain(2, arguments, registry));
  llvm::outs().flush();
  ::close(STDOUT_FILENO);
  server.join();
  client.join();
  std::fclose(fromClient);
  std::fclose(fromServer);
  return isOrderly ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  beginProgram();
  const Messages messages(toolName, ProgressForm::automatic);
  DialectRegistry registry;
  Logger::Level level;
  {
    CommandLine commandLine;
    commandLine.categories.hideUnrelatedOptions();
    cl::SetVersionPrinter([](llvm::raw_ostream &os) {
      os << toolName << " " << version()
         << " (LLVM/MLIR " LLVM_VERSION_STRING ")\n";
    });
    parseCommandLine(argc, argv, overview, toolName);
    auto request = commandLine.options.request();
    if (!request)
      return messages.fail(request.error().message);
    if (auto known = InputModule::registerAll(*request, registry); !known)
      return messages.fail(known.error().message);
    level = commandLine.log;
    // Upstream's server has an option of the same name.
    commandLine.options.remove();
    commandLine.log.removeArgument();
  }
  messages.announceStandardInput("an editor's requests");
  return serve(registry,
               level == Logger::Level::Error  ? "error"
               : level == Logger::Level::Info ? "info"
                                              : "verbose",
               messages);
}
