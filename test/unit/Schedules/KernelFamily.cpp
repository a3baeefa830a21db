//===- Kernels with words to fill in --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelFamily.h"

#include <algorithm>
#include <cassert>
#include <functional>

using namespace tonno;

std::string tonno::fillIn(std::string text,
                          const std::map<std::string, std::string> &words) {
  std::vector<std::string> order;
  for (const auto &[word, meaning] : words)
    order.push_back(word);
  std::ranges::sort(order, std::greater(), &std::string::size);
  for (const std::string &word : order) {
    const std::string &meaning = words.at(word);
    for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;
         at += meaning.size())
      text.replace(at, word.size(), meaning);
  }
  return text;
}

static bool isFloat(const std::string &type) {
  return type.find('f') != std::string::npos;
}

/// Returns the least value of a type, as MLIR writes it.
static std::string leastOf(const std::string &type) {
  static const std::map<std::string, std::string> least = {
      {"f16", "0xFC00"},
      {"bf16", "0xFF80"},
      {"f32", "0xFF800000"},
      {"f64", "0xFFF0000000000000"},
      {"i32", "-2147483648"},
      {"i64", "-9223372036854775808"},
      {"i8", "-128"},
      {"i4", "-8"},
      {"f8E4M3FN", "-448.0"},
      {"f8E5M2", "0xFC"},
      {"f8E5M2FNUZ", "-57344.0"},
      {"f8E8M0FNU", "0x00"},
      {"f6E3M2FN", "-28.0"},
      {"f4E2M1FN", "-6.0"}};
  return least.at(type);
}

/// Returns the op that converts %x to %xwide; empty if the types are equal.
static std::string castOf(const std::string &name, const std::string &from,
                          const std::string &to) {
  if (from == to)
    return "";
  std::string op = isFloat(to) ? "arith.extf" : "arith.extsi";
  return "%" + name + "wide = " + op + " %" + name + " : " + from + " to " + to;
}

std::string KernelFamily::write(const std::vector<int64_t> &shape,
                                const std::string &type,
                                const std::string &config) const {
  assert(shape.size() == dims.size());
  size_t dot = type.find('.');
  std::string operand = type.substr(0, dot),
              sum = dot == std::string::npos ? type : type.substr(dot + 1);
  bool hasFloats = isFloat(sum);
  std::string kind = hasFloats ? "f" : "i";
  std::string dictionary =
      config.empty() ? "" : "{tonno.lowering_config = {" + config + "}}";
  std::map<std::string, std::string> words = {
      {"$T", operand},
      {"$A", sum},
      {"$X", operand == sum ? "%x" : "%xwide"},
      {"$Y", operand == sum ? "%y" : "%ywide"},
      {"$XCAST", castOf("x", operand, sum)},
      {"$YCAST", castOf("y", operand, sum)},
      {"$ADD", "arith.add" + kind},
      {"$SUB", "arith.sub" + kind},
      {"$MUL", "arith.mul" + kind},
      {"$MAX", hasFloats ? "arith.maximumf" : "arith.maxsi"},
      {"$ZERO", hasFloats ? "0.0" : "0"},
      {"$ONE", hasFloats ? "1.0" : "1"},
      {"$LEAST", leastOf(sum)},
      {"$CONFIG", dictionary},
      {"$ATTRS", config.empty() ? "" : "attrs = " + dictionary}};
  for (size_t i = 0; i < dims.size(); ++i)
    words["$" + dims.substr(i, 1)] = std::to_string(shape[i]);
  return fillIn(text, words);
}

std::vector<KernelFamily> tonno::allFamilies() {
  std::vector<KernelFamily> all;
  for (const auto &families : {contractionFamilies(), elementwiseFamilies(),
                               rowFamilies(), loopFamilies()})
    all.insert(all.end(), families.begin(), families.end());
  return all;
}
