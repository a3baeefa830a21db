//===- Plain data comes back from JSON, or is an Error --------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Artifact.h"
#include "tonno/Core/Measurement.h"
#include "tonno/Core/Problem.h"
#include "tonno/Core/Status.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::HasSubstr;

static LaunchPlan somePlan() {
  LaunchPlan plan;
  plan.buffers = {
      {"arg0", ElementType::f16, {3, 5}, Access::read, 64},
      {"arg1", ElementType::i1, {}, Access::read_write, 32},
      {"result0", ElementType::bf16, {7}, Access::write, 128},
      {"workspace0", ElementType::i64, {2, 2, 2}, Access::workspace, 8}};
  plan.launches = {{"first_entry", {0, 2}, {}},
                   {"second_entry", {1, 2, 3}, {{7, 5, 1}, {32, 4, 1}, 4096}}};
  return plan;
}

static Artifact someArtifact() {
  Artifact artifact;
  artifact.target = "host";
  artifact.triple = "x86_64-unknown-linux-gnu";
  artifact.chip = "znver4";
  artifact.binary = {0x7f, 'E', 'L', 'F', 0, 0xff, 0x80};
  artifact.plan = somePlan();
  artifact.usage.codeBytes = 123;
  return artifact;
}

/// Sends the JSON through the encoding used between processes.
static Json throughCbor(const Json &json) {
  return Json::from_cbor(Json::to_cbor(json));
}

static void expectEqual(const Artifact &a, const Artifact &b) {
  EXPECT_EQ(a.target, b.target);
  EXPECT_EQ(a.triple, b.triple);
  EXPECT_EQ(a.chip, b.chip);
  EXPECT_EQ(a.binary, b.binary);
  EXPECT_EQ(a.plan, b.plan);
  EXPECT_EQ(a.usage, b.usage);
}

TEST(Json, PlansSayHowManyThreadsALaunchHas) {
  LaunchPlan plan = somePlan();
  // Plans from before threads existed lack the member, which means one.
  EXPECT_FALSE(Json(plan)["launches"][0].contains("threads"));
  plan.launches[0].threads = 4;
  Json json = throughCbor(plan);
  EXPECT_EQ(json["launches"][0]["threads"], 4);
  EXPECT_EQ(*decode<LaunchPlan>(json), plan);
  json["launches"][0].erase("threads");
  EXPECT_EQ(*decode<LaunchPlan>(json), somePlan());
  for (const Json &other : {Json(0), Json(1025), Json(-1), Json("2")}) {
    json["launches"][0]["threads"] = other;
    EXPECT_FALSE(decode<LaunchPlan>(json).ok()) << other;
  }
}

TEST(Json, MembersOfWhateverCame) {
  Json message = {{"n", 3}, {"text", "x"}};
  EXPECT_EQ(*decodeMember<int>(message, "n"), 3);
  EXPECT_FALSE(decodeMember<int>(message, "text").ok());
  EXPECT_FALSE(decodeMember<int>(message, "gone").ok());
  EXPECT_EQ(decodeMember<Json>(message, "gone").error().message,
            "no member 'gone'");
  EXPECT_FALSE(decodeMember<int>(Json::array({1}), "n").ok());
}

TEST(Json, IntegersAreOfTheirTypeOrRefused) {
  EXPECT_EQ(*decode<uint32_t>(4294967295), 4294967295u);
  EXPECT_EQ(*decode<int64_t>(INT64_MIN), INT64_MIN);
  EXPECT_EQ(*decode<uint64_t>(~uint64_t(0)), ~uint64_t(0));
  EXPECT_EQ(*decode<int8_t>(-128), -128);
  EXPECT_EQ(*decode<std::vector<int>>(Json({1, -2})),
            (std::vector<int>{1, -2}));
  for (const Json &other : {Json(-1), Json(4294967296), Json(1.0), Json(1e300),
                            Json(true), Json("1"), Json()}) {
    EXPECT_FALSE(decode<uint32_t>(other).ok()) << other;
    EXPECT_FALSE(decode<std::vector<uint32_t>>(Json::array({other})).ok());
  }
  EXPECT_FALSE(decode<uint64_t>(*parseJson("18446744073719103230")).ok());
  EXPECT_FALSE(decode<int64_t>(~uint64_t(0)).ok());
  auto error = decode<uint32_t>(-1);
  ASSERT_FALSE(error.ok());
  EXPECT_THAT(error.error().message,
              HasSubstr("not an integer of 32 bits without a sign"));
  EXPECT_EQ(*decode<double>(3), 3.0);
  EXPECT_EQ(*decode<bool>(true), true);
}

TEST(LaunchPlan, SizesThatAreNoSizesAreRefused) {
  Json json = somePlan();
  json["launches"][1]["grid"][0] = -1;
  EXPECT_FALSE(decode<LaunchPlan>(json).ok());
  json["launches"][1]["grid"][0] = 1.5;
  EXPECT_FALSE(decode<LaunchPlan>(json).ok());
}

