//===- Time bounds of default configurations ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles the default configuration of kernels for GPUs, and prints for each
// the share of the chip's peak that its machine code can reach, what limits it,
// and its use of registers. No GPU is needed.
//
//   tonno-benchmark-gpu-bounds [--chips=sm_80,gfx942] [--size=4096]
//       [--groups=products,shapes,memory] [--models] [--least=0.75]
//       [--save=FOLDER] [FILE...]
//
// The groups are kernels of this program; files have others. With --models the
// functions of files are models: their kernels are rows, and their share is the
// geometric mean of the kernels' shares, weighted by time. With --least it
// fails if a product, or a file's kernel or model, has a lower bound. --save
// writes the code objects for AMD, and what was counted in their main loops,
// for compare_with_mca.py.

#include "tonno/Backend/Compile.h"
#include "tonno/Core/MatrixInstruction.h"
#include "tonno/Core/Occupancy.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/ApplyConfiguration.h"
#include "tonno/Transforms/DefaultSchedule.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/ModelKernels.h"
#include "GPU/CodeObject.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <cmath>
#include <cstdio>
#include <map>

using namespace tonno;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {

/// A kernel, as MLIR.
struct Source {
  std::string group, name, text;
};

/// A matrix product, plain or with bias and GELU.
struct Product {
  std::string operand, sum;
  int64_t m, n, k;
  bool isTransposed = false; ///< the right operand
  bool isFused = false;

  std::string text() const;
};

} // namespace

static std::string replaceEach(
    std::string text,
    std::initializer_list<std::pair<llvm::StringRef, std::string>> values) {
  for (const auto &[name, value] : values)
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos;
         at += value.size())
      text.replace(at, name.size(), value);
  return text;
}

std::string Product::text() const {
  std::string result = isFused ? operand : sum;
  std::string text = R"(
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
func.func @product(%a: tensor<$MODEx$KEYx$OPERAND>, %b: tensor<$RIGHTx$OPERAND>,
                   %bias: tensor<$NUMxf32>) -> tensor<$MODEx$NUMx$RESULT> {
  %zero = arith.constant $ZERO : $SUM
  %empty = tensor.empty() : tensor<$MODEx$NUMx$SUM>
  %init = linalg.fill ins(%zero : $SUM) outs(%empty : tensor<$MODEx$NUMx$SUM>)
      -> tensor<$MODEx$NUMx$SUM>
  %r = linalg.matmul $MAPS
      ins(%a, %b : tensor<$MODEx$KEYx$OPERAND>, tensor<$RIGHTx$OPERAND>)
      outs(%init : tensor<$MODEx$NUMx$SUM>) -> tensor<$MODEx$NUMx$SUM>
)";
  if (isFused)
    text += R"(
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 0.70710678 : f32
  %to = tensor.empty() : tensor<$MODEx$NUMx$RESULT>
  %g = linalg.generic {indexing_maps = [#all, #row, #all],
      iterator_types = ["parallel", "parallel"]}
      ins(%r, %bias : tensor<$MODEx$NUMx$SUM>, tensor<$NUMxf32>)
      outs(%to : tensor<$MODEx$NUMx$RESULT>) {
  ^bb0(%x: f32, %y: f32, %o: $RESULT):
    %s = arith.addf %x, %y : f32
    %t = arith.mulf %s, %root : f32
    %e = math.erf %t : f32
    %u = arith.addf %e, %one : f32
    %h = arith.mulf %s, %half : f32
    %v = arith.mulf %h, %u : f32
    %w = arith.truncf %v : f32 to $RESULT
    linalg.yield %w : $RESULT
  } -> tensor<$MODEx$NUMx$RESULT>
  return %g : tensor<$MODEx$NUMx$RESULT>
}
)";
  else
    text += "  return %r : tensor<$MODEx$NUMx$RESULT>\n}\n";
  std::string mode = std::to_string(m), num = std::to_string(n),
              key = std::to_string(k);
  return replaceEach(
      text,
      {{"$RIGHT", isTransposed ? num + "x" + key : key + "x" + num},
       {"$MAPS", isTransposed ? "indexing_maps = [#lhs, #rhs, #out]" : ""},
       {"$ZERO", sum == "i32" ? "0" : "0.0"},
       {"$OPERAND", operand},
       {"$RESULT", result},
       {"$SUM", sum},
       {"$MODE", mode},
       {"$NUM", num},
       {"$KEY", key}});
}

