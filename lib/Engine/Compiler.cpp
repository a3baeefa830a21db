//===- The compiler's messages as JSON ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Engine/Compiler.h"

using namespace tonno;

std::string LocatedError::text() const {
  if (file.empty())
    return message;
  return file + ":" + std::to_string(line) + ":" + std::to_string(column) +
         ": " + message;
}

Trial tonno::makeCompiledTrial(const Configuration &configuration,
                               const Compilation &compilation) {
  Trial trial;
  trial.configuration = configuration;
  trial.status = compilation.status;
  trial.message = compilation.message;
  trial.compileSeconds = compilation.seconds;
  if (compilation.status == Status::ok) {
    trial.artifactHash = compilation.artifact->hash();
    trial.usage = compilation.artifact->usage;
  }
  return trial;
}

Result<Artifact> tonno::compileDefault(Compiler &compiler,
                                       const SearchSpace &space) {
  compiler.submit(space.values(space.defaultConfiguration()));
  Compilation compilation = compiler.next();
  if (!compilation.artifact)
    return Error{"the default configuration does not compile: " +
                 compilation.message};
  return std::move(*compilation.artifact);
}

void tonno::mapFields(JsonFields &fields, CompilerSession &session) {
  fields.binary("module", session.module);
  fields("kernel", session.kernel);
  fields("target", session.target);
  fields("chip", session.chip);
  fields("simulated", session.isSimulated);
  fields.list("sizes", session.sizes);
  fields("compile_seconds", session.compileSeconds);
}

void tonno::mapFields(JsonFields &fields, CompilerDescription &description) {
  fields("triple", description.triple);
  fields("chip", description.chip);
  fields("features", description.features);
  fields("fingerprint", description.fingerprint);
  fields("versions", description.versions);
  fields("remark", description.remark);
  fields("signature", description.signature);
  fields("work", description.work, {});
}

void tonno::mapFields(JsonFields &fields, LocatedError &error) {
  fields("message", error.message);
  fields("file", error.file, {});
  fields("line", error.line, 0);
  fields("column", error.column, 0);
}

void tonno::mapFields(JsonFields &fields, Compilation &compilation) {
  fields("status", compilation.status);
  fields("message", compilation.message);
  fields("seconds", compilation.seconds);
  fields("artifact", compilation.artifact);
}