TEST(Status, EachHasItsName) {
  // The vocabulary of records and of the command line.
  const char *names[] = {"ok",
                         "pruned",
                         "bounded",
                         "over_limit",
                         "compile_error",
                         "compile_timeout",
                         "compile_crash",
                         "load_error",
                         "unlaunchable",
                         "out_of_memory",
                         "fault",
                         "hang",
                         "wrong",
                         "out_of_bounds",
                         "nondeterministic",
                         "different_bits",
                         "contended",
                         "lost"};
  ASSERT_EQ(std::size(names), static_cast<size_t>(Status::lost) + 1);
  for (size_t i = 0; i < std::size(names); ++i) {
    auto status = static_cast<Status>(i);
    EXPECT_EQ(toString(status), names[i]);
    EXPECT_EQ(parseStatus(names[i]), status);
    EXPECT_EQ(decode<Status>(Json(status)).ok(), true);
    EXPECT_EQ(*decode<Status>(Json(status)), status);
  }
}

TEST(Status, UnknownOneIsNamed) {
  EXPECT_EQ(parseStatus("OK"), std::nullopt);
  auto status = decode<Status>("fine");
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("'fine'"));
}

TEST(ElementType, EachHasNameAndSize) {
  struct Row {
    ElementType type;
    const char *name;
    size_t bytes;
  };
  for (const Row &row :
       {Row{ElementType::f64, "f64", 8}, Row{ElementType::f32, "f32", 4},
        Row{ElementType::f16, "f16", 2}, Row{ElementType::bf16, "bf16", 2},
        Row{ElementType::i64, "i64", 8}, Row{ElementType::i32, "i32", 4},
        Row{ElementType::f8E4M3FN, "f8E4M3FN", 1},
        Row{ElementType::f8E5M2, "f8E5M2", 1},
        Row{ElementType::f8E4M3FNUZ, "f8E4M3FNUZ", 1},
        Row{ElementType::f8E5M2FNUZ, "f8E5M2FNUZ", 1},
        Row{ElementType::f8E8M0FNU, "f8E8M0FNU", 1},
        Row{ElementType::f6E2M3FN, "f6E2M3FN", 1},
        Row{ElementType::f6E3M2FN, "f6E3M2FN", 1},
        Row{ElementType::f4E2M1FN, "f4E2M1FN", 1},
        Row{ElementType::i4, "i4", 1}, Row{ElementType::i2, "i2", 1},
        Row{ElementType::i16, "i16", 2}, Row{ElementType::i8, "i8", 1},
        Row{ElementType::i1, "i1", 1}}) {
    EXPECT_EQ(toString(row.type), row.name);
    EXPECT_EQ(getByteSize(row.type), row.bytes);
    EXPECT_EQ(*decode<ElementType>(Json(row.name)), row.type);
  }
  auto unknown = decode<ElementType>("f8");
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message, HasSubstr("'f8'"));
}

TEST(Access, EachHasItsName) {
  for (const char *name : {"read", "write", "read_write", "workspace"})
    EXPECT_EQ(toString(*decode<Access>(Json(name))), name);
  EXPECT_FALSE(decode<Access>("readwrite").ok());
}

TEST(BufferSpec, BytesFollowFromShapeAndType) {
  LaunchPlan plan = somePlan();
  EXPECT_EQ(plan.buffers[0].elements(), 15u);
  EXPECT_EQ(plan.buffers[0].bytes(), 30u);
  EXPECT_EQ(plan.buffers[1].bytes(), 1u); // a scalar is one element
  EXPECT_EQ(plan.buffers[3].bytes(), 64u);
}

TEST(LaunchPlan, ComesBackFromText) {
  auto back = decode<LaunchPlan>(Json::parse(Json(somePlan()).dump()));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, somePlan());
}

TEST(LaunchPlan, MissingMemberIsNamed) {
  Json json = somePlan();
  json["buffers"][1].erase("alignment");
  auto plan = decode<LaunchPlan>(json);
  ASSERT_FALSE(plan.ok());
  EXPECT_THAT(plan.error().message, HasSubstr("alignment"));
}

TEST(LaunchPlan, WrongTypesAreErrors) {
  for (const char *where :
       {"/buffers", "/launches", "/buffers/0/shape", "/buffers/0/name",
        "/buffers/0/access", "/launches/0/buffers", "/launches/0/symbol"}) {
    Json json = somePlan();
    json[Json::json_pointer(where)] = 7;
    EXPECT_FALSE(decode<LaunchPlan>(json).ok()) << where;
  }
  EXPECT_FALSE(decode<LaunchPlan>(Json()).ok());
}

TEST(LaunchPlan, LaunchesHaveTheBuffersOfThePlan) {
  Json json = somePlan();
  json["launches"][1]["buffers"][2] = 4; // of four, counted from 0
  auto plan = decode<LaunchPlan>(json);
  ASSERT_FALSE(plan.ok());
  EXPECT_THAT(plan.error().message,
              HasSubstr("second_entry is launched with buffer 4 of 4"));
}

