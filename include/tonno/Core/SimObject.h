//===- The interface of simulated kernels to sim --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_SIMOBJECT_H
#define TONNO_CORE_SIMOBJECT_H

#include <cstddef>
#include <cstdint>

namespace tonno {

// A simulated kernel is a shared object for the host, made of a GPU's code by
// the backend and run by the `sim` device, one fiber a GPU thread. These
// structures are all that the two sides know of each other; they have the
// layout of C. An entry point is `void symbol(void **pointers)`, called once
// for each thread with the pointers of the launch's buffers.

/// Changes with anything in this file. The device refuses other versions.
inline constexpr uint32_t simVersion = 5;

/// The symbol of the object's SimObject.
inline constexpr const char *simObjectSymbol = "tonno_sim_object";

/// Bytes of the redzone before and behind each SimArea, which the device fills
/// and checks.
inline constexpr uint64_t simRedzoneBytes = 128;

/// Collective operations of threads. Operands and results are 64-bit words;
/// narrower values are zero-extended.
enum class SimCollective : uint32_t {
  // Collectives of all threads of a workgroup.
  barrier,
  barrierCount, ///< () <- (i1): for how many threads it is set
  // Collectives of the lanes of a subgroup.
  sync,
  ballot,    ///< (lanes where it is set, lanes that take part) <- (i1)
  exchange,  ///< (value) <- (value, lane to take it from, what to take
             ///< where there is no such lane)
  firstLane, ///< (value of the first lane that takes part) <- (value)
  reduceAdd, ///< (i32) <- (i32), as the three below
  reduceAnd,
  reduceOr,
  reduceXor,
  reduceSigned,   ///< (minimum, maximum) <- (i32)
  reduceUnsigned, ///< (minimum, maximum) <- (i32)
  multiply, ///< (registers of the sums) <- (SimProduct, registers of the left
            ///< factor, of the right one, of the sums); a word has 32 bits
  multiplyShared ///< (registers that stand for the sums) <- (SimSharedProduct,
                 ///< descriptor of the left factor, of the right one, registers
                 ///< of the sums)
};

/// A matrix instruction, as the first operand of `multiply`.
struct SimProduct {
  uint8_t family;       ///< MatrixFamily
  uint8_t operand, sum; ///< ElementType
  uint8_t m, n, k;
  uint8_t leftRegisters, rightRegisters; ///< of a lane
};
static_assert(sizeof(SimProduct) == sizeof(uint64_t));

/// A matrix instruction that reads its factors from shared memory, as the first
/// operand of `multiplyShared`.
struct SimSharedProduct {
  uint8_t operand, sum; ///< ElementType
  uint8_t columnTiles;  ///< of 8 columns
  uint8_t leftRunsAlongSide, rightRunsAlongSide;
  uint8_t addsToSums; ///< 0: they begin at zero
  uint8_t unused[2];
};
static_assert(sizeof(SimSharedProduct) == sizeof(uint64_t));

/// The interface of the device to the running thread: ids and services.
struct SimRuntime {
  uint32_t threadId[3];
  uint32_t blockId[3];
  uint32_t blockSize[3];
  uint32_t gridSize[3]; ///< in workgroups
  uint32_t lane;
  uint32_t subgroup;
  /// Implicit arguments of AMD's kernels, in the layout of code object version
  /// 5.
  alignas(8) uint8_t implicitArguments[256];
  alignas(8) uint8_t dispatchPacket[64];
  /// Waits until all that take part are there, and does it. `lanes` are those
  /// of the subgroup, a bit each; lanes that don't exist or have ended take no
  /// part. Only threads with the same `where` (the address counts; a name for
  /// messages) meet. Operands and results live on the caller's stack.
  void (*meet)(SimRuntime *runtime, const char *where, SimCollective kind,
               uint64_t lanes, const uint64_t *operands, uint64_t *results);
  /// Size in bytes of each pointer argument's buffer.
  const uint64_t *bufferBytes;
  /// Called before an access by way of such a pointer that is not within its
  /// buffer. `offset` is from the pointer on.
  void (*stray)(SimRuntime *runtime, uint32_t pointer, int64_t offset,
                uint64_t bytes, uint32_t isWrite);
  /// Begins to copy `read` bytes, and zeros up to `bytes`, into shared memory:
  /// at once, later, or when the thread waits for it, as the device likes.
  void (*copyAsync)(SimRuntime *runtime, void *to, const void *from,
                    uint32_t bytes, uint32_t read);
  /// Makes a group of the thread's copies since the last one.
  void (*commitCopies)(SimRuntime *runtime);
  /// Waits until at most `groups` of the thread's newest groups are in flight.
  void (*awaitCopies)(SimRuntime *runtime, uint32_t groups);

