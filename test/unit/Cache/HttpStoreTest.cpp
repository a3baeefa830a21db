//===- Opening of HTTP stores ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/HttpStore.h"

#include <cstdlib>
#include <gmock/gmock.h>

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Returns why a store is not opened; empty if it is.
/// python/tests/test_store.py tests what servers do.
static std::string refuse(const HttpStoreOptions &options) {
  auto store = HttpStore::open(
      options, [](const std::string &message) { ADD_FAILURE() << message; });
  return store ? "" : store.error().message;
}

static std::string refuseAddress(const std::string &url,
                                 const std::string &token = {}) {
  HttpStoreOptions options;
  options.url = url;
  options.token = token;
  return refuse(options);
}

TEST(HttpStore, LackOfLibcurlNamesThePackage) {
  HttpStoreOptions options;
  options.url = "https://host";
  options.library = "/nonexistent/libcurl.so.4";
  EXPECT_THAT(refuse(options), AllOf(HasSubstr("/nonexistent/libcurl.so.4"),
                                     HasSubstr("Debian's package libcurl4"),
                                     HasSubstr("'--store'")));
  // Has none of the functions.
  options.library = "libm.so.6";
  EXPECT_THAT(refuse(options), HasSubstr("an earlier one is installed"));
}

TEST(HttpStore, AddressesOfOtherFormAreRefused) {
  EXPECT_EQ(refuseAddress("https://host/tonno/"), "");
  EXPECT_EQ(refuseAddress("http://host:8080"), "");
  for (const char *address : {"ftp://host", "file:///etc", "/etc", "https:///",
                              "host", "https://a b"})
    EXPECT_THAT(refuseAddress(address), HasSubstr("is not an address of HTTP"))
        << address;
  EXPECT_THAT(refuseAddress("https://me:hush@host"),
              AllOf(HasSubstr("$TONNO_STORE_TOKEN"), Not(HasSubstr("hush"))));
  for (const char *address : {"https://host/?a=b", "https://host/#a"})
    EXPECT_THAT(refuseAddress(address), HasSubstr("without '?' and '#'"));
}

TEST(HttpStore, TokensAreEncryptedOrStayOnTheMachine) {
  for (const char *address :
       {"https://host", "http://127.0.0.1:80", "http://127.9.9.9",
        "http://[::1]:80", "http://localhost"})
    EXPECT_EQ(refuseAddress(address, "hush"), "") << address;
  for (const char *address :
       {"http://host", "http://127.0.0.1.example.org", "http://128.0.0.1",
        "http://[::2]", "http://localhost.example.org"})
    EXPECT_THAT(refuseAddress(address, "hush"),
                AllOf(HasSubstr("is not sent without encryption"),
                      HasSubstr("https://"), Not(HasSubstr("hush"))))
        << address;
  for (const char *token : {"hush\nX-Admin: 1", "hu sh", "hush\r"})
    EXPECT_THAT(
        refuseAddress("https://host", token),
        AllOf(HasSubstr("set it to the token alone"), Not(HasSubstr("hush"))));
}

TEST(HttpStore, OptionWinsOverTheVariable) {
  ::setenv("TONNO_STORE", "https://variable", 1);
  EXPECT_EQ(resolveStoreAddress(std::nullopt), "https://variable");
  EXPECT_EQ(resolveStoreAddress("https://given"), "https://given");
  EXPECT_EQ(resolveStoreAddress(""), "");
  ::unsetenv("TONNO_STORE");
  EXPECT_EQ(resolveStoreAddress(std::nullopt), "");
}
