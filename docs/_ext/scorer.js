// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ranks pages for users before decisions and the changelog.
var Scorer = {
  score: ([docname, title, anchor, description, score]) => {
    if (/^(adr\/|changelog)/.test(docname)) return score - 30;
    return /^(start|guide)\//.test(docname) ? score + 10 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: {0: 15, 1: 5, 2: -5},
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
