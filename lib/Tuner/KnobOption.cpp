//===- A knob of a command line -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/KnobOption.h"

#include "llvm/ADT/StringExtras.h"
#include "AttributeText.h"

using namespace mlir;
using namespace tonno;

Result<KnobAttr> tonno::parseKnobOption(StringRef given, MLIRContext *context) {
  auto refuse = [&](const std::string &why) {
    return Error{"--knob '" + given.str() + "': " + why};
  };
  auto [name, domain] = given.split('=');
  name = name.trim();
  domain = domain.trim();
  if (name.empty() || domain.empty())
    return refuse("write NAME=domain, for example 'BM=[32, 64, 128]' or "
                  "'BM=pow2<16 to 256> default 32'");
  std::string text = domain.str();
  if (llvm::isDigit(domain.front()) || domain.front() == '-' ||
      domain.front() == '"') // a bare list, perhaps with a default behind it
    text = "[" + domain.split(" default").first.str() + "]" +
           domain.substr(domain.split(" default").first.size()).str();
  std::string why;
  Attribute parsed = parseQuietly(
      "#tonno.knob<" + inQuotes(name) + " from " + text + ">", context, why);
  auto knob = dyn_cast_if_present<KnobAttr>(parsed);
  if (!knob)
    return refuse(why);
  return knob;
}
