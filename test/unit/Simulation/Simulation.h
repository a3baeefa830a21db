//===- GPU kernels of LLVM IR, made and run -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SIMULATION_SIMULATION_H
#define TONNO_SIMULATION_SIMULATION_H

#include "tonno/Backend/Backend.h"
#include "Simulation/SimScheduler.h"

#include "Host/HostBackend.h"
#include "LLVMEmission.h"
#include "Linker.h"
#include "Simulation/SimRetarget.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

#include <bit>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>

namespace tonno {

/// Prefix of a module of each vendor.
inline constexpr const char *nvptxHeader = R"(
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
)";
inline constexpr const char *amdgpuHeader = R"(
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
)";

class SimulationTest : public testing::Test {
protected:
  /// Compiles the text of a module to a binary for `sim`.
  Result<std::string> compile(const std::string &text,
                              const SimOptions &options = {}) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic diagnostic;
    auto module = llvm::parseAssemblyString(text, diagnostic, context);
    if (!module) {
      std::string message;
      llvm::raw_string_ostream stream(message);
      diagnostic.print("kernel", stream);
      ADD_FAILURE() << message;
      return Error{message};
    }
    auto target = hostTarget(chip);
    auto machine = createTargetMachine(*target);
    if (auto made = retargetForSimulation(*module, *machine, options); !made)
      return made.error();
    std::string problems;
    llvm::raw_string_ostream stream(problems);
    EXPECT_FALSE(llvm::verifyModule(*module, &stream)) << problems;
    auto object =
        emitCode(*module, *machine, llvm::CodeGenFileType::ObjectFile);
    if (!object)
      return object.error();
    auto shared = linkSharedObject(llvm::StringRef(*object));
    if (!shared)
      return Error{shared.error().message};
    return *shared;
  }

  /// Loads a module, to be launched with `buffers` buffers, of the given bytes
  /// each, if any. Null after a failure.
  std::unique_ptr<Executable>
  load(const std::string &text, const std::string &symbol,
       const LaunchGeometry &geometry, uint32_t buffers,
       const SimOptions &options = {}, int64_t bufferBytes = 0) {
    auto binary = compile(text, options);
    EXPECT_TRUE(binary.ok()) << binary.error().message;
    if (!binary)
      return nullptr;
    Artifact artifact;
    artifact.target = "sim";
    artifact.binary.assign(binary->begin(), binary->end());
    Launch launch = {symbol, {}, geometry};
    for (uint32_t index = 0; index < buffers; ++index) {
      launch.buffers.push_back(index);
      if (bufferBytes)
        artifact.plan.buffers.push_back(
            {"buffer", ElementType::i8, {bufferBytes}});
    }
    artifact.plan.launches = {launch};
    auto executable = device->load(artifact);
    EXPECT_TRUE(executable.ok()) << executable.error().message;
    return executable ? std::move(*executable) : nullptr;
  }

  std::unique_ptr<Device> device = createSimDevice();
  std::string chip = "native";
};

/// Runs a function's body in each thread of one workgroup. The body has %tid
/// and gives %r.
class IntrinsicTest : public SimulationTest {
protected:
  IntrinsicTest(std::string before, SimOptions options, std::string after = {})
      : before(std::move(before)), after(std::move(after)), options(options) {}

  std::vector<uint32_t> run(const std::string &body, uint32_t threads) {
    std::string text = before + body + R"(
      %slot = getelementptr i32, ptr addrspace(1) %out, i32 %tid
      store i32 %r, ptr addrspace(1) %slot
      ret void
    })" + after;
    auto executable = load(text, "k", {{1, 1, 1}, {threads, 1, 1}}, 1, options);
    std::vector<uint32_t> results(threads, 0xdeadbeef);
    if (!executable)
      return results;
    std::vector<DevicePointer> buffers = {{results.data()}};
    auto ran = device->launch(*executable, buffers);
    EXPECT_TRUE(ran.ok()) << ran.error().message;
    return results;
  }

  /// Expects the function's value from each thread.
  void expect(const std::string &body, uint32_t threads,
              const std::function<uint32_t(uint32_t)> &value) {
    std::vector<uint32_t> results = run(body, threads);
    for (uint32_t thread = 0; thread < threads; ++thread)
      EXPECT_EQ(results[thread], value(thread))
          << "thread " << thread << " of" << body;
  }

  /// Expects that a product and a difference are rounded each, where nothing
  /// allows one operation.
  void expectTwoRoundings() {
    expect(R"(
      %t = uitofp i32 %tid to float
      %x = fmul float %t, 0x3FF19999A0000000
      %p = fmul float %x, %x
      %d = fsub float %p, 1.0
      %r = bitcast float %d to i32)",
           64, [](uint32_t thread) {
             volatile float x = float(thread) * 1.1F;
             volatile float product = x * x;
             return std::bit_cast<uint32_t>(product - 1);
           });
  }

  /// Expects of an expression in floats %x = 0.5, %y = -1.75 and %z = 3 this
  /// value, which it gives as %f.
  void expectFloat(const std::string &body, float value) {
    std::string whole = "%t = sitofp i32 %tid to float\n"
                        "%x = fadd float %t, 0.5\n"
                        "%y = fsub float %t, 1.75\n"
                        "%z = fadd float %t, 3.0\n" +
                        body + "\n%r = bitcast float %f to i32";
    uint32_t bits = run(whole, 1)[0];
    float got = 0;
    std::memcpy(&got, &bits, sizeof got);
    EXPECT_FLOAT_EQ(got, value) << body;
  }

  std::string before, after;
  SimOptions options;
};

} // namespace tonno

#endif // TONNO_SIMULATION_SIMULATION_H
