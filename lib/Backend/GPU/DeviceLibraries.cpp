//===- The vendors' mathematics -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceLibraries.h"
#include "LLVMEmission.h"

#include "tonno/Core/File.h"
#include "tonno/Core/Hash.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include <filesystem>

using namespace llvm;
using namespace tonno;
namespace fs = std::filesystem;

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

static std::vector<fs::path> rocmFolders() {
  if (const char *folder = std::getenv("HIP_DEVICE_LIB_PATH");
      folder && *folder)
    return {folder};
  if (const char *root = std::getenv("ROCM_PATH"); root && *root)
    return {fs::path(root) / "amdgcn/bitcode"};
  // AMD's own, and Debian's.
  return {"/opt/rocm/amdgcn/bitcode",
          "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"};
}

DeviceLibraries DeviceLibraries::find(const GpuChip &chip) {
  if (chip.vendor == GpuVendor::nvidia) {
    auto found = findLibdevice(CudaSearch::fromEnvironment());
    return found ? DeviceLibraries{{*found}} : DeviceLibraries{};
  }
  std::error_code ignored;
  for (const fs::path &folder : rocmFolders())
    // ocml calls ockl.
    if (fs::is_regular_file(folder / "ocml.bc", ignored) &&
        fs::is_regular_file(folder / "ockl.bc", ignored))
      return {{folder / "ocml.bc", folder / "ockl.bc"}};
  return {};
}

