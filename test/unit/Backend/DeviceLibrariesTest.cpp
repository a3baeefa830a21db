//===- The vendors' mathematics -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPU/DeviceLibraries.h"
#include "GpuModules.h"
#include "TemporaryDirectory.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <gmock/gmock.h>

using namespace tonno;
using testing::HasSubstr;
using testing::Not;

namespace {

/// Sets a variable of the environment while it lives.
class Variable {
public:
  Variable(const char *name, const std::string &value) : name(name) {
    if (const char *was = std::getenv(name))
      before = was;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before)
      ::setenv(name, before->c_str(), 1);
    else
      ::unsetenv(name);
  }

private:
  const char *name;
  std::optional<std::string> before;
};

} // namespace

/// Returns a kernel that stores the result of a function of its argument.
static std::string callerOf(const std::string &function, const GpuChip &chip) {
  return "declare float @" + function + "(float)\ndefine " +
         (chip.vendor == GpuVendor::nvidia ? "ptx_kernel" : "amdgpu_kernel") +
         " void @k(ptr addrspace(1) %p, float %x) {\n  %y = call float @" +
         function +
         "(float %x)\n  store float %y, ptr addrspace(1) %p\n  ret void\n}\n";
}

static void writeBitcode(const std::filesystem::path &path,
                         const std::string &text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  auto module = llvm::parseAssemblyString(text, error, context);
  ASSERT_TRUE(module) << error.getMessage().str();
  std::error_code code;
  llvm::raw_fd_ostream stream(path.string(), code);
  llvm::WriteBitcodeToFile(*module, stream);
}

static const char *fakeLibdevice = R"(
target triple = "nvptx64-nvidia-gpulibs"
@name = private constant [17 x i8] c"__CUDA_PREC_SQRT\00"
@other = private constant [11 x i8] c"__CUDA_FTZ\00"
declare i32 @__nvvm_reflect(ptr)
define internal float @half(float %x) {
  %y = fmul float %x, 5.000000e-01
  ret float %y
}
define float @__nv_halff(float %x) {
  %y = call float @half(float %x)
  ret float %y
}
define float @__nv_choosef(float %x) {
  %exact = call i32 @__nvvm_reflect(ptr @name)
  %flush = call i32 @__nvvm_reflect(ptr @other)
  %a = sitofp i32 %exact to float
  %b = sitofp i32 %flush to float
  %c = fmul float %a, 3.000000e+00
  %d = fmul float %b, 7.000000e+00
  %e = fadd float %c, %d
  ret float %e
}
define float @__nv_unneededf(float %x) {
  ret float 1.234500e+04
}
)";

static Result<void> linkTo(GpuModule &kernel, const GpuChip &chip,
                           const std::vector<std::string> &files) {
  return linkDeviceLibraries(*kernel.module, *kernel.machine, chip, {files});
}

TEST(DeviceLibraries, AreLinkedAsFarAsNeeded) {
  TemporaryDirectory folder;
  writeBitcode(folder / "libdevice.10.bc", fakeLibdevice);
  const GpuChip &chip = chipNamed("sm_90");
  GpuModule kernel(callerOf("__nv_halff", chip), chip);
  auto linked = linkTo(kernel, chip, {folder / "libdevice.10.bc"});
  ASSERT_TRUE(linked) << linked.error().message;
  std::string text = printLLVM(*kernel.module);
  EXPECT_THAT(text, HasSubstr("define internal float @__nv_halff"));
  EXPECT_THAT(text, Not(HasSubstr("__nv_unneededf")));
  EXPECT_EQ(kernel.module->getFunction("__nv_halff")
                ->getFnAttribute("target-cpu")
                .getValueAsString(),
            "sm_90");
  auto ptx = kernel.emit(llvm::CodeGenFileType::AssemblyFile);
  ASSERT_TRUE(ptx);
  EXPECT_THAT(*ptx, Not(HasSubstr(".func")));
  EXPECT_THAT(*ptx, HasSubstr("mul.rn.f32"));
}

TEST(DeviceLibraries, AreExactAndKeepDenormals) {
  TemporaryDirectory folder;
  writeBitcode(folder / "libdevice.10.bc", fakeLibdevice);
  const GpuChip &chip = chipNamed("sm_90");
  GpuModule kernel(callerOf("__nv_choosef", chip), chip);
  ASSERT_TRUE(linkTo(kernel, chip, {folder / "libdevice.10.bc"}));
  optimize(*kernel.module, *kernel.machine);
  // 1 * 3 + 0 * 7
  EXPECT_THAT(printLLVM(*kernel.module), HasSubstr("float 3.000000e+00"));
}

TEST(DeviceLibraries, AreNotReadWhereNothingIsCalled) {
  for (const char *name : {"sm_90", "gfx942"}) {
    const GpuChip &chip = chipNamed(name);
    GpuModule kernel(axpy(chip), chip);
    EXPECT_TRUE(linkTo(kernel, chip, {"/nonexistent/library.bc"}));
  }
}

TEST(DeviceLibraries, MissingOnesAreNamedWithARemedy) {
  const GpuChip &nvidia = chipNamed("sm_90");
  GpuModule kernel(callerOf("__nv_tanhf", nvidia), nvidia);
  auto linked = linkTo(kernel, nvidia, {});
  ASSERT_FALSE(linked);
  EXPECT_EQ(linked.error().message,
            "the kernel calls __nv_tanhf, which libdevice.10.bc would have: "
            "install CUDA's toolkit, or set CUDA_PATH to it");
  const GpuChip &amd = chipNamed("gfx942");
  GpuModule other(callerOf("__ocml_tanh_f32", amd), amd);
  linked = linkTo(other, amd, {});
  ASSERT_FALSE(linked);
  EXPECT_THAT(linked.error().message,
              HasSubstr("__ocml_tanh_f32, which AMD's device libraries"));
}

