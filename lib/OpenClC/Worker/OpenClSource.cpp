//===- A kernel in OpenCL C, with its knobs -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/OpenClC/Worker/OpenClSource.h"

#include <algorithm>
#include <cctype>

using namespace tonno;

static bool isWordLetter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_';
}

unsigned OpenClSource::line() const {
  for (size_t at = source.find(name); at != std::string::npos && !name.empty();
       at = source.find(name, at + 1)) {
    size_t behind = at + name.size();
    bool isWord = (at == 0 || !isWordLetter(source[at - 1])) &&
                  (behind == source.size() || !isWordLetter(source[behind]));
    size_t next = source.find_first_not_of(" \t\r\n", behind);
    if (isWord && next != std::string::npos && source[next] == '(')
      return 1 + static_cast<unsigned>(std::count(
                     source.begin(),
                     source.begin() + static_cast<ptrdiff_t>(at), '\n'));
  }
  return 0;
}

std::optional<std::string> tonno::macroValue(const Option &option) {
  if (option.is_boolean())
    return option.get<bool>() ? "1" : "0";
  if (option.is_number_integer())
    return option.dump();
  if (!option.is_string())
    return std::nullopt;
  auto text = option.get<std::string>();
  bool isOneWord = !text.empty() && std::ranges::none_of(text, [](char letter) {
    return std::isspace(static_cast<unsigned char>(letter)) || letter == '"' ||
           letter == '\'' || letter == '\\';
  });
  return isOneWord ? std::optional(text) : std::nullopt;
}

std::string
OpenClSource::buildOptions(const Configuration &configuration) const {
  std::string text = options;
  for (size_t i = 0; i < space.knobs().size(); ++i) {
    const Knob &knob = space.knobs()[i];
    text += (text.empty() ? "-D " : " -D ") + knob.name + "=" +
            macroValue(knob.options[configuration.indices[i]]).value_or("");
  }
  return text;
}

std::string
OpenClSource::localBuildOptions(const Configuration &configuration) const {
  std::string text = buildOptions(configuration);
  if (includeFolder.empty())
    return text;
  // Caches of drivers, NVIDIA's for example, have used the source and the
  // options as key, but not the included files.
  constexpr size_t digits = 16;
  return "-I " + includeFolder + " -D TONNO_TEXT=x" +
         textHash.substr(0, digits) + (text.empty() ? "" : " ") + text;
}

void tonno::to_json(Json &json, const OpenClSource &kernel) {
  json = Json{{"file", kernel.file},
              {"source", kernel.source},
              {"text_hash", kernel.textHash},
              {"name", kernel.name},
              {"options", kernel.options},
              {"include_folder", kernel.includeFolder},
              {"global_size", kernel.globalSize},
              {"local_size", kernel.localSize},
              {"arguments", kernel.arguments},
              {"inputs", kernel.inputs},
              {"space", kernel.space}};
}

void tonno::from_json(const Json &json, OpenClSource &kernel) {
  json.at("file").get_to(kernel.file);
  json.at("source").get_to(kernel.source);
  json.at("text_hash").get_to(kernel.textHash);
  json.at("name").get_to(kernel.name);
  json.at("options").get_to(kernel.options);
  // Failures that older versions have kept do without.
  kernel.includeFolder = json.value("include_folder", "");
  json.at("global_size").get_to(kernel.globalSize);
  json.at("local_size").get_to(kernel.localSize);
  json.at("arguments").get_to(kernel.arguments);
  json.at("inputs").get_to(kernel.inputs);
  json.at("space").get_to(kernel.space);
}