static std::vector<Source> makeProducts(int64_t size, const GpuChip &chip) {
  std::vector<Source> sources;
  auto add = [&](std::string name, Product product) {
    sources.push_back({"products", std::move(name), product.text()});
  };
  add("f16", {"f16", "f32", size, size, size});
  add("f16, B transposed", {"f16", "f32", size, size, size, true});
  add("f16 + bias + gelu", {"f16", "f32", size, size, size, false, true});
  add("bf16", {"bf16", "f32", size, size, size});
  add("i8", {"i8", "i32", size, size, size});
  for (auto [type, name] : {std::pair(ElementType::f8E4M3FN, "f8E4M3FN"),
                            {ElementType::f8E4M3FNUZ, "f8E4M3FNUZ"}})
    if (!matrixInstructions(chip, type, ElementType::f32).empty())
      add("f8, B transposed", {name, "f32", size, size, size, true});
  add("f32", {"f32", "f32", size, size, size});
  return sources;
}

/// Returns layers of language models: with many tokens, with one to 64, and one
/// with few results.
static std::vector<Source> makeShapes() {
  std::vector<Source> sources;
  auto add = [&](int64_t m, int64_t n, int64_t k) {
    sources.push_back(
        {"shapes",
         std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k),
         Product{"f16", "f32", m, n, k}.text()});
  };
  add(4096, 6144, 4096);
  add(4096, 4096, 4096);
  add(4096, 28672, 4096);
  add(4096, 4096, 14336);
  add(4096, 128256, 4096);
  for (int64_t m : {1, 16, 64})
    add(m, 4096, 4096);
  add(256, 256, 65536); // a gradient of weights
  return sources;
}

static std::string readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    std::fprintf(stderr, "error: %s: %s\n", path.c_str(),
                 buffer.getError().message().c_str());
    std::exit(2);
  }
  return (*buffer)->getBuffer().str();
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {

struct Options {
  std::vector<std::string> chips = {"sm_80",   "sm_90",  "sm_90a", "sm_100",
                                    "sm_100a", "gfx90a", "gfx942", "gfx950"};
  std::vector<std::string> groups = {"products", "shapes", "memory"};
  int64_t size = 4096;
  bool areModels = false;
  double least = 0;
  std::string save;
  std::vector<std::string> files;
};

/// Prints rows, and sums them up by group.
class Table {
public:
  void add(const std::string &group, const std::string &kernel,
           const GpuChip &chip, const Artifact &artifact);
  void addModel(const std::string &model, const GpuChip &chip, double seconds,
                double share);
  void finish() const;
  double least(const std::string &group) const;

private:
  struct Group {
    double logarithms = 0, worst = 2;
    unsigned rows = 0;
  };
  void addShare(const std::string &group, const GpuChip &chip, double share);

  std::map<std::pair<std::string, std::string>, Group> groups;
  double plain = 0; ///< seconds of the last product in f16
};

} // namespace

/// Returns the launch with the most threads.
static const Launch &mainLaunch(const LaunchPlan &plan) {
  auto threads = [](const Launch &launch) {
    double count = 1;
    for (unsigned i = 0; i < 3; ++i)
      count *= double(launch.geometry.grid[i]) * launch.geometry.block[i];
    return count;
  };
  return *std::max_element(plan.launches.begin(), plan.launches.end(),
                           [&](const Launch &a, const Launch &b) {
                             return threads(a) < threads(b);
                           });
}

void Table::add(const std::string &group, const std::string &kernel,
                const GpuChip &chip, const Artifact &artifact) {
  const ResourceUsage &usage = artifact.usage;
  WorkgroupNeeds needs;
  for (uint32_t extent : mainLaunch(artifact.plan).geometry.block)
    needs.threads *= extent;
  needs.registers = static_cast<uint32_t>(usage.registers.value_or(0));
  needs.sharedBytes = static_cast<uint32_t>(usage.sharedBytes.value_or(0));
  uint32_t resident = residentWorkgroups(chip, needs);
  bool isStepAbove = isRegisterStepAbove(chip, needs);
  std::string bound = "?", micros = "?", ratio;
  if (usage.timeBound) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", usage.timeBound->seconds * 1e6);
    micros = text;
    bound = usage.timeBound->toString();
    if (kernel == "f16")
      plain = usage.timeBound->seconds;
    if (kernel == "f16 + bias + gelu" && plain > 0) {
      std::snprintf(text, sizeof text, ", %.2f of plain time",
                    usage.timeBound->seconds / plain);
      ratio = text;
    }
    addShare(group, chip, usage.timeBound->share);
  }
  std::printf("%-8s %-18s %9s %6s %7s %8u  %9s  %s%s%s\n",
              std::string(chip.name).c_str(), kernel.c_str(),
              std::to_string(needs.registers).c_str(),
              usage.spillBytes ? std::to_string(*usage.spillBytes).c_str()
                               : "?",
              std::to_string(needs.sharedBytes).c_str(), resident,
              micros.c_str(), bound.c_str(), ratio.c_str(),
              isStepAbove ? ", a register step above a residency limit" : "");
  std::fflush(stdout);
}

