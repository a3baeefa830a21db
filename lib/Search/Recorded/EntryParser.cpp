//===- JSON files of very many entries ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EntryParser.h"
#include "tonno/Core/JsonBuilder.h"

using namespace tonno;

namespace {

class EntryParser : public JsonBuilder {
public:
  using Take = std::function<Result<void>(const JsonEntry &)>;

  EntryParser(size_t size, const EntryPlace &entries, const Take &give)
      : size(size), stated(entries), give(give) {}

  bool isAtEnd = false; ///< it ended early, where the text does

  bool binary(binary_t &) override { return false; } // not of text
  bool key(string_t &value) override {
    if (isAmongEntries()) {
      entryKey = std::move(value);
      return true;
    }
    isMember = containers().size() == 1 && value == stated.member;
    return JsonBuilder::key(value);
  }
  bool parse_error(size_t position, const std::string &last,
                   const nlohmann::detail::exception &error) override {
    isAtEnd = position > size;
    (void)JsonBuilder::parse_error(position, last, error);
    return isAtEnd ? fail(failure())
                   : fail("it is no JSON (" + failure() + ")");
  }

protected:
  Json &put(Json value) override {
    if (isAmongEntries())
      return entry = std::move(value);
    return JsonBuilder::put(std::move(value));
  }
  bool begun() override {
    if (containers().size() != 2 || !isMember)
      return true;
    entries = containers().back();
    return isOfKind(*entries);
  }
  void ending() override {
    if (isAmongEntries())
      entries = nullptr;
  }
  bool ended() override {
    if (containers().size() == 1 && isMember)
      return isOfKind(built()[stated.member]);
    if (!isAmongEntries())
      return true;
    auto taken = give({entryKey, ++count, entry, built()});
    return taken || fail(taken.error().message);
  }

private:
  /// Whether what comes next is an entry.
  bool isAmongEntries() const {
    return entries && containers().back() == entries;
  }
  bool isOfKind(const Json &container) {
    bool isObject = stated.kind == Json::value_t::object;
    return container.type() == stated.kind ||
           fail("its '" + stated.member + "' is no " +
                (isObject ? "object" : "list"));
  }

  size_t size; ///< of the text
  const EntryPlace &stated;
  const Take &give;
  bool isMember = false;         ///< the last key was that of the entries
  const Json *entries = nullptr; ///< while they last
  Json entry;
  std::string entryKey;
  size_t count = 0;
};

} // namespace

/// The text with null for these words, where they are no strings.
static std::string withoutNaN(const std::string &text) {
  std::string clean;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (inString && text[i] == '\\' && i + 1 < text.size()) {
      clean.append(text, i++, 2);
      continue;
    }
    inString ^= text[i] == '"';
    size_t length = 0;
    if (!inString)
      for (std::string_view word : {"NaN", "Infinity", "-Infinity"})
        if (text.compare(i, word.size(), word) == 0)
          length = word.size();
    if (length == 0)
      clean += text[i];
    else {
      clean += "null";
      i += length - 1;
    }
  }
  return clean;
}

static bool mayHaveNaN(const std::string &text) {
  return text.find("NaN") != std::string::npos ||
         text.find("Infinity") != std::string::npos;
}

Result<Json, EntryFailure> tonno::parseEntries(
    const std::string &given, const EntryPlace &place,
    const std::function<Result<void>(const JsonEntry &)> &take) {
  std::string clean = mayHaveNaN(given) ? withoutNaN(given) : std::string();
  const std::string &text = clean.empty() ? given : clean;
  EntryParser parser(text.size(), place, take);
  if (!Json::sax_parse(text.begin(), text.end(), &parser))
    return EntryFailure{parser.failure(), parser.isAtEnd};
  return parser.take();
}
