//===- Plugins for dialects and passes ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PluginOptions.h"

#include "tonno/Tuner/Plugins.h"

using namespace tonno;
namespace cl = llvm::cl;

PluginOptions::PluginOptions(cl::OptionCategory &category,
                             cl::SubCommand &command)
    : dialectFiles("load-dialect-plugin",
                   cl::desc("Load dialects from a plugin, here and in workers"),
                   cl::value_desc("file"), cl::sub(command), cl::cat(category)),
      passFiles("load-pass-plugin",
                cl::desc("Load passes from a plugin, here and in workers"),
                cl::value_desc("file"), cl::sub(command), cl::cat(category)) {}

Result<void> PluginOptions::load(mlir::DialectRegistry &registry) const {
  registerPipelinePasses();
  for (const std::string &file : dialectFiles)
    if (auto loaded = loadDialectPlugin(file, registry); !loaded)
      return loaded;
  for (const std::string &file : passFiles)
    if (auto loaded = loadPassPlugin(file); !loaded)
      return loaded;
  return {};
}
