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
inline constexpr llvm::StringLiteral kSplit = "split";
inline constexpr llvm::StringLiteral kSoftmax = "softmax";

// Values of `copy`.
inline constexpr llvm::StringLiteral kRegisters = "registers";
inline constexpr llvm::StringLiteral kAsync = "async";

// Value of `softmax`.
inline constexpr llvm::StringLiteral kOnline = "online";

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
  llvm::StringLiteral targets; ///< backends that read the key
  llvm::StringLiteral ops;     ///< ops that may have the key
  llvm::StringLiteral meaning; ///< meaning of the value
  Form form = Form::sizes;
};

/// All keys, used by the verifier and the documentation.
inline constexpr Key kKeys[] = {
    {kWorkgroup, "host, nvptx, amdgpu", "linalg ops",
     "tile that one core or workgroup computes: for caches or shared memory"},
    {kReduction, "host, nvptx, amdgpu", "linalg ops with a reduction",
     "part of the reduction that is computed at a time, within the workgroup's "
     "tile"},
    {kSubgroup, "host, nvptx, amdgpu", "linalg ops",
     "tile that one vector unit or subgroup computes at a time: for registers; "
     "with `wgmma` and `tcgen05`, the tile of four subgroups"},
    {kThread, "nvptx, amdgpu", "linalg ops",
     "tile that one thread computes: for registers; by default an equal share "
     "of the subgroup's tile"},
    {kPack, "host", "linalg ops",
     "1: inputs indexed by the loop are copied into contiguous panels; 0: "
     "inputs are read in place; n > 1, on a reduction loop: n steps of the "
     "loop are contiguous in the copies"},
    {kInterchange, "host", "linalg ops",
     "order of the loops over the workgroup's and the reduction's tiles, "
     "outermost first"},
    {kFuse, "host", "linalg ops on tensors",
     "tile of the op that is computed together with its producers that have "
     "no other users, so that their results stay in the caches"},
    {kStream, "host", "linalg ops whose result is the kernel's",
     "1, on any loop: the result is written by non-temporal stores, for "
     "results "
     "that are read much later; 0: by normal stores"},
    {kThreads, "host", "linalg ops with a parallel loop",
     "one number n instead of tiles: n threads compute equal parts of the "
     "outermost parallel loop that has n iterations; 1, or a missing key: the "
     "calling thread alone",
     Form::number},
    {kInstruction, "nvptx, amdgpu", "contractions on matrix units",
     "matrix instruction, for example \"mfma_32x32x8\"; \"fma\": none",
     Form::text},
    {kStages, "nvptx, amdgpu", "contractions on matrix units",
     "number of tiles of each operand in shared memory: 1 or 2; with "
     "asynchronous copies, 2 to 6",
     Form::number},
    {kCopy, "nvptx", "contractions on matrix units",
     "path of tiles into shared memory: \"registers\", or \"async\" copies "
     "(cp.async) if an operand's rows allow them",
     Form::text},
    {kOrder, "nvptx, amdgpu", "contractions on matrix units",
     "number of rows of workgroups that run together, for the second-level "
     "cache",
     Form::number},
    {kPerUnit, "nvptx, amdgpu", "linalg ops",
     "number of workgroups for which a compute unit must have registers; the "
     "compiler spills if they need more. By default, the compiler does not "
     "limit registers",
     Form::number},
    {kSplit, "nvptx, amdgpu",
     "linalg ops with one reduction, or with several of which one has a tile",
     "number of parts of the reduction, each with workgroups of its own; "
     "another launch combines them",
     Form::number},
    {kSoftmax, "nvptx, amdgpu",
     "contractions on matrix units of which a factor is the softmax of another",
     "\"online\": both contractions and the softmax are one launch, in which "
     "`workgroup` tiles the rows, and `reduction` the keys; without the key, "
     "the scores are in memory",
     Form::text},
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
