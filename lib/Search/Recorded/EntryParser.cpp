//===- EntryParser.cpp - JSON files of very many entries ------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryParser.h"

using namespace tonno;

namespace {

class EntryParser : public nlohmann::json_sax<Json> {
public:
  using Take = std::function<Result<void>(const JsonEntry &)>;

  EntryParser(size_t size, const std::string &member, const Take &take)
      : size(size), member(member), take(take) {}

  Json header = nullptr;
  EntryFailure failure;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t &) override {
    return add(value);
  }
  bool string(string_t &value) override { return add(std::move(value)); }
  bool binary(binary_t &) override { return false; } // not of text
  bool key(string_t &value) override {
    if (isEntries(open.back()))
      entryKey = std::move(value);
    else {
      isMember = open.size() == 1 && value == member;
      place = &(*open.back())[std::move(value)];
    }
    return true;
  }
  bool start_object(size_t) override { return enter(Json::object()); }
  bool start_array(size_t) override { return enter(Json::array()); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }

  bool parse_error(size_t position, const std::string &,
                   const nlohmann::detail::exception &error) override {
    failure = {error.what(), position > size}; // the end was read
    return false;
  }

private:
  bool isEntries(const Json *json) const { return entries && json == entries; }

  /// Where the next value is.
  Json &put(Json value) {
    if (!open.empty() && isEntries(open.back()))
      return entry = std::move(value);
    if (!open.empty() && open.back()->is_array())
      return open.back()->emplace_back(std::move(value));
    return *place = std::move(value);
  }
  bool add(Json value) {
    put(std::move(value));
    return deliver();
  }
  bool enter(Json container) {
    if (open.size() == maxJsonDepth) {
      failure.message =
          "it nests deeper than " + std::to_string(maxJsonDepth) + " levels";
      return false;
    }
    open.push_back(&put(std::move(container)));
    if (open.size() == 2 && isMember)
      entries = open.back();
    return true;
  }
  bool leave() {
    if (isEntries(open.back()))
      entries = nullptr;
    open.pop_back();
    return deliver();
  }
  /// If what has ended is an entry.
  bool deliver() {
    if (open.empty() || !isEntries(open.back()))
      return true;
    auto taken = take({entryKey, ++count, entry, header});
    if (!taken)
      failure.message = taken.error().message;
    return taken.ok();
  }

  size_t size; ///< of the text
  const std::string &member;
  const Take &take;
  Json *place = &header;    ///< of the value of the last key, or of the first
  std::vector<Json *> open; ///< the containers that have begun and not ended
  bool isMember = false;    ///< the last key of the header has the entries
  Json *entries = nullptr;  ///< while they last
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
    const std::string &given, const std::string &member,
    const std::function<Result<void>(const JsonEntry &)> &take) {
  std::string clean = mayHaveNaN(given) ? withoutNaN(given) : std::string();
  const std::string &text = clean.empty() ? given : clean;
  EntryParser parser(text.size(), member, take);
  if (!Json::sax_parse(text.begin(), text.end(), &parser))
    return parser.failure;
  return std::move(parser.header);
}
