//===- Options that make a TuneRequest ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/RequestOptions.h"
#include "RequestPassOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tonno;
namespace cl = llvm::cl;

using Words = std::vector<std::string>;

template <typename T>
static Result<void> readField(const OptionText &text, llvm::StringRef given,
                              T &field) {
  auto refuse = [&](const std::string &why) {
    return Error{"'--" + std::string(text.flag) + "': " + why};
  };
  if constexpr (std::is_same_v<T, std::string>) {
    field = given.str();
  } else if constexpr (std::is_integral_v<T>) {
    auto parsed = parseInteger<T>(given, static_cast<T>(text.least),
                                  std::numeric_limits<T>::max());
    if (!parsed)
      return refuse(parsed.error().message);
    field = *parsed;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!llvm::to_float(given, field))
      return refuse("'" + given.str() + "' is not a number");
  } else {
    return readField(text, given, field.emplace()); // an optional
  }
  return {};
}

/// Calls `visit(text, field)` for each chosen entry of the table that an
/// `Option` is declared for.
template <typename Option, typename Visitor>
static void visitChosen(TuneRequest &request,
                        llvm::ArrayRef<llvm::StringRef> flags,
                        Visitor &&visit) {
  auto visitIfChosen = [&](const OptionText &text, auto &field) {
    if (flags.empty() || llvm::is_contained(flags, text.flag))
      visit(text, field);
  };
  request.visitOptions(visitIfChosen);
  if (Option::hasSurvey)
    request.visitSurveyOptions(visitIfChosen);
}

/// Declares an option for each entry of the table that is chosen. `Option` has
/// the types of options by their values, which differ between a command line
/// and a pass; `create` makes one of a type.
template <typename Option, typename Create>
static void declare(llvm::ArrayRef<llvm::StringRef> flags, Create &&create) {
  TuneRequest defaults;
  visitChosen<Option>(
      defaults, flags, [&]<typename T>(const OptionText &text, T &) {
        if constexpr (std::is_same_v<T, bool>)
          create.template operator()<typename Option::Switch>(text);
        else if constexpr (std::is_same_v<T, Words>)
          create.template operator()<typename Option::List>(text);
        else
          create.template operator()<typename Option::Text>(text);
      });
}

/// Reads the values of what `declare` has made.
template <typename Option>
static Result<TuneRequest>
read(llvm::ArrayRef<llvm::StringRef> flags,
     const std::vector<std::unique_ptr<cl::Option>> &options) {
  TuneRequest request;
  Result<void> done;
  auto next = options.begin();
  visitChosen<Option>(
      request, flags, [&]<typename T>(const OptionText &text, T &field) {
        const cl::Option &option = **next++;
        if constexpr (std::is_same_v<T, bool>) {
          field = static_cast<const typename Option::Switch &>(option);
        } else if constexpr (std::is_same_v<T, Words>) {
          const auto &words =
              static_cast<const typename Option::List &>(option);
          field.assign(words.begin(), words.end());
        } else {
          const auto &given =
              static_cast<const typename Option::Text &>(option);
          if (Option::isGiven(given) && done.ok())
            done = readField(text, llvm::StringRef(given.getValue()), field);
        }
      });
  if (!done)
    return done.error();
  return request;
}

namespace {

struct CommandLineOption {
  using Switch = cl::opt<bool>;
  using List = cl::list<std::string>;
  using Text = cl::opt<std::string>;
  static constexpr bool hasSurvey = true;
  static bool isGiven(const Text &option) {
    return option.getNumOccurrences() > 0;
  }
};

struct PassOption {
  using Switch = mlir::Pass::Option<bool>;
  using List = mlir::Pass::ListOption<std::string>;
  using Text = mlir::Pass::Option<std::string>;
  static constexpr bool hasSurvey = false;
  /// Returns true if the option was given. Pipelines print absent options as
  /// empty.
  static bool isGiven(const Text &option) { return !option.empty(); }
};

} // namespace

OptionCategories::OptionCategories() {
  for (llvm::StringRef heading :
       {"Input and output", "Budget and search", "Target and device",
        "Verification", "Cache", "OpenCL C"})
    categories.emplace_back(heading);
}

void OptionCategories::hideUnrelatedOptions(cl::SubCommand &command) {
  llvm::SmallVector<const cl::OptionCategory *> own;
  for (const cl::OptionCategory &category : categories)
    own.push_back(&category);
  cl::HideUnrelatedOptions(own, command);
}

RequestOptions::RequestOptions(OptionCategories &categories,
                               llvm::ArrayRef<llvm::StringRef> flags,
                               cl::SubCommand &command)
    : flags(flags) {
  declare<CommandLineOption>(flags, [&]<typename T>(const OptionText &text) {
    auto option = std::make_unique<T>(
        llvm::StringRef(text.flag), cl::desc(help.emplace_back(text.help)),
        cl::cat(categories[text.group]), cl::sub(command));
    if (text.value)
      option->setValueStr(text.value);
    options.push_back(std::move(option));
  });
}

Result<TuneRequest> RequestOptions::request() const {
  return read<CommandLineOption>(flags, options);
}

bool RequestOptions::isGiven(llvm::StringRef flag) const {
  return llvm::any_of(options, [&](const auto &option) {
    return option->ArgStr == flag && option->getNumOccurrences() > 0;
  });
}

void RequestOptions::remove() {
  for (const auto &option : options)
    option->removeArgument();
}

RequestPassOptions::RequestPassOptions(mlir::Pass &pass,
                                       llvm::ArrayRef<llvm::StringRef> flags)
    : flags(flags) {
  declare<PassOption>(flags, [&]<typename T>(const OptionText &text) {
    auto option = std::make_unique<T>(pass, text.flag,
                                      cl::desc(help.emplace_back(text.help)));
    if (text.value)
      option->setValueStr(text.value);
    options.push_back(std::move(option));
  });
}

Result<TuneRequest> RequestPassOptions::request() const {
  return read<PassOption>(flags, options);
}
