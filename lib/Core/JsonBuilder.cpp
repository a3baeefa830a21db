//===- JSON as it is parsed -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/JsonBuilder.h"

using namespace tonno;

bool JsonBuilder::parse_error(size_t, const std::string &,
                              const nlohmann::detail::exception &error) {
  return fail(error.what());
}

bool JsonBuilder::fail(std::string message) {
  why = std::move(message);
  return false;
}

Json &JsonBuilder::put(Json value) {
  if (!open.empty() && open.back()->is_array())
    return open.back()->emplace_back(std::move(value));
  return *place = std::move(value);
}

bool JsonBuilder::add(Json value) {
  put(std::move(value));
  return ended();
}

bool JsonBuilder::enter(Json container) {
  if (open.size() == maxJsonDepth)
    return fail("the JSON nests deeper than " + std::to_string(maxJsonDepth) +
                " levels");
  open.push_back(&put(std::move(container)));
  return begun();
}

bool JsonBuilder::leave() {
  ending();
  open.pop_back();
  return ended();
}
