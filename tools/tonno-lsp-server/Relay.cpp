//===- A server between an editor and upstream's server -------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Relay.h"
#include "Features.h"

#include "tonno/Core/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Error.h"

using namespace llvm;
using namespace tonno;

namespace tonno {
static bool fromJSON(const json::Value &value, AnyValue &any, json::Path) {
  any.value = value;
  return true;
}
static json::Value toJSON(const AnyValue &any) { return any.value; }
} // namespace tonno

/// The requests that upstream's server handles.
static constexpr StringLiteral requests[] = {"initialize",
                                             "shutdown",
                                             "textDocument/definition",
                                             "textDocument/references",
                                             "textDocument/hover",
                                             "textDocument/documentSymbol",
                                             "textDocument/completion",
                                             "textDocument/codeAction",
                                             "mlir/convertFromBytecode",
                                             "mlir/convertToBytecode"};

Relay::Relay(std::FILE *fromClient, raw_ostream &toClient,
             std::FILE *fromServer, raw_ostream &toServer,
             const mlir::DialectRegistry &registry)
    : registry(registry), toClient(fromClient, toClient),
      toServer(fromServer, toServer), client(this->toClient),
      server(this->toServer), publish(client.outgoingNotification<AnyValue>(
                                  "textDocument/publishDiagnostics")) {
  for (StringLiteral name : requests)
    client.method(name, &methods.emplace_back(Method{name, *this}),
                  &Method::request);
  client.notification("initialized",
                      &methods.emplace_back(Method{"initialized", *this}),
                      &Method::notify);
  client.notification("textDocument/didOpen", this, &Relay::openDocument);
  client.notification("textDocument/didChange", this, &Relay::changeDocument);
  client.notification("textDocument/didClose", this, &Relay::closeDocument);
  server.notification("textDocument/publishDiagnostics", this,
                      &Relay::publishDiagnostics);
}

/// Logs the error that ends a connection, if there is one.
static void logEnd(Error error) {
  if (error)
    lsp::Logger::error("transport error: {0}", toString(std::move(error)));
}

void Relay::serveClient() {
  if (Error error = toClient.run(client))
    return logEnd(std::move(error));
  toServer.notify("exit", nullptr);
}

void Relay::serveServer() {
  // Reports the end of file, with which the server's output ends.
  consumeError(toServer.run(server));
}

void Relay::passRequest(StringLiteral method, const AnyValue &params,
                        Reply reply) {
  // The transport copies callbacks, but replies can't be copied.
  auto shared = std::make_shared<Reply>(std::move(reply));
  server.outgoingRequest<AnyValue, AnyValue>(
      method, [shared, amend = createAmendment(method, params.value)](
                  json::Value, Expected<AnyValue> result) {
        if (!result)
          return (*shared)(result.takeError());
        if (amend)
          amend(result->value);
        (*shared)(std::move(result->value));
      })(params, ++lastRequest);
}

/// Converts an object to JSON that owns its strings: upstream's conversion
/// refers to the strings of URIs.
template <typename T> static json::Value toOwnJson(const T &object) {
  return cantFail(json::parse(debugString(json::Value(object))));
}

template <typename T>
static void append(json::Array &array, const std::vector<T> &objects) {
  for (const T &object : objects)
    array.push_back(toOwnJson(object));
}

/// Parses the parameters of a request; returns nothing if they are invalid,
/// which upstream's server reports.
template <typename T>
static std::optional<T> parseParams(const json::Value &value) {
  T params;
  json::Path::Root root;
  if (!fromJSON(value, params, root))
    return std::nullopt;
  return params;
}

