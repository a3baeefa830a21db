//===- Coverage and sharpness of claims of what is left -------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays searches on recorded spaces, and compares the claims of
// boundRemainingGain with what was truly left:
//
//   tonno-benchmark-headroom [--seeds=N] RECORDING...
//
//===----------------------------------------------------------------------===//

#include "tonno/Core/Statistics.h"
#include "search/HeadroomClaims.h"

#include <charconv>
#include <cstdio>
#include <map>
#include <string_view>

using namespace tonno;

namespace {

/// Claims after a number of trials.
struct Claims {
  size_t sessions = 0, holding = 0;
  std::vector<double> excesses; ///< over what was left

  void add(std::optional<double> claim, double left) {
    ++sessions;
    if (!claim)
      return;
    holding += left <= *claim;
    excesses.push_back(*claim - left);
  }
  void print(const std::string &name) const {
    std::printf("%-34s %8zu %8zu", name.c_str(), sessions, excesses.size());
    if (excesses.empty())
      std::printf("\n");
    else
      std::printf(" %8.1f %% %8.1f\n",
                  100.0 * static_cast<double>(holding) /
                      static_cast<double>(excesses.size()),
                  100 * median(excesses));
  }
};

} // namespace

static constexpr size_t checked[] = {60, 90, 120};

static int fail(const std::string &message) {
  std::fprintf(stderr, "tonno-benchmark-headroom: error: %s\n",
               message.c_str());
  return 1;
}

int main(int argc, char **argv) {
  uint64_t seeds = 20;
  std::map<size_t, Claims> all;
  std::printf("%-34s %8s %8s %10s %8s\n", "space, trials", "sessions", "claims",
              "hold", "excess");
  for (std::string_view word : std::span(argv, size_t(argc)).subspan(1)) {
    if (word.starts_with("--seeds=")) {
      word.remove_prefix(8);
      if (std::from_chars(word.data(), word.data() + word.size(), seeds).ec !=
          std::errc())
        return fail("'--seeds' is no number");
      continue;
    }
    auto recording = readRecording(word);
    if (!recording)
      return fail(recording.error().message);
    HeadroomClaims claims(*recording);
    std::map<size_t, Claims> own;
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      auto session = claims.replaySession("ensemble", checked, seed);
      if (!session)
        return fail(session.error().message);
      for (const HeadroomClaim &each : *session) {
        own[each.trials].add(each.claim, each.left);
        all[each.trials].add(each.claim, each.left);
      }
    }
    for (const auto &[n, found] : own)
      found.print(recordingName(word) + ", " + std::to_string(n));
  }
  for (const auto &[n, claims] : all)
    claims.print("all, " + std::to_string(n));
  return 0;
}
