//===- Throughput of a loop, by llvm-mca's library ------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopThroughput.h"
#include "MachineDescription.h"

#include "llvm/MCA/Context.h"
#include "llvm/MCA/CustomBehaviour.h"
#include "llvm/MCA/HWEventListener.h"
#include "llvm/MCA/InstrBuilder.h"
#include "llvm/MCA/Pipeline.h"
#include "llvm/MCA/SourceMgr.h"
#include "llvm/MCA/Support.h"

#include <algorithm>
#include <array>

using namespace llvm;
using namespace tonno;

/// Iterations of the two simulations: the difference of their cycles is free of
/// the start and the end of the loop.
static constexpr unsigned fewIterations = 100, manyIterations = 200;
/// A loop runs at the bound if it takes at most this many times its cycles.
static constexpr double mostAtBound = 1.05;

namespace {

using Instructions = std::vector<std::unique_ptr<mca::Instruction>>;

/// Counts the cycles in which instructions wait, by the reason.
class WaitCounter : public mca::HWEventListener {
public:
  explicit WaitCounter(size_t size) : waits(size) {}

  using mca::HWEventListener::onEvent;
  void onEvent(const mca::HWPressureEvent &event) override;

  uint64_t resources = 0, registers = 0, memory = 0;
  std::vector<uint64_t> waits; ///< by instruction, for operands
};

/// Least time of an iteration, and the resource that it is of.
struct Bound {
  double cycles = 0;
  std::string ports; ///< empty: dispatch
};

} // namespace

void WaitCounter::onEvent(const mca::HWPressureEvent &event) {
  if (event.Reason == mca::HWPressureEvent::RESOURCES) {
    ++resources;
    return;
  }
  if (event.Reason != mca::HWPressureEvent::REGISTER_DEPS &&
      event.Reason != mca::HWPressureEvent::MEMORY_DEPS)
    return;
  ++(event.Reason == mca::HWPressureEvent::REGISTER_DEPS ? registers : memory);
  for (const mca::InstRef &waiting : event.AffectedInstructions)
    ++waits[waiting.getSourceIndex() % waits.size()];
}

/// Creates the loop's instructions for one simulation, which changes them.
static Result<Instructions>
createInstructions(ArrayRef<MCInst> loop, const MachineDescription &machine,
                   mca::InstrBuilder &builder) {
  Instructions created;
  for (const MCInst &one : loop) {
    auto instruction = builder.createInstruction(one, {});
    if (!instruction) {
      consumeError(instruction.takeError());
      return tonno::Error{"LLVM's model of the CPU lacks " +
                          machine.instructions->getName(one.getOpcode()).str()};
    }
    created.push_back(std::move(*instruction));
  }
  return created;
}

/// Returns the names of a resource's ports: several groups may have the same.
static std::string namePorts(const MCProcResourceDesc &resource,
                             const MCSchedModel &model) {
  if (!resource.SubUnitsIdxBegin)
    return resource.Name;
  std::string names;
  for (unsigned i = 0; i < resource.NumUnits; ++i)
    names +=
        (i ? ", " : "") +
        std::string(model.getProcResource(resource.SubUnitsIdxBegin[i])->Name);
  return names;
}

/// Computes the bound by dispatch and by each resource, as llvm-mca's summary
/// does.
static Bound computeBound(const Instructions &loop, const MCSchedModel &model) {
  SmallVector<uint64_t> masks(model.getNumProcResourceKinds());
  mca::computeProcResourceMasks(model, masks);
  SmallVector<double> used(masks.size());
  double microOps = 0;
  for (const auto &instruction : loop) {
    const mca::InstrDesc &desc = instruction->getDesc();
    microOps += desc.NumMicroOps;
    for (const auto &[mask, usage] : desc.Resources)
      for (size_t i = 1; i < masks.size(); ++i)
        if (masks[i] == mask)
          used[i] += usage.size();
  }
  Bound bound{microOps / model.IssueWidth, {}};
  for (size_t i = 1; i < masks.size(); ++i) {
    const MCProcResourceDesc &resource = *model.getProcResource(i);
    double cycles = used[i] / resource.NumUnits;
    bool isTie = bound.ports.empty() && cycles == bound.cycles;
    if (cycles > bound.cycles || (isTie && cycles > 0))
      bound = {cycles, namePorts(resource, model)};
  }
  return bound;
}

