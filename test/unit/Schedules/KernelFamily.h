//===- Kernels with words to fill in --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_KERNELFAMILY_H
#define TONNO_KERNELFAMILY_H

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace tonno {

/// A kernel as text with words to fill in, and what to fill them with.
///
/// - a letter of `dims` behind a dollar, `$M`: that extent
/// - `$T`: the operands' element type; `$A`: the results', in which is summed
/// - `$XCAST`: the op that makes `$X`, of type `$A`, of `%x`, of `$T`; `$YCAST`
/// - `$ADD`, `$SUB`, `$MUL`, `$MAX`: ops of `$A`
/// - `$ZERO`, `$ONE`, `$LEAST`: constants of `$A`; the last is max's neutral
/// one
/// - `$CONFIG`: an attribute dictionary with the configuration, or nothing
/// - `$ATTRS`: the same where a linalg.generic has it
struct KernelFamily {
  std::string name;
  std::string text; ///< holds a function `@f`
  std::string dims;
  std::vector<std::vector<int64_t>> shapes; ///< a number for each of `dims`
  std::vector<std::string> types;           ///< "f32"; "f16.f32" sums in f32
  std::vector<std::string> configs;         ///< what is in the braces, or ""

  std::string write(const std::vector<int64_t> &shape, const std::string &type,
                    const std::string &config) const;
};

inline std::ostream &operator<<(std::ostream &stream,
                                const KernelFamily &family) {
  return stream << family.name;
}

/// Returns the text with each word replaced, longer words first.
std::string fillIn(std::string text,
                   const std::map<std::string, std::string> &words);

std::vector<KernelFamily> contractionFamilies();
std::vector<KernelFamily> elementwiseFamilies();
std::vector<KernelFamily> rowFamilies();
std::vector<KernelFamily> loopFamilies();
/// Returns all families.
std::vector<KernelFamily> allFamilies();

} // namespace tonno

#endif // TONNO_KERNELFAMILY_H
