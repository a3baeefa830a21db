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

Trial tonno::trialOf(const Configuration &configuration,
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

void tonno::to_json(Json &json, const CompilerSession &session) {
  json = Json{{"module", Json::binary(session.module)},
              {"kernel", session.kernel},
              {"target", session.target},
              {"chip", session.chip},
              {"simulated", session.isSimulated}};
  putOptional(json, "compile_seconds", session.compileSeconds);
}

void tonno::from_json(const Json &json, CompilerSession &session) {
  session.module = json.at("module").get_binary();
  json.at("kernel").get_to(session.kernel);
  json.at("target").get_to(session.target);
  json.at("chip").get_to(session.chip);
  json.at("simulated").get_to(session.isSimulated);
  getOptional(json, "compile_seconds", session.compileSeconds);
}

void tonno::to_json(Json &json, const CompilerDescription &description) {
  json = Json{{"triple", description.triple},
              {"chip", description.chip},
              {"features", description.features},
              {"fingerprint", description.fingerprint},
              {"versions", description.versions},
              {"remark", description.remark},
              {"signature", description.signature}};
}

void tonno::from_json(const Json &json, CompilerDescription &description) {
  json.at("triple").get_to(description.triple);
  json.at("chip").get_to(description.chip);
  json.at("features").get_to(description.features);
  json.at("fingerprint").get_to(description.fingerprint);
  json.at("versions").get_to(description.versions);
  json.at("remark").get_to(description.remark);
  json.at("signature").get_to(description.signature);
}

void tonno::to_json(Json &json, const LocatedError &error) {
  json = Json{{"message", error.message},
              {"file", error.file},
              {"line", error.line},
              {"column", error.column}};
}

void tonno::from_json(const Json &json, LocatedError &error) {
  json.at("message").get_to(error.message);
  json.at("file").get_to(error.file);
  json.at("line").get_to(error.line);
  json.at("column").get_to(error.column);
}

void tonno::to_json(Json &json, const Compilation &compilation) {
  json = Json{{"status", compilation.status},
              {"message", compilation.message},
              {"seconds", compilation.seconds}};
  if (compilation.artifact)
    json["artifact"] = *compilation.artifact;
}

void tonno::from_json(const Json &json, Compilation &compilation) {
  json.at("status").get_to(compilation.status);
  json.at("message").get_to(compilation.message);
  json.at("seconds").get_to(compilation.seconds);
  if (json.contains("artifact"))
    compilation.artifact = json.at("artifact").get<Artifact>();
}
