//===- Files in OpenCL C --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/OpenClC/OpenClFile.h"
#include "tonno/Core/File.h"
#include "tonno/Core/Hash.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Space/LegalSpace.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "tonno/Tuner/AttributeOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/IR/MLIRContext.h"
#include "OpenClPreprocessor.h"
#include <regex>
#include <set>

using namespace tonno;
using namespace mlir;

using llvm::StringRef;

/// Returns the text after "// tonno:"; empty if the line is no such comment.
static StringRef parseDirective(StringRef line) {
  line = line.trim();
  if (!line.consume_front("//"))
    return "";
  line = line.ltrim();
  return line.consume_front("tonno:") ? line.trim() : "";
}

static std::string getMacroName(const std::string &option) {
  return StringRef(option).split('=').first.trim().str();
}

/// Appends the options in comments to those of the request. The Error has the
/// line.
static Result<void, LocatedError> addDirectives(const std::string &source,
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
    StringRef directive = parseDirective(line);
    if (directive.empty())
      continue;
    auto refuse = [&](const std::string &why) {
      return LocatedError{why, request.file, number,
                          static_cast<unsigned>(line.find("tonno:") + 1)};
    };
    auto [name, value] = directive.split('=');
    if (!name.consume_front("--") || value.empty())
      return refuse("expected an option of tonno-tune after 'tonno:', such as "
                    "'--knob=TS=8,16,32'");
    bool isKnown = false;
    for (auto [known, text] : texts)
      if (known == name) {
        isKnown = true;
        if (!seen.insert(name.str()).second)
          return refuse("'--" + name.str() + "' is given twice");
        if (text->empty())
          *text = value.str();
      }
    for (const List &list : lists)
      if (list.name == name) {
        isKnown = true;
        bool isNamed = name != "constraint";
        auto hasName = [&](const std::string &other) {
          return getMacroName(other) == getMacroName(value.str());
        };
        if (!isNamed || llvm::none_of(list.own, hasName))
          list.all.push_back(value.str());
      }
    if (!isKnown)
      return refuse(
          "'--" + name.str() +
          "' is not allowed in a file; the allowed options are: '--kernel', "
          "'--knob', '--constraint', '--arg', '--inputs', '--global-size', "
          "'--local-size' and '--build-options'");
  }
  return {};
}

/// Returns the source without "// tonno:" comments.
static std::string withoutDirectives(const std::string &source) {
  std::string text;
  for (StringRef line : llvm::split(StringRef(source), '\n'))
    if (parseDirective(line).empty())
      text += line.str() + "\n";
  return text;
}

/// Returns the names of the kernels defined in the lines, in order.
static std::vector<std::string>
kernelNames(const std::vector<OpenClLine> &lines) {
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

/// Returns the option that a definition's text denotes.
static std::optional<uint32_t> findOptionIndex(const Knob &knob,
                                               const std::string &text) {
  for (uint32_t i = 0; i < knob.options.size(); ++i)
    if (macroValue(knob.options[i]) == text)
      return i;
  return std::nullopt;
}

/// Returns the words of build options; blanks may be in double quotes.
static std::vector<std::string> splitBuildOptions(const std::string &options) {
  std::vector<std::string> words;
  bool isQuoted = false, isInside = false;
  for (char letter : options) {
    if (llvm::isSpace(letter) && !isQuoted) {
      isInside = false;
      continue;
    }
    if (!isInside)
      words.emplace_back();
    isInside = true;
    if (letter == '"')
      isQuoted = !isQuoted;
    else
      words.back() += letter;
  }
  return words;
}

/// Returns the folders of `-I dir` and `-Idir`.
static std::vector<std::filesystem::path>
parseIncludeDirectories(const std::string &options) {
  std::vector<std::filesystem::path> folders;
  std::vector<std::string> words = splitBuildOptions(options);
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] == "-I" && i + 1 < words.size())
      folders.push_back(words[++i]);
    else if (words[i].starts_with("-I"))
      folders.push_back(words[i].substr(2));
  return folders;
}

namespace {

/// Reads one file.
class Reader {
public:
  explicit Reader(OpenClRequest request) : request(std::move(request)) {}

