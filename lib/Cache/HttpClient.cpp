//===- HTTP requests with limits ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HttpClient.h"

#include "tonno/Core/Duration.h"
#include "tonno/Core/Trim.h"

#include <arpa/inet.h>
#include <cctype>
#include <fcntl.h>
#include <string_view>

using namespace tonno;

namespace {

/// A URL of libcurl's parser.
class ParsedUrl {
public:
  explicit ParsedUrl(const LibCurl &curl) : curl(curl), url(curl.makeUrl()) {}
  ParsedUrl(const ParsedUrl &) = delete;
  ParsedUrl &operator=(const ParsedUrl &) = delete;
  ~ParsedUrl() { curl.freeUrl(url); }

  bool parse(const std::string &text) {
    return url && curl.setUrl(url, curlUrlPart::whole, text.c_str(), 0) == 0;
  }
  /// Returns a part of the URL; empty if it has none.
  std::string get(int part) const {
    char *text = nullptr;
    if (curl.getUrl(url, part, &text, 0) != 0 || !text)
      return {};
    std::string copy = text;
    curl.freeText(text);
    return copy;
  }

private:
  const LibCurl &curl;
  CurlUrl *url;
};

} // namespace

static bool isLoopbackHost(const std::string &host) {
  constexpr uint32_t loopbackNet = 127;
  in_addr address = {};
  if (::inet_pton(AF_INET, host.c_str(), &address) == 1)
    return ntohl(address.s_addr) >> 24 == loopbackNet;
  return host == "localhost" || host == "[::1]";
}

Result<HttpAddress> HttpAddress::parse(const LibCurl &curl,
                                       const std::string &text) {
  ParsedUrl url(curl);
  std::string scheme;
  if (url.parse(text))
    scheme = url.get(curlUrlPart::scheme);
  if (scheme != "http" && scheme != "https")
    return Error{"'--store' is not an address of HTTP; give one such as "
                 "'https://host/tonno'"};
  if (!url.get(curlUrlPart::user).empty() ||
      !url.get(curlUrlPart::password).empty())
    return Error{"'--store' contains a user name or password; give a token by "
                 "$TONNO_STORE_TOKEN instead"};
  if (!url.get(curlUrlPart::query).empty() ||
      !url.get(curlUrlPart::fragment).empty())
    return Error{"'--store' has a query or a fragment; give an address "
                 "without '?' and '#'"};
  HttpAddress address = {url.get(curlUrlPart::whole), scheme == "https",
                         isLoopbackHost(url.get(curlUrlPart::host))};
  while (address.url.ends_with('/'))
    address.url.pop_back();
  return address;
}

namespace {

/// The reply that a transfer fills.
struct Incoming {
  HttpReply reply;
  size_t mostBody, mostHeader;
  size_t headerBytes = 0;
  bool isTooLong = false; ///< the headers are
};

} // namespace

static size_t takeBody(const char *data, size_t, size_t size, void *target) {
  auto &incoming = *static_cast<Incoming *>(target);
  if (size > incoming.mostBody - incoming.reply.body.size())
    return 0; // ends the transfer
  incoming.reply.body.append(data, size);
  return size;
}

/// Takes a line of the header.
static size_t takeHeader(const char *data, size_t, size_t size, void *target) {
  auto &incoming = *static_cast<Incoming *>(target);
  incoming.headerBytes += size;
  if (incoming.headerBytes > incoming.mostHeader) {
    incoming.isTooLong = true;
    return 0;
  }
  std::string_view line(data, size);
  size_t colon = line.find(':');
  if (colon == line.npos)
    return size;
  std::string name(line.substr(0, colon));
  for (char &letter : name)
    letter =
        static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  if (name == "etag")
    incoming.reply.etag = trim(line.substr(colon + 1));
  return size;
}

/// Closes the connection in programs that are started: candidates run in some.
static int closeOnExec(void *, int descriptor, int) {
  return ::fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 ? 0 : 1;
}

Result<std::unique_ptr<HttpClient>>
HttpClient::open(const LibCurl &curl, const HttpAddress &address,
                 const HttpStoreOptions &options) {
  std::unique_ptr<HttpClient> client(new HttpClient(curl, options));
  client->handle = curl.init();
  if (!client->handle)
    return Error{"libcurl cannot be initialized; leave out '--store'"};
  TONNO_TRY(client->configure(address));
  return client;
}

