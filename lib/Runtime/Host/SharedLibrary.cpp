//===- Shared libraries of candidates -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SharedLibrary.h"
#include "Confinement.h"

using namespace tonno;

Result<std::unique_ptr<SharedLibrary>, Failure>
SharedLibrary::load(std::span<const uint8_t> binary) {
  size_t threadsBefore = countThreads();
  Confinement confinement(Confinement::Phase::loading); // it has constructors
  auto object = TONNO_TRY(SharedObject::load(binary));
  std::unique_ptr<SharedLibrary> loaded(
      new SharedLibrary(std::move(object), threadsBefore));
  if (auto kept = confinement.check(); !kept)
    return Failure{Status::load_error, kept.error().message};
  return loaded;
}

SharedLibrary::~SharedLibrary() {
  if (countThreads() > threadsBefore) {
    object->keepLoaded();
    return;
  }
  Confinement confinement(Confinement::Phase::running); // it has destructors
  object.reset();
}
