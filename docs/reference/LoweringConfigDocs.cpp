//===- The keys, as a page ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoweringConfig.h"

#include <cstdio>

int main() {
  std::puts("<!-- Made from include/tonno/Dialect/LoweringConfig.h -->\n"
            "# The keys of `tonno.lowering_config`\n\n"
            "Each key is a level of tiling. Its value is an array with a tile "
            "size for each loop of the operation, an integer that is not "
            "negative or a knob with such options; or one knob whose options "
            "are such arrays. 0, or a key that is not there, leaves a loop "
            "whole at that level. `threads` is a single number, or a knob with "
            "such options.\n\n"
            "| key | targets | on | the tile is |\n"
            "| --- | --- | --- | --- |");
  for (const tonno::lowering_config::Key &key : tonno::lowering_config::kKeys)
    std::printf("| `%s` | %s | %s | %s |\n", key.name.data(),
                key.targets.data(), key.ops.data(), key.meaning.data());
  return 0;
}