TEST(LaunchPlan, AbsurdAlignmentIsRefused) {
  Json json = somePlan();
  json["buffers"][0]["alignment"] = uint64_t(1) << 30;
  EXPECT_TRUE(decode<LaunchPlan>(json).ok());
  // Added to a size, it would be small again.
  json["buffers"][0]["alignment"] = ~uint64_t(0) - 100;
  auto plan = decode<LaunchPlan>(json);
  ASSERT_FALSE(plan.ok());
  EXPECT_THAT(plan.error().message, HasSubstr("alignment"));
}

TEST(Artifact, ComesBackFromCbor) {
  auto back = decode<Artifact>(throughCbor(someArtifact()));
  ASSERT_TRUE(back.ok()) << back.error().message;
  expectEqual(*back, someArtifact());
}

TEST(Artifact, UnknownUsageStaysUnknown) {
  Artifact artifact = someArtifact();
  auto back = decode<Artifact>(throughCbor(artifact));
  EXPECT_EQ(back->usage.codeBytes, 123u);
  EXPECT_EQ(back->usage.workspaceBytes, std::nullopt);
}

TEST(Artifact, BinaryMustBeBinary) {
  Json json = someArtifact();
  json["binary"] = "ELF";
  EXPECT_FALSE(decode<Artifact>(json).ok());
  EXPECT_FALSE(decode<Artifact>(Json::array()).ok());
}

TEST(Problem, ComesBackFromCbor) {
  Problem problem{someArtifact(), 4096, true, ElementType::bf16, true};
  auto back = decode<Problem>(throughCbor(problem));
  ASSERT_TRUE(back.ok()) << back.error().message;
  expectEqual(back->reference, problem.reference);
  EXPECT_EQ(back->reductionLength, 4096u);
  EXPECT_TRUE(back->exact);
  EXPECT_EQ(back->accumulator, ElementType::bf16);
  EXPECT_TRUE(back->sumsOfProducts);
  EXPECT_FALSE(back->nudged.has_value());
  bool Problem::*const properties[] = {
      &Problem::multipliesResults, &Problem::takesAnyIntegers,
      &Problem::isElementwise,     &Problem::isFinite,
      &Problem::hasAnyZero,        &Problem::isRelaxed};
  EXPECT_FALSE(back->plain.has_value());
  for (bool Problem::*property : properties) {
    EXPECT_FALSE((*back).*property);
    Problem one = problem;
    one.*property = true;
    auto again = decode<Problem>(throughCbor(one));
    ASSERT_TRUE(again.ok()) << again.error().message;
    for (bool Problem::*other : properties)
      EXPECT_EQ((*again).*other, other == property);
  }
  problem.nudged = someArtifact();
  problem.plain = someArtifact();
  back = decode<Problem>(throughCbor(problem));
  ASSERT_TRUE(back.ok()) << back.error().message;
  ASSERT_TRUE(back->nudged.has_value());
  expectEqual(*back->nudged, *problem.nudged);
  ASSERT_TRUE(back->plain.has_value());
  expectEqual(*back->plain, *problem.plain);
}

TEST(Problem, MissingMemberIsNamed) {
  for (const char *member :
       {"reference", "reduction_length", "exact", "accumulator"}) {
    Json json = Problem{someArtifact(), 1, false, ElementType::f32};
    json.erase(member);
    auto problem = decode<Problem>(json);
    ASSERT_FALSE(problem.ok()) << member;
    EXPECT_THAT(problem.error().message, HasSubstr(member));
  }
}

TEST(Decode, AWrongWordIsNamedWithItsPlace) {
  using Words = std::map<std::string, std::vector<Status>>;
  Json words = {{"a", {"ok", "wrong"}}, {"b", {"ok", "fine"}}};
  EXPECT_EQ(decode<Words>(words).error().message, "b/1: unknown status 'fine'");
  EXPECT_EQ(decodeMember<std::vector<Status>>(words, "b").error().message,
            "b/1: unknown status 'fine'");
  EXPECT_EQ(decode<Verdict>("maybe").error().message,
            "unknown verdict 'maybe'");
  EXPECT_EQ(decode<ElementType>("f7").error().message,
            "unknown element type 'f7'");
  EXPECT_EQ(decode<Access>("peek").error().message, "unknown access 'peek'");
}

TEST(Decode, WrongTypesAreNamedWithoutTheLibrarysPrefix) {
  EXPECT_EQ(decode<Status>(3).error().message,
            "type must be string, but is number");
  EXPECT_EQ(
      decode<std::vector<std::string>>(Json::array({"a", 1})).error().message,
      "1: type must be string, but is number");
}

TEST(ParseJson, ErrorHasThePosition) {
  auto json = parseJson("{\n  \"a\": ]");
  ASSERT_FALSE(json.ok());
  EXPECT_THAT(json.error().message, HasSubstr("line 2, column 8"));
}

TEST(OptionalMembers, AreLeftOutAndComeBack) {
  Json json = Json::object();
  putOptional(json, "there", std::optional<uint64_t>(7));
  putOptional(json, "not there", std::optional<uint64_t>());
  EXPECT_EQ(json.dump(), R"({"there":7})");
  std::optional<uint64_t> there, notThere = 3;
  getOptional(json, "there", there);
  getOptional(json, "not there", notThere);
  EXPECT_EQ(there, 7u);
  EXPECT_EQ(notThere, std::nullopt);
}
