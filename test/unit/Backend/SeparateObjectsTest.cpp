//===- Functions that are compiled one by one -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SeparateObjects.h"
#include "Linker.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace tonno;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

/// A kernel of two functions: one adds a number of the module's own data, the
/// other calls a local function.
static constexpr const char *kernel = R"(
@data = private constant [2 x float] [float 1.0, float 2.0]
@others = private constant [1 x float] [float 7.0]
define internal float @half(float %x) {
  %y = fmul float %x, 0.5
  ret float %y
}
define internal void @k.loop(ptr %p) "tonno-separate" {
  %x = load float, ptr %p
  %d = load float, ptr getelementptr (i8, ptr @data, i64 4)
  %y = fadd float %x, %d
  store float %y, ptr %p
  ret void
}
define internal void @k.loop_0(ptr %p) "tonno-separate" {
  %x = load float, ptr %p
  %y = call float @half(float %x)
  store float %y, ptr %p
  ret void
}
define void @k(ptr %p, ptr %q) {
  call void @k.loop(ptr %p)
  call void @k.loop_0(ptr %q)
  ret void
}
)";

namespace {

class SeparateObjectsTest : public testing::Test {
protected:
  SeparateObjectsTest() {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    Triple triple("x86_64-linux-gnu");
    std::string error;
    machine.reset(
        TargetRegistry::lookupTarget(triple, error)
            ->createTargetMachine(triple, "haswell", "", {}, Reloc::PIC_));
  }

  SeparateModules separate(const std::string &text,
                           StringRef options = "options") {
    SMDiagnostic error;
    std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    setTarget(*module, *machine);
    SeparateModules made = separateFunctions(std::move(module), options);
    EXPECT_FALSE(verifyModule(*made.main, &errs()));
    for (const SeparateModules::Function &function : made.functions)
      EXPECT_FALSE(verifyModule(*function.module, &errs()));
    return made;
  }

  /// Returns the hashes of a kernel's functions.
  std::vector<std::string> hash(const std::string &text,
                                StringRef options = "options") {
    std::vector<std::string> hashes;
    for (const SeparateModules::Function &function :
         separate(text, options).functions)
      hashes.push_back(function.hash);
    return hashes;
  }

  static std::string replace(std::string text, const std::string &from,
                             const std::string &to) {
    size_t found = text.find(from);
    EXPECT_NE(found, std::string::npos) << from;
    return text.replace(found, from.size(), to);
  }

  LLVMContext context;
  std::unique_ptr<TargetMachine> machine;
};

} // namespace

TEST_F(SeparateObjectsTest, FunctionsTakeTheirDataAndCalleesAlong) {
  SeparateModules made = separate(kernel);
  ASSERT_THAT(made.functions, SizeIs(2));
  std::string add = printLLVM(*made.functions[0].module);
  EXPECT_THAT(add, HasSubstr("@data = private constant"));
  EXPECT_THAT(add, Not(HasSubstr("@others")));
  EXPECT_THAT(add, Not(HasSubstr("@half")));
  EXPECT_THAT(add, HasSubstr("define weak_odr hidden void @tonno." +
                             made.functions[0].hash));
  std::string halve = printLLVM(*made.functions[1].module);
  EXPECT_THAT(halve, HasSubstr("define internal float @half("));
  EXPECT_THAT(halve, Not(HasSubstr("@data")));
  std::string main = printLLVM(*made.main);
  EXPECT_THAT(main, HasSubstr("call void @tonno." + made.functions[0].hash));
  EXPECT_THAT(main, Not(HasSubstr("@k.loop")));
}

TEST_F(SeparateObjectsTest, HashesDependOnTheFunctionAlone) {
  std::vector<std::string> before = hash(kernel);
  ASSERT_THAT(before, SizeIs(2));
  // Another name, and another function before it.
  std::string renamed =
      replace(kernel, "void @k.loop(ptr %p) \"", "void @z(ptr %p) \"");
  renamed =
      replace(renamed, "call void @k.loop(ptr %p)", "call void @z(ptr %p)");
  renamed += "declare void @elsewhere()";
  EXPECT_EQ(hash(renamed), before);
  // Another body, other data, another callee, other options.
  EXPECT_THAT(hash(replace(kernel, "fadd", "fsub")),
              ElementsAre(Not(before[0]), before[1]));
  EXPECT_THAT(hash(replace(kernel, "float 2.0", "float 3.0")),
              ElementsAre(Not(before[0]), before[1]));
  EXPECT_THAT(hash(replace(kernel, "0.5", "0.25")),
              ElementsAre(before[0], Not(before[1])));
  EXPECT_THAT(hash(kernel, "others"),
              ElementsAre(Not(before[0]), Not(before[1])));
}

