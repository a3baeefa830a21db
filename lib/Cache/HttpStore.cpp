//===- Records on an HTTP server ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/HttpStore.h"
#include "tonno/Cache/MergeCaches.h"
#include "tonno/Core/Duration.h"
#include "tonno/Core/PrintableText.h"

#include "HttpClient.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

using namespace tonno;

namespace {
enum HttpStatus : long {
  success = 200,
  redirection = 300,
  unauthorized = 401,
  forbidden = 403,
  notFound = 404,
  notAllowed = 405,
  preconditionFailed = 412,
};
} // namespace

static std::string readVariable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

HttpStoreOptions HttpStoreOptions::fromEnvironment(std::string url) {
  HttpStoreOptions options;
  options.url = std::move(url);
  options.token = readVariable("TONNO_STORE_TOKEN");
  options.certificates = readVariable("SSL_CERT_FILE");
  return options;
}

std::string
tonno::resolveStoreAddress(const std::optional<std::string> &given) {
  return given ? *given : readVariable("TONNO_STORE");
}

HttpStore::HttpStore(std::unique_ptr<HttpClient> client, std::string url,
                     HttpStoreOptions options, Warn warn)
    : client(std::move(client)), url(std::move(url)),
      options(std::move(options)), warn(std::move(warn)) {}

HttpStore::~HttpStore() = default;

/// Returns true for a visible character of ASCII: others would end the header.
static bool isTokenCharacter(char letter) {
  return letter > ' ' && letter <= '~';
}

Result<std::unique_ptr<HttpStore>>
HttpStore::open(const HttpStoreOptions &options, Warn warn) {
  auto curl = TONNO_TRY(LibCurl::load(options.library));
  auto address = TONNO_TRY(HttpAddress::parse(curl, options.url));
  if (!options.token.empty() && !address.isEncrypted && !address.isLoopback)
    return Error{"$TONNO_STORE_TOKEN is not sent without encryption; name the "
                 "store by 'https://', or unset the variable"};
  if (!std::ranges::all_of(options.token, isTokenCharacter))
    return Error{"$TONNO_STORE_TOKEN contains a space or a control character; "
                 "set it to the token alone"};
  auto client = TONNO_TRY(HttpClient::open(curl, address, options));
  return std::unique_ptr<HttpStore>(
      new HttpStore(std::move(client), address.url, options, std::move(warn)));
}

std::string HttpStore::getRecordUrl(const std::string &key) const {
  return url + "/" + getRecordPath({}, key).string();
}

void HttpStore::leaveOut(const std::string &why) {
  isUsable = false;
  warn("the store '" + url +
       "' is left out of this session: " + toPrintable(why));
}

/// Says why a status leaves the store out, and what to do.
static std::string describeStatus(long status) {
  std::string text = "status " + std::to_string(status);
  if (status == unauthorized || status == forbidden)
    text += "; set $TONNO_STORE_TOKEN to a token of this store";
  return text;
}

std::optional<HttpReply> HttpStore::request(
    const std::string &key,
    const std::function<Result<HttpReply>(const std::string &)> &send) {
  if (!isUsable)
    return std::nullopt;
  using Clock = std::chrono::steady_clock;
  const std::string recordUrl = getRecordUrl(key);
  Clock::time_point start = Clock::now();
  auto reply = send(recordUrl);
  seconds += std::chrono::duration<double>(Clock::now() - start).count();
  if (!reply) {
    leaveOut(reply.error().message);
    return std::nullopt;
  }
  if (!reply->redirect.empty()) {
    std::string target = reply->redirect;
    std::string suffix = recordUrl.substr(url.size());
    if (target.ends_with(suffix))
      target.resize(target.size() - suffix.size());
    leaveOut("redirects are not followed; name its new address by '--store=" +
             target + "'");
    return std::nullopt;
  }
  // This reply counts. The next request is not sent.
  if (seconds > options.sessionSeconds)
    leaveOut("its replies took " + formatSeconds(seconds, 2) + " together");
  return *std::move(reply);
}

std::optional<HttpStore::Resource> HttpStore::read(const std::string &key) {
  auto reply =
      request(key, [&](const std::string &from) { return client->get(from); });
  if (!reply)
    return std::nullopt;
  if (reply->status == notFound)
    return Resource{};
  if (reply->status != success) {
    leaveOut(describeStatus(reply->status));
    return std::nullopt;
  }
  Resource resource = {true, std::nullopt, std::move(reply->etag)};
  auto record = decodeRecord(key, reply->body);
  if (record)
    resource.record = *std::move(record);
  else if (!std::exchange(hasWarned, true))
    warn("record " + key + " of the store '" + url + "' is corrupt (" +
         toPrintable(record.error().message) + "); treated as a miss");
  return resource;
}

std::optional<Json> HttpStore::find(const std::string &key) {
  auto resource = read(key);
  return resource ? std::move(resource->record) : std::nullopt;
}

/// Returns true if a record takes the place of another one of its key.
static bool replaces(const Json &record, const Json &other) {
  return getAnswer(record).is_null() || isPreferred(record, other);
}

Result<void> HttpStore::insert(const std::string &key, const Json &record) {
  constexpr int mostAttempts = 3; // against other writers of the key
  const Error failed = {"the store '" + url + "' does not have the record"};
  const std::string text = encodeRecord(key, record);
  if (!isWritable || text.size() > options.mostBodyBytes)
    return failed;
  for (int attempt = 0; attempt < mostAttempts; ++attempt) {
    auto standing = read(key);
    if (!standing)
      return failed;
    if (standing->record && !replaces(record, *standing->record))
      return {};
    std::string condition =
        !standing->exists
            ? "If-None-Match: *"
            : "If-Match: " + (standing->etag.empty() ? "*" : standing->etag);
    auto reply = request(key, [&](const std::string &target) {
      return client->put(target, text, condition);
    });
    if (!reply)
      return failed;
    if (reply->status >= success && reply->status < redirection)
      return {};
    if (reply->status == preconditionFailed)
      continue;
    if (reply->status == unauthorized || reply->status == forbidden ||
        reply->status == notAllowed) {
      isWritable = false;
      warn("the store '" + url + "' takes no records (" +
           describeStatus(reply->status) + "); it is only read");
    } else {
      leaveOut(describeStatus(reply->status));
    }
    return failed;
  }
  return failed;
}
