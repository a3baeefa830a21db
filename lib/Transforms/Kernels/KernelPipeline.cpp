//===- The pass pipeline of a kernel --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/KernelPipeline.h"
#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "CapturedErrors.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tonno;

/// As a pass's options are written.
static std::string toText(Attribute value) {
  if (auto knob = dyn_cast<KnobAttr>(value))
    return toText(knob.getValue());
  if (auto flag = dyn_cast<BoolAttr>(value))
    return flag.getValue() ? "true" : "false";
  if (auto string = dyn_cast<StringAttr>(value))
    return string.str();
  if (auto array = dyn_cast<ArrayAttr>(value))
    return llvm::join(llvm::map_range(array, toText), ",");
  std::string text;
  llvm::raw_string_ostream stream(text);
  value.print(stream, /*elideType=*/true);
  return text;
}

/// What no placeholder's name has in it, so that other uses of @ stay.
static constexpr StringLiteral separators = " ,(){}=@";

/// Whether each name under which the pipeline has a value can be written in it.
static LogicalResult checkNames(func::FuncOp kernel, DictionaryAttr knobs) {
  for (NamedAttribute entry : knobs)
    if (entry.getName().strref().find_first_of(separators) != StringRef::npos)
      return kernel.emitError()
             << "the pipeline can't have a placeholder for '"
             << entry.getName().strref()
             << "': such a name has none of these: " << separators;
  return success();
}

FailureOr<std::string> tonno::pipelineText(func::FuncOp kernel) {
  auto pipeline =
      kernel->getAttrOfType<DictionaryAttr>(TonnoDialect::kPipeline);
  StringRef rest = pipeline.getAs<StringAttr>("passes").getValue();
  auto knobs = pipeline.getAs<DictionaryAttr>("knobs");
  if (knobs && failed(checkNames(kernel, knobs)))
    return failure();
  std::string text;
  llvm::StringSet<> used;
  while (!rest.empty()) {
    auto [before, behind] = rest.split('@');
    text += before;
    size_t end = behind.find('@');
    if (before.size() == rest.size()) // no more
      break;
    // A lone @, or one of a symbol, is none of ours.
    StringRef name = behind.take_front(end);
    if (end == StringRef::npos || name.empty() ||
        name.find_first_of(separators) != StringRef::npos) {
      text += '@';
      rest = behind;
      continue;
    }
    Attribute value = knobs ? knobs.get(name) : Attribute();
    if (!value)
      return kernel.emitError()
             << "the pipeline has '@" << name
             << "@', but there is no knob of that name; add it to the 'knobs' "
                "of '"
             << TonnoDialect::kPipeline << "', or on the command line: --knob '"
             << name << "=[1, 2, 4]'";
    used.insert(name);
    text += toText(value);
    rest = behind.drop_front(end + 1);
  }
  for (NamedAttribute entry :
       knobs ? knobs.getValue() : ArrayRef<NamedAttribute>())
    if (!used.contains(entry.getName().strref()))
      return kernel.emitError()
             << "the pipeline does not use knob '" << entry.getName().strref()
             << "'; write '@" << entry.getName().strref()
             << "@' where its value belongs";
  return text;
}

/// Parses a pipeline; `why` it can't be read includes what options of passes
/// report to standard error: "<program>: for the --unroll-factor option: ...".
static FailureOr<OpPassManager> parseQuietly(StringRef text, std::string &why) {
  CapturedErrors printed;
  llvm::raw_string_ostream stream(why);
  FailureOr<OpPassManager> parsed = parsePassPipeline(text, stream);
  if (succeeded(parsed))
    return parsed;
  std::string errors = printed.take();
  StringRef option = StringRef(errors).trim();
  if (size_t start = option.find("for the --"); start != StringRef::npos)
    option = option.drop_front(start);
  if (!option.empty())
    why = (option + "\n" + why).str();
  return failure();
}

FailureOr<OpPassManager> tonno::parseKernelPipeline(func::FuncOp kernel) {
  FailureOr<std::string> text = pipelineText(kernel);
  if (failed(text))
    return failure();
  std::string why;
  FailureOr<OpPassManager> parsed = parseQuietly(*text, why);
  if (failed(parsed)) {
    StringRef reason = StringRef(why).trim();
    reason.consume_front("error: ");
    return kernel.emitError() << "the pipeline can't be read: " << reason;
  }
  std::optional<StringRef> anchor = parsed->getOpName();
  if (!anchor || *anchor == ModuleOp::getOperationName())
    return parsed;
  if (*anchor == func::FuncOp::getOperationName()) {
    OpPassManager module(ModuleOp::getOperationName());
    module.nest<func::FuncOp>() = *parsed;
    return module;
  }
  return kernel.emitError() << "the pipeline runs on '" << *anchor
                            << "'; it must run on 'builtin.module' or "
                               "'func.func'";
}