Relay::Amendment Relay::createAmendment(StringRef method,
                                        const json::Value &value) {
  if (method == "initialize")
    return amendInitialize(value);
  if (method == "textDocument/codeAction") {
    auto params = parseParams<lsp::CodeActionParams>(value);
    auto document =
        params ? findDocument(params->textDocument.uri.uri()) : std::nullopt;
    if (!document)
      return {};
    return [=, this](json::Value &result) {
      if (json::Array *actions = result.getAsArray())
        append(*actions, findActions(*document, *params, registry));
    };
  }
  bool isHover = method == "textDocument/hover";
  if (!isHover && method != "textDocument/completion")
    return {};
  auto params = parseParams<lsp::TextDocumentPositionParams>(value);
  auto document =
      params ? findDocument(params->textDocument.uri.uri()) : std::nullopt;
  if (!document)
    return {};
  if (isHover)
    return [=, this](json::Value &result) {
      if (auto hover = findHover(*document, params->position, registry))
        result = toOwnJson(*hover);
    };
  return [=, this](json::Value &result) {
    json::Object *list = result.getAsObject();
    if (json::Array *items = list ? list->getArray("items") : nullptr)
      append(*items, findCompletions(*document, params->position, registry));
  };
}

/// Names the server, and chooses bytes as columns if the client can count them:
/// upstream's server counts nothing else.
Relay::Amendment Relay::amendInitialize(const json::Value &params) {
  const json::Object *object = params.getAsObject();
  for (StringRef key : {"capabilities", "general"})
    object = object ? object->getObject(key) : nullptr;
  const json::Array *encodings =
      object ? object->getArray("positionEncodings") : nullptr;
  bool isUtf8 = encodings && is_contained(*encodings, json::Value("utf-8"));
  std::lock_guard lock(mutex);
  unit = isUtf8 ? ColumnUnit::utf8 : ColumnUnit::utf16;
  return [isUtf8](json::Value &result) {
    json::Object *answer = result.getAsObject();
    if (!answer)
      return;
    (*answer)["serverInfo"] = json::Object{{"name", "tonno-lsp-server"},
                                           {"version", std::string(version())}};
    json::Object *capabilities = answer->getObject("capabilities");
    if (capabilities && isUtf8)
      (*capabilities)["positionEncoding"] = "utf-8";
  };
}

void Relay::openDocument(const AnyValue &value) {
  if (auto params = parseParams<lsp::DidOpenTextDocumentParams>(value.value)) {
    std::lock_guard lock(mutex);
    documents[params->textDocument.uri.uri()] = {
        params->textDocument.text, params->textDocument.version, unit};
  }
  toServer.notify("textDocument/didOpen", value.value);
}

void Relay::changeDocument(const AnyValue &value) {
  auto params = parseParams<lsp::DidChangeTextDocumentParams>(value.value);
  // The server asks for whole texts, and ignores anything else.
  if (params && params->contentChanges.size() == 1) {
    std::lock_guard lock(mutex);
    documents[params->textDocument.uri.uri()] = {
        params->contentChanges.front().text, params->textDocument.version,
        unit};
  }
  toServer.notify("textDocument/didChange", value.value);
}

void Relay::closeDocument(const AnyValue &value) {
  if (auto params = parseParams<lsp::DidCloseTextDocumentParams>(value.value)) {
    std::lock_guard lock(mutex);
    documents.erase(params->textDocument.uri.uri());
  }
  toServer.notify("textDocument/didClose", value.value);
}

std::optional<Document> Relay::findDocument(StringRef uri) {
  std::lock_guard lock(mutex);
  auto found = documents.find(uri);
  return found == documents.end() ? std::nullopt : std::optional(found->second);
}

/// Publishes the diagnostics of the tools, which include the server's, in place
/// of these. Drops those of an older version: the server publishes again.
void Relay::publishDiagnostics(const AnyValue &value) {
  AnyValue amended = value;
  json::Object *params = amended.value.getAsObject();
  std::optional<StringRef> name = params->getString("uri");
  auto uri = lsp::URIForFile::fromURI(name.value_or(""));
  if (!uri)
    return consumeError(uri.takeError());
  if (auto document = findDocument(*name)) {
    if (params->getInteger("version") != document->version)
      return;
    json::Array diagnostics;
    append(diagnostics, findDiagnostics(*document, *uri, registry));
    (*params)["diagnostics"] = std::move(diagnostics);
  }
  publish(amended);
}
