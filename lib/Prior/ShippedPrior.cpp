//===- Priors within the tools --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Prior/ShippedPrior.h"

#include <cassert>
#include <string>

using namespace tonno;

/// The text of `Shipped/x86_64.prior`.
static constexpr unsigned char x86Text[] = {
#include "x86_64.prior.inc"
};

std::shared_ptr<const Prior>
tonno::findShippedPrior(std::string_view architecture) {
  if (architecture != "x86_64")
    return nullptr;
  static const std::shared_ptr<const Prior> prior = [] {
    auto parsed = parsePrior(
        std::string(std::begin(x86Text), std::end(x86Text)), "x86_64");
    assert(parsed && "a unit test reads it");
    return parsed ? std::make_shared<const Prior>(std::move(*parsed)) : nullptr;
  }();
  return prior;
}
