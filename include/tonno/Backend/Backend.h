//===- Compilation of kernels to binaries ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BACKEND_BACKEND_H
#define TONNO_BACKEND_BACKEND_H

#include "tonno/Core/Occupancy.h"
#include "tonno/Core/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir {
class Diagnostic;
class DialectRegistry;
class InFlightDiagnostic;
class OpPassManager;
} // namespace mlir

namespace tonno {

/// The machine that code is generated for.
struct Target {
  std::string triple;
  std::string chip;     ///< "znver4", "sm_90"
  std::string features; ///< as LLVM writes them: "+avx2,-avx512f"
};

/// The forms in which a kernel ships: code, and what its callers must know. The
/// values of `--emit`.
enum class Emission {
  obj,     ///< a relocatable object
  so,      ///< a shared object, which the host loads
  llvm,    ///< LLVM IR as text, optimised
  ptx,     ///< NVIDIA's assembly, which its driver compiles
  cubin,   ///< NVIDIA's machine code
  hsaco,   ///< AMD's machine code
  header,  ///< C that declares the entry points and states the buffers
  plan,    ///< the launch plan as JSON
  program, ///< a program built by OpenCL's driver
  options, ///< the build options of that program
};

/// Code in some form.
struct Code {
  std::string bytes;
  /// Resource usage of each GPU kernel, if the code is machine code.
  std::vector<KernelUsage> kernels = {};
};

/// Marks an error as environmental, for example lack of memory or of file
/// descriptors, since a later attempt may succeed. Refusals, which are cached,
/// do not have the mark.
void markAsFromOutside(mlir::InFlightDiagnostic &error);
bool isFromOutside(mlir::Diagnostic &error);

/// Lowers kernels for one target and emits them. Diagnostics are located and
/// go through MLIR's diagnostic engine. Stateless between calls: equal input
/// gives equal bytes.
class Backend {
public:
  virtual ~Backend();

  virtual llvm::StringRef name() const = 0; ///< "host", "nvptx", "amdgpu"
  /// Returns the target recorded in artifacts: the backend's name, or "sim".
  virtual llvm::StringRef artifactTarget() const { return name(); }
  virtual const Target &target() const = 0;

  /// Returns everything outside the kernel and its configuration that
  /// determines the binary: the versions of tonno, LLVM and the schedule, the
  /// target, the linker.
  virtual std::string fingerprint() const = 0;

  /// Returns which tool this machine lacks to compile in full, and the
  /// consequence; an empty string if none is missing.
  virtual std::string remark() const { return {}; }

  /// Checks that some configuration could make this kernel compile; fails, with
  /// the reason, on an unsupported type, a dynamic or zero-sized shape, or a
  /// kernel without result. The lowering reports ops that cannot be lowered.
  virtual mlir::LogicalResult check(mlir::func::FuncOp kernel) const = 0;

  /// Returns true if the target's matrix instructions may form sums of this
  /// kernel, and cut them off toward zero instead of rounding to nearest.
  virtual bool mayTruncateSums(mlir::func::FuncOp kernel) const;

  /// Adds the passes that take a module holding `kernel`, its knobs resolved,
  /// to the LLVM dialect: on the host, with the entry point `void
  /// <kernel>_entry(void **)`; for GPUs, in one `gpu.module` beside a list of
  /// launches.
  virtual void buildPipeline(mlir::OpPassManager &pm,
                             llvm::StringRef kernel) const = 0;

  /// Returns the available forms of code. The first is the form that devices
  /// load and that is measured.
  virtual llvm::ArrayRef<Emission> forms() const = 0;

  /// Emits code in the given form from a module lowered by `buildPipeline`; may
  /// change the module. Linking resets the llvm::cl options of this process, so
  /// tools must read their own options before.
  virtual mlir::FailureOr<Code> emit(mlir::ModuleOp lowered,
                                     Emission form) const = 0;

  /// Returns the resources that code of the first form needs when launched by
  /// this plan, to do this work.
  virtual ResourceUsage usage(const Code &code, const LaunchPlan &plan,
                              const KernelWork &work = {}) const;
};

/// The target and chip to compile for, as users name them.
struct BackendRequest {
  std::string target = "host"; ///< "host", "nvptx", "amdgpu"
  /// A CPU's name as LLVM has it, or "native" for the machine at hand; a GPU's.
  std::string chip = "native";
  bool isSimulated = false; ///< a GPU's code for the `sim` device
};

Result<std::unique_ptr<Backend>> createBackend(const BackendRequest &request);

/// Adds the dialects, interfaces and translations that the backends' passes and
/// emission need.
void registerBackendDialects(mlir::DialectRegistry &registry);

/// Handling of a kernel whose arguments index something, if data that stays in
/// bounds can't be found.
enum class UnknownData {
  ask,   ///< fails, with a question: the kernel is to be run
  ignore ///< the kernel is but compiled
};

/// Handling of dynamic dimensions.
enum class Sizes {
  known, ///< fails: buffers are allocated
  any    ///< they are buffers behind the results, which callers fill
};

/// Computes the buffers and launches of a kernel from its signature: arguments,
/// then results. Derives buffer accesses and the data of index arguments from
/// the kernel's ops, unless attributes state them. Fails, with the reason, on
/// types that have no buffer.
mlir::FailureOr<LaunchPlan> launchPlan(mlir::func::FuncOp kernel,
                                       UnknownData unknown = UnknownData::ask,
                                       Sizes sizes = Sizes::known);

/// Returns the launches that a lowered module lists in `tonno.launches`, with
/// what depends on the sizes if these are given.
std::vector<Launch> readLaunches(mlir::ModuleOp lowered,
                                 const Signature &sizes = {});

} // namespace tonno

#endif // TONNO_BACKEND_BACKEND_H
