//===- Kernels that dispatch on sizes -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Dispatch.h"
#include "tonno/Dialect/Dimensions.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/DynamicDimensions.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "DefaultSpace/DefaultSpaces.h"
#include "Kernels/SizeConditions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace tonno;

namespace {

/// Writes the body of a kernel that dispatches.
class DispatchBuilder {
public:
  DispatchBuilder(func::FuncOp kernel, const DispatchTable &table,
                  ArrayRef<func::FuncOp> variants, func::FuncOp other)
      : builder(kernel.getLoc(), kernel.getContext()), kernel(kernel),
        table(table), variants(variants), other(other),
        conditions(variants.size()) {}

  /// Fails, with a diagnostic, if an axis has no dimension.
  LogicalResult findSizes(const DynamicDimensions &dimensions) {
    for (const DispatchAxis &axis : table.axes) {
      auto found = findPlace(dimensions, axis.dimension);
      if (!found)
        return kernel.emitError()
               << "no dynamic dimension is named \"" << axis.dimension << "\"";
      places.push_back(*found);
    }
    return success();
  }

  /// Adds a condition of a variant, whose knobs have these values. Sizes at
  /// which it does not hold go to the function for all others.
  void addCondition(size_t variant, Constraint constraint, Json values,
                    const DynamicDimensions &dimensions) {
    for (const std::string &name : constraint.getNames())
      if (auto place = findPlace(dimensions, name))
        named.try_emplace(name, *place);
    conditions[variant].push_back({std::move(constraint), std::move(values)});
  }

  /// Writes the body:
  ///
  ///   %m = tensor.dim %x, %c0
  ///   %isSmall = arith.cmpi sle, %m, %c11
  ///   %number = scf.if %isSmall -> index { scf.yield %c1 } else { ... }
  ///   %isFirst = arith.cmpi eq, %number, %c0
  ///   %r = scf.if %isFirst -> tensor<?xf32> {
  ///     %0 = func.call @kernel.variant0(%x)
  ///     scf.yield %0
  ///   } else { ... }
  ///   return %r
  ///
  /// Fails, with a diagnostic, if a condition cannot be written.
  LogicalResult build() {
    kernel.eraseBody();
    builder.setInsertionPointToStart(kernel.addEntryBlock());
    for (Place place : places)
      sizes.push_back(getSize(place));
    // Numbers first, so that each variant is called in one place, where a
    // lowering may inline it.
    Value number = choose(0, 0, table.variants.size()).front();
    for (size_t variant = 0; variant < variants.size(); ++variant)
      if (auto checked = check(number, variant))
        number = *checked;
      else
        return kernel.emitError() << checked.error().message;
    func::ReturnOp::create(builder, callVariant(number, 0));
    return success();
  }

private:
  using Place = std::pair<unsigned, int64_t>; ///< argument and axis

  /// A constraint over sizes, and the values of knobs.
  struct Condition {
    Constraint constraint;
    Json values;
  };

  /// Returns a place that has the dimension's size.
  std::optional<Place> findPlace(const DynamicDimensions &dimensions,
                                 StringRef name) {
    bool hasAnyName =
        dimensions.all().size() == 1 && !dimensions.all().front().isNamed;
    for (BlockArgument argument : kernel.getArguments())
      if (auto shaped = dyn_cast<ShapedType>(argument.getType());
          shaped && shaped.hasRank())
        for (int64_t i = 0; i < shaped.getRank(); ++i)
          if (auto dimension = dimensions.lookup(argument, i);
              dimension &&
              (hasAnyName ||
               llvm::is_contained(dimensions.all()[*dimension].names, name)))
            return Place(argument.getArgNumber(), i);
    return std::nullopt;
  }

  Value getSize(Place place) {
    Value source = kernel.getArgument(place.first);
    Value axis = arith::ConstantIndexOp::create(builder, place.second);
    return isa<MemRefType>(source.getType())
               ? memref::DimOp::create(builder, source, axis).getResult()
               : tensor::DimOp::create(builder, source, axis).getResult();
  }

