//===- The part of XLA's FFI that handlers on the host use ----------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_XLAFFI_H
#define PYTHON_SRC_XLAFFI_H

#include <cstddef>
#include <cstdint>

/// Declares the structs that XLA and a handler exchange, as laid out by
/// version 0 of XLA's FFI. A test compares them with jaxlib's header, so that
/// building the package needs no jaxlib.
namespace tonno::python::xla {

/// The version of the layouts below.
inline constexpr int majorVersion = 0;

struct Extension {
  size_t structSize;
  int type;
  Extension *next;
};
/// The type of the extension by which XLA asks for a handler's metadata.
inline constexpr int metadataExtension = 1;

struct ApiVersion {
  size_t structSize;
  Extension *extensions;
  int major, minor;
};

struct Metadata {
  size_t structSize;
  ApiVersion version;
  uint32_t traits;
};

struct MetadataExtension {
  Extension base;
  Metadata *metadata;
};

struct Error;

struct ErrorArguments {
  size_t structSize;
  Extension *extensions;
  const char *message;
  int code;
};
/// Codes of errors.
inline constexpr int invalidArgument = 3, notFound = 5, resourceExhausted = 8;

struct Api {
  size_t structSize;
  Extension *extensions;
  ApiVersion version;
  const void *internal;
  Error *(*createError)(ErrorArguments *arguments);
};

struct Buffer {
  size_t structSize;
  Extension *extensions;
  int elementType;
  void *data;
  int64_t rank;
  int64_t *shape;
};

/// Arguments or results. Each of `values` is a Buffer if its type is 1.
struct Buffers {
  size_t structSize;
  Extension *extensions;
  int64_t count;
  int *types;
  void **values;
};
inline constexpr int bufferType = 1;

struct Text {
  const char *data;
  size_t size;
};

/// Attributes. Each of `values` is a Text if its type is 4.
struct Attributes {
  size_t structSize;
  Extension *extensions;
  int64_t count;
  int *types;
  Text **names;
  void **values;
};
inline constexpr int textType = 4;

struct CallFrame {
  size_t structSize;
  Extension *extensions;
  const Api *api;
  void *context;
  int stage;
  Buffers arguments;
  Buffers results;
  Attributes attributes;
};
/// The stage in which a handler computes.
inline constexpr int executeStage = 3;

} // namespace tonno::python::xla

#endif // PYTHON_SRC_XLAFFI_H
