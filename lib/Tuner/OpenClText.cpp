//===- OpenClText.cpp - The text of OpenCL C ------------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenClText.h"

#include "tonno/Core/File.h"

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

/// "define NAME 16" of "#  define NAME 16"; empty of other lines.
static StringRef directiveText(StringRef line) {
  line = line.ltrim();
  return line.consume_front("#") ? line.trim() : "";
}

/// What a macro's definition has for its value.
static StringRef withoutComment(StringRef text) {
  text = text.take_front(std::min(text.find("//"), text.find("/*")));
  return text.trim();
}

std::optional<OpenClDefine>
tonno::findDefine(const std::vector<OpenClLine> &lines,
                  const std::string &name) {
  std::vector<StringRef> conditions; // that enclose the line
  for (const OpenClLine &line : lines) {
    StringRef text = directiveText(line.text);
    StringRef word = text.take_while(llvm::isAlpha);
    StringRef rest = text.drop_front(word.size()).ltrim();
    if (word.starts_with("if")) {
      conditions.push_back(text);
      continue;
    }
    if (word == "endif" && !conditions.empty())
      conditions.pop_back();
    if (word != "define" || !rest.consume_front(name) ||
        (!rest.empty() && !llvm::isSpace(rest.front())))
      continue;
    bool givesWay = llvm::any_of(conditions, [&](StringRef condition) {
      bool isNegated =
          condition.starts_with("ifndef") || condition.contains('!');
      return isNegated && mentions(condition.str(), name);
    });
    return OpenClDefine{withoutComment(rest).str(), line, givesWay};
  }
  return std::nullopt;
}

static bool isWordLetter(char letter) {
  return llvm::isAlnum(letter) || letter == '_';
}

bool tonno::mentions(const std::string &source, const std::string &name) {
  for (size_t at = source.find(name); at != std::string::npos;
       at = source.find(name, at + 1)) {
    size_t behind = at + name.size();
    if ((at == 0 || !isWordLetter(source[at - 1])) &&
        (behind == source.size() || !isWordLetter(source[behind])))
      return true;
  }
  return false;
}

std::vector<std::string> tonno::kernelNames(const std::string &source) {
  static const std::regex definition(
      R"((?:^|[^\w])(?:__kernel|kernel)\s+(?:__attribute__\s*\(\([^;{]*?\)\)\s*)*void\s+(?:__attribute__\s*\(\([^;{]*?\)\)\s*)*(\w+)\s*\()");
  std::vector<std::string> names;
  for (std::sregex_iterator at(source.begin(), source.end(), definition), end;
       at != end; ++at)
    if (std::string name = (*at)[1]; !llvm::is_contained(names, name))
      names.push_back(std::move(name));
  return names;
}

/// The name between quotes or angle brackets; empty where a macro names it.
static StringRef includedName(StringRef rest) {
  rest = rest.trim();
  if (rest.consume_front("\""))
    return rest.take_front(rest.find('"'));
  if (rest.consume_front("<"))
    return rest.take_front(rest.find('>'));
  return "";
}

namespace {
/// Follows what is included, each file once.
class Inclusion {
public:
  explicit Inclusion(const std::vector<std::filesystem::path> &folders)
      : folders(folders) {}

  void add(const std::string &text, const std::filesystem::path &file);

  OpenClIncludes found;

private:
  void include(StringRef directive);

  const std::vector<std::filesystem::path> &folders;
  std::set<std::filesystem::path> seen;
};
} // namespace

void Inclusion::add(const std::string &text,
                    const std::filesystem::path &file) {
  unsigned number = 0;
  for (StringRef line : llvm::split(StringRef(text), '\n')) {
    found.lines.push_back({line.str(), file, ++number});
    StringRef directive = directiveText(line);
    if (directive.consume_front("include"))
      include(directive);
  }
}

void Inclusion::include(StringRef directive) {
  found.any = true;
  StringRef name = includedName(directive);
  for (const std::filesystem::path &folder : folders) {
    std::filesystem::path path = folder / name.str();
    std::error_code unknown;
    if (name.empty() || !std::filesystem::is_regular_file(path, unknown))
      continue;
    if (!seen.insert(path).second)
      return;
    auto read = readFile(path);
    if (!read)
      break;
    found.text += "#include " + name.str() + "\n" + *read + "\n";
    add(*read, path);
    return;
  }
  found.missing.push_back(directive.trim().str());
}

OpenClIncludes
tonno::findIncludes(const std::string &source,
                    const std::vector<std::filesystem::path> &folders) {
  Inclusion inclusion(folders);
  inclusion.add(source, {});
  return std::move(inclusion.found);
}
