//===- The functions of libcurl that tonno calls --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LibCurl.h"

#include <dlfcn.h>
#include <vector>

using namespace tonno;

/// The names of the library: with OpenSSL, and with GnuTLS as Debian has it.
static constexpr const char *curlLibraries[] = {"libcurl.so.4",
                                                "libcurl-gnutls.so.4"};

template <typename Function>
static bool bind(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Result<LibCurl> LibCurl::load(const std::string &path) {
  std::vector<std::string> names(std::begin(curlLibraries),
                                 std::end(curlLibraries));
  if (!path.empty())
    names = {path};
  void *library = nullptr;
  std::string why;
  for (const std::string &name : names) {
    library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library)
      break;
    if (why.empty())
      why = ::dlerror();
  }
  constexpr const char *remedy =
      "; install libcurl (Debian's package libcurl4), or leave out '--store'";
  if (!library)
    return Error{"a store needs libcurl 7.62 (" + why + ")" + remedy};
  LibCurl curl;
  if (!bind(library, "curl_global_init", curl.globalInit) ||
      !bind(library, "curl_easy_init", curl.init) ||
      !bind(library, "curl_easy_setopt", curl.set) ||
      !bind(library, "curl_easy_perform", curl.perform) ||
      !bind(library, "curl_easy_getinfo", curl.get) ||
      !bind(library, "curl_easy_cleanup", curl.cleanup) ||
      !bind(library, "curl_easy_strerror", curl.describe) ||
      !bind(library, "curl_slist_append", curl.append) ||
      !bind(library, "curl_slist_free_all", curl.freeList) ||
      !bind(library, "curl_url", curl.makeUrl) ||
      !bind(library, "curl_url_set", curl.setUrl) ||
      !bind(library, "curl_url_get", curl.getUrl) ||
      !bind(library, "curl_url_cleanup", curl.freeUrl) ||
      !bind(library, "curl_free", curl.freeText))
    return Error{std::string("a store needs libcurl 7.62, and an earlier one "
                             "is installed") +
                 remedy};
  constexpr long allParts = 3; // TLS and sockets
  if (curl.globalInit(allParts) != curlCode::ok)
    return Error{std::string("libcurl cannot be initialized") + remedy};
  return curl;
}
