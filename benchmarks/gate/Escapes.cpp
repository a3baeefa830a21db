//===- Mutants that are not always caught ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Escapes.h"

#include <algorithm>
#include <iterator>

using namespace tonno;
using namespace tonno::gate;

namespace {

/// Cells of the table, from and up to these lengths.
struct Escape {
  std::string_view kernel, mutant;
  std::string_view types = ""; ///< all but f64; "any": f64 too
  int64_t from = 16, to = 16384;
};

} // namespace

static constexpr Escape escapes[] = {
    {"exp in its own type", "inputs in bf16", "f16", 16, 256},
    {"exp in its own type", "output in bf16", "f16"},
    {"gelu", "constant off by 0.2 %", "bf16"},
    {"gelu", "constant off by 0.2 %", "f16"},
    {"gelu", "tanh of f16's precision", "bf16"},
    {"gelu", "tanh off by 64 ulps", "bf16"},
    {"gelu", "tanh off by 64 ulps", "f16"},
    {"layernorm", "n - 1 for n", "", 16384},
    {"layernorm", "spilled once in f16", "", 1024},
    {"layernorm", "spilled once in f16", "bf16", 16, 16},
    {"matmul", "spilled once in f16", "bf16"},
    {"matmul+bias", "spilled once in f16", "bf16"},
    {"matmul+bias+relu", "accumulated in f16", "bf16", 16, 64},
    // 0 by right, in one of eight seeds in all three passes.
    {"matmul+bias+relu", "last element zeroed", "any"},
    {"matmul+bias+relu", "output truncated", "f16"},
    {"matmul+bias+relu", "spilled once in bf16", "bf16"},
    {"matmul+bias+relu", "spilled once in f16", "bf16"},
    {"matmul+bias+relu", "spilled once in f16", "f16"},
    {"row sum", "accumulated in f16", "bf16", 16, 64},
    {"row sum", "spilled once in f16", "bf16"},
    {"row sum", "spilled once in f16", "f16", 16, 16},
    {"softmax", "accumulated in f16", "bf16", 16, 64},
    {"softmax", "accumulated in f16", "f16", 16, 16},
    {"softmax", "exp of f16's precision", "bf16", 16, 256},
    {"softmax", "exp off by 64 ulps", "", 256},
    {"softmax", "exp off by 64 ulps", "bf16"},
    {"softmax", "exp off by 64 ulps", "f16"},
    {"softmax", "first term twice", "f16", 16384},
    {"softmax", "spilled once in bf16", "bf16"},
    {"softmax", "spilled once in bf16", "f16", 16384},
    {"softmax", "spilled once in f16", "", 1024},
    {"softmax", "spilled once in f16", "bf16"},
    {"softmax", "spilled once in f16", "f16"},
    // The bound is wide: rounding the input changes the result by 200 times its
    // size.
    {"variance about 200", "first term twice", "", 4096},
    {"variance about 200", "last term dropped", "", 4096},
    {"variance about 200", "n - 1 for n", "", 1024},
    {"variance about 200", "output in bf16", "", 4096},
    {"variance about 200", "output in bf16", "bf16, f32 out", 16, 16},
    {"variance about 200", "output in f16"},
    {"variance about 200", "output truncated"},
    {"variance about 200", "spilled once in bf16", "", 256},
    {"variance about 200", "spilled once in f16"},
    {"variance about 200", "two rows swapped"},
};

static bool fits(std::string_view pattern, const std::string &types) {
  if (pattern.empty())
    return types != "f64";
  return pattern == "any" || pattern == types;
}

bool tonno::gate::mayEscape(std::string_view kernel, std::string_view mutant,
                            const Cell &cell) {
  return std::any_of(
      std::begin(escapes), std::end(escapes), [&](const Escape &escape) {
        return escape.kernel == kernel && escape.mutant == mutant &&
               fits(escape.types, cell.types()) && escape.from <= cell.k &&
               cell.k <= escape.to;
      });
}
