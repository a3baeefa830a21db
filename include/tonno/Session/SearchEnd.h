//===- Why a search ends --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_SEARCHEND_H
#define TONNO_SESSION_SEARCHEND_H

#include <string_view>

namespace tonno {

/// Why a session has proposed no more candidates.
enum class SearchEnd {
  budget,      ///< its trials or seconds were spent
  converged,   ///< the strategy expects too little of what is left
  done,        ///< the strategy has nothing else left: it tried all, say
  cut_short,   ///< by something outside of the kernel
  interrupted, ///< by the user
};

std::string_view toString(SearchEnd end);

} // namespace tonno

#endif // TONNO_SESSION_SEARCHEND_H
