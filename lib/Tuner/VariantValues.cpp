//===- Values of a dispatching kernel's variants --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "VariantValues.h"

#include "tonno/Dialect/TonnoDialect.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tonno;

/// Returns a value of a knob, or an object of such values.
static Attribute toAttribute(Builder &builder, const Json &value) {
  if (value.is_boolean())
    return builder.getBoolAttr(value.get<bool>());
  if (value.is_number_integer())
    return builder.getI64IntegerAttr(value.get<int64_t>());
  if (value.is_number())
    return builder.getF64FloatAttr(value.get<double>());
  if (value.is_string())
    return builder.getStringAttr(value.get<std::string>());
  NamedAttrList members;
  for (const auto &[name, member] : value.items())
    members.set(name, toAttribute(builder, member));
  return members.getDictionary(builder.getContext());
}

static Json toJson(Attribute attribute) {
  return llvm::TypeSwitch<Attribute, Json>(attribute)
      .Case([](BoolAttr value) { return Json(value.getValue()); })
      .Case([](IntegerAttr value) { return Json(value.getInt()); })
      .Case([](FloatAttr value) { return Json(value.getValueAsDouble()); })
      .Case([](StringAttr value) { return Json(value.str()); })
      .Case([](DictionaryAttr members) {
        Json object = Json::object();
        for (NamedAttribute member : members)
          object[member.getName().str()] = toJson(member.getValue());
        return object;
      })
      .Default([](Attribute) { return Json(); });
}

ArrayAttr tonno::describeVariants(MLIRContext *context,
                                  ArrayRef<Json> variants) {
  Builder builder(context);
  SmallVector<Attribute> described;
  for (const Json &values : variants)
    described.push_back(toAttribute(builder, values));
  return builder.getArrayAttr(described);
}

std::vector<Json> tonno::readVariants(func::FuncOp kernel) {
  auto tuned = kernel->getAttrOfType<DictionaryAttr>(TonnoDialect::kTuned);
  auto variants = tuned ? tuned.getAs<ArrayAttr>("variants") : ArrayAttr();
  std::vector<Json> values;
  if (variants)
    for (Attribute each : variants)
      values.push_back(toJson(each));
  return values;
}