void Table::addShare(const std::string &group, const GpuChip &chip,
                     double share) {
  Group &sums = groups[{std::string(chip.name), group}];
  sums.logarithms += std::log(share);
  sums.worst = std::min(sums.worst, share);
  ++sums.rows;
}

void Table::addModel(const std::string &model, const GpuChip &chip,
                     double seconds, double share) {
  addShare("models", chip, share);
  std::printf("%-8s %-18s %43.1f  %.2f of peak, by time\n",
              std::string(chip.name).c_str(), model.c_str(), seconds * 1e6,
              share);
  std::fflush(stdout);
}

void Table::finish() const {
  std::printf("\nchip     group      geometric mean  worst\n");
  for (const auto &[key, group] : groups)
    std::printf("%-8s %-10s %14.2f  %5.2f\n", key.first.c_str(),
                key.second.c_str(), std::exp(group.logarithms / group.rows),
                group.worst);
}

double Table::least(const std::string &group) const {
  double least = 2;
  for (const auto &[key, sums] : groups)
    if (key.second == group)
      least = std::min(least, sums.worst);
  return least;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Writes a code object, and a file of the same name that describes the main
/// loops of its kernels.
static bool save(const std::string &path, const Artifact &artifact,
                 const GpuChip &chip) {
  std::string binary(artifact.binary.begin(), artifact.binary.end());
  auto kernels = codeObjectUsage(binary, chip);
  if (!kernels)
    return false;
  Json loops = Json::array();
  for (const KernelUsage &kernel : *kernels)
    if (const CodeLoop *loop =
            kernel.code ? kernel.code->mainLoop() : nullptr) {
      Json blocks = Json::array();
      for (const CodeBlock &block : loop->blocks)
        blocks.push_back({block.begin, block.end});
      loops.push_back({{"kernel", kernel.symbol},
                       {"chip", artifact.chip},
                       {"blocks", blocks},
                       {"matrix_cycles", loop->all.matrixCycles},
                       {"issue_cycles", loop->all.issueCycles}});
    }
  std::error_code error;
  llvm::raw_fd_ostream(path + ".hsaco", error) << binary;
  if (!error)
    llvm::raw_fd_ostream(path + ".json", error) << loops.dump() << "\n";
  return !error;
}

static mlir::FailureOr<Artifact> compileDefault(Backend &backend,
                                                mlir::func::FuncOp kernel) {
  auto closure = extractClosure(kernel);
  llvm::SmallVector<mlir::Operation *> roots = {closure->getOperation()};
  if (mlir::failed(resolveToCurrentValues(roots)))
    return mlir::failure();
  return compileCandidate(backend, *closure, kernel.getSymName().str());
}

/// Compiles the default configuration of each kernel of a model, and adds up
/// their shares.
static bool compileModel(mlir::func::FuncOp model, const GpuChip &chip,
                         const DefaultSchedule &schedule, Backend &backend,
                         Table &table) {
  ModelKernels formed = formModelKernels(model, schedule);
  double seconds = 0, logarithms = 0;
  bool isWhole = !formed.kernels.empty();
  // Ops in loops form no kernels on a GPU.
  if (anyOp(model, [](mlir::linalg::LinalgOp op) {
        return !llvm::isa<mlir::func::FuncOp>(op->getParentOp());
      })) {
    std::printf("%-8s %s: no bound, for it has loops around kernels\n",
                std::string(chip.name).c_str(),
                model.getSymName().str().c_str());
    return true;
  }
  for (const ModelKernel &kernel : formed.kernels) {
    auto artifact = compileDefault(backend, kernel.function);
    if (mlir::failed(artifact) || !artifact->usage.timeBound) {
      isWhole = false;
      std::printf("%-8s %s: no bound\n", std::string(chip.name).c_str(),
                  kernel.name.c_str());
      continue;
    }
    std::string calls = " x " + std::to_string(kernel.calls);
    table.add("kernels", kernel.name + calls, chip, *artifact);
    const TimeBound &bound = *artifact->usage.timeBound;
    double taken = double(kernel.calls) * bound.seconds;
    seconds += taken;
    logarithms += taken * std::log(bound.share);
  }
  if (seconds > 0)
    table.addModel(model.getSymName().str(), chip, seconds,
                   std::exp(logarithms / seconds));
  return isWhole;
}

/// Compiles the default configuration of each public function.
static bool compileDefaults(const Source &source, const GpuChip &chip,
                            const Options &options, Table &table) {
  std::string name(chip.name);
  BackendRequest request{.target = chip.vendor == GpuVendor::nvidia ? "nvptx"
                                                                    : "amdgpu",
                         .chip = name};
  auto backend = createBackend(request);
  auto schedule = findDefaultSchedule(request.target, name);
  if (!backend || !schedule)
    return false;
  static mlir::DialectRegistry registry;
  static bool isRegistered = (registerBackendDialects(registry), true);
  (void)isRegistered;
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(source.text, &context);
  if (!module)
    return false;
  bool isWhole = true;
  auto kernels = llvm::to_vector(module->getOps<mlir::func::FuncOp>());
  annotateFunctions(kernels, schedule->annotate);
  for (auto kernel : llvm::to_vector(module->getOps<mlir::func::FuncOp>())) {
    if (options.areModels) {
      isWhole &= compileModel(kernel, chip, *schedule, **backend, table);
      continue;
    }
    std::string symbol = kernel.getSymName().str();
    auto artifact = compileDefault(**backend, kernel);
    if (mlir::failed(artifact)) {
      isWhole = false;
      continue;
    }
    table.add(source.group, source.name.empty() ? symbol : source.name, chip,
              *artifact);
    if (options.save.empty() || chip.vendor != GpuVendor::amd)
      continue;
    std::string file =
        name + "-" + (source.name.empty() ? symbol : source.name);
    isWhole &= save(options.save + "/" + file, *artifact, chip);
  }
  return isWhole;
}

static std::vector<std::string> splitList(llvm::StringRef list) {
  std::vector<std::string> parts;
  for (llvm::StringRef part : llvm::split(list, ','))
    parts.push_back(part.str());
  return parts;
}

static Options readOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef word(argv[i]);
    bool isRead = true;
    if (word.consume_front("--chips="))
      options.chips = splitList(word);
    else if (word.consume_front("--groups="))
      options.groups = splitList(word);
    else if (word.consume_front("--size="))
      isRead = !word.getAsInteger(10, options.size);
    else if (word == "--models")
      options.areModels = true;
    else if (word.consume_front("--least="))
      isRead = !word.getAsDouble(options.least);
    else if (word.consume_front("--save="))
      options.save = word.str();
    else if (word.starts_with("--"))
      isRead = false;
    else
      options.files.push_back(word.str());
    if (!isRead) {
      std::fprintf(stderr, "error: %s: unknown option or value\n", argv[i]);
      std::exit(2);
    }
  }
  if (!options.files.empty())
    options.groups.clear();
  return options;
}

