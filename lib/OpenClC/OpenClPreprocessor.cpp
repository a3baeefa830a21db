//===- Directives of OpenCL C ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpenClPreprocessor.h"

#include "tonno/Core/File.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <regex>
#include <set>

using namespace tonno;
using llvm::StringRef;

namespace {

/// The characters of a text in which a backslash at a line's end joins it with
/// the next.
class Characters {
public:
  explicit Characters(StringRef text) : rest(text) { join(); }

  bool hasMore() const { return !rest.empty(); }
  /// Returns the next character, or 0 at the end.
  char next() const { return rest.empty() ? '\0' : rest.front(); }
  char take();
  unsigned line = 1; ///< of the next character, from 1

private:
  void join();

  StringRef rest;
};

/// `#define NAME 16` is "define" and "NAME 16"; both are empty of other lines.
struct Directive {
  explicit Directive(StringRef line);

  StringRef word, rest;
};

/// An #if that is not ended yet.
struct Condition {
  std::vector<StringRef> branches; ///< conditions; the last one is open
  bool isGuard = false;            ///< of a file against being included twice
};

} // namespace

void Characters::join() {
  while (rest.starts_with("\\")) {
    StringRef behind = rest.drop_front().ltrim(" \t\r");
    if (!behind.consume_front("\n"))
      return;
    rest = behind;
    ++line;
  }
}

char Characters::take() {
  char letter = next();
  rest = rest.drop_front();
  line += letter == '\n';
  join();
  return letter;
}

/// Skips a comment, from behind its "/*" to its end.
static void skipComment(Characters &text) {
  for (char last = text.take(); text.hasMore();) {
    char letter = text.take();
    if (last == '*' && letter == '/')
      return;
    last = letter;
  }
}

/// Splits the source into lines, with a blank for each comment.
static std::vector<OpenClLine> splitLines(StringRef source,
                                          const std::filesystem::path &file) {
  std::vector<OpenClLine> lines;
  OpenClLine line = {"", file, 1};
  char quote = 0; // that ends the literal here
  for (Characters text(source); text.hasMore();) {
    char letter = text.take();
    if (letter == '\n') {
      lines.push_back(line);
      line = {"", file, text.line};
      quote = 0;
      continue;
    }
    if (quote == 0 && letter == '/' && text.next() == '/') {
      while (text.hasMore() && text.next() != '\n')
        text.take();
      continue;
    }
    if (quote == 0 && letter == '/' && text.next() == '*') {
      text.take();
      skipComment(text);
      letter = ' ';
    }
    line.text += letter;
    if (quote != 0 && letter == '\\' && text.hasMore() && text.next() != '\n')
      line.text += text.take();
    else if (letter == quote)
      quote = 0;
    else if (quote == 0 && (letter == '"' || letter == '\''))
      quote = letter;
  }
  lines.push_back(line);
  return lines;
}

Directive::Directive(StringRef line) {
  line = line.ltrim();
  if (!line.consume_front("#") && !line.consume_front("%:"))
    return;
  line = line.trim();
  word = line.take_while(
      [](char letter) { return llvm::isAlpha(letter) || letter == '_'; });
  rest = line.drop_front(word.size()).ltrim();
}

std::vector<OpenClLine> tonno::readLines(const std::string &source,
                                         const std::filesystem::path &file) {
  std::vector<OpenClLine> kept;
  unsigned depth = 0; // of conditions, from an `#if 0`
  for (OpenClLine &line : splitLines(source, file)) {
    Directive directive(line.text);
    bool isIf = directive.word.starts_with("if");
    if (depth > 0) {
      depth += isIf;
      if (directive.word == "endif" ||
          (depth == 1 && directive.word.starts_with("el")))
        --depth;
    } else if (isIf && directive.word == "if" && directive.rest == "0") {
      kept.push_back(line);
      depth = 1;
    }
    if (depth == 0)
      kept.push_back(std::move(line));
  }
  return kept;
}

/// Returns true if the open branch is taken only if the name is undefined.
static bool isTakenOnlyIfUndefined(const Condition &condition,
                                   const std::string &name) {
  static const std::string defined = R"(defined\s*\(?\s*)";
  auto asks = [&](StringRef branch, const char *word, const char *sign) {
    std::string text = branch.str();
    return std::regex_search(text, std::regex(std::string("^(el)?") + word +
                                              R"(\s+)" + name + R"(\b|)" +
                                              sign + defined + name + R"(\b)"));
  };
  StringRef open = condition.branches.back();
  if (!open.contains("||") && asks(open, "ifndef", R"(!\s*\(?\s*)"))
    return true;
  return llvm::any_of(
      llvm::drop_end(condition.branches), [&](StringRef branch) {
        return !branch.contains("&&") && !branch.contains('!') &&
               asks(branch, "ifdef", "");
      });
}