  /// Returns the number, or that of the function for all other sizes if it is
  /// this variant's and one of its conditions does not hold.
  Result<Value> check(Value number, size_t variant) {
    if (conditions[variant].empty())
      return number;
    // Sizes outside of the range, by which nothing can be divided, have none.
    std::optional<Error> error;
    Value checked =
        branch(
            arith::CmpIPredicate::eq, number, variant, builder.getIndexType(),
            [&]() -> ValueRange {
              Value all;
              for (const Condition &condition : conditions[variant]) {
                auto holds =
                    writeSizeCondition(builder, condition.constraint,
                                       condition.values, [&](StringRef name) {
                                         auto known = named.find(name);
                                         return known == named.end()
                                                    ? Value()
                                                    : getSize(known->second);
                                       });
                if (!holds) {
                  error = holds.error();
                  return ValueRange(number);
                }
                all = all ? builder.createOrFold<arith::AndIOp>(all, *holds)
                          : *holds;
              }
              return branch(
                  all, builder.getIndexType(),
                  [&] { return getNumber(variant); },
                  [&] { return getNumber(variants.size()); });
            },
            [&] { return ValueRange(number); })
            .front();
    if (error)
      return *error;
    return checked;
  }

  ValueRange call(func::FuncOp callee) {
    return func::CallOp::create(builder, callee, kernel.getArguments())
        .getResults();
  }

  /// Calls the variant of this number, which is not below `first`.
  ValueRange callVariant(Value number, size_t first) {
    if (first == variants.size())
      return call(other);
    return branch(
        arith::CmpIPredicate::eq, number, first, kernel.getResultTypes(),
        [&] { return call(variants[first]); },
        [&] { return callVariant(number, first + 1); });
  }

  /// Returns true if the table is the same in these cells as in others.
  bool isSame(size_t one, size_t other, size_t count) const {
    auto cells = ArrayRef(table.variants);
    return cells.slice(one, count) == cells.slice(other, count);
  }

  ValueRange getNumber(size_t variant) {
    return arith::ConstantIndexOp::create(builder,
                                          static_cast<int64_t>(variant))
        ->getResults();
  }

  /// Returns the number of the variant for the cells from `first` on, which
  /// differ in the axes from `axis` on.
  ValueRange choose(size_t axis, size_t first, size_t count) {
    if (axis == table.axes.size())
      return getNumber(table.variants[first]);
    const DispatchAxis &cut = table.axes[axis];
    size_t inner = count / cut.bounds.size();
    auto chooseInRange = [&] { return chooseUpTo(axis, first, inner, 0); };
    return branch(
        arith::CmpIPredicate::slt, sizes[axis], cut.least,
        builder.getIndexType(), [&] { return getNumber(variants.size()); },
        chooseInRange);
  }

  /// Chooses among the parts of an axis from `part` on.
  ValueRange chooseUpTo(size_t axis, size_t first, size_t inner, size_t part) {
    const DispatchAxis &cut = table.axes[axis];
    if (part == cut.bounds.size())
      return getNumber(variants.size());
    size_t last = part;
    while (last + 1 < cut.bounds.size() &&
           isSame(first + part * inner, first + (last + 1) * inner, inner))
      ++last;
    return branch(
        arith::CmpIPredicate::sle, sizes[axis], cut.bounds[last],
        builder.getIndexType(),
        [&] { return choose(axis + 1, first + part * inner, inner); },
        [&] { return chooseUpTo(axis, first, inner, last + 1); });
  }

  ValueRange branch(arith::CmpIPredicate predicate, Value value, int64_t bound,
                    TypeRange types, function_ref<ValueRange()> then,
                    function_ref<ValueRange()> otherwise) {
    Value limit = arith::ConstantIndexOp::create(builder, bound);
    return branch(arith::CmpIOp::create(builder, predicate, value, limit),
                  types, then, otherwise);
  }

  ValueRange branch(Value isMet, TypeRange types,
                    function_ref<ValueRange()> then,
                    function_ref<ValueRange()> otherwise) {
    auto op = scf::IfOp::create(builder, types, isMet, /*addThenBlock=*/true,
                                /*addElseBlock=*/true);
    auto fill = [&](Block *block, function_ref<ValueRange()> make) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(block);
      scf::YieldOp::create(builder, make());
    };
    fill(op.thenBlock(), then);
    fill(op.elseBlock(), otherwise);
    return op.getResults();
  }

  ImplicitLocOpBuilder builder;
  func::FuncOp kernel;
  const DispatchTable &table;
  ArrayRef<func::FuncOp> variants;
  func::FuncOp other;                                ///< for all other sizes
  SmallVector<Place> places;                         ///< of the axes
  llvm::StringMap<Place> named;                      ///< of sizes in conditions
  SmallVector<Value> sizes;                          ///< of the axes
  SmallVector<SmallVector<Condition, 1>> conditions; ///< of the variants
};

} // namespace

