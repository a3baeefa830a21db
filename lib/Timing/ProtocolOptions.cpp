//===- The protocol's constants as JSON -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Timing/Protocol.h"

using namespace tonno;

void tonno::to_json(Json &json, const ProtocolOptions &o) {
  json = Json{{"cache_state", o.cacheState},
              {"batch_seconds", o.batchSeconds},
              {"max_batch", o.maxBatch},
              {"max_batch_seconds", o.maxBatchSeconds},
              {"stolen_share", o.stolenShare},
              {"max_retakes", o.maxRetakes},
              {"contended_share", o.contendedShare},
              {"warmup_seconds", o.warmupSeconds},
              {"prune_after", o.pruneAfter},
              {"prune_factor", o.pruneFactor},
              {"min_samples", o.minSamples},
              {"max_samples", o.maxSamples},
              {"target_half_width", o.targetHalfWidth},
              {"race_factor", o.raceFactor},
              {"lead_factor", o.leadFactor},
              {"trial_seconds", o.trialSeconds},
              {"long_launch_seconds", o.longLaunchSeconds},
              {"long_prune_factor", o.longPruneFactor},
              {"long_race_factor", o.longRaceFactor},
              {"long_samples", o.longSamples},
              {"cache_share", o.cacheShare},
              {"max_rotation_sets", o.maxRotationSets},
              {"max_flushed_sets", o.maxFlushedSets},
              {"max_rotation_bytes", o.maxRotationBytes},
              {"finalist_margin", o.finalistMargin},
              {"max_finalists", o.maxFinalists},
              {"first_rounds", o.firstRounds},
              {"rounds_growth", o.roundsGrowth},
              {"layout_rounds", o.layoutRounds},
              {"max_final_rounds", o.maxFinalRounds},
              {"finals_error", o.finalsError},
              {"error_shrink", o.errorShrink},
              {"drop_z", o.dropZ},
              {"race_z", o.raceZ},
              {"finals_seconds", o.finalsSeconds},
              {"block_rounds", o.blockRounds},
              {"first_look", o.firstLook},
              {"min_rounds", o.minRounds},
              {"max_rounds", o.maxRounds},
              {"faster_floor", o.fasterFloor},
              {"faster_z", o.fasterZ},
              {"tie_ceiling", o.tieCeiling},
              {"test_seconds", o.testSeconds}};
}

void tonno::from_json(const Json &json, ProtocolOptions &o) {
  json.at("cache_state").get_to(o.cacheState);
  json.at("batch_seconds").get_to(o.batchSeconds);
  json.at("max_batch").get_to(o.maxBatch);
  json.at("max_batch_seconds").get_to(o.maxBatchSeconds);
  json.at("stolen_share").get_to(o.stolenShare);
  json.at("max_retakes").get_to(o.maxRetakes);
  json.at("contended_share").get_to(o.contendedShare);
  json.at("warmup_seconds").get_to(o.warmupSeconds);
  json.at("prune_after").get_to(o.pruneAfter);
  json.at("prune_factor").get_to(o.pruneFactor);
  json.at("min_samples").get_to(o.minSamples);
  json.at("max_samples").get_to(o.maxSamples);
  json.at("target_half_width").get_to(o.targetHalfWidth);
  json.at("race_factor").get_to(o.raceFactor);
  json.at("lead_factor").get_to(o.leadFactor);
  json.at("trial_seconds").get_to(o.trialSeconds);
  json.at("long_launch_seconds").get_to(o.longLaunchSeconds);
  json.at("long_prune_factor").get_to(o.longPruneFactor);
  json.at("long_race_factor").get_to(o.longRaceFactor);
  json.at("long_samples").get_to(o.longSamples);
  json.at("cache_share").get_to(o.cacheShare);
  json.at("max_rotation_sets").get_to(o.maxRotationSets);
  json.at("max_flushed_sets").get_to(o.maxFlushedSets);
  json.at("max_rotation_bytes").get_to(o.maxRotationBytes);
  json.at("finalist_margin").get_to(o.finalistMargin);
  json.at("max_finalists").get_to(o.maxFinalists);
  json.at("first_rounds").get_to(o.firstRounds);
  json.at("rounds_growth").get_to(o.roundsGrowth);
  json.at("layout_rounds").get_to(o.layoutRounds);
  json.at("max_final_rounds").get_to(o.maxFinalRounds);
  json.at("finals_error").get_to(o.finalsError);
  json.at("error_shrink").get_to(o.errorShrink);
  json.at("drop_z").get_to(o.dropZ);
  json.at("race_z").get_to(o.raceZ);
  json.at("finals_seconds").get_to(o.finalsSeconds);
  json.at("block_rounds").get_to(o.blockRounds);
  json.at("first_look").get_to(o.firstLook);
  json.at("min_rounds").get_to(o.minRounds);
  json.at("max_rounds").get_to(o.maxRounds);
  json.at("faster_floor").get_to(o.fasterFloor);
  json.at("faster_z").get_to(o.fasterZ);
  json.at("tie_ceiling").get_to(o.tieCeiling);
  json.at("test_seconds").get_to(o.testSeconds);
}
