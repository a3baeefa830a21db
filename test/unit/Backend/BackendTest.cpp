//===- The host backend ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"

#include "tonno/Backend/Compile.h"
#include "tonno/Backend/Emission.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cstdlib>
#include <sys/resource.h>
#include <thread>

using namespace tonno;

namespace {

using BackendTest = KernelTest;

TEST_F(BackendTest, UnknownTargetOrChipIsAnError) {
  EXPECT_EQ(createBackend({"abacus", "native"}).error().message,
            "unknown target 'abacus'; the targets are: host, nvptx, amdgpu");
  EXPECT_NE(createBackend({"host", "pdp11"}).error().message.find("'pdp11'"),
            std::string::npos);
}

TEST_F(BackendTest, FingerprintTellsChipsApart) {
  auto native = createBackend({"host", "native"});
  auto again = createBackend({"host", "native"});
  auto old = createBackend({"host", "x86_64-linux-gnu:x86-64-v2"});
  ASSERT_TRUE(native && again && old);
  EXPECT_EQ((*native)->fingerprint(), (*again)->fingerprint());
  EXPECT_NE((*native)->fingerprint(), (*old)->fingerprint());
  EXPECT_EQ((*old)->target().chip, "x86-64-v2");
  EXPECT_EQ((*old)->target().features, "");
}

TEST_F(BackendTest, OnlyMatrixInstructionsOfNvidiaTruncateSums) {
  std::string narrow = productText;
  for (size_t at; (at = narrow.find("xf32>")) != std::string::npos;)
    narrow.replace(at, 5, "xf16>");
  narrow.replace(narrow.find("0.0 : f32"), 9, "0.0 : f16");
  narrow.replace(narrow.find("%zero : f32"), 11, "%zero : f16");
  auto ask = [&](BackendRequest request, llvm::StringRef text) {
    auto backend = createBackend(request);
    auto module = parse(text);
    return (*backend)->mayTruncateSums(
        module->lookupSymbol<mlir::func::FuncOp>("product"));
  };
  EXPECT_TRUE(ask({"nvptx", "sm_90a"}, narrow));
  EXPECT_FALSE(ask({"nvptx", "sm_90a"}, productText));
  EXPECT_FALSE(ask({"amdgpu", "gfx942"}, narrow));
  EXPECT_FALSE(ask({"host", "native"}, narrow));
}

TEST_F(BackendTest, EqualInputGivesEqualBytes) {
  auto backend = createBackend({"host", "native"});
  ASSERT_TRUE(backend);
  auto module = parse(productText);
  mlir::OwningOpRef<mlir::ModuleOp> clone = module->clone();
  auto first = compileCandidate(**backend, *module, "product");
  auto second = compileCandidate(**backend, *clone, "product");
  ASSERT_TRUE(succeeded(first) && succeeded(second)) << message;
  EXPECT_EQ(first->hash(), second->hash());
  EXPECT_EQ(first->target, "host");
  EXPECT_EQ(first->chip, (*backend)->target().chip);
  EXPECT_GT(first->usage.codeBytes.value_or(0), 0u);
}

TEST_F(BackendTest, WhatWasCompiledBeforeDoesNotMatter) {
  auto tiled = [](const char *tiles) {
    std::string text = productText;
    return text.replace(text.find("subgroup = [4, 8, 0]"), 20, tiles);
  };
  std::string small = tiled("workgroup = [4, 8, 0]"),
              large = tiled("workgroup = [16, 8, 0]");
  for (const BackendRequest &request :
       {BackendRequest{"host", "native"}, BackendRequest{"nvptx", "sm_90"},
        BackendRequest{"amdgpu", "gfx942"},
        BackendRequest{"nvptx", "sm_90", /*isSimulated=*/true}}) {
    auto backend = createBackend(request);
    ASSERT_TRUE(backend);
    CandidateCompiler compiler(**backend, context, "product");
    std::vector<std::string> hashes;
    for (const std::string &text : {large, small, large}) {
      auto module = parse(text);
      auto artifact = compiler.compile(*module);
      ASSERT_TRUE(succeeded(artifact)) << message;
      hashes.push_back(artifact->hash());
      EXPECT_EQ(artifact->plan.launches.size(), 1u) << request.target;
    }
    auto module = parse(large);
    auto alone = compileCandidate(**backend, *module, "product");
    ASSERT_TRUE(succeeded(alone)) << message;
    EXPECT_NE(hashes[0], hashes[1]) << request.target;
    EXPECT_EQ(hashes[0], hashes[2]) << request.target;
    EXPECT_EQ(hashes[0], alone->hash()) << request.target;
  }
}

TEST_F(BackendTest, TilesDecideTheBinary) {
  auto backend = createBackend({"host", "native"});
  ASSERT_TRUE(backend);
  std::string other = productText;
  other.replace(other.find("[4, 8, 0]"), 9, "[2, 4, 0]");
  auto a = parse(productText), b = parse(other);
  auto first = compileCandidate(**backend, *a, "product");
  auto second = compileCandidate(**backend, *b, "product");
  ASSERT_TRUE(succeeded(first) && succeeded(second)) << message;
  EXPECT_NE(first->hash(), second->hash());
}

TEST_F(BackendTest, UnknownKernelIsAnError) {
  auto backend = createBackend({"host", "native"});
  ASSERT_TRUE(backend);
  auto module = parse(productText);
  EXPECT_TRUE(failed(compileCandidate(**backend, *module, "quotient")));
  EXPECT_EQ(message, "no function 'quotient'");
}

TEST_F(BackendTest, MissingSymbolsAreNamed) {
  auto backend = createBackend({"host", "native"});
  ASSERT_TRUE(backend);
  auto module = parse("llvm.func @outside()\n"
                      "llvm.func @f() { llvm.call @outside() : () -> () "
                      "llvm.return }");
  EXPECT_TRUE(succeeded((*backend)->emit(*module, Emission::obj)));
  EXPECT_TRUE(failed((*backend)->emit(*module, Emission::so)));
  EXPECT_EQ(
      message,
      "the kernel calls functions that emitted binaries do not have: outside");
}

TEST_F(BackendTest, LoopsOfRolledModulesStay) {
  auto backend = createBackend({"host", "native"});
  ASSERT_TRUE(backend);
  auto countCalls = [&](const std::string &attributes) {
    auto module = parse("module attributes {" + attributes + R"(} {
  llvm.func @outside(i64)
  llvm.func @f() {
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %four = llvm.mlir.constant(4 : i64) : i64
    llvm.br ^loop(%zero : i64)
  ^loop(%i: i64):
    llvm.call @outside(%i) : (i64) -> ()
    %next = llvm.add %i, %one : i64
    %more = llvm.icmp "ult" %next, %four : i64
    llvm.cond_br %more, ^loop(%next : i64), ^end
  ^end:
    llvm.return
  }
})");
    auto code = (*backend)->emit(*module, Emission::llvm);
    EXPECT_TRUE(succeeded(code)) << message;
    size_t calls = 0;
    if (succeeded(code))
      for (size_t at = code->bytes.find("call void @outside");
           at != std::string::npos;
           at = code->bytes.find("call void @outside", at + 1))
        ++calls;
    return calls;
  };
  EXPECT_EQ(countCalls(""), 4u);
  EXPECT_EQ(countCalls("tonno.rolled"), 1u);
}