HttpClient::~HttpClient() {
  if (handle)
    curl.cleanup(handle);
}

static long toMilliseconds(double seconds) {
  return static_cast<long>(seconds * 1e3);
}

Result<void> HttpClient::configure(const HttpAddress &address) {
  constexpr size_t errorBytes = 256;
  constexpr long http = 1, https = 2; // bits of protocols
  message.assign(errorBytes, '\0');
  bool isSet = true;
  auto set = [&](int option, auto value) {
    isSet &= curl.set(handle, option, value) == curlCode::ok;
  };
  set(curlOption::errorBuffer, message.data());
  set(curlOption::noSignal, 1L);
  set(curlOption::protocols, http | https);
  set(curlOption::userAgent, "tonno");
  set(curlOption::connectTimeoutMs, toMilliseconds(options.connectSeconds));
  set(curlOption::timeoutMs, toMilliseconds(options.requestSeconds));
  set(curlOption::mostBytes, static_cast<int64_t>(options.mostBodyBytes));
  set(curlOption::writeFunction, &takeBody);
  set(curlOption::headerFunction, &takeHeader);
  set(curlOption::socketFunction, &closeOnExec);
  if (!options.certificates.empty())
    set(curlOption::certificates, options.certificates.c_str());
  // A proxy of $http_proxy would see the token.
  if (address.isLoopback)
    set(curlOption::proxy, "");
  if (!isSet)
    return Error{"libcurl lacks an option that a store needs; install libcurl "
                 "7.62 or later"};
  // Does not wait for the resolver's thread. Versions before 7.87 do.
  (void)curl.set(handle, curlOption::quickExit, 1L);
  return {};
}

Result<HttpReply> HttpClient::get(const std::string &url) {
  curl.set(handle, curlOption::customRequest, static_cast<char *>(nullptr));
  curl.set(handle, curlOption::httpGet, 1L);
  return perform(url, {});
}

Result<HttpReply> HttpClient::put(const std::string &url,
                                  const std::string &body,
                                  const std::string &condition) {
  curl.set(handle, curlOption::postFieldSize,
           static_cast<int64_t>(body.size()));
  curl.set(handle, curlOption::copyPostFields, body.data());
  curl.set(handle, curlOption::customRequest, "PUT");
  // Without the empty header libcurl waits for the server before long bodies.
  return perform(url, {condition, "Content-Type: application/json", "Expect:"});
}

Result<HttpReply> HttpClient::perform(const std::string &url,
                                      const std::vector<std::string> &headers) {
  CurlList *list = nullptr;
  for (const std::string &header : headers)
    list = curl.append(list, header.c_str());
  if (!options.token.empty())
    list =
        curl.append(list, ("Authorization: Bearer " + options.token).c_str());
  Incoming incoming = {{}, options.mostBodyBytes, options.mostHeaderBytes};
  message.front() = '\0';
  curl.set(handle, curlOption::url, url.c_str());
  curl.set(handle, curlOption::httpHeader, list);
  curl.set(handle, curlOption::writeData, &incoming);
  curl.set(handle, curlOption::headerData, &incoming);
  int code = curl.perform(handle);
  curl.set(handle, curlOption::httpHeader, static_cast<CurlList *>(nullptr));
  curl.freeList(list);
  char *redirect = nullptr;
  curl.get(handle, curlInfo::status, &incoming.reply.status);
  if (curl.get(handle, curlInfo::redirect, &redirect) == curlCode::ok &&
      redirect)
    incoming.reply.redirect = redirect;
  if (incoming.isTooLong)
    return Error{"the header of a reply has more than " +
                 std::to_string(options.mostHeaderBytes >> 10) + " KiB"};
  switch (code) {
  case curlCode::ok:
    return std::move(incoming.reply);
  case curlCode::timedOut:
    return Error{"no whole reply within " +
                 formatSeconds(options.requestSeconds)};
  case curlCode::cannotWrite:
  case curlCode::tooLarge:
    return Error{"a reply has more than " +
                 std::to_string(options.mostBodyBytes >> 20) + " MiB"};
  default:
    return Error{message.front() ? message.c_str() : curl.describe(code)};
  }
}
