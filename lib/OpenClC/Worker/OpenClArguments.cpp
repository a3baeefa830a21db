//===- Arguments of OpenCL kernels ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpenClArguments.h"
#include "tonno/Core/Trim.h"
#include "tonno/Runtime/Elements.h"
#include "OpenClTypes.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <set>

using namespace tonno;
using Space = OpenClParameter::Space;

namespace {

/// "local f32[64]:in", in its parts.
struct Spec {
  bool isLocal = false;
  std::string_view type, extents, access;
  bool hasExtents = false;
  std::string_view value; ///< without extents
};

/// Makes the arguments of one kernel.
class Resolver {
public:
  Resolver(const OpenClSource &kernel, uint64_t alignment)
      : kernel(kernel), alignment(alignment) {}

  Result<void> add(uint32_t position, const OpenClParameter *known);
  Result<void> addInputs();
  Result<void> checkNames() const;

  OpenClArguments made;
  std::string missing; ///< arguments without a value

private:
  Result<void> addBuffer(const std::string &name, const Spec &spec,
                         TypeInMemory type, const OpenClParameter *known);
  Result<void> addLocal(uint32_t position, const Spec &spec, TypeInMemory type);
  Result<void> addValue(uint32_t position, const std::string &name,
                        std::string_view text, TypeInMemory type);
  Error refuse(const std::string &name, const std::string &why) const {
    return {"'--arg=" + name + "=" + kernel.arguments.at(name) + "': " + why};
  }

  const OpenClSource &kernel;
  uint64_t alignment;
  std::set<std::string> used;
  std::set<std::string> unsignedBuffers;
};

} // namespace

static Spec split(std::string_view text) {
  Spec spec;
  text = trim(text);
  if (text.starts_with("local ")) {
    spec.isLocal = true;
    text = trim(text.substr(6));
  }
  size_t open = text.find('['), close = text.rfind(']');
  spec.hasExtents = open != std::string_view::npos &&
                    close != std::string_view::npos && open < close;
  if (spec.hasExtents) {
    spec.type = trim(text.substr(0, open));
    spec.extents = text.substr(open + 1, close - open - 1);
    spec.access = trim(text.substr(close + 1));
    return spec;
  }
  if (size_t colon = text.find(':'); colon != std::string_view::npos) {
    spec.type = trim(text.substr(0, colon));
    text.remove_prefix(colon + 1);
  }
  spec.value = trim(text);
  return spec;
}

static bool isUnsigned(std::string_view type) {
  return type.starts_with('u') && parseOpenClType(type);
}

/// Returns the kernel's declaration of an argument, "float *A".
static std::string declared(const std::string &name,
                            const OpenClParameter &known) {
  return known.type + (known.space == Space::value ? " " : " *") + name;
}

/// Returns true if no argument of this type can be given: images, samplers and
/// structures by value. A buffer of structures is given as their members.
static bool isOpaque(const OpenClParameter &known) {
  return !parseOpenClType(known.type) &&
         (known.space == Space::value || known.type.starts_with("image"));
}

/// Returns an example of the option that gives an argument.
static std::string example(const std::string &name,
                           const OpenClParameter *known) {
  if (!known)
    return "'--arg=" + name + "=f32[<elements>]' or '--arg=" + name +
           "=i32:<value>'";
  std::string text = "'--arg=" + name + "=";
  text += known->space == Space::value   ? "<value>'"
          : parseOpenClType(known->type) ? "[<elements>]'"
                                         : "f32[<elements>]'";
  return text + " for '" + declared(name, *known) + "'";
}

