//===- Shared memory as seen beside simulated threads ---------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_SIMULATION_SIMPUBLISHEDMEMORY_H
#define TONNO_LIB_RUNTIME_SIMULATION_SIMPUBLISHEDMEMORY_H

#include "tonno/Core/MatrixDescriptor.h"
#include "tonno/Core/SimObject.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tonno {

/// Shared memory as the asynchronous proxy sees it ("PTX ISA", section "Async
/// Proxy"): what threads write gets there by their fences only.
class SimPublishedMemory {
public:
  SimPublishedMemory(std::span<const SimArea> areas, size_t threads);

  /// Forgets all, for another workgroup: all is NaN.
  void clear();

  void wrote(uint32_t thread, const void *to, uint64_t bytes);
  /// Publishes all that the thread has written.
  void publish(uint32_t thread);

  /// Bytes in both views.
  struct Place {
    const uint8_t *actual, *published;
  };
  /// Finds bytes by their address in shared memory, of which the lowest 18 bits
  /// are given. Nothing if they are not in one area.
  std::optional<Place> find(uint64_t address, uint64_t bytes) const;

  /// Formats a place in shared memory for messages: "byte 16".
  std::string describe(const void *address) const;

private:
  struct View {
    SimArea area;
    std::vector<uint8_t> published;
  };
  std::vector<View> views;
  using Written = std::vector<std::pair<const uint8_t *, uint64_t>>;
  std::vector<Written> unpublished; ///< by thread
};

/// Bytes that were read of shared memory, in pieces of 16.
class SimReading {
public:
  void add(const uint8_t *actual);
  /// Checks that the memory has not changed since; true at the second call.
  bool isUnchanged();

private:
  struct Piece {
    const uint8_t *actual;
    uint8_t bytes[MatrixDescriptor::chunkBytes];
  };
  std::vector<Piece> pieces;
};

/// A factor that a descriptor describes: `side` x 32 bytes of k, from `first`
/// on along the side.
struct SimFactor {
  const char *name;
  MatrixDescriptor descriptor;
  uint32_t first, side, depth;
  ElementType type;
  std::vector<double> elements =
      {}; ///< of a side's depth, one behind the other

  /// Reads the published elements. Returns what is wrong; empty for nothing.
  std::string read(const SimPublishedMemory &memory, SimReading &reading);
  const double *row(uint32_t number) const {
    return &elements[size_t(number) * depth];
  }
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_SIMULATION_SIMPUBLISHEDMEMORY_H
