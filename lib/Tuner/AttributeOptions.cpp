//===- Command-line options that set attributes ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/AttributeOptions.h"
#include "tonno/Core/InputSpec.h"
#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tonno;

/// Parses an attribute; `why` gets the first error instead of a diagnostic.
static Attribute parseQuietly(const std::string &text, MLIRContext *context,
                              std::string &why) {
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &error) {
    if (why.empty())
      why = error.str();
    return success();
  });
  return parseAttribute(text, context);
}

static std::string inQuotes(StringRef text) {
  std::string quoted;
  llvm::raw_string_ostream stream(quoted);
  stream << '"';
  llvm::printEscapedString(text, stream);
  stream << '"';
  return quoted;
}

Result<KnobAttr> tonno::parseKnobOption(StringRef given, MLIRContext *context) {
  auto refuse = [&](const std::string &why) {
    return Error{"'--knob=" + given.str() + "': " + why};
  };
  auto [name, domain] = given.split('=');
  name = name.trim();
  domain = domain.trim();
  if (name.empty() || domain.empty())
    return refuse("write NAME=domain, for example 'BM=[32, 64, 128]' or "
                  "'BM=pow2<16 to 256> default 32'");
  std::string text = domain.str();
  if (llvm::isDigit(domain.front()) || domain.front() == '-' ||
      domain.front() == '"') // a bare list, perhaps with a default behind it
    text = "[" + domain.split(" default").first.str() + "]" +
           domain.substr(domain.split(" default").first.size()).str();
  std::string why;
  Attribute parsed = parseQuietly(
      "#tonno.knob<" + inQuotes(name) + " from " + text + ">", context, why);
  auto knob = dyn_cast_if_present<KnobAttr>(parsed);
  if (!knob)
    return refuse(why);
  return knob;
}

namespace {

/// Writes the options into functions.
class Adder {
public:
  Adder(ModuleOp module, const AttributeOptions &options)
      : module(module), options(options), builder(module.getContext()) {}

  LogicalResult parse() {
    if (!llvm::is_contained({"", "on", "fast"}, options.fpContract))
      return refuse("fp-contract", options.fpContract)
             << "must be 'on' or 'fast'";
    for (const std::string &given : options.knobs)
      if (failed(parseKnob(given)))
        return failure();
    for (const std::string &given : options.constraints) {
      std::string why;
      Attribute parsed =
          parseQuietly("#tonno.constraint<" + inQuotes(given) + ">",
                       module.getContext(), why);
      if (!parsed)
        return refuse("constraint", given) << why;
      constraints.push_back(parsed);
    }
    return success();
  }

  LogicalResult addTo(func::FuncOp kernel) {
    if (failed(addKnobs(kernel)))
      return failure();
    if (!constraints.empty()) {
      SmallVector<Attribute> list;
      if (auto known =
              kernel->getAttrOfType<ArrayAttr>(TonnoDialect::kConstraints))
        llvm::append_range(list, known);
      llvm::append_range(list, constraints);
      kernel->setAttr(TonnoDialect::kConstraints, builder.getArrayAttr(list));
    }
    for (const std::string &given : options.inputs)
      if (failed(addInput(kernel, given)))
        return failure();
    if (options.fpContract == "fast")
      kernel->setAttr(TonnoDialect::kFpContract, builder.getStringAttr("fast"));
    else if (!options.fpContract.empty())
      kernel->removeAttr(TonnoDialect::kFpContract);
    if (!options.reference.empty()) {
      StringRef name = options.reference;
      name.consume_front("@");
      kernel->setAttr(TonnoDialect::kReference,
                      FlatSymbolRefAttr::get(module.getContext(), name));
    }
    return success();
  }

private:
  InFlightDiagnostic refuse(StringRef option, StringRef given) {
    return emitError(module.getLoc())
           << "'--" << option << "=" << given << "': ";
  }
  LogicalResult parseKnob(StringRef given) {
    auto knob = parseKnobOption(given, module.getContext());
    if (!knob)
      return emitError(module.getLoc()) << knob.error().message;
    for (KnobAttr other : knobs)
      if (other.getName() == knob->getName())
        return refuse("knob", given) << "the knob is given twice";
    knobs.push_back(*knob);
    return success();
  }

  /// Adds the pipeline, with its knobs beside it.
  LogicalResult addKnobs(func::FuncOp kernel) {
    auto present =
        kernel->getAttrOfType<DictionaryAttr>(TonnoDialect::kPipeline);
    if (!options.pipeline.empty() &&
        (present || kernel->hasAttr(TonnoDialect::kSchedule)))
      return kernel.emitError()
             << "the kernel has a lowering of its own, which '--pipeline' "
                "would replace; remove '"
             << (present ? TonnoDialect::kPipeline : TonnoDialect::kSchedule)
             << "' or '--pipeline'";
    if (options.pipeline.empty() && knobs.empty())
      return success();
    if (options.pipeline.empty() && !present)
      return kernel.emitError()
             << "'--knob' needs a pipeline; give '--pipeline' with '@"
             << knobs.front().getName()
             << "@' in it, or mark tunable values by #tonno.knob";
    NamedAttrList entries(present);
    if (!present)
      entries.set("passes", builder.getStringAttr(options.pipeline));
    NamedAttrList list;
    if (auto known = dyn_cast_if_present<DictionaryAttr>(entries.get("knobs")))
      list.append(known.begin(), known.end());
    for (KnobAttr knob : knobs)
      list.set(knob.getName(), knob);
    entries.set("knobs", list.getDictionary(module.getContext()));
    kernel->setAttr(TonnoDialect::kPipeline,
                    entries.getDictionary(module.getContext()));
    return success();
  }

  LogicalResult addInput(func::FuncOp kernel, StringRef given) {
    auto [name, data] = given.split('=');
    unsigned number = 0;
    StringRef digits = name.trim();
    digits.consume_front("arg");
    if (digits.getAsInteger(10, number))
      return refuse("inputs", given)
             << "write arg<number>=<data>, for example 'arg0=uniform(-1, 1)'";
    if (number >= kernel.getNumArguments())
      return refuse("inputs", given)
             << "kernel '" << kernel.getSymName() << "' has "
             << kernel.getNumArguments() << " arguments, counted from arg0";
    auto input = InputSpec::parse(data.trim());
    if (!input)
      return refuse("inputs", given) << input.error().message;
    kernel.setArgAttr(number, TonnoDialect::kInput,
                      InputAttr::get(module.getContext(), input->text()));
    return success();
  }

  ModuleOp module;
  const AttributeOptions &options;
  Builder builder;
  SmallVector<KnobAttr> knobs;
  SmallVector<Attribute> constraints;
};

} // namespace

LogicalResult tonno::addToKernels(ModuleOp module, const std::string &kernel,
                                  const AttributeOptions &options) {
  if (options.isEmpty())
    return success();
  Adder adder(module, options);
  if (failed(adder.parse()))
    return failure();
  StringRef reference = options.reference;
  reference.consume_front("@");
  for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
    bool isChosen = kernel.empty()
                        ? function.isPublic() && !function.isExternal()
                        : function.getSymName() == kernel;
    if (isChosen && function.getSymName() != reference &&
        failed(adder.addTo(function)))
      return failure();
  }
  return success();
}
