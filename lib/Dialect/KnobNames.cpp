//===- Names of knobs -----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/KnobNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

/// Returns true for characters that separate words of pipelines and command
/// lines.
static bool isSeparator(char c) {
  return isSpace(c) || (isASCII(c) && !isPrint(c)) ||
         StringRef(",(){}=@").contains(c);
}

std::string tonno::toKnobName(StringRef name) {
  std::string usable = name.str();
  std::replace_if(usable.begin(), usable.end(), isSeparator, '_');
  return usable;
}

std::string tonno::refuseKnobName(StringRef name) {
  if (name.empty())
    return "a knob's name must not be empty";
  if (!json::isUTF8(name))
    return "a knob's name must be UTF-8";
  const char *separator = find_if(name, isSeparator);
  if (separator == name.end())
    return "";
  std::string text;
  raw_string_ostream stream(text);
  stream << "a knob's name cannot contain '";
  printEscapedString(StringRef(separator, 1), stream);
  stream << "'; write \"";
  printEscapedString(toKnobName(name), stream);
  stream << "\" instead of \"";
  printEscapedString(name, stream);
  stream << "\"";
  return text;
}
