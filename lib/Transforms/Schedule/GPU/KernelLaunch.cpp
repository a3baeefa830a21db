//===- A GPU kernel under construction ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelLaunch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tonno;

static gpu::LaunchOp createLaunch(OpBuilder &builder, Location loc,
                                  int64_t workgroups, int64_t threads) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value one = constant(1);
  auto launch = gpu::LaunchOp::create(builder, loc, constant(workgroups), one,
                                      one, constant(threads), one, one);
  builder.setInsertionPointToStart(&launch.getBody().front());
  gpu::TerminatorOp::create(builder, loc);
  builder.setInsertionPointToStart(&launch.getBody().front());
  return launch;
}

KernelLaunch::KernelLaunch(OpBuilder &builder, Location loc, int64_t workgroups,
                           int64_t threads)
    : launch(createLaunch(builder, loc, workgroups, threads)),
      code(builder, loc), workgroup(launch.getBlockIds().x),
      thread(launch.getThreadIds().x) {}

Value KernelLaunch::addShared(ArrayRef<int64_t> shape, Type element) {
  auto space = gpu::AddressSpaceAttr::get(launch.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type =
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space);
  bytes += type.getNumElements() * bytesOf(element);
  return launch.addWorkgroupAttribution(type, launch.getLoc());
}