  // For instructions that read shared memory beside the threads.

  /// Called after a store to shared memory.
  void (*wroteShared)(SimRuntime *runtime, const void *to, uint64_t bytes);
  /// Makes visible to those instructions what the thread has written.
  void (*publish)(SimRuntime *runtime);
  /// Lets `multiplyShared` use registers that the thread has written.
  void (*fenceProducts)(SimRuntime *runtime);
  /// As for copies.
  void (*commitProducts)(SimRuntime *runtime);
  void (*awaitProducts)(SimRuntime *runtime, uint32_t groups);
  /// Replaces registers that stand for sums by the sums; by NaN if the thread
  /// has not waited for them. Leaves others as they are.
  void (*readSums)(SimRuntime *runtime, uint32_t *registers, uint32_t count);

  // NVIDIA's barriers in shared memory (mbarrier).

  void (*initializeBarrier)(SimRuntime *runtime, const void *barrier,
                            uint32_t count);
  /// Lets instructions beside the threads arrive at what the thread
  /// initialized.
  void (*fenceBarriers)(SimRuntime *runtime);
  /// Waits until the phase of this parity has passed.
  void (*awaitBarrier)(SimRuntime *runtime, const void *barrier,
                       uint32_t parity);

  // NVIDIA's tensor memory (tcgen05). Addresses have the lane in the upper half
  // and the column in the lower one.

  void (*allocateTensor)(SimRuntime *runtime, uint32_t *address,
                         uint32_t columns);
  void (*releaseTensor)(SimRuntime *runtime, uint32_t address,
                        uint32_t columns);
  /// Multiplies factors in shared memory; operands as llvm.nvvm.tcgen05.mma has
  /// them.
  void (*multiplyTensor)(SimRuntime *runtime, uint32_t sums, uint64_t left,
                         uint64_t right, uint32_t instruction,
                         uint32_t addsToSums, uint32_t kind);
  /// Lets what was issued before arrive at the barrier once it is done.
  void (*commitTensor)(SimRuntime *runtime, const void *barrier);
  /// A fence behind a wait, or before the threads meet.
  void (*fenceTensor)(SimRuntime *runtime, uint32_t isBehind);
  /// Loads columns of the thread's lane into registers that stand for them
  /// until `awaitLoads`; `readSums` replaces them.
  void (*loadTensor)(SimRuntime *runtime, uint32_t address, uint32_t *registers,
                     uint32_t count);
  void (*awaitLoads)(SimRuntime *runtime);
};

/// Memory of a workgroup.
struct SimArea {
  uint8_t *start;
  uint64_t bytes;
};

/// The table that the object exports to the device.
struct SimObject {
  uint32_t version;
  uint32_t subgroupSize;
  uint32_t readsAsync; ///< 1: instructions read shared memory beside threads
  uint32_t unused;
  SimRuntime *runtime; ///< set by the device before it calls
  const SimArea *areas;
  uint64_t areaCount;
  /// A launch's dynamic shared memory, with the largest size that it may
  /// request.
  SimArea dynamic;
};

} // namespace tonno

#endif // TONNO_CORE_SIMOBJECT_H
