//===- Features of a kernel for models of many kernels --------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/KernelFeatures.h"

using namespace tonno;

static constexpr const char *knobMember = "knob";

void tonno::to_json(Json &json, const OpSetting &setting) {
  json =
      setting.knob.empty() ? setting.value : Json{{knobMember, setting.knob}};
}

void tonno::from_json(const Json &json, OpSetting &setting) {
  setting = {};
  if (json.is_object())
    json.at(knobMember).get_to(setting.knob);
  else
    setting.value = json;
}

void tonno::mapFields(JsonFields &fields, OpFeatures &op) {
  fields("kind", op.kind);
  fields("bits", op.bits, 0);
  fields("sizes", op.sizes);
  fields("settings", op.settings);
}

void tonno::mapFields(JsonFields &fields, KernelFeatures &features) {
  fields("ops", features.ops);
}
