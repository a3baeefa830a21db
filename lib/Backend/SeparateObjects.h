//===- Objects of single functions ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_SEPARATEOBJECTS_H
#define TONNO_LIB_BACKEND_SEPARATEOBJECTS_H

#include "tonno/Core/Result.h"
#include "LLVMEmission.h"

#include "llvm/ADT/StringMap.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tonno {

/// Keeps objects by the hash of what they were compiled from. Any thread may
/// call it.
class ObjectCache {
public:
  /// `mostBytes`: of objects and keys; beyond, all are dropped.
  explicit ObjectCache(uint64_t mostBytes = uint64_t(256) << 20)
      : mostBytes(mostBytes) {}

  /// Returns the object of this hash; null if it is not kept.
  std::shared_ptr<const std::string> find(llvm::StringRef hash) const;
  void insert(llvm::StringRef hash, std::shared_ptr<const std::string> object);

private:
  mutable std::mutex mutex;
  llvm::StringMap<std::shared_ptr<const std::string>> objects;
  uint64_t bytes = 0;
  const uint64_t mostBytes;
};

/// Modules whose code is that of one.
struct SeparateModules {
  /// A function's module, under the hash of its IR and the options that its
  /// code depends on.
  struct Function {
    std::string hash;
    std::unique_ptr<llvm::Module> module;
  };
  std::unique_ptr<llvm::Module> main;
  std::vector<Function> functions; ///< equal ones once
};

/// Moves each function with the attribute `tonno-separate`, and the local
/// functions and data that it uses, into a module of its own:
///
///   define internal void @f.loop(ptr %a) "tonno-separate" { ... }
///   call void @f.loop(ptr %a)
///
/// becomes, in its own module and in the main one,
///
///   define weak_odr hidden void @tonno.<hash>(ptr %a) comdat { ... }
///   call void @tonno.<hash>(ptr %a)
///
/// The name states the code, so linkers may merge functions of several objects.
/// `options` are those of code generation, as text.
SeparateModules separateFunctions(std::unique_ptr<llvm::Module> module,
                                  llvm::StringRef options);

using SharedObjects = std::vector<std::shared_ptr<const std::string>>;

/// Compiles such modules to objects, the main one first. Takes those of
/// functions from `cache`, and inserts the others.
Result<SharedObjects> emitObjects(SeparateModules modules,
                                  llvm::TargetMachine &machine,
                                  Unrolling unrolling, ObjectCache &cache);

/// Prints such modules as one, optimised as their objects are.
Result<std::string> emitLLVM(SeparateModules modules,
                             llvm::TargetMachine &machine, Unrolling unrolling);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_SEPARATEOBJECTS_H
