//===- Tests for arguments of OpenCL kernels ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpenClArguments.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace tonno;

namespace {

using Space = OpenClParameter::Space;

const std::vector<OpenClParameter> parameters = {
    {"A", "float", Space::global, true},
    {"C", "float4", Space::global, false},
    {"table", "uchar", Space::constant, true},
    {"tile", "half", Space::local, false},
    {"n", "uint", Space::value, false},
    {"scale", "double", Space::value, false}};

OpenClSource makeKernel() {
  OpenClSource source;
  source.name = "k";
  source.space = SearchSpace({{"TS", {8, 16}}});
  source.arguments = {{"A", "[4x8]"},      {"C", "[16]"},
                      {"table", "[256]"},  {"tile", "[TS * TS]"},
                      {"n", "4294967295"}, {"scale", "-0.5"}};
  return source;
}

Result<OpenClArguments> resolve(const OpenClSource &source,
                                bool isTold = true) {
  return OpenClArguments::resolve(
      source,
      isTold ? std::optional(parameters)
             : std::optional<std::vector<OpenClParameter>>(),
      256);
}

std::string errorOf(const std::string &name, const std::string &spec) {
  OpenClSource source = makeKernel();
  source.arguments[name] = spec;
  auto resolved = resolve(source);
  EXPECT_FALSE(resolved.ok()) << spec;
  return resolved.ok() ? "" : resolved.error().message;
}

} // namespace

TEST(OpenClArguments, AreWhatTheDriverAndTheUserSay) {
  auto resolved = resolve(makeKernel());
  ASSERT_TRUE(resolved.ok()) << resolved.error().message;
  const Signature &buffers = resolved->signature;
  ASSERT_EQ(buffers.size(), 3u);
  EXPECT_EQ(buffers[0],
            (BufferSpec{"A", ElementType::f32, {4, 8}, Access::read, 256}));
  EXPECT_EQ(
      buffers[1],
      (BufferSpec{"C", ElementType::f32, {16, 4}, Access::read_write, 256}));
  EXPECT_EQ(buffers[2],
            (BufferSpec{"table", ElementType::i8, {256}, Access::read, 256}));
  auto plain = resolved->computeNonBufferArguments({{1}});
  ASSERT_TRUE(plain.ok());
  const double half = -0.5;
  std::vector<uint8_t> bytes(sizeof half);
  std::memcpy(bytes.data(), &half, sizeof half);
  EXPECT_EQ(*plain,
            (std::vector<PlainArgument>{{4, {255, 255, 255, 255}},
                                        {5, bytes},
                                        {3, {}, uint64_t{16} * 16 * 2}}));
}

TEST(OpenClArguments, MayBeOfKnobs) {
  OpenClSource source = makeKernel();
  source.arguments["n"] = "1024 / TS";
  auto resolved = resolve(source);
  ASSERT_TRUE(resolved.ok());
  auto plain = resolved->computeNonBufferArguments({{1}});
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ((*plain)[2].value, (std::vector<uint8_t>{64, 0, 0, 0}));
}

TEST(OpenClArguments, AreGivenByNumberWhereNothingIsTold) {
  OpenClSource source = makeKernel();
  source.arguments = {
      {"0", "f32[8]:out"}, {"1", "local f16[TS]"}, {"2", "i32:-1"}};
  auto resolved = resolve(source, false);
  ASSERT_TRUE(resolved.ok()) << resolved.error().message;
  EXPECT_EQ(resolved->signature,
            (Signature{{"arg0", ElementType::f32, {8}, Access::write, 256}}));
  auto plain = resolved->computeNonBufferArguments({{0}});
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(*plain, (std::vector<PlainArgument>{{2, {255, 255, 255, 255}},
                                                {1, {}, 16}}));
  source.arguments["2"] = "5";
  auto untyped = resolve(source, false);
  ASSERT_FALSE(untyped.ok());
  EXPECT_EQ(
      untyped.error().message,
      "'--arg=2=5': the type is unknown; write f32[<elements>] or i32:<value>");
}

TEST(OpenClArguments, SayWhatToGive) {
  OpenClSource source = makeKernel();
  source.arguments.erase("C");
  source.arguments.erase("n");
  auto resolved = resolve(source);
  ASSERT_FALSE(resolved.ok());
  EXPECT_EQ(
      resolved.error().message,
      "kernel 'k' has arguments without data; give '--arg=C=[<elements>]' for "
      "'float4 *C', '--arg=n=<value>' for 'uint n'");
}