  Result<OpenClFile, LocatedError> read() {
    context.loadDialect<TonnoDialect>();
    auto read = readNamedFile(request.file);
    if (!read)
      return LocatedError{read.error().message};
    file.kernel.file = request.file;
    file.kernel.source = std::move(*read);
    // Removes the byte order mark of UTF-8, as lines are inserted before the
    // text.
    if (file.kernel.source.starts_with("\xef\xbb\xbf"))
      file.kernel.source.erase(0, 3);
    TONNO_TRY(addDirectives(file.kernel.source, request));
    TONNO_TRY(chooseKernel());
    file.kernel.globalSize = request.globalSize;
    file.kernel.localSize = request.localSize;
    file.kernel.options = request.buildOptions;
    readIncludes();
    TONNO_TRY(readNamed("--arg", request.arguments, file.kernel.arguments));
    TONNO_TRY(readSpace());
    TONNO_TRY(readNamed("--inputs", request.inputs, file.kernel.inputs));
    return std::move(file);
  }

private:
  Result<void, LocatedError> chooseKernel() {
    std::vector<std::string> names = kernelNames(readLines(file.kernel.source));
    file.kernel.name = request.kernel;
    if (!request.kernel.empty())
      return {};
    if (names.size() == 1) {
      file.kernel.name = names.front();
      return {};
    }
    return at(1,
              names.empty()
                  ? "no kernel was found; name one by '--kernel'"
                  : "the file has several kernels; choose one by '--kernel': " +
                        llvm::join(names, ", "));
  }

  Result<void, LocatedError> readSpace() {
    for (const std::string &given : request.knobs)
      TONNO_TRY(addKnob(given));
    if (knobs.empty())
      return at(1, "the file has no knobs; give '--knob=TS=8,16,32' for a "
                   "macro that the kernel uses");
    for (const Knob &knob : knobs) {
      std::string elsewhere = request.globalSize + " " + request.localSize;
      for (const std::string &argument : request.arguments)
        elsewhere += " " + argument;
      if (!mentions(text, knob.name) && !mentions(elsewhere, knob.name))
        return at(1, "knob '" + knob.name + "' is not used in the file");
    }
    auto space =
        SearchSpace::create(knobs, request.constraints, findDimensions());
    if (!space) {
      const ConstraintError &error = space.error();
      std::string which =
          error.column == 0
              ? ""
              : "'--constraint=" + request.constraints[error.index] + "': ";
      return LocatedError{which + error.text()};
    }
    file.kernel.space = std::move(*space);
    if (file.kernel.space.isLegal(file.kernel.space.defaultConfiguration()))
      return {};
    auto legal = file.kernel.space.firstLegal(std::vector<bool>(knobs.size()));
    if (!legal)
      return LocatedError{"no configuration satisfies the " +
                          describeConflict(file.kernel.space)};
    std::string values = printed(
        file.kernel.space.values(file.kernel.space.defaultConfiguration()));
    return LocatedError{
        "the defaults, " + values +
        ", do not satisfy the constraints; a legal configuration is: " +
        printed(file.kernel.space.values(*legal))};
  }

  /// Returns the arguments that are integers, as "N=256" and "N=i32:256" are,
  /// under their names; a macro of a name hides the argument.
  std::vector<Dimension> findDimensions() const {
    std::vector<Dimension> dimensions;
    for (StringRef given : request.arguments) {
      auto [name, value] = given.split('=');
      Dimension dimension = {name.trim().str(), 0};
      if (value.contains(':'))
        value = value.split(':').second;
      if (isPlainName(dimension.name) &&
          !llvm::is_contained(
              llvm::map_range(knobs,
                              [](const Knob &knob) { return knob.name; }),
              dimension.name) &&
          !value.trim().getAsInteger(10, dimension.size))
        dimensions.push_back(std::move(dimension));
    }
    return dimensions;
  }

  Result<void, LocatedError> addKnob(const std::string &given) {
    auto parsed = parseKnobOption(given, &context);
    if (!parsed)
      return LocatedError{parsed.error().message +
                          "; write text in quotes: 'T=\"int\",\"float\"'"};
    Knob knob;
    knob.name = parsed->getName().str();
    knob.defaultIndex = static_cast<uint32_t>(parsed->getDefaultIndex());
    auto refuse = [&](const std::string &why) {
      return LocatedError{"'--knob=" + given + "': " + why};
    };
    bool isIdentifier = !llvm::isDigit(knob.name.front()) &&
                        llvm::all_of(knob.name, [](char letter) {
                          return llvm::isAlnum(letter) || letter == '_';
                        });
    if (!isIdentifier)
      return refuse("a macro cannot have this name");
    for (uint64_t i = 0; i < parsed->getNumOptions(); ++i) {
      Option option = toOption(parsed->getOption(i));
      if (!macroValue(option))
        return refuse(
            (option.is_object() ? option.value("mlir", "") : printed(option)) +
            " cannot be the value of a macro; write integers, or text without "
            "blanks, in quotes: 'T=\"0.5f\",\"2.0f\"'");
      knob.options.push_back(std::move(option));
    }
    if (llvm::is_contained(
            llvm::map_range(knobs,
                            [](const Knob &other) { return other.name; }),
            knob.name))
      return refuse("the knob is given twice");
    TONNO_TRY(findDefault(knob, static_cast<bool>(parsed->getDefaultOption())));
    knobs.push_back(std::move(knob));
    return {};
  }

