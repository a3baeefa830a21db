//===- Objects of single functions ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SeparateObjects.h"

#include "tonno/Core/Hash.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "Host/NarrowFloats.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace tonno;

std::shared_ptr<const std::string> ObjectCache::find(StringRef hash) const {
  std::lock_guard lock(mutex);
  return objects.lookup(hash);
}

void ObjectCache::insert(StringRef hash,
                         std::shared_ptr<const std::string> object) {
  std::lock_guard lock(mutex);
  uint64_t added = hash.size() + object->size();
  if (bytes + added > mostBytes) {
    objects.clear();
    bytes = 0;
  }
  if (objects.try_emplace(hash, std::move(object)).second)
    bytes += added;
}

static bool isSeparate(const Function &function) {
  return function.hasFnAttribute(TonnoDialect::kSeparate);
}

static void collectOperands(const Function &function,
                            SetVector<const Value *> &used);

/// Collects a constant with those that it uses, in bodies of callees, too.
/// Separate functions have a module of their own.
static void collectConstant(const Constant &constant,
                            SetVector<const Value *> &used) {
  if (!used.insert(&constant))
    return;
  auto *function = dyn_cast<Function>(&constant);
  if (function && !isSeparate(*function))
    collectOperands(*function, used);
  else if (!function)
    for (const Use &operand : constant.operands())
      if (auto *other = dyn_cast<Constant>(operand))
        collectConstant(*other, used);
}

/// Collects the constants that the function uses.
static void collectOperands(const Function &function,
                            SetVector<const Value *> &used) {
  for (const BasicBlock &block : function)
    for (const Instruction &instruction : block)
      for (const Use &operand : instruction.operands())
        if (auto *constant = dyn_cast<Constant>(operand))
          collectConstant(*constant, used);
}

/// Returns a module with this function and the local functions and data that it
/// uses.
static std::unique_ptr<Module> cloneFunction(const Function &function) {
  SetVector<const Value *> used;
  collectOperands(function, used);
  ValueToValueMapTy map;
  auto clone =
      CloneModule(*function.getParent(), map, [&](const GlobalValue *value) {
        if (value == &function)
          return true;
        auto *other = dyn_cast<Function>(value);
        return value->hasLocalLinkage() && used.contains(value) &&
               !(other && isSeparate(*other));
      });
  // Else the hash depends on the module's other functions.
  for (GlobalValue &value : make_early_inc_range(clone->global_values()))
    if (value.isDeclaration() && value.use_empty())
      value.eraseFromParent();
  clone->setModuleIdentifier("");
  clone->setSourceFileName("");
  return clone;
}

/// Returns a separate function that uses no other with a body; null if there is
/// none.
static Function *findCallee(Module &module) {
  for (Function &function : module) {
    if (!isSeparate(function) || function.isDeclaration())
      continue;
    SetVector<const Value *> used;
    collectOperands(function, used);
    if (none_of(used, [&](const Value *value) {
          auto *other = dyn_cast<Function>(value);
          return other && isSeparate(*other) && !other->isDeclaration();
        }))
      return &function;
  }
  return nullptr;
}

SeparateModules tonno::separateFunctions(std::unique_ptr<Module> module,
                                         StringRef options) {
  SeparateModules made;
  while (Function *function = findCallee(*module)) {
    std::unique_ptr<Module> clone = cloneFunction(*function);
    Function *own = clone->getFunction(function->getName());
    own->setName("separate");
    own->setLinkage(GlobalValue::ExternalLinkage);
    std::string hash =
        sha256(printLLVM(*clone) + "\n" + options.str()).substr(0, 32);
    std::string name = "tonno." + hash;
    own->setName(name);
    own->setLinkage(GlobalValue::WeakODRLinkage);
    own->setVisibility(GlobalValue::HiddenVisibility);
    own->setComdat(clone->getOrInsertComdat(name));
    if (Function *equal = module->getFunction(name)) {
      function->replaceAllUsesWith(equal);
      function->eraseFromParent();
      continue;
    }
    function->deleteBody(); // it is external from here on
    function->setName(name);
    function->setVisibility(GlobalValue::HiddenVisibility);
    made.functions.push_back({std::move(hash), std::move(clone)});
  }
  made.main = std::move(module);
  return made;
}

Result<SharedObjects> tonno::emitObjects(SeparateModules modules,
                                         TargetMachine &machine,
                                         Unrolling unrolling,
                                         ObjectCache &cache) {
  auto compile = [&](Module &module) -> Result<std::string> {
    optimize(module, machine, unrolling);
    return emitCode(module, machine, CodeGenFileType::ObjectFile);
  };
  SharedObjects objects;
  auto main = TONNO_TRY(compile(*modules.main));
  objects.push_back(std::make_shared<std::string>(std::move(main)));
  for (SeparateModules::Function &function : modules.functions) {
    std::shared_ptr<const std::string> object = cache.find(function.hash);
    if (!object) {
      auto made = TONNO_TRY(compile(*function.module));
      object = std::make_shared<std::string>(std::move(made));
      cache.insert(function.hash, object);
    }
    objects.push_back(std::move(object));
  }
  return objects;
}

Result<std::string> tonno::emitLLVM(SeparateModules modules,
                                    TargetMachine &machine,
                                    Unrolling unrolling) {
  Module &main = *modules.main;
  optimize(main, machine, unrolling);
  for (SeparateModules::Function &function : modules.functions) {
    optimize(*function.module, machine, unrolling);
    if (Linker::linkModules(main, std::move(function.module)))
      return Error{"LLVM cannot link the functions of the kernel"};
  }
  moveBf16AsIntegers(main, machine);
  return printLLVM(main);
}
