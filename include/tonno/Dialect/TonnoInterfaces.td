//===- What attributes can be ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_DIALECT_TONNOINTERFACES_TD
#define TONNO_DIALECT_TONNOINTERFACES_TD

include "mlir/IR/OpBase.td"

def DomainAttrInterface : AttrInterface<"DomainAttrInterface"> {
  let cppNamespace = "::tonno";
  let description = [{
    A list of options, written out or not: what a knob may be. Arrays, dense
    ones too, have this interface and are the list of their elements; so may
    attributes of other dialects.
  }];
  let methods = [
    InterfaceMethod<"How many options there are.",
                    "uint64_t", "getNumOptions", (ins)>,
    InterfaceMethod<"The option of this number, which is less than their number.",
                    "::mlir::Attribute", "getOption", (ins "uint64_t":$index)>,
    InterfaceMethod<"The number of this option, if it is one.",
                    "std::optional<uint64_t>", "getIndexOf",
                    (ins "::mlir::Attribute":$option)>,
  ];
}

#endif // TONNO_DIALECT_TONNOINTERFACES_TD
