//===- JSON as it is parsed -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/JsonBuilder.h"

using namespace tonno;

// "[json.exception.type_error.302] type must be ..."
std::string tonno::getMessage(const Json::exception &error) {
  std::string_view message = error.what();
  size_t end = message.starts_with("[json.exception.") ? message.find("] ")
                                                       : std::string_view::npos;
  return std::string(end == std::string_view::npos ? message
                                                   : message.substr(end + 2));
}

bool JsonBuilder::parse_error(size_t, const std::string &,
                              const nlohmann::detail::exception &error) {
  return fail(getMessage(error));
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
