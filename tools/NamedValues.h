//===- Options with named values ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_NAMEDVALUES_H
#define TONNO_TOOLS_NAMEDVALUES_H

#include "llvm/Support/CommandLine.h"

namespace tonno {

/// Parses the name of a value as LLVM's parser does; the error for an unknown
/// name lists the known ones.
template <typename T> class NamedValues : public llvm::cl::parser<T> {
public:
  using llvm::cl::parser<T>::parser;

  bool parse(llvm::cl::Option &option, llvm::StringRef name,
             llvm::StringRef text, T &value) {
    if (this->findOption(text) < this->getNumOptions())
      return llvm::cl::parser<T>::parse(option, name, text, value);
    std::string known;
    for (unsigned i = 0; i < this->getNumOptions(); ++i)
      known += (known.empty() ? "" : ", ") + this->getOption(i).str();
    return option.error("unknown value '" + text +
                        "'; the values are: " + known);
  }
};

} // namespace tonno

#endif // TONNO_TOOLS_NAMEDVALUES_H