std::string DeviceLibraries::description() const {
  std::string text;
  for (const std::string &file : files) {
    Result<std::string> bytes = readFile(file);
    text += (text.empty() ? "" : ", ") + fs::path(file).filename().string() +
            " " + (bytes ? sha256(*bytes).substr(0, 16) : "unreadable");
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Linking them
//===----------------------------------------------------------------------===//

/// Returns true for variables in shared memory; one without a definition is the
/// dynamic shared memory of the launch.
static bool isShared(const GlobalValue &value) {
  return value.getAddressSpace() == 3 && isa<GlobalVariable>(value);
}

/// Returns the undefined symbols of a module, sorted.
static std::vector<std::string> undefined(const llvm::Module &module) {
  std::vector<std::string> names;
  for (const GlobalValue &value : module.global_values())
    if (value.isDeclaration() && !value.use_empty() && !isShared(value) &&
        !value.getName().starts_with("llvm."))
      names.push_back(value.getName().str());
  llvm::sort(names);
  return names;
}

static bool isDeviceLibraryFunction(StringRef name) {
  return name.starts_with("__nv_") || name.starts_with("__ocml_") ||
         name.starts_with("__ockl_");
}

/// Returns true for functions without a definition that need no library: LLVM
/// replaces the first, the driver provides the others.
static bool isBuiltIn(StringRef name) {
  return name == "__nvvm_reflect" || name == "vprintf" ||
         name == "__assertfail";
}

static Result<void> linkFile(llvm::Module &module, const std::string &path) {
  Result<std::string> bytes = readFile(path);
  if (!bytes)
    return bytes.error();
  auto library = getOwningLazyBitcodeModule(
      MemoryBuffer::getMemBufferCopy(*bytes, path), module.getContext());
  if (!library)
    return tonno::Error{path + ": " + toString(library.takeError())};
  // The libraries have no data layout, or an older LLVM's; LLVM warns if
  // layouts differ.
  (*library)->setDataLayout(module.getDataLayout());
  (*library)->setTargetTriple(module.getTargetTriple());
  bool failed = Linker::linkModules(
      module, std::move(*library), Linker::LinkOnlyNeeded,
      [](llvm::Module &linked, const StringSet<> &names) {
        internalizeModule(linked, [&](const GlobalValue &value) {
          return !value.hasName() || !names.contains(value.getName());
        });
      });
  if (failed)
    return tonno::Error{path + " cannot be linked to the kernel"};
  return {};
}

/// Returns the number of a chip in AMD's libraries: 9010 for gfx90a.
static uint64_t isaVersion(StringRef chip) {
  unsigned stepping = 0, minor = 0, major = 0;
  chip.take_back(1).getAsInteger(16, stepping);
  chip.drop_back(1).take_back(1).getAsInteger(16, minor);
  chip.drop_back(2).drop_front(StringRef("gfx").size()).getAsInteger(10, major);
  return major * 1000 + minor * 100 + stepping;
}

/// Defines what AMD's libraries leave open: nothing unsafe, all denormals.
static void setControls(llvm::Module &module, const GpuChip &chip) {
  const std::pair<const char *, uint64_t> controls[] = {
      {"__oclc_unsafe_math_opt", 0},
      {"__oclc_daz_opt", 0},
      {"__oclc_finite_only_opt", 0},
      {"__oclc_correctly_rounded_sqrt32", 1},
      {"__oclc_wavefrontsize64", chip.subgroupSize == 64},
      {"__oclc_ISA_version", isaVersion(chip.name)},
      {"__oclc_ABI_version", 500},
  };
  for (auto [name, value] : controls)
    if (GlobalVariable *control = module.getNamedGlobal(name);
        control && control->isDeclaration()) {
      control->setInitializer(ConstantInt::get(control->getValueType(), value));
      control->setConstant(true);
      control->setLinkage(GlobalValue::InternalLinkage);
    }
}

/// Makes square roots exact. LLVM itself answers libdevice's other reflection
/// queries: for the chip, and with denormals preserved.
static void answerReflection(llvm::Module &module) {
  llvm::Function *reflect = module.getFunction("__nvvm_reflect");
  if (!reflect)
    return;
  for (User *user : llvm::make_early_inc_range(reflect->users())) {
    auto *call = dyn_cast<CallInst>(user);
    auto *name =
        call ? dyn_cast<GlobalVariable>(call->getArgOperand(0)) : nullptr;
    auto *text = name && name->hasInitializer()
                     ? dyn_cast<ConstantDataArray>(name->getInitializer())
                     : nullptr;
    if (!text || !text->isCString() ||
        text->getAsCString() != "__CUDA_PREC_SQRT")
      continue;
    call->replaceAllUsesWith(ConstantInt::get(call->getType(), 1));
    call->eraseFromParent();
  }
}

static std::string remedy(const GpuChip &chip,
                          const DeviceLibraries &libraries) {
  if (!libraries.files.empty())
    return ", which " + fs::path(libraries.files.front()).filename().string() +
           " does not have";
  if (chip.vendor == GpuVendor::nvidia)
    return ", which libdevice.10.bc would have: install CUDA's toolkit, or set "
           "CUDA_PATH to it";
  return ", which AMD's device libraries (ocml.bc) would have: install "
         "rocm-device-libs, or set ROCM_PATH";
}

static Result<void> checkDefined(const llvm::Module &module,
                                 const GpuChip &chip,
                                 const DeviceLibraries &libraries) {
  std::vector<std::string> ofLibraries, others;
  for (const std::string &name : undefined(module))
    if (isDeviceLibraryFunction(name))
      ofLibraries.push_back(name);
    else if (!isBuiltIn(name))
      others.push_back(name);
  if (!ofLibraries.empty())
    return tonno::Error{"the kernel calls " + llvm::join(ofLibraries, ", ") +
                        remedy(chip, libraries)};
  if (!others.empty())
    return tonno::Error{"the kernel calls functions that no GPU has: " +
                        llvm::join(others, ", ")};
  return {};
}

Result<void> tonno::linkDeviceLibraries(llvm::Module &module,
                                        TargetMachine &machine,
                                        const GpuChip &chip,
                                        const DeviceLibraries &libraries) {
  bool linked = false;
  for (const std::string &file : libraries.files)
    if (llvm::any_of(undefined(module), isDeviceLibraryFunction)) {
      TONNO_TRY(linkFile(module, file));
      linked = true;
    }
  if (linked) {
    setControls(module, chip);
    answerReflection(module);
    setTarget(module, machine);
  }
  return checkDefined(module, chip, libraries);
}
