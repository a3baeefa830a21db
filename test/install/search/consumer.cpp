//===- Uses an installed Tonno::Search ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Hash.h"
#include "tonno/Search/SearchStrategy.h"

#include <iostream>

int main() {
  tonno::SearchSpace space({{"BM", {16, 32, 64}}, {"tail", {"mask", "split"}}});
  tonno::ExhaustiveSearch search(*tonno::LegalSpace::create(space));
  size_t points = search.propose(100).size();
  std::cout << points << " of " << space.size() << " points\n"
            << tonno::sha256("abc") << '\n';
}
