//===- The functions of libcurl that tonno calls --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_CACHE_LIBCURL_H
#define TONNO_LIB_CACHE_LIBCURL_H

#include "tonno/Core/Result.h"

namespace tonno {

struct CurlHandle; ///< a transfer
struct CurlList;   ///< a list of header lines
struct CurlUrl;    ///< a parsed URL

/// Options of a transfer, by the numbers of libcurl's ABI, which are the same
/// in all versions of libcurl.so.4.
namespace curlOption {
inline constexpr int url = 10002, proxy = 10004, errorBuffer = 10010,
                     userAgent = 10018, httpHeader = 10023, writeData = 10001,
                     headerData = 10029, customRequest = 10036,
                     certificates = 10065, copyPostFields = 10165;
inline constexpr int httpGet = 80, noSignal = 99, timeoutMs = 155,
                     connectTimeoutMs = 156, protocols = 181, quickExit = 322;
inline constexpr int writeFunction = 20011, headerFunction = 20079,
                     socketFunction = 20148;
inline constexpr int mostBytes = 30117, postFieldSize = 30120;
} // namespace curlOption

namespace curlInfo {
inline constexpr int status = 0x200002, redirect = 0x10001f;
} // namespace curlInfo

namespace curlCode {
inline constexpr int ok = 0, cannotWrite = 23, timedOut = 28, tooLarge = 63;
} // namespace curlCode

namespace curlUrlPart {
inline constexpr int whole = 0, scheme = 1, user = 2, password = 3, host = 5,
                     query = 8, fragment = 9;
} // namespace curlUrlPart

/// The library, loaded when a store is opened.
struct LibCurl {
  int (*globalInit)(long) = nullptr;
  CurlHandle *(*init)() = nullptr;
  int (*set)(CurlHandle *, int, ...) = nullptr;
  int (*perform)(CurlHandle *) = nullptr;
  int (*get)(CurlHandle *, int, ...) = nullptr;
  void (*cleanup)(CurlHandle *) = nullptr;
  const char *(*describe)(int) = nullptr;
  CurlList *(*append)(CurlList *, const char *) = nullptr;
  void (*freeList)(CurlList *) = nullptr;
  CurlUrl *(*makeUrl)() = nullptr;
  int (*setUrl)(CurlUrl *, int, const char *, unsigned) = nullptr;
  int (*getUrl)(const CurlUrl *, int, char **, unsigned) = nullptr;
  void (*freeUrl)(CurlUrl *) = nullptr;
  void (*freeText)(void *) = nullptr;

  /// Loads the library at `path`, by default the system's. The library stays
  /// loaded. The Error names its package.
  static Result<LibCurl> load(const std::string &path = {});
};

} // namespace tonno

#endif // TONNO_LIB_CACHE_LIBCURL_H