std::vector<OpenClDefine>
tonno::findDefines(const std::vector<OpenClLine> &lines,
                   const std::string &name) {
  using When = OpenClDefine::When;
  std::vector<OpenClDefine> found;
  std::vector<Condition> conditions; // that enclose the line
  StringRef guard;                   // what an #ifndef just asked for
  for (const OpenClLine &line : lines) {
    Directive directive(line.text);
    auto [word, rest] = directive;
    if (word.empty())
      continue;
    StringRef asked = line.text;
    asked = asked.drop_until(llvm::isAlpha).rtrim();
    if (word.starts_with("if"))
      conditions.push_back({{asked}});
    else if (word.starts_with("el") && !conditions.empty())
      conditions.back().branches.push_back(asked);
    else if (word == "endif" && !conditions.empty())
      conditions.pop_back();
    StringRef defined = word == "define" ? rest.take_until(llvm::isSpace) : "";
    if (!guard.empty() && defined == guard && !conditions.empty())
      conditions.back().isGuard = true;
    guard = word == "ifndef" ? rest : "";
    if (defined != name)
      continue;
    auto isWay = [&](const Condition &each) {
      return isTakenOnlyIfUndefined(each, name);
    };
    auto isGuard = [](const Condition &each) { return each.isGuard; };
    When when = llvm::any_of(conditions, isWay)     ? When::unlessDefined
                : llvm::all_of(conditions, isGuard) ? When::always
                                                    : When::sometimes;
    found.push_back({rest.drop_front(name.size()).trim().str(), line, when});
  }
  return found;
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

namespace {

/// Reads the included files, each once.
class Inclusion {
public:
  explicit Inclusion(const std::vector<std::filesystem::path> &folders)
      : folders(folders) {}

  void add(const std::string &text, const std::filesystem::path &file) {
    for (OpenClLine &line : readLines(text, file)) {
      found.lines.push_back(line);
      Directive directive(line.text);
      if (directive.word.starts_with("include") || directive.word == "import" ||
          directive.word == "embed")
        include(directive, file);
    }
  }

  OpenClIncludes found;

private:
  /// Finds an included file. Returns an empty path if the file does not exist,
  /// or if a macro names it.
  std::filesystem::path find(StringRef directive,
                             const std::filesystem::path &includer) const {
    StringRef name = directive.trim();
    bool isQuoted = name.consume_front("\"");
    if (!isQuoted && !name.consume_front("<"))
      return {};
    size_t end = name.find(isQuoted ? '"' : '>');
    if (end == 0 || end == StringRef::npos)
      return {};
    std::vector<std::filesystem::path> places;
    if (isQuoted && !includer.empty())
      places.push_back(includer.parent_path());
    llvm::append_range(places, folders);
    for (const std::filesystem::path &folder : places) {
      std::filesystem::path path = folder / name.take_front(end).str();
      std::error_code unknown;
      if (std::filesystem::is_regular_file(path, unknown))
        return path;
    }
    return {};
  }

  void include(const Directive &directive,
               const std::filesystem::path &includer) {
    found.any = true;
    // The search of #include_next and the contents of #embed are not modelled.
    bool isFollowed = directive.word == "include" || directive.word == "import";
    std::filesystem::path path =
        isFollowed ? find(directive.rest, includer) : std::filesystem::path();
    auto read = readFile(path);
    if (path.empty() || !read) {
      found.missing.push_back(directive.rest.str());
      return;
    }
    // Resolves the folder only: a link's target would search its own folder for
    // headers.
    std::error_code unknown;
    std::filesystem::path folder =
        std::filesystem::canonical(path.parent_path(), unknown);
    if (!seen.insert(folder / path.filename()).second)
      return;
    found.text += "#include " + directive.rest.str() + "\n" + *read + "\n";
    add(*read, path);
  }

  const std::vector<std::filesystem::path> &folders;
  std::set<std::filesystem::path> seen;
};

} // namespace

OpenClIncludes
tonno::findIncludes(const std::string &source,
                    const std::vector<std::filesystem::path> &folders) {
  Inclusion inclusion(folders);
  inclusion.add(source, {});
  return std::move(inclusion.found);
}
