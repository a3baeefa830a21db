//===- The keys, as a page ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoweringConfig.h"

#include <cstdio>

int main() {
  std::puts("<!-- Made from include/tonno/Dialect/LoweringConfig.h -->\n"
            "# The keys of `tonno.lowering_config`\n\n"
            "Most keys are a level of tiling. The value is an array with a "
            "tile size for each loop of the operation. A tile size is a "
            "non-negative integer, or a knob with such options. The whole "
            "array may also be one knob, whose options are such arrays. 0, or "
            "a missing key, leaves a loop whole at that level.\n\n"
            "`threads`, `stages`, `order` and `per_unit` are single numbers, "
            "`instruction` and `copy` are strings; each may be a knob.\n\n"
            "| key | targets | on | meaning |\n"

            "| --- | --- | --- | --- |");
  for (const tonno::lowering_config::Key &key : tonno::lowering_config::kKeys)
    std::printf("| `%s` | %s | %s | %s |\n", key.name.data(),
                key.targets.data(), key.ops.data(), key.meaning.data());
  return 0;
}