static std::vector<Source> findSources(const Options &options,
                                       const GpuChip &chip) {
  std::vector<Source> sources;
  for (const std::string &group : options.groups) {
    if (group == "products")
      llvm::append_range(sources, makeProducts(options.size, chip));
    else if (group == "shapes")
      llvm::append_range(sources, makeShapes());
    else if (group == "memory")
      sources.push_back({group, "", readFile(TONNO_MEMORY_BOUND_KERNELS)});
  }
  for (const std::string &file : options.files)
    sources.push_back({"files", "", readFile(file)});
  return sources;
}

int main(int argc, char **argv) {
  Options options = readOptions(argc, argv);
  Table table;
  bool isWhole = true;
  std::printf("chip     kernel             registers spills  shared resident  "
              "     us     bound\n");
  for (const std::string &name : options.chips) {
    auto chip = findGpuChip(name);
    if (!chip) {
      std::fprintf(stderr, "error: %s\n", chip.error().message.c_str());
      return 2;
    }
    for (const Source &source : findSources(options, **chip))
      isWhole &= compileDefaults(source, **chip, options, table);
  }
  table.finish();
  bool isFast = table.least("products") >= options.least &&
                table.least("files") >= options.least &&
                table.least("models") >= options.least;
  return isWhole && isFast ? 0 : 1;
}