Result<void> Resolver::add(uint32_t position, const OpenClParameter *known) {
  std::string number = std::to_string(position);
  std::string name = known && !known->name.empty() ? known->name : number;
  auto given = kernel.arguments.find(name);
  if (given == kernel.arguments.end())
    given = kernel.arguments.find(number);
  if (known && isOpaque(*known))
    return Error{"kernel '" + kernel.name + "' has the argument '" +
                 known->type + " " + name +
                 "', but only numbers and vectors of them are supported; pass "
                 "the data in buffers of these"};
  if (given == kernel.arguments.end()) {
    missing += (missing.empty() ? "" : ", ") + example(name, known);
    return {};
  }
  const std::string &key = given->first;
  if (key != number && kernel.arguments.contains(number))
    return Error{"'--arg=" + number + "=" + kernel.arguments.at(number) +
                 "': argument " + number + " is '" + name +
                 "', which is given twice"};
  used.insert(key);
  Spec spec = split(given->second);
  std::string typeName =
      spec.type.empty() ? (known ? known->type : "") : std::string(spec.type);
  auto type = parseOpenClType(typeName);
  if (!type)
    return refuse(
        key,
        typeName.empty()
            ? "the type is unknown; write f32[<elements>] or i32:<value>"
            : "data of type '" + typeName +
                  "' is not supported; write f32[<elements>] for its elements");
  bool isLocal = known ? known->space == Space::local : spec.isLocal;
  bool isValue = known ? known->space == Space::value : !spec.hasExtents;
  if (spec.isLocal && !isLocal)
    return refuse(key, "the kernel has no local memory there, but '" +
                           declared(name, *known) + "'");
  if (isValue == spec.hasExtents)
    return refuse(key, "the kernel has '" +
                           (known ? declared(name, *known) : key) +
                           "' there; give " + example(key, known));
  if (auto declaredType = known ? parseOpenClType(known->type) : std::nullopt;
      declaredType && declaredType->element != type->element)
    return refuse(key, "the kernel has '" + declared(name, *known) +
                           "' there, which is of another type");
  if (isLocal)
    return addLocal(position, spec, *type);
  if (isValue)
    return addValue(position, key, spec.value, *type);
  return addBuffer(key == number && name != number ? name : key, spec, *type,
                   known);
}

Result<void> Resolver::addBuffer(const std::string &name, const Spec &spec,
                                 TypeInMemory type,
                                 const OpenClParameter *known) {
  BufferSpec buffer;
  bool isNumber = std::isdigit(static_cast<unsigned char>(name[0]));
  buffer.name = isNumber ? "arg" + name : name;
  buffer.elementType = type.element;
  buffer.alignment = alignment;
  buffer.access = known && known->isConst ? Access::read : Access::read_write;
  if (spec.access == ":in")
    buffer.access = Access::read;
  else if (spec.access == ":out")
    buffer.access = Access::write;
  else if (spec.access == ":inout")
    buffer.access = Access::read_write;
  else if (!spec.access.empty())
    return Error{
        "'--arg' of '" + name +
        "': the access after the extents is :in, :out or :inout, not '" +
        std::string(spec.access) + "'"};
  if (known && known->isConst && buffer.access != Access::read)
    return Error{"'--arg' of '" + name +
                 "': the kernel declares it const, so it is only read"};
  for (std::string_view rest = spec.extents;;) {
    size_t end = std::min(rest.find('x'), rest.size());
    std::string_view text = rest.substr(0, end);
    auto size = SizeExpression::parse(text, {}, kernel.space.dimensions());
    auto extent = size ? size->evaluate({}) : Result<uint64_t>(size.error());
    bool isOfKnobs = !size && SizeExpression::parse(text, kernel.space.knobs(),
                                                    kernel.space.dimensions());
    if (!extent)
      return Error{"'--arg' of '" + name + "': " +
                   (isOfKnobs ? "'" + std::string(trim(text)) +
                                    "' depends on a knob, but buffers are the "
                                    "same for all configurations"
                              : extent.error().message) +
                   "; extents are numbers with 'x' between them"};
    buffer.shape.push_back(static_cast<int64_t>(*extent));
    if (end == rest.size())
      break;
    rest.remove_prefix(end + 1);
  }
  if (type.count > 1)
    buffer.shape.push_back(type.count);
  if (auto checked = buffer.checkLayout(); !checked)
    return checked;
  if (isUnsigned(spec.type) || (known && isUnsigned(known->type)))
    unsignedBuffers.insert(buffer.name);
  made.signature.push_back(std::move(buffer));
  return {};
}

Result<void> Resolver::addLocal(uint32_t position, const Spec &spec,
                                TypeInMemory type) {
  std::string text = "(" + std::string(spec.extents) + ")";
  if (type.count > 1)
    text += " * " + std::to_string(type.count);
  // Reports the error for the user's own text.
  if (auto plainly = SizeExpression::parse(spec.extents, kernel.space.knobs(),
                                           kernel.space.dimensions());
      !plainly)
    return plainly.error().prefixed("'--arg' of local memory");
  auto size = TONNO_TRY(SizeExpression::parse(text, kernel.space.knobs(),
                                              kernel.space.dimensions()));
  made.computed.push_back({position, type.element, true, std::move(size)});
  return {};
}

