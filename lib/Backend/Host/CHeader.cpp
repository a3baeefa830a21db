//===- The C header of a kernel -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/Emission.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tonno;

/// Returns the C type of an element. C has no narrower floating-point types
/// that every compiler knows, and no integers of 4 bits: bits are passed.
static StringRef cType(ElementType type) {
  switch (type) {
  case ElementType::f64:
    return "double";
  case ElementType::f32:
    return "float";
  case ElementType::f16:
  case ElementType::bf16:
    return "uint16_t";
  case ElementType::f8E4M3FN:
  case ElementType::f8E5M2:
  case ElementType::f8E4M3FNUZ:
  case ElementType::f8E5M2FNUZ:
  case ElementType::f8E8M0FNU:
  case ElementType::f6E2M3FN:
  case ElementType::f6E3M2FN:
  case ElementType::f4E2M1FN:
  case ElementType::i4:
  case ElementType::i2:
    return "uint8_t";
  case ElementType::i64:
    return "int64_t";
  case ElementType::i32:
    return "int32_t";
  case ElementType::i16:
    return "int16_t";
  case ElementType::i8:
    return "int8_t";
  case ElementType::i1:
    return "uint8_t";
  }
  llvm_unreachable("unknown element type");
}

/// Keywords of C23 and C++20 that begin with a letter.
static constexpr StringRef keywords =
    " alignas alignof and and_eq asm auto bitand bitor bool break case "
    "catch char char16_t char32_t char8_t class co_await co_return "
    "co_yield compl concept const const_cast consteval constexpr constinit "
    "continue decltype default delete do double dynamic_cast else enum "
    "explicit export extern false float for friend goto if inline int long "
    "mutable namespace new noexcept not not_eq nullptr operator or or_eq "
    "private protected public register reinterpret_cast requires restrict "
    "return short signed sizeof static static_assert static_cast struct "
    "switch template this thread_local throw true try typedef typeid "
    "typename typeof typeof_unqual union unsigned using virtual void "
    "volatile wchar_t while xor xor_eq ";

bool tonno::isFunctionName(StringRef name) {
  auto fits = [](char c) { return isAlnum(c) || c == '_'; };
  if (name.empty() || isDigit(name.front()) || !all_of(name, fits))
    return false;
  bool isReserved = name.starts_with("__") || // as are all such as _Bool
                    (name.size() > 1 && name[0] == '_' && isUpper(name[1]));
  return !isReserved && name != "main" &&
         !keywords.contains((" " + name + " ").str());
}

/// Returns the access of a launch: what is loaded is filled at load, and only
/// read in calls.
static Access getAccess(const LaunchPlan &plan, const Launch &launch,
                        uint32_t buffer) {
  if (plan.isLoaded(buffer))
    return launch.atLoad ? Access::write : Access::read;
  return plan.buffers[buffer].access;
}

/// Returns true if the buffer holds the size of an axis of another one.
static bool holdsSize(const LaunchPlan &plan, uint32_t index) {
  return any_of(plan.buffers, [&](const BufferSpec &buffer) {
    return is_contained(buffer.sizes, plan.buffers[index].name);
  });
}

static void writeTypedFunction(raw_ostream &os, const LaunchPlan &plan,
                               const Launch &launch, StringRef name) {
  // Sizes come first, and by value.
  SmallVector<uint32_t> parameters, others;
  auto isSize = [&](uint32_t index) { return holdsSize(plan, index); };
  for (uint32_t index : launch.buffers)
    (isSize(index) ? parameters : others).push_back(index);
  llvm::append_range(parameters, others);
  os << "\nstatic inline void " << name << "(";
  interleaveComma(parameters, os, [&](uint32_t index) {
    const BufferSpec &buffer = plan.buffers[index];
    if (isSize(index)) {
      os << cType(buffer.elementType) << " " << buffer.name;
      return;
    }
    os << (getAccess(plan, launch, index) == Access::read ? "const " : "")
       << cType(buffer.elementType) << " *" << buffer.name;
  });
  os << ") {\n  void *buffers[] = {";
  interleaveComma(launch.buffers, os, [&](uint32_t index) {
    os << "(void *)" << (isSize(index) ? "&" : "") << plan.buffers[index].name;
  });
  os << "};\n  " << launch.symbol << "(buffers);\n}\n";
}