/// Returns the cycles of this many iterations.
static Result<unsigned> simulate(const Instructions &loop, unsigned iterations,
                                 const MachineDescription &machine,
                                 WaitCounter *counter) {
  mca::CircularSourceMgr source(loop, iterations);
  mca::CustomBehaviour behaviour(*machine.subtarget, source,
                                 *machine.instructions);
  mca::Context context(*machine.registers, *machine.subtarget);
  mca::PipelineOptions options(/*UOPQSize=*/0, /*DecThr=*/0, /*DW=*/0,
                               /*RFS=*/0, /*LQS=*/0, /*SQS=*/0,
                               /*NoAlias=*/true,
                               /*ShouldEnableBottleneckAnalysis=*/true);
  const MCSchedModel &model = machine.subtarget->getSchedModel();
  auto pipeline =
      model.isOutOfOrder()
          ? context.createDefaultPipeline(options, source, behaviour)
          : context.createInOrderPipeline(options, source, behaviour);
  if (counter)
    pipeline->addEventListener(counter);
  auto cycles = pipeline->run();
  if (!cycles)
    return tonno::Error{"llvm-mca: " + toString(cycles.takeError())};
  return *cycles;
}

/// Finds the limit of a loop that is slower than its bound.
static LoopLimit findStall(const WaitCounter &counter) {
  uint64_t most =
      std::max({counter.resources, counter.registers, counter.memory});
  if (most == 0)
    return LoopLimit::unknown;
  if (most == counter.registers)
    return LoopLimit::register_chain;
  return most == counter.memory ? LoopLimit::memory_chain : LoopLimit::ports;
}

Result<LoopThroughput> tonno::simulateLoop(ArrayRef<MCInst> loop,
                                           const MachineDescription &machine) {
  const MCSchedModel &model = machine.subtarget->getSchedModel();
  if (!model.hasInstrSchedModel() || !model.hasExtraProcessorInfo())
    return tonno::Error{"LLVM has no scheduling model for " +
                        machine.subtarget->getCPU().str()};
  mca::InstrumentManager instruments(*machine.subtarget, *machine.instructions);
  constexpr unsigned callLatency = 100; // llvm-mca's
  mca::InstrBuilder builder(*machine.subtarget, *machine.instructions,
                            *machine.registers, machine.analysis.get(),
                            instruments, callLatency);
  WaitCounter counter(loop.size());
  auto instructions = TONNO_TRY(createInstructions(loop, machine, builder));
  Bound bound = computeBound(instructions, model);
  unsigned few =
      TONNO_TRY(simulate(instructions, fewIterations, machine, nullptr));
  unsigned many =
      TONNO_TRY(simulate(instructions, manyIterations, machine, &counter));
  LoopThroughput result;
  result.bound = bound.cycles;
  result.cycles = static_cast<double>(many - few) /
                  static_cast<double>(manyIterations - fewIterations);
  if (result.cycles > mostAtBound * bound.cycles)
    result.limit = findStall(counter);
  else
    result.limit = bound.ports.empty() ? LoopLimit::dispatch : LoopLimit::ports;
  if (result.limit == LoopLimit::ports)
    result.ports = bound.ports;
  if (result.limit == LoopLimit::register_chain ||
      result.limit == LoopLimit::memory_chain)
    result.waiting =
        std::ranges::max_element(counter.waits) - counter.waits.begin();
  return result;
}