TEST_F(BackendTest, ErrorsOfLinkingAreAtTheKernel) {
  auto backend = createBackend({"host", "native"});
  ASSERT_TRUE(backend);
  auto module = parse("llvm.func @outside() loc(\"other.mlir\":1:1)\n"
                      "llvm.func @f() { llvm.call @outside() : () -> () "
                      "llvm.return } loc(\"kernel.mlir\":4:3)");
  unsigned line = 0;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        EXPECT_FALSE(isFromOutside(diagnostic));
        auto where =
            mlir::dyn_cast<mlir::FileLineColLoc>(diagnostic.getLocation());
        line = where ? where.getLine() : 0;
      });
  EXPECT_TRUE(failed((*backend)->emit(*module, Emission::so)));
  EXPECT_EQ(line, 4u);
}

TEST_F(BackendTest, LinksWithoutATemporaryFolder) {
  auto backend = createBackend({"host", "native"});
  ASSERT_TRUE(backend);
  // More than a pipe holds.
  auto module =
      parse("llvm.mlir.global constant @g(dense<1> : tensor<100000xi32>) : "
            "!llvm.array<100000 x i32>");
  ASSERT_EQ(::setenv("TMPDIR", "/nowhere/tonno-gone", 1), 0);
  auto shared = (*backend)->emit(*module, Emission::so);
  ::unsetenv("TMPDIR");
  ASSERT_TRUE(succeeded(shared)) << message;
  EXPECT_GT(shared->bytes.size(), 400000u);
  EXPECT_EQ(shared->bytes.substr(1, 3), "ELF");
  EXPECT_EQ(shared->bytes.find("/proc"), std::string::npos);
}

TEST_F(BackendTest, LackOfDescriptorsIsFromOutside) {
  auto backend = createBackend({"host", "native"});
  ASSERT_TRUE(backend);
  auto module = parse("llvm.func @f() { llvm.return }");
  bool fromOutside = false;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        message = diagnostic.str();
        fromOutside = isFromOutside(diagnostic);
      });
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 3;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  auto shared = (*backend)->emit(*module, Emission::so);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(failed(shared));
  EXPECT_TRUE(fromOutside) << message;
  EXPECT_TRUE(succeeded((*backend)->emit(*module, Emission::so)));
}

TEST_F(BackendTest, WhatIsNotLoweredIsNamed) {
  auto backend = createBackend({"host", "native"});
  ASSERT_TRUE(backend);
  auto module = parse(productText);
  EXPECT_TRUE(failed((*backend)->emit(*module, Emission::obj)));
  EXPECT_EQ(message, "'arith.constant' cannot be lowered to LLVM");
}