  Result<void, LocatedError> findDefault(Knob &knob, bool isStated) {
    using When = OpenClDefine::When;
    const std::string remedy =
        "put the definition between '#ifndef " + knob.name + "' and '#endif'";
    std::optional<OpenClDefine> own;
    for (OpenClDefine &define : findDefines(lines, knob.name)) {
      if (define.when == When::always)
        return at(define.line, "knob '" + knob.name +
                                   "' is defined here unconditionally, so the "
                                   "build cannot vary it; " +
                                   remedy);
      if (define.when == When::sometimes)
        file.warnings.push_back(
            at(define.line, "under this condition, knob '" + knob.name +
                                "' is defined unconditionally, so the build "
                                "cannot vary it; " +
                                remedy)
                .text());
      else if (!own)
        own = std::move(define);
    }
    if (isStated || !own)
      return {};
    auto index = findOptionIndex(knob, own->value);
    if (!index)
      return at(own->line, "the default of knob '" + knob.name + "', '" +
                               own->value +
                               "', is not among its options; add it, or give "
                               "another by '--knob=" +
                               knob.name + "=... default ...'");
    knob.defaultIndex = *index;
    return {};
  }

  Result<void, LocatedError>
  readNamed(const char *option, const std::vector<std::string> &given,
            std::map<std::string, std::string> &named) {
    for (const std::string &text : given) {
      auto refuse = [&](const std::string &why) {
        return LocatedError{std::string(option) + " '" + text + "': " + why};
      };
      auto [name, value] = StringRef(text).split('=');
      std::string key = name.trim().str();
      if (key.empty() || value.trim().empty())
        return refuse("write NAME=..., with the argument's name or its number");
      if (!named.emplace(key, value.trim().str()).second)
        return refuse("'" + key + "' is given twice");
    }
    return {};
  }

  void readIncludes() {
    std::filesystem::path own =
        std::filesystem::absolute(request.file).parent_path();
    std::vector<std::filesystem::path> folders = {own};
    llvm::append_range(folders, parseIncludeDirectories(request.buildOptions));
    OpenClIncludes includes = findIncludes(file.kernel.source, folders);
    if (includes.any) // as C's compilers look there first
      file.kernel.includeFolder = own.string();
    for (const std::string &name : includes.missing)
      file.warnings.push_back(
          "#include " + name + " in " + request.file +
          " was not found, so the cache does not notice its changes; name its "
          "folder by '--build-options=-I <folder>'");
    text = withoutDirectives(file.kernel.source) + includes.text;
    file.kernel.textHash = sha256(text);
    lines = std::move(includes.lines);
  }

  LocatedError at(unsigned line, const std::string &message) const {
    return {message, request.file, line, 1};
  }
  LocatedError at(const OpenClLine &line, const std::string &message) const {
    LocatedError error = at(line.number, message);
    if (!line.file.empty())
      error.file = line.file.string();
    return error;
  }

  OpenClRequest request;
  OpenClFile file;
  std::string text; ///< with the included files
  std::vector<OpenClLine> lines;
  MLIRContext context;
  std::vector<Knob> knobs;
};

} // namespace

Result<OpenClFile, LocatedError> tonno::readOpenCl(OpenClRequest request) {
  return Reader(std::move(request)).read();
}

std::string tonno::tunedSource(const OpenClSource &kernel, const Json &values,
                               const std::string &comment) {
  std::string text = "// " + comment + "\n";
  for (const Knob &knob : kernel.space.knobs())
    text += "#ifndef " + knob.name + "\n#define " + knob.name + " " +
            macroValue(values.at(knob.name)).value_or("") + "\n#endif\n";
  return text + kernel.source;
}
