//===- HTTP requests with limits ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_CACHE_HTTPCLIENT_H
#define TONNO_LIB_CACHE_HTTPCLIENT_H

#include "tonno/Cache/HttpStore.h"

#include "LibCurl.h"

#include <memory>
#include <string>
#include <vector>

namespace tonno {

/// An address of a server, as libcurl has parsed it.
struct HttpAddress {
  std::string url; ///< normalized, without a slash at its end
  bool isEncrypted = false;
  bool isLoopback = false; ///< localhost, 127.0.0.0/8 or [::1]

  /// Parses an address. The Error is another scheme, a query, a fragment, or a
  /// user name or password, which messages would print.
  static Result<HttpAddress> parse(const LibCurl &curl,
                                   const std::string &text);
};

struct HttpReply {
  long status = 0;
  std::string body;
  std::string etag;
  std::string redirect; ///< absolute; empty: the reply is no redirect
};

/// Sends one request after the other, over one connection if the server keeps
/// it. Redirects are not followed.
class HttpClient {
public:
  static Result<std::unique_ptr<HttpClient>>
  open(const LibCurl &curl, const HttpAddress &address,
       const HttpStoreOptions &options);
  HttpClient(const HttpClient &) = delete;
  HttpClient &operator=(const HttpClient &) = delete;
  ~HttpClient();

  /// Send a request within the limits. The Error says which limit was exceeded,
  /// or why the server was not reached. `condition` is a header line.
  Result<HttpReply> get(const std::string &url);
  Result<HttpReply> put(const std::string &url, const std::string &body,
                        const std::string &condition);

private:
  HttpClient(const LibCurl &curl, HttpStoreOptions options)
      : curl(curl), options(std::move(options)) {}

  Result<void> configure(const HttpAddress &address);
  Result<HttpReply> perform(const std::string &url,
                            const std::vector<std::string> &headers);

  LibCurl curl;
  HttpStoreOptions options;
  CurlHandle *handle = nullptr;
  std::string message; ///< libcurl's error, of a fixed capacity
};

} // namespace tonno

#endif // TONNO_LIB_CACHE_HTTPCLIENT_H
