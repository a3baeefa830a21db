//===- Records on an HTTP server ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CACHE_HTTPSTORE_H
#define TONNO_CACHE_HTTPSTORE_H

#include "tonno/Cache/RecordStore.h"
#include "tonno/Cache/Records.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tonno {

class HttpClient;
struct HttpReply;

/// The address of an HTTP store, and the limits that hold for its server.
struct HttpStoreOptions {
  std::string url;          ///< of the directory with `v1`
  std::string token;        ///< sent to this server only; empty: none
  std::string certificates; ///< a file; empty: those of the system
  double connectSeconds = 1;
  double requestSeconds = 1;  ///< of one request, with its connection
  double sessionSeconds = 10; ///< of all requests of the store
  size_t mostBodyBytes = mostRecordBytes;
  size_t mostHeaderBytes = size_t(64) << 10;
  std::string library = {}; ///< libcurl; empty: the system's

  /// Returns the options for an address, with $TONNO_STORE_TOKEN and
  /// $SSL_CERT_FILE.
  static HttpStoreOptions fromEnvironment(std::string url);
};

/// Returns the address of the store that a user has named: the given one, else
/// $TONNO_STORE. Empty: none.
std::string resolveStoreAddress(const std::optional<std::string> &given);

/// A store with one resource a record, `<url>/v1/<two hex digits>/<key>.json`,
/// of the same content as the file of a DirectoryStore. GET reads it; PUT with
/// `If-None-Match` or `If-Match` writes it.
///
/// The server is not trusted: replies are limited in size and time, and records
/// are verified by decodeRecord. After a request that failed, the store is left
/// out: later calls return at once.
class HttpStore : public RecordStore {
public:
  using Warn = std::function<void(const std::string &)>;

  /// Opens the store. Sends nothing. The Error is a wrong address, a token that
  /// would be sent without encryption, or the lack of libcurl.
  static Result<std::unique_ptr<HttpStore>>
  open(const HttpStoreOptions &options, Warn warn);
  ~HttpStore() override;

  std::optional<Json> find(const std::string &key) override;
  /// Stores a record, unless the server has another one that is preferred
  /// (isPreferred). Starting points of searches replace others. The Error says
  /// that the server has neither; a warning has been given.
  Result<void> insert(const std::string &key, const Json &record) override;

private:
  /// The resource of a key.
  struct Resource {
    bool exists = false;
    std::optional<Json> record; ///< none if it is corrupt
    std::string etag;
  };

  HttpStore(std::unique_ptr<HttpClient> client, std::string url,
            HttpStoreOptions options, Warn warn);

  std::string getRecordUrl(const std::string &key) const;
  /// Returns a reply. Leaves the store out if there is none, if it is a
  /// redirect, or if the sum of all waits exceeds its limit.
  std::optional<HttpReply>
  request(const std::string &key,
          const std::function<Result<HttpReply>(const std::string &)> &send);
  std::optional<Resource> read(const std::string &key);
  /// Warns, and sends no more requests.
  void leaveOut(const std::string &why);

  std::unique_ptr<HttpClient> client;
  std::string url;
  HttpStoreOptions options;
  Warn warn;
  double seconds = 0; ///< of all requests
  bool isUsable = true;
  bool isWritable = true;
  bool hasWarned = false; ///< of a corrupt record
};

} // namespace tonno

#endif // TONNO_CACHE_HTTPSTORE_H