TEST_F(SeparateObjectsTest, EqualFunctionsAreOne) {
  std::string twice = replace(kernel, "%y = fadd float %x, %d",
                              "%y = call float @half(float %x)");
  twice = replace(
      twice, "  %d = load float, ptr getelementptr (i8, ptr @data, i64 4)\n",
      "");
  SeparateModules made = separate(twice);
  ASSERT_THAT(made.functions, SizeIs(1));
  std::string call = "call void @tonno." + made.functions[0].hash;
  EXPECT_THAT(printLLVM(*made.main), HasSubstr(call + "(ptr %p)"));
  EXPECT_THAT(printLLVM(*made.main), HasSubstr(call + "(ptr %q)"));
}

TEST_F(SeparateObjectsTest, CallersNameTheirSeparateCallees) {
  std::string nested = replace(kernel, "  %y = fadd float %x, %d\n",
                               "  %y = fadd float %x, %d\n"
                               "  call void @k.loop_0(ptr %p)\n");
  SeparateModules made = separate(nested);
  ASSERT_THAT(made.functions, SizeIs(2));
  EXPECT_THAT(
      printLLVM(*made.functions[1].module),
      HasSubstr("declare hidden void @tonno." + made.functions[0].hash));
}

TEST_F(SeparateObjectsTest, ObjectsAreCompiledOnce) {
  ObjectCache cache;
  auto first = emitObjects(separate(kernel), *machine, Unrolling::full, cache);
  auto second = emitObjects(separate(replace(kernel, "fadd", "fsub")), *machine,
                            Unrolling::full, cache);
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_THAT(*first, SizeIs(3));
  ASSERT_THAT(*second, SizeIs(3));
  EXPECT_NE((*first)[1], (*second)[1]);
  EXPECT_EQ((*first)[2], (*second)[2]); // the same object in memory
}

TEST_F(SeparateObjectsTest, ObjectsLinkToOneAsWellAsToASharedObject) {
  ObjectCache cache;
  auto objects =
      emitObjects(separate(kernel), *machine, Unrolling::full, cache);
  ASSERT_TRUE(objects.ok());
  std::vector<StringRef> parts;
  for (const auto &object : *objects)
    parts.push_back(*object);
  auto one = linkRelocatable(parts);
  ASSERT_TRUE(one.ok()) << one.error().message;
  auto symbols = readSymbols(*one);
  ASSERT_TRUE(symbols.ok());
  EXPECT_THAT(symbols->undefined, SizeIs(0));
  EXPECT_THAT(symbols->defined, testing::Contains("k"));
  // Two kernels with the same functions are linked into one program.
  auto shared = linkSharedObject({*one, parts[1], parts[2]});
  EXPECT_TRUE(shared.ok());
  auto missing = linkSharedObject({parts[0], parts[1]});
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("tonno."));
}

TEST_F(SeparateObjectsTest, PrintedIRHasAllFunctions) {
  auto text = emitLLVM(separate(kernel), *machine, Unrolling::full);
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, HasSubstr("define void @k("));
  EXPECT_THAT(*text, HasSubstr("define weak_odr hidden void @tonno."));
}

TEST(ObjectCache, DropsAllBeyondItsBytes) {
  ObjectCache cache(/*mostBytes=*/10);
  auto object = std::make_shared<std::string>("1234");
  cache.insert("a", object);
  cache.insert("a", object); // is there already
  cache.insert("b", object);
  EXPECT_EQ(cache.find("a"), object);
  EXPECT_EQ(cache.find("b"), object);
  cache.insert("c", object);
  EXPECT_EQ(cache.find("a"), nullptr);
  EXPECT_EQ(cache.find("c"), object);
}