/// Returns the error for a kernel with one argument beside a buffer.
static std::string errorOfOne(const OpenClParameter &parameter,
                              const std::string &given = "") {
  OpenClSource source;
  source.name = "k";
  source.arguments = {{"y", "[4]"}};
  if (!given.empty())
    source.arguments[parameter.name] = given;
  std::vector<OpenClParameter> both = {{"y", "float", Space::global, false},
                                       parameter};
  auto resolved = OpenClArguments::resolve(source, both, 256);
  return resolved.ok() ? "" : resolved.error().message;
}

TEST(OpenClArguments, RefuseAtOnceWhatNothingCanBeGivenFor) {
  const std::string rest = ", but only numbers and vectors of them are "
                           "supported; pass the data in buffers of these";
  OpenClParameter image = {"im", "image2d_t", Space::global, true};
  EXPECT_EQ(errorOfOne(image),
            "kernel 'k' has the argument 'image2d_t im'" + rest);
  EXPECT_EQ(errorOfOne(image, "[64]"), errorOfOne(image));
  EXPECT_EQ(errorOfOne({"s", "sampler_t", Space::value, false}),
            "kernel 'k' has the argument 'sampler_t s'" + rest);
  EXPECT_EQ(errorOfOne({"p", "P", Space::value, false}, "1"),
            "kernel 'k' has the argument 'P p'" + rest);
}

static std::vector<float> vectorOf(const std::string &type,
                                   const std::string &given) {
  OpenClSource source;
  source.name = "k";
  source.arguments = {{"y", "[4]"}, {"v", given}};
  std::vector<OpenClParameter> both = {{"y", "float", Space::global, false},
                                       {"v", type, Space::value, false}};
  auto resolved = OpenClArguments::resolve(source, both, 256);
  EXPECT_TRUE(resolved.ok()) << resolved.error().message;
  std::vector<float> numbers(resolved->plain.at(0).value.size() /
                             sizeof(float));
  std::memcpy(numbers.data(), resolved->plain[0].value.data(),
              resolved->plain[0].value.size());
  return numbers;
}

TEST(OpenClArguments, VectorsByValueAreTheirNumbers) {
  using Numbers = std::vector<float>;
  EXPECT_EQ(vectorOf("float4", "(1, 2.5f, -3.f, 4)"), (Numbers{1, 2.5, -3, 4}));
  EXPECT_EQ(vectorOf("float2", "1,2"), (Numbers{1, 2}));
  EXPECT_EQ(vectorOf("float3", "(1, 2, 3)"), (Numbers{1, 2, 3, 0}));
  EXPECT_EQ(vectorOf("float3", "0.5"), (Numbers{0.5, 0.5, 0.5, 0}));
  EXPECT_EQ(vectorOf("float", "0.5f"), (Numbers{0.5}));
  EXPECT_EQ(errorOfOne({"v", "int2", Space::value, false}, "(1, 2.5)"),
            "'--arg=v=(1, 2.5)': '2.5' is not an integer");
  EXPECT_EQ(errorOfOne({"v", "float4", Space::value, false}, "(1, 2)"),
            "'--arg=v=(1, 2)': the kernel has a vector of 4 there; write '(1, "
            "2, ...)', or one number for all");
  EXPECT_EQ(errorOfOne({"v", "float4", Space::value, false}, "(1, 2, x, 4)"),
            "'--arg=v=(1, 2, x, 4)': 'x' is not a number");
  EXPECT_EQ(errorOfOne({"v", "float4", Space::value, false}, "[4]"),
            "'--arg=v=[4]': the kernel has 'float4 v' there; give "
            "'--arg=v=<value>' for 'float4 v'");
}

TEST(OpenClArguments, IntegersMayBeAllOfTheirType) {
  const OpenClParameter number = {"n", "ulong", Space::value, false};
  OpenClSource source;
  source.name = "k";
  source.arguments = {{"y", "[4]"}, {"n", "18446744073709551615"}};
  std::vector<OpenClParameter> both = {{"y", "float", Space::global, false},
                                       number};
  auto resolved = OpenClArguments::resolve(source, both, 256);
  ASSERT_TRUE(resolved.ok()) << resolved.error().message;
  EXPECT_EQ(resolved->plain.at(0).value, std::vector<uint8_t>(8, 255));
  EXPECT_NE(errorOfOne(number, "18446744073709551616"), "");
  EXPECT_EQ(
      errorOfOne({"n", "uint", Space::value, false}, "18446744073709551615"),
      "'--arg=n=18446744073709551615': the number does not fit its type");
}