TEST(DeviceLibraries, FunctionsThatTheyDoNotHaveAreNamed) {
  TemporaryDirectory folder;
  writeBitcode(folder / "libdevice.10.bc", fakeLibdevice);
  const GpuChip &chip = chipNamed("sm_90");
  GpuModule kernel(callerOf("__nv_oddf", chip), chip);
  auto linked = linkTo(kernel, chip, {folder / "libdevice.10.bc"});
  ASSERT_FALSE(linked);
  EXPECT_EQ(linked.error().message,
            "the kernel calls __nv_oddf, which libdevice.10.bc does not have");
}

TEST(DeviceLibraries, CallsOfTheHostAreErrors) {
  for (const char *name : {"sm_90", "gfx942"}) {
    const GpuChip &chip = chipNamed(name);
    GpuModule kernel(callerOf("malloc", chip), chip);
    auto linked = linkTo(kernel, chip, {});
    ASSERT_FALSE(linked);
    EXPECT_EQ(linked.error().message,
              "the kernel calls functions that no GPU has: malloc");
  }
}

TEST(DeviceLibraries, DynamicSharedMemoryIsTheLaunchs) {
  for (const char *name : {"sm_90", "gfx942"}) {
    const GpuChip &chip = chipNamed(name);
    std::string text = axpy(chip);
    std::string fixed = "internal addrspace(3) global [256 x float] poison";
    text.replace(text.find(fixed), fixed.size(),
                 "external addrspace(3) global [0 x float]");
    GpuModule kernel(text, chip);
    auto linked = linkTo(kernel, chip, {});
    EXPECT_TRUE(linked) << linked.error().message;
  }
}

TEST(DeviceLibraries, DamagedOnesAreErrors) {
  TemporaryDirectory folder;
  writeText(folder / "libdevice.10.bc", "no bitcode");
  const GpuChip &chip = chipNamed("sm_90");
  for (const std::string &path :
       {(folder / "libdevice.10.bc").string(), (folder / "gone.bc").string()}) {
    GpuModule kernel(callerOf("__nv_halff", chip), chip);
    auto linked = linkTo(kernel, chip, {path});
    ASSERT_FALSE(linked);
    EXPECT_THAT(linked.error().message, HasSubstr(path));
  }
}

TEST(DeviceLibraries, OfAmdAreToldTheChip) {
  TemporaryDirectory folder;
  writeBitcode(folder / "ocml.bc", R"(
target triple = "amdgcn-amd-amdhsa"
@__oclc_ISA_version = external addrspace(4) constant i32
@__oclc_daz_opt = external addrspace(4) constant i8
declare float @__ockl_part(float)
define float @__ocml_which_f32(float %x) {
  %v = load i32, ptr addrspace(4) @__oclc_ISA_version
  %d = load i8, ptr addrspace(4) @__oclc_daz_opt
  %w = zext i8 %d to i32
  %s = add i32 %v, %w
  %f = sitofp i32 %s to float
  %g = call float @__ockl_part(float %f)
  ret float %g
}
)");
  writeBitcode(folder / "ockl.bc", "target triple = \"amdgcn-amd-amdhsa\"\n"
                                   "define float @__ockl_part(float %x) {\n"
                                   "  ret float %x\n}\n");
  for (auto [name, version] : {std::pair{"gfx90a", "float 9.010000e+03"},
                               {"gfx942", "float 9.402000e+03"},
                               {"gfx950", "float 9.500000e+03"},
                               {"gfx1100", "float 1.100000e+04"},
                               {"gfx1200", "float 1.200000e+04"},
                               {"gfx1201", "float 1.200100e+04"}}) {
    const GpuChip &chip = chipNamed(name);
    GpuModule kernel(callerOf("__ocml_which_f32", chip), chip);
    Variable path("HIP_DEVICE_LIB_PATH", folder.path().string());
    DeviceLibraries found = DeviceLibraries::find(chip);
    ASSERT_EQ(found.files.size(), 2u);
    auto linked = linkTo(kernel, chip, found.files);
    ASSERT_TRUE(linked) << linked.error().message;
    optimize(*kernel.module, *kernel.machine);
    EXPECT_THAT(printLLVM(*kernel.module), HasSubstr(version));
  }
}

TEST(DeviceLibraries, DescriptionFollowsTheContent) {
  TemporaryDirectory folder;
  writeText(folder / "a.bc", "one");
  DeviceLibraries libraries{{folder / "a.bc"}};
  std::string before = libraries.description();
  EXPECT_THAT(before, testing::StartsWith("a.bc "));
  EXPECT_EQ(libraries.description(), before);
  writeText(folder / "a.bc", "two");
  EXPECT_NE(libraries.description(), before);
  EXPECT_EQ(DeviceLibraries{}.description(), "");
}

TEST(DeviceLibraries, OfNvidiaHaveWhatKernelsCall) {
  const GpuChip &chip = chipNamed("sm_90");
  DeviceLibraries found = DeviceLibraries::find(chip);
  if (found.files.empty())
    GTEST_SKIP() << "libdevice is not installed";
  GpuModule kernel(callerOf("__nv_sqrtf", chip), chip);
  auto linked = linkTo(kernel, chip, found.files);
  ASSERT_TRUE(linked) << linked.error().message;
  auto ptx = kernel.emit(llvm::CodeGenFileType::AssemblyFile);
  ASSERT_TRUE(ptx);
  EXPECT_THAT(*ptx, HasSubstr("sqrt.rn.f32"));
  EXPECT_THAT(*ptx, Not(HasSubstr(".func")));
}
