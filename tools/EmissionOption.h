//===- The values of --emit -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_EMISSIONOPTION_H
#define TONNO_TOOLS_EMISSIONOPTION_H

#include "Output.h"

#include "tonno/Backend/Emission.h"

#include "llvm/Support/CommandLine.h"

#include <deque>
#include <string>

namespace tonno {

/// The values of --emit: the forms that backends have, and those that OpenCL's
/// driver makes if a tool takes OpenCL C.
struct EmissionValues {
  bool hasOpenCl = false;

  template <typename Option> void apply(Option &option) const {
    for (const EmissionForm &form : emissionForms())
      if (hasOpenCl || !form.isOpenClOnly)
        option.getParser().addLiteralOption(form.name, form.emission,
                                            help(form));
  }

private:
  /// Returns "an object (.o)". The parser refers to the text.
  static llvm::StringRef help(const EmissionForm &form) {
    static std::deque<std::string> texts;
    return texts.emplace_back((form.help + " (" + form.ending + ")").str());
  }
};

/// Describes a file that was written for --emit.
inline WrittenFile describeEmitted(const std::filesystem::path &file,
                                   Emission emission) {
  const EmissionForm &form = describe(emission);
  return {file.string(), form.name.str(), form.help.str()};
}

/// Description of --rename.
inline constexpr char renameHelp[] = "Emit the kernel under this name; by "
                                     "default its own, for @main that of its "
                                     "module, else of the file";

} // namespace tonno

#endif // TONNO_TOOLS_EMISSIONOPTION_H
