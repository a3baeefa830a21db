//===- Lowering configurations of ops -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attribute `tonno.lowering_config`: its keys, checked and read.
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_DIALECT_LOWERINGCONFIG_H
#define TONNO_DIALECT_LOWERINGCONFIG_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <cstdint>
#include <optional>

namespace tonno {

namespace lowering_config {
inline constexpr llvm::StringLiteral kWorkgroup = "workgroup";
inline constexpr llvm::StringLiteral kSubgroup = "subgroup";
inline constexpr llvm::StringLiteral kReduction = "reduction";
inline constexpr llvm::StringLiteral kThread = "thread";
inline constexpr llvm::StringLiteral kPack = "pack";
inline constexpr llvm::StringLiteral kInterchange = "interchange";
inline constexpr llvm::StringLiteral kFuse = "fuse";
inline constexpr llvm::StringLiteral kStream = "stream";
inline constexpr llvm::StringLiteral kThreads = "threads";
inline constexpr llvm::StringLiteral kInstruction = "instruction";
inline constexpr llvm::StringLiteral kStages = "stages";
inline constexpr llvm::StringLiteral kOrder = "order";
inline constexpr llvm::StringLiteral kCopy = "copy";
inline constexpr llvm::StringLiteral kPerUnit = "per_unit";

// Values of `copy`.
inline constexpr llvm::StringLiteral kRegisters = "registers";
inline constexpr llvm::StringLiteral kAsync = "async";

/// Upper bound of `threads`, beyond the cores of any machine.
inline constexpr int64_t kMostThreads = 1024;

/// The kind of value that a key takes.
enum class Form {
  sizes,  ///< an array with a number, most often a tile size, for each loop
  number, ///< one number from 1 to kMostThreads
  text
};

/// A key of `tonno.lowering_config`.
struct Key {
  llvm::StringLiteral name;
  llvm::StringLiteral targets; ///< whose schedules read it
  llvm::StringLiteral ops;     ///< that may have it
  llvm::StringLiteral meaning; ///< what the tile is
  Form form = Form::sizes;
};

/// All keys, used by the verifier and the documentation.
inline constexpr Key kKeys[] = {
    {kWorkgroup, "host, nvptx, amdgpu", "linalg ops",
     "what one core or workgroup computes: for caches, shared memory"},
    {kReduction, "host, nvptx, amdgpu", "linalg ops with a reduction",
     "what is summed up at a time, within the workgroup's tile"},
    {kSubgroup, "host, nvptx, amdgpu", "linalg ops",
     "what one vector unit or subgroup computes at a time: for registers"},
    {kThread, "nvptx, amdgpu", "linalg ops",
     "what one thread computes: for registers; by default an equal share of "
     "the subgroup's tile"},
    {kPack, "host", "linalg ops",
     "1: inputs that run along the loop are copied into panels, in which lies "
     "together what is computed together; 0: they are read where they are; "
     "more, of a loop that is summed up: in what is copied, so many of its "
     "steps lie side by side"},
    {kInterchange, "host", "linalg ops",
     "the loops over the workgroup's tiles and over the reduction's, outermost "
     "first"},
    {kFuse, "host", "linalg ops on tensors",
     "what is computed at a time of the op and of all that only it uses, so "
     "that the latter stays in the caches"},
    {kStream, "host", "linalg ops whose result is the kernel's",
     "1, at whichever loop: what is written goes past the caches, for what is "
     "read much later; 0: into them"},
    {kThreads, "host", "linalg ops with a parallel loop",
     "no tile, but one number: the threads that share the outermost parallel "
     "loop of so many iterations, an equal part of it each; 1, or no such key: "
     "none but the caller's",
     Form::number},
    {kInstruction, "nvptx, amdgpu", "contractions on matrix units",
     "the matrix instruction, for example \"mfma_32x32x8\"; \"fma\": none",
     Form::text},
    {kStages, "nvptx, amdgpu", "contractions on matrix units",
     "tiles of each operand that are in shared memory at a time: 1 or 2; with "
     "asynchronous copies, 2 to 6",
     Form::number},
    {kCopy, "nvptx", "contractions on matrix units",
     "how tiles come into shared memory: by \"registers\", or as \"async\" "
     "copies where an operand's rows allow it (cp.async)",
     Form::text},
    {kOrder, "nvptx, amdgpu", "contractions on matrix units",
     "rows of workgroups that run together, for the second-level cache",
     Form::number},
    {kPerUnit, "nvptx, amdgpu", "linalg ops",
     "workgroups for which a compute unit must have registers; the compiler "
     "spills if they need more. By default, it uses as many registers as it "
     "likes",
     Form::number},
};

/// Finds a key by its name; null if there is none.
const Key *findKey(llvm::StringRef name);
} // namespace lowering_config

/// Returns true if the function has a schedule or a pipeline of its own.
bool hasOwnLowering(mlir::Operation *function);

/// Returns the op's `tonno.lowering_config`; null if it has none.
mlir::DictionaryAttr getLoweringConfig(mlir::Operation *op);

/// Gives the op a `tonno.lowering_config` of these entries.
void setLoweringConfig(mlir::Operation *op, const mlir::NamedAttrList &entries);

/// Checks the form of the op's `tonno.lowering_config`, whose value is `value`.
mlir::LogicalResult verifyLoweringConfig(mlir::Operation *op,
                                         mlir::Attribute value);

/// Returns the tile sizes under `key`, if any; fails at an unresolved knob.
mlir::FailureOr<std::optional<llvm::SmallVector<int64_t>>>
getTileSizes(mlir::Operation *op, llvm::StringRef key);

/// Returns the number under a key, or `standard` if the op has none. Fails at
/// an unresolved knob.
mlir::FailureOr<int64_t> getConfigured(mlir::Operation *op, llvm::StringRef key,
                                       int64_t standard);

/// Returns the text under a key, empty if the op has none. Fails at an
/// unresolved knob.
mlir::FailureOr<llvm::StringRef> getConfiguredText(mlir::Operation *op,
                                                   llvm::StringRef key);

} // namespace tonno

#endif // TONNO_DIALECT_LOWERINGCONFIG_H