/// Adds the constraints over sizes to all variants but equal ones of the
/// default, which takes all sizes.
static LogicalResult addConditions(DispatchBuilder &builder,
                                   func::FuncOp kernel,
                                   const DynamicDimensions &dimensions,
                                   ArrayRef<KernelChoice> variants,
                                   const KernelChoice &standard) {
  OwningOpRef<ModuleOp> closure = extractClosure(kernel);
  Operation *root = *closure;
  auto texts = findSizeConstraints(root);
  auto known = findDimensions(root);
  if (failed(texts) || failed(known))
    return failure();
  for (auto [i, variant] : llvm::enumerate(variants)) {
    if (variant.configuration == standard.configuration)
      continue;
    Json values = variant.space.values(variant.configuration);
    for (const NamedDimension &dimension : *known)
      values[dimension.name.str()] = dimension.size;
    for (const std::string &text : *texts)
      builder.addCondition(i, *Constraint::parse(text), values, dimensions);
  }
  return success();
}

/// Returns a copy of the kernel behind it.
static func::FuncOp copyKernel(func::FuncOp kernel, const Twine &suffix) {
  func::FuncOp copy = kernel.clone();
  copy.setSymName((kernel.getSymName() + suffix).str());
  SymbolTable(kernel->getParentOp())
      .insert(copy, std::next(Block::iterator(kernel)));
  return copy;
}

FailureOr<SmallVector<func::FuncOp>>
tonno::makeDispatch(func::FuncOp kernel, const SearchSpace &space,
                    ArrayRef<Configuration> variants,
                    const DispatchTable &table) {
  kernel.getContext()
      ->loadDialect<arith::ArithDialect, memref::MemRefDialect, scf::SCFDialect,
                    tensor::TensorDialect>();
  auto dimensions = DynamicDimensions::find(kernel);
  if (failed(dimensions))
    return failure();
  SmallVector<func::FuncOp> copies;
  SmallVector<KernelChoice> choices;
  for (auto [i, variant] : llvm::enumerate(variants)) {
    copies.push_back(copyKernel(kernel, ".variant" + Twine(i)));
    choices.push_back({space, variant});
  }
  func::FuncOp other = copyKernel(kernel, ".all");
  KernelChoice standard = {space, space.defaultConfiguration()};
  DispatchBuilder builder(kernel, table, copies, other);
  if (failed(builder.findSizes(*dimensions)) ||
      failed(addConditions(builder, kernel, *dimensions, choices, standard)) ||
      failed(applyToKernels(copies, choices, KnobMode::Resolve)) ||
      failed(applyToKernels(other, standard, KnobMode::Select)))
    return failure();
  SmallVector<SymbolOpInterface> callees =
      findCallees(kernel->getParentOfType<ModuleOp>());
  if (failed(builder.build()))
    return failure();
  eraseUnused(std::move(callees));
  SmallVector<Attribute> names;
  copies.push_back(other);
  for (func::FuncOp copy : copies) {
    copy.setPrivate();
    if (copy != other)
      copy->removeDiscardableAttr(TonnoDialect::kReference);
    copy->removeDiscardableAttr(TonnoDialect::kTuned);
    copy->removeDiscardableAttr(TonnoDialect::kShapes);
    names.push_back(FlatSymbolRefAttr::get(copy.getSymNameAttr()));
  }
  kernel->removeDiscardableAttr(TonnoDialect::kConstraints);
  kernel->setAttr(TonnoDialect::kVariants,
                  ArrayAttr::get(kernel.getContext(), names));
  return copies;
}

bool tonno::isDispatch(func::FuncOp kernel) {
  return kernel->hasAttr(TonnoDialect::kVariants);
}

LogicalResult tonno::undoDispatch(func::FuncOp kernel) {
  auto names = kernel->getAttrOfType<ArrayAttr>(TonnoDialect::kVariants);
  func::FuncOp other;
  for (auto name : names.getAsRange<FlatSymbolRefAttr>()) {
    auto variant =
        SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(kernel, name);
    if (!variant || variant.isExternal() ||
        variant.getFunctionType() != kernel.getFunctionType())
      return kernel.emitError()
             << "variant " << name
             << " does not name a function of the kernel's type";
    other = variant;
  }
  SmallVector<SymbolOpInterface> callees =
      findCallees(kernel->getParentOfType<ModuleOp>());
  kernel.eraseBody();
  IRMapping values;
  other.getBody().cloneInto(&kernel.getBody(), values);
  kernel->removeDiscardableAttr(TonnoDialect::kVariants);
  kernel->removeDiscardableAttr(TonnoDialect::kTuned);
  for (NamedAttribute attribute : other->getDiscardableAttrs())
    kernel->setAttr(attribute.getName(), attribute.getValue());
  eraseUnused(std::move(callees));
  return success();
}
