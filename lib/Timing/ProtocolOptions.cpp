//===- The protocol's constants as JSON -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Timing/Protocol.h"

using namespace tonno;

void tonno::mapFields(JsonFields &fields, ProtocolOptions &o) {
  fields("cache_state", o.cacheState);
  fields("batch_seconds", o.batchSeconds);
  fields("max_batch", o.maxBatch);
  fields("max_batch_seconds", o.maxBatchSeconds);
  fields("stolen_share", o.stolenShare);
  fields("max_retakes", o.maxRetakes);
  fields("contended_share", o.contendedShare);
  fields("warmup_seconds", o.warmupSeconds);
  fields("prune_after", o.pruneAfter);
  fields("prune_factor", o.pruneFactor);
  fields("min_samples", o.minSamples);
  fields("max_samples", o.maxSamples);
  fields("target_half_width", o.targetHalfWidth);
  fields("race_factor", o.raceFactor);
  fields("lead_factor", o.leadFactor);
  fields("trial_seconds", o.trialSeconds);
  fields("long_launch_seconds", o.longLaunchSeconds);
  fields("long_prune_factor", o.longPruneFactor);
  fields("long_race_factor", o.longRaceFactor);
  fields("long_samples", o.longSamples);
  fields("cache_share", o.cacheShare);
  fields("max_rotation_sets", o.maxRotationSets);
  fields("max_flushed_sets", o.maxFlushedSets);
  fields("max_rotation_bytes", o.maxRotationBytes);
  fields("finalist_margin", o.finalistMargin);
  fields("max_finalists", o.maxFinalists);
  fields("first_rounds", o.firstRounds);
  fields("rounds_growth", o.roundsGrowth);
  fields("layout_rounds", o.layoutRounds);
  fields("max_final_rounds", o.maxFinalRounds);
  fields("finals_error", o.finalsError);
  fields("error_shrink", o.errorShrink);
  fields("drop_z", o.dropZ);
  fields("race_z", o.raceZ);
  fields("finals_seconds", o.finalsSeconds);
  fields("block_rounds", o.blockRounds);
  fields("first_look", o.firstLook);
  fields("min_rounds", o.minRounds);
  fields("max_rounds", o.maxRounds);
  fields("faster_floor", o.fasterFloor);
  fields("faster_z", o.fasterZ);
  fields("tie_ceiling", o.tieCeiling);
  fields("test_seconds", o.testSeconds);
}