/// Writes the function that computes the bytes of a workspace from sizes.
static void writeBytesFunction(raw_ostream &os, const LaunchPlan &plan,
                               const BufferSpec &buffer, StringRef kernel) {
  os << "\nstatic inline int64_t " << kernel << "_" << buffer.name << "_bytes(";
  SmallVector<uint32_t> sizes;
  for (uint32_t i = 0; i < plan.buffers.size(); ++i)
    if (holdsSize(plan, i))
      sizes.push_back(i);
  interleaveComma(sizes, os, [&](uint32_t index) {
    os << "int64_t " << plan.buffers[index].name;
  });
  os << ") {\n";
  for (uint32_t index : sizes)
    os << "  (void)" << plan.buffers[index].name << ";\n";
  os << "  return " << buffer.sizes.front() << ";\n}\n";
}

std::string tonno::cHeader(const LaunchPlan &plan, StringRef kernel) {
  std::string text;
  raw_string_ostream os(text);
  const std::string guard = "TONNO_KERNEL_" + kernel.upper();

  os << "/* " << kernel << ": compiled by tonno. */\n"
     << "#ifndef " << guard << "_H\n"
     << "#define " << guard << "_H\n\n"
     << "#include <stdint.h>\n\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  for (const Launch &launch : plan.launches) {
    os << "\n/* Takes " << launch.buffers.size()
       << " buffers: not overlapping, dense and row-major but for stated\n"
       << "   strides (in elements), their first elements aligned as "
          "stated.\n\n";
    for (auto [position, index] : enumerate(launch.buffers)) {
      const BufferSpec &buffer = plan.buffers[index];
      os << "   [" << position << "] " << buffer.name << ": "
         << toString(getAccess(plan, launch, index)) << ", "
         << toString(buffer.elementType);
      for (auto [axis, size] : enumerate(buffer.shape))
        if (size == anySize)
          os << "[" << buffer.sizes[axis] << "]";
        else
          os << "[" << size << "]";
      if (!buffer.isDense()) {
        os << ", strides ";
        for (int64_t stride : buffer.strides)
          os << "[" << stride << "]";
      }
      os << ", " << buffer.alignment << " bytes\n";
    }
    if (launch.atLoad)
      os << "\n   Runs before the first call, and again once what it reads has "
            "changed. Calls\n   share what it writes, at the same time, too.\n";
    if (launch.threads > 1)
      os << "\n   Runs on " << launch.threads
         << " threads, or on fewer, by OpenMP: link with libomp.\n";
    os << "*/\nvoid " << launch.symbol << "(void **buffers);\n";
  }

  for (const BufferSpec &buffer : plan.buffers)
    if (buffer.access == Access::workspace && buffer.isDynamic())
      writeBytesFunction(os, plan, buffer, kernel);
    else if (buffer.access == Access::workspace)
      os << "\n#define " << kernel.upper() << "_"
         << StringRef(buffer.name).upper() << "_BYTES " << buffer.bytes()
         << "\n";

  // With one launch beside that at load, functions of typed pointers say the
  // same to a compiler.
  auto isInCall = [](const Launch &launch) { return !launch.atLoad; };
  if (count_if(plan.launches, isInCall) == 1)
    for (const Launch &launch : plan.launches)
      writeTypedFunction(os, plan, launch,
                         launch.atLoad ? (kernel + "_load").str() : kernel);
  os << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* " << guard << "_H */\n";
  return text;
}