Result<void> Resolver::addValue(uint32_t position, const std::string &name,
                                std::string_view text, TypeInMemory type) {
  auto bytes = parseBytes(text, type);
  if (bytes) {
    made.plain.push_back({position, std::move(*bytes)});
    return {};
  }
  if (isFloatingPoint(type.element) || type.count > 1 || isNumber(text))
    return refuse(name, bytes.error().message);
  auto size = SizeExpression::parse(text, kernel.space.knobs(),
                                    kernel.space.dimensions());
  if (!size)
    return refuse(name, size.error().message);
  made.computed.push_back({position, type.element, false, std::move(*size)});
  return {};
}

/// Returns the spec that draws the same bits as signed integers, the element
/// types of buffers.
static Result<InputSpec> asSigned(InputSpec input, ElementType type) {
  if (getByteSize(type) == sizeof(uint64_t))
    return input;
  const double numbers = std::ldexp(1, 8 * static_cast<int>(getByteSize(type)));
  const double half = numbers / 2;
  if (input.kind == InputSpec::Kind::constant && input.value >= half &&
      input.value < numbers)
    input.value -= numbers;
  if (input.kind != InputSpec::Kind::integers || input.low < 0 ||
      input.high < half || input.high >= numbers)
    return input;
  if (input.low >= half) {
    input.low -= numbers;
    input.high -= numbers;
    return input;
  }
  if (input.low > 0 || input.high < numbers - 1 || input.sorted)
    return Error{"numbers of this type are drawn on one side of " +
                 std::to_string(static_cast<uint64_t>(half)) +
                 ", or all of them, integers(0, " +
                 std::to_string(static_cast<uint64_t>(numbers) - 1) +
                 "), and not in order"};
  input.low = -half;
  input.high = half - 1;
  return input;
}

Result<void> Resolver::addInputs() {
  for (const auto &[name, text] : kernel.inputs) {
    auto buffer = std::ranges::find(made.signature, name, &BufferSpec::name);
    std::string names;
    for (const BufferSpec &each : made.signature)
      names += (names.empty() ? "" : ", ") + each.name;
    if (buffer == made.signature.end())
      return Error{"'--inputs=" + name + "=" + text + "': kernel '" +
                   kernel.name +
                   "' has no buffer of that name; it has: " + names};
    auto input = InputSpec::parse(text);
    if (input && unsignedBuffers.contains(name))
      input = asSigned(*std::move(input), buffer->elementType);
    if (!input)
      return input.error().prefixed("'--inputs=" + name + "=" + text + "'");
    buffer->input = std::move(*input);
  }
  return {};
}

Result<void> Resolver::checkNames() const {
  for (const auto &[name, text] : kernel.arguments)
    if (!used.contains(name))
      return Error{"'--arg=" + name + "=" + text + "': kernel '" + kernel.name +
                   "' has no argument of that name"};
  return {};
}

Result<OpenClArguments> OpenClArguments::resolve(
    const OpenClSource &kernel,
    const std::optional<std::vector<OpenClParameter>> &parameters,
    uint64_t alignment) {
  Resolver resolver(kernel, alignment);
  size_t count = parameters ? parameters->size() : kernel.arguments.size();
  for (uint32_t i = 0; i < count; ++i)
    TONNO_TRY(resolver.add(i, parameters ? &(*parameters)[i] : nullptr));
  TONNO_TRY(resolver.checkNames());
  if (!resolver.missing.empty())
    return Error{"kernel '" + kernel.name +
                 "' has arguments without data; give " + resolver.missing};
  TONNO_TRY(resolver.addInputs());
  if (std::ranges::none_of(resolver.made.signature, [](const BufferSpec &each) {
        return each.access != Access::read;
      }))
    return Error{"kernel '" + kernel.name +
                 "' writes to no buffer, so there is nothing to verify"};
  return std::move(resolver.made);
}

Result<std::vector<PlainArgument>> OpenClArguments::computeNonBufferArguments(
    const Configuration &configuration) const {
  std::vector<PlainArgument> arguments = plain;
  for (const Computed &each : computed) {
    auto size = TONNO_TRY(each.size.evaluate(configuration));
    if (each.isLocal) {
      arguments.push_back({each.position, {}, size * getByteSize(each.type)});
      continue;
    }
    auto bytes = integerBytes(static_cast<int64_t>(size), each.type);
    if (!bytes)
      return Error{"'" + each.size.text() + "' is " + std::to_string(size) +
                   ", which does not fit its type"};
    arguments.push_back({each.position, std::move(*bytes)});
  }
  return arguments;
}
