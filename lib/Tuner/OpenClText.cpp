//===- The text of OpenCL C -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpenClText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <regex>
#include <set>

using namespace tonno;
using llvm::StringRef;

/// Behind "// tonno:"; empty where the line is no such comment.
static StringRef directiveOf(StringRef line) {
  line = line.trim();
  if (!line.consume_front("//"))
    return "";
  line = line.ltrim();
  return line.consume_front("tonno:") ? line.trim() : "";
}

static std::string nameOf(const std::string &option) {
  return StringRef(option).split('=').first.trim().str();
}

Result<void, LocatedError> tonno::addDirectives(const std::string &source,
                                                OpenClRequest &request) {
  const OpenClRequest given = request;
  struct List {
    StringRef name;
    std::vector<std::string> &all;
    const std::vector<std::string> &own;
  };
  List lists[] = {{"knob", request.knobs, given.knobs},
                  {"constraint", request.constraints, given.constraints},
                  {"arg", request.arguments, given.arguments},
                  {"inputs", request.inputs, given.inputs}};
  std::pair<StringRef, std::string *> texts[] = {
      {"kernel", &request.kernel},
      {"global-size", &request.globalSize},
      {"local-size", &request.localSize},
      {"build-options", &request.buildOptions}};
  unsigned number = 0;
  std::set<std::string> seen;
  for (StringRef line : llvm::split(StringRef(source), '\n')) {
    ++number;
    StringRef directive = directiveOf(line);
    if (directive.empty())
      continue;
    auto refuse = [&](const std::string &why) {
      return LocatedError{why, request.file, number,
                          static_cast<unsigned>(line.find("tonno:") + 1)};
    };
    auto [name, value] = directive.split('=');
    if (!name.consume_front("--") || value.empty())
      return refuse("behind 'tonno:' stands an option of tonno-tune, such as "
                    "--knob=TS=8,16,32");
    bool isKnown = false;
    for (auto [known, text] : texts)
      if (known == name) {
        isKnown = true;
        if (!seen.insert(name.str()).second)
          return refuse("--" + name.str() + " was given already");
        if (text->empty())
          *text = value.str();
      }
    for (const List &list : lists)
      if (list.name == name) {
        isKnown = true;
        bool isNamed = name != "constraint";
        auto hasName = [&](const std::string &other) {
          return nameOf(other) == nameOf(value.str());
        };
        if (!isNamed || llvm::none_of(list.own, hasName))
          list.all.push_back(value.str());
      }
    if (!isKnown)
      return refuse("'--" + name.str() +
                    "' can't stand in a file; --kernel, --knob, --constraint, "
                    "--arg, --inputs, --global-size, --local-size and "
                    "--build-options can");
  }
  return {};
}

std::string tonno::withoutDirectives(const std::string &source) {
  std::string text;
  for (StringRef line : llvm::split(StringRef(source), '\n'))
    if (directiveOf(line).empty())
      text += line.str() + "\n";
  return text;
}

std::vector<std::string>
tonno::kernelNames(const std::vector<OpenClLine> &lines) {
  std::string source;
  for (const OpenClLine &line : lines)
    source += line.text + "\n";
  static const std::regex definition(
      R"((?:^|[^\w])(?:__kernel|kernel)\s+(?:__attribute__\s*\(\([^;{]*?\)\)\s*)*void\s+(?:__attribute__\s*\(\([^;{]*?\)\)\s*)*(\w+)\s*\()");
  std::vector<std::string> names;
  for (std::sregex_iterator at(source.begin(), source.end(), definition), end;
       at != end; ++at)
    if (std::string name = (*at)[1]; !llvm::is_contained(names, name))
      names.push_back(std::move(name));
  return names;
}