TEST_F(BackendTest, RefusesWhatNoConfigurationCompiles) {
  auto backend = createBackend({"host", "native"});
  ASSERT_TRUE(backend);
  auto check = [&](llvm::StringRef text) {
    auto module = parse(text);
    message = "";
    bool ok = succeeded(
        (*backend)->check(*module->getOps<mlir::func::FuncOp>().begin()));
    EXPECT_EQ(ok, message.empty());
    return message;
  };
  EXPECT_EQ(check(productText), "");
  EXPECT_EQ(check("func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {"
                  " %u = tensor.cast %a : tensor<4xf32> to tensor<*xf32>"
                  " return %a : tensor<4xf32> }"),
            "the host backend needs ranked types, not 'tensor<*xf32>'");
}

TEST_F(BackendTest, AsksForTheMathematicalLibraryWhereNeeded) {
  auto backend = createBackend({"host", "native"});
  ASSERT_TRUE(backend);
  auto needsIt = [&](const std::string &body) {
    auto module =
        parse("func.func @f(%x: f32) -> f32 { " + body + " return %r : f32 }");
    auto artifact = compileCandidate(**backend, *module, "f");
    EXPECT_TRUE(succeeded(artifact)) << message;
    return succeeded(artifact) &&
           llvm::StringRef(
               reinterpret_cast<const char *>(artifact->binary.data()),
               artifact->binary.size())
               .contains("libm.so");
  };
  EXPECT_TRUE(needsIt("%r = math.sin %x : f32"));
  EXPECT_FALSE(needsIt("%r = math.exp %x : f32")); // expanded
  EXPECT_FALSE(needsIt("%r = math.sqrt %x : f32"));
}

TEST_F(BackendTest, WorkspaceIsPartOfThePlan) {
  auto backend = createBackend({"host", "native"});
  ASSERT_TRUE(backend);
  auto module = parse(
      "func.func @f(%x: memref<40xf32>, %y: memref<40xf32>) {"
      " %t = memref.alloc() : memref<40xf32>"
      " linalg.exp ins(%x : memref<40xf32>) outs(%t : memref<40xf32>)"
      " linalg.exp ins(%t : memref<40xf32>) outs(%y : memref<40xf32>) return "
      "}");
  auto artifact = compileCandidate(**backend, *module, "f");
  ASSERT_TRUE(succeeded(artifact)) << message;
  ASSERT_EQ(artifact->plan.buffers.size(), 3u);
  BufferSpec workspace{
      "workspace0", ElementType::i8, {192}, Access::workspace, 64};
  EXPECT_EQ(artifact->plan.buffers[2], workspace);
  EXPECT_EQ(artifact->plan.launches[0].buffers,
            (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(artifact->plan.signature().size(), 2u);
  EXPECT_EQ(artifact->usage.workspaceBytes, 192u);
}

// bf16 is rounded by integers where the chip can't.
TEST_F(BackendTest, OlderChipsRoundToBf16Too) {
  for (const char *chip :
       {"x86_64-linux-gnu:x86-64-v3", "aarch64-linux-gnu:neoverse-n1",
        "aarch64-linux-gnu:neoverse-v1"}) {
    auto backend = createBackend({"host", chip});
    ASSERT_TRUE(backend) << backend.error().message;
    auto module = parse("func.func @f(%x: bf16) -> bf16 {"
                        " %r = arith.mulf %x, %x : bf16 return %r : bf16 }");
    EXPECT_TRUE(succeeded(compileCandidate(**backend, *module, "f")))
        << chip << ": " << message;
  }
}

// lld keeps its state in globals; callers need not know.
TEST_F(BackendTest, ThreadsMayEmitAtOnce) {
  auto backend = createBackend({"host", "native"});
  ASSERT_TRUE(backend);
  auto compile = [&](std::string &hash) {
    mlir::DialectRegistry registry;
    registerBackendDialects(registry);
    mlir::MLIRContext own(registry, mlir::MLIRContext::Threading::DISABLED);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(productText, &own);
    auto artifact = compileCandidate(**backend, *module, "product");
    if (succeeded(artifact))
      hash = artifact->hash();
  };
  std::string first, second;
  std::thread thread([&] { compile(first); });
  compile(second);
  thread.join();
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(first, second);
}

TEST(EmissionTest, NamesOfFunctionsInC) {
  for (const char *name : {"f", "_f", "matmul_64", "Main", "int3", "_"})
    EXPECT_TRUE(isFunctionName(name)) << name;
  for (const char *name :
       {"", "1f", "my-k", "../../evil", "k\xff", "a b", "f.1", "a$", "int",
        "class", "main", "_Bool", "__asm"})
    EXPECT_FALSE(isFunctionName(name)) << name;
}

TEST(EmissionTest, BinariesAreKnown) {
  EXPECT_TRUE(describe(Emission::obj).isBinary);
  EXPECT_TRUE(describe(Emission::program).isBinary);
  EXPECT_FALSE(describe(Emission::llvm).isBinary);
}

} // namespace