TEST(OpenClArguments, ABufferOfStructuresIsOneOfTheirParts) {
  OpenClParameter structures = {"p", "P", Space::global, true};
  EXPECT_EQ(errorOfOne(structures),
            "kernel 'k' has arguments without data; give "
            "'--arg=p=f32[<elements>]' for 'P *p'");
  EXPECT_NE(errorOfOne(structures, "[8]").find("write f32[<elements>] for its"),
            std::string::npos);
  EXPECT_EQ(errorOfOne(structures, "f32[8]"), "");
}

TEST(OpenClArguments, RefuseWhatDoesNotFit) {
  EXPECT_NE(errorOf("A", "[8]:out").find("const"), std::string::npos);
  EXPECT_NE(errorOf("A", "[8]:up").find("':up'"), std::string::npos);
  EXPECT_EQ(errorOf("A", "[8x2 * TS]"),
            "'--arg' of 'A': '2 * TS' depends on a knob, but buffers are the "
            "same for all configurations; extents are numbers with 'x' between "
            "them");
  EXPECT_NE(errorOf("A", "[8xTZ]").find("there is no knob TZ"),
            std::string::npos);
  EXPECT_NE(errorOf("A", "i32[8]").find("of another type"), std::string::npos);
  EXPECT_NE(
      errorOf("A", "image[8]").find("data of type 'image' is not supported"),
      std::string::npos);
  EXPECT_NE(errorOf("A", "local f32[8]").find("no local memory"),
            std::string::npos);
  EXPECT_NE(errorOf("n", "[8]").find("'--arg=n=<value>'"), std::string::npos);
  EXPECT_NE(errorOf("n", "4294967296").find("not fit its type"),
            std::string::npos);
  EXPECT_NE(errorOf("scale", "half").find("'half' is not a number"),
            std::string::npos);
  EXPECT_NE(errorOf("B", "[8]").find("no argument of that name"),
            std::string::npos);
  EXPECT_EQ(errorOf("1", "[8]"),
            "'--arg=1=[8]': argument 1 is 'C', which is given twice");
}

TEST(OpenClArguments, HoldDeclaredData) {
  OpenClSource source = makeKernel();
  source.inputs = {{"A", "uniform(0, 1)"}};
  auto resolved = resolve(source);
  ASSERT_TRUE(resolved.ok());
  EXPECT_EQ(resolved->signature[0].input->text(), "uniform(0, 1)");
  source.inputs = {{"B", "uniform(0, 1)"}};
  auto unknown = resolve(source);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().message,
            "'--inputs=B=uniform(0, 1)': kernel 'k' has no buffer of that "
            "name; it has: A, C, table");
  source.inputs = {{"A", "often"}};
  EXPECT_FALSE(resolve(source).ok());
}

TEST(OpenClArguments, OfUnsignedNumbersHoldWhatTheirTypeHas) {
  auto drawn = [](const std::string &input) {
    OpenClSource source = makeKernel();
    source.inputs = {{"table", input}};
    auto resolved = resolve(source);
    return resolved ? resolved->signature[2].input->text()
                    : resolved.error().message;
  };
  // The same bits, of signed numbers.
  EXPECT_EQ(drawn("integers(0, 255)"), "integers(-128, 127)");
  EXPECT_EQ(drawn("sorted(integers(128, 255))"), "sorted(integers(-128, -1))");
  EXPECT_EQ(drawn("constant(200)"), "constant(-56)");
  for (const char *signedAsWell :
       {"integers(0, 127)", "integers(-128, 127)", "integers(0, 256)",
        "constant(300)", "constant(7)", "permutation"})
    EXPECT_EQ(drawn(signedAsWell), signedAsWell);
  for (const char *straddling :
       {"integers(0, 200)", "integers(1, 255)", "sorted(integers(0, 255))"})
    EXPECT_EQ(drawn(straddling),
              "'--inputs=table=" + std::string(straddling) +
                  "': numbers of this type are drawn on one side of 128, or "
                  "all of them, integers(0, 255), and not in order");
}

TEST(OpenClArguments, NeedAResult) {
  OpenClSource source = makeKernel();
  source.arguments["C"] = "[16]:in";
  auto resolved = resolve(source);
  ASSERT_FALSE(resolved.ok());
  EXPECT_EQ(resolved.error().message,
            "kernel 'k' writes to no buffer, so there is nothing to verify");
}
