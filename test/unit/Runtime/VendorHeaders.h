//===- Tables against headers ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_VENDORHEADERS_H
#define TONNO_RUNTIME_VENDORHEADERS_H

#include "tonno/Core/File.h"
#include "tonno/Runtime/GpuDriver.h"

#include <gtest/gtest.h>
#include <regex>
#include <set>

namespace tonno {

/// Returns true if two functions have the same signature: handles may differ in
/// type, but not in size or number.
template <typename R, typename... A, typename S, typename... B>
consteval bool areCalledAlike(R (*)(A...), S (*)(B...)) {
  if constexpr (sizeof...(A) != sizeof...(B))
    return false;
  else
    return sizeof(R) == sizeof(S) && ((sizeof(A) == sizeof(B)) && ...);
}

#define TONNO_TEXT(name) #name
/// Expands the name, if it is a macro.
#define TONNO_EXPANDED(name) TONNO_TEXT(name)

/// Checks a row of a vendor's table against the header's declaration, and that
/// the table has the name that the header gives the function.
#define TONNO_CHECK_FUNCTION(vendor, member, function)                         \
  static_assert(areCalledAlike(decltype(GpuFunctions::member){},               \
                               decltype(&(function)){}),                       \
                #function);                                                    \
  EXPECT_TRUE(                                                                 \
      (isBound<&GpuFunctions::member>(vendor, TONNO_EXPANDED(function))))

template <auto member>
bool isBound(const GpuDriverTraits &vendor, const std::string &name) {
  for (const GpuFunctionName &function : vendor.functions) {
    GpuFunctions functions;
    function.bind(functions, &functions);
    if (functions.*member)
      return function.name == name;
  }
  return false;
}

/// Checks that the vendor's table knows each error of a header, by this
/// pattern.
inline void checkErrors(const GpuDriverTraits &vendor, const char *header,
                        const char *pattern) {
  auto text = readFile(header);
  ASSERT_TRUE(text.ok()) << text.error().message;
  std::regex error(pattern);
  std::set<int> known;
  for (std::sregex_iterator at(text->begin(), text->end(), error), end;
       at != end; ++at) {
    int code = std::stoi((*at)[2]);
    known.insert(code);
    if (code)
      EXPECT_NE(classifyGpuError(vendor, code), GpuTrouble::unknown)
          << (*at)[1];
  }
  EXPECT_GT(known.size(), 50u);
}

} // namespace tonno

#endif // TONNO_RUNTIME_VENDORHEADERS_H
