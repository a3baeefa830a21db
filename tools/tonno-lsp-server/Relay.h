//===- A server between an editor and upstream's server -------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_LSP_RELAY_H
#define TONNO_TOOLS_LSP_RELAY_H

#include "Document.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/LSP/Transport.h"
#include "mlir/IR/DialectRegistry.h"

#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

namespace tonno {

/// A JSON value that is passed on unparsed.
struct AnyValue {
  llvm::json::Value value = nullptr;
};

/// Passes messages between an editor and upstream's server, and extends the
/// server's answers and diagnostics. Upstream's server has no extension points
/// and gives no access to its documents. Only the thread of `serveClient`
/// writes to the server; replies to the client are written under the handler's
/// lock.
class Relay {
public:
  Relay(std::FILE *fromClient, llvm::raw_ostream &toClient,
        std::FILE *fromServer, llvm::raw_ostream &toServer,
        const mlir::DialectRegistry &registry);

  /// Passes the client's messages to the server, until the client ends.
  void serveClient();

  /// Passes the server's messages to the client, until the server ends.
  void serveServer();

private:
  using Reply = llvm::lsp::Callback<llvm::json::Value>;
  using Amendment = std::function<void(llvm::json::Value &)>;

  /// A request or notification that is passed on under the same name.
  struct Method {
    llvm::StringLiteral name;
    Relay &relay;

    void request(const AnyValue &params, Reply reply) {
      relay.passRequest(name, params, std::move(reply));
    }
    void notify(const AnyValue &params) {
      relay.toServer.notify(name, params.value);
    }
  };

  void passRequest(llvm::StringLiteral method, const AnyValue &params,
                   Reply reply);
  Amendment createAmendment(llvm::StringRef method,
                            const llvm::json::Value &params);
  Amendment amendInitialize(const llvm::json::Value &params);
  void openDocument(const AnyValue &params);
  void changeDocument(const AnyValue &params);
  void closeDocument(const AnyValue &params);
  void publishDiagnostics(const AnyValue &params);
  std::optional<Document> findDocument(llvm::StringRef uri);

  const mlir::DialectRegistry &registry;
  llvm::lsp::JSONTransport toClient;
  llvm::lsp::JSONTransport toServer;
  llvm::lsp::MessageHandler client; ///< handles the client's messages
  llvm::lsp::MessageHandler server; ///< handles the server's messages
  llvm::lsp::OutgoingNotification<AnyValue> publish;
  std::deque<Method> methods;
  int64_t lastRequest = 0;
  std::mutex mutex; ///< guards the members below
  llvm::StringMap<Document> documents;
  ColumnUnit unit = ColumnUnit::utf16;
};

} // namespace tonno

#endif // TONNO_TOOLS_LSP_RELAY_H
