//===- One tree over bins -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/DecisionTree.h"

#include <algorithm>
#include <array>

using namespace tonno;

DecisionTree::DecisionTree(std::vector<Node> nodes)
    : nodeList(std::move(nodes)) {}

/// Leaves have themselves as children: no bin is above their threshold, 255.
static uint32_t childOf(const DecisionTree::Node &node, const uint8_t *row) {
  return node.left + (row[node.column] > node.threshold ? 1 : 0);
}

uint32_t DecisionTree::leaf(std::span<const uint8_t> row) const {
  uint32_t node = 0;
  while (!isLeaf(node))
    node = childOf(nodeList[node], row.data());
  return node;
}

void DecisionTree::leaves(const Rows<uint8_t> &rows,
                          std::span<uint32_t> leaves) const {
  // Eight at a time: each step of one row waits for its own loads only, and
  // none ends a loop that the processor could mispredict.
  constexpr size_t lanes = 8;
  if (nodeList.size() == 1) {
    std::ranges::fill(leaves, 0);
    return;
  }
  const Node *nodes = nodeList.data();
  size_t i = 0;
  for (; i + lanes <= rows.size(); i += lanes) {
    std::array<uint32_t, lanes> at{};
    const uint8_t *row = rows[i].data();
    uint32_t moved = 1;
    while (moved) {
      moved = 0;
      for (size_t lane = 0; lane < lanes; ++lane) {
        const Node &node = nodes[at[lane]];
        uint32_t next = childOf(node, row + (lane * rows.columns()));
        moved |= next ^ at[lane];
        at[lane] = next;
      }
    }
    std::ranges::copy(at, leaves.begin() + static_cast<ptrdiff_t>(i));
  }
  for (; i < rows.size(); ++i)
    leaves[i] = leaf(rows[i]);
}

std::vector<uint16_t> DecisionTree::path(std::span<const uint8_t> row) const {
  std::vector<uint16_t> columns;
  for (uint32_t node = 0; !isLeaf(node);
       node = childOf(nodeList[node], row.data()))
    if (std::ranges::find(columns, nodeList[node].column) == columns.end())
      columns.push_back(nodeList[node].column);
  return columns;
}
