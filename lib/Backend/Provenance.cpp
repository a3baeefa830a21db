//===- Whether this is what was measured ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/Provenance.h"

#include "tonno/Core/Version.h"
#include "tonno/Dialect/TonnoDialect.h"

#include "llvm/Config/llvm-config.h"

using namespace mlir;
using namespace tonno;

std::string tonno::compilerVersions() {
  return "tonno " + std::string(version()) + ", LLVM " LLVM_VERSION_STRING;
}

bool tonno::isMeasuredBinary(func::FuncOp kernel, const Backend &backend,
                             StringRef hash) {
  auto tuned = kernel->getAttrOfType<DictionaryAttr>(TonnoDialect::kTuned);
  if (!tuned)
    return true;
  auto entry = [&](StringRef name) {
    auto text = tuned.getAs<StringAttr>(name);
    return text ? text.getValue() : StringRef();
  };
  if (entry("artifact") == hash)
    return true;

  InFlightDiagnostic warning = kernel.emitWarning()
                               << "the binary of kernel '" << kernel.getName()
                               << "' is not the one that was measured: ";
  auto differs = [&](StringRef what, StringRef then, StringRef now) {
    if (then.empty() || then == now)
      return false;
    warning << "it was measured with " << what << " " << then << ", this is "
            << now;
    return true;
  };
  if (entry("artifact").empty())
    warning << "'" << TonnoDialect::kTuned << "' names no artifact";
  else if (!differs("chip", entry("chip"), backend.target().chip) &&
           !differs("versions", entry("versions"), compilerVersions()))
    warning << "chip and versions are the same, so the kernel or the CPU's "
               "features have changed";
  return false;
}
