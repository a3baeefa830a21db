//===- Priors within the tools --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PRIOR_SHIPPEDPRIOR_H
#define TONNO_PRIOR_SHIPPEDPRIOR_H

#include "tonno/Prior/Prior.h"

#include <memory>
#include <string_view>

namespace tonno {

/// Returns the prior that is a part of the tools for chips of an architecture,
/// the first part of a target triple; null if there is none.
std::shared_ptr<const Prior> findShippedPrior(std::string_view architecture);

} // namespace tonno

#endif // TONNO_PRIOR_SHIPPEDPRIOR_H
