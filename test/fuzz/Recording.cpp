//===- Recorded spaces from anywhere --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Recording.h"
#include "tonno/Cache/Journal.h"
#include "tonno/Search/Replay.h"
#include "tonno/Session/RecordedJournal.h"
#include "Fuzz.h"
#include "unit/Search/PrintedRecordings.h"

#include <cmath>

using namespace tonno;

static void use(const Recording &recording) {
  require(recording.okCount() > 0 && recording.bestSeconds() > 0 &&
              std::isfinite(recording.worstSeconds()),
          "something valid has a time");
  for (size_t i = 0; i < recording.trials().size(); ++i)
    require(recording.find(recording.trials()[i].configuration) == i,
            "no configuration is there twice");
  RandomBaseline random(recording);
  require(random.expectedFraction(recording.trials().size()) > 0.999,
          "all draws find the optimum");
  require(!printCsvFile(recording).empty(), "it can be printed");
  auto again = parseT4File(printT4File(recording), "again");
  require(again.ok(), "what was written is read: " +
                          (again ? std::string() : again.error().message));
  require(again->trials().size() == recording.trials().size() &&
              again->okCount() == recording.okCount() &&
              again->bestSeconds() == recording.bestSeconds(),
          "what is read again is the same");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(textOf(data, size)), sealed;
  if (auto recording = parseRecording(text, "x"))
    use(*recording);
  // No mutation finds a checksum.
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    if (auto object = parseJson(text.substr(begin, end - begin));
        object && object->is_object())
      sealed += sealLine(*object) + "\n";
    begin = end + 1;
  }
  if (auto recordings = parseJournal(sealed))
    for (const Recording &recording : *recordings)
      use(recording);
  return 0;
}
