//===- Attention to verify ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AttentionKernels.h"
#include "KernelFamily.h"

using namespace tonno;

/// Keys have no groups: several queries use the same.
static const char *scoresText = R"(
#q = affine_map<(b, g, m, n, d) -> (b, g, m, d)>
#k = affine_map<(b, g, m, n, d) -> ($KMAP)>
#s = affine_map<(b, g, m, n, d) -> (b, g, m, n)>
#v = affine_map<(b, g, m, d, n) -> (b, n, d)>
#p = affine_map<(b, g, m, d, n) -> (b, g, m, n)>
#o = affine_map<(b, g, m, d, n) -> ($OMAP)>
#all = affine_map<(b, g, m, n) -> (b, g, m, n)>
#row = affine_map<(b, g, m, n) -> (b, g, m)>
#pair = affine_map<(b, g, m, n) -> (m, n)>
#rows = affine_map<(b, g, m) -> (b, g, m)>
#two = affine_map<(m, n) -> (m, n)>
func.func @f(%q: tensor<$Bx$Gx$Mx$Dx$T>$QDIMS, %k: tensor<$KSHAPEx$T>$KDIMS,
             %v: tensor<$Bx$Nx$Ex$T>$VDIMS$ARGUMENTS) -> tensor<$OUTx$T> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : $T
  %lowest = arith.constant $MASKED : f32
  %infinity = arith.constant 0xFF800000 : f32
  %scale = arith.constant $FACTOR : f32
  $SIZES
  $MASK
  %e = tensor.empty($S) : tensor<$Bx$Gx$Mx$Nxf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<$Bx$Gx$Mx$Nxf32>) -> tensor<$Bx$Gx$Mx$Nxf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%q, %k : tensor<$Bx$Gx$Mx$Dx$T>, tensor<$KSHAPEx$T>) outs(%f : tensor<$Bx$Gx$Mx$Nxf32>) {
  ^bb0(%a: $T, %b: $T, %c: f32):
    %x = arith.extf %a : $T to f32
    %y = arith.extf %b : $T to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %c, %p : f32
    linalg.yield %r : f32
  } -> tensor<$Bx$Gx$Mx$Nxf32>
  %t = linalg.generic {indexing_maps = [#all$MASKMAP, #all],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s$MASKINPUT : tensor<$Bx$Gx$Mx$Nxf32>$MASKTYPE) outs(%e : tensor<$Bx$Gx$Mx$Nxf32>) {
  ^bb0(%a: f32$MASKARGUMENT, %c: f32):
    %r = arith.mulf %a, %scale : f32
    $APPLY
    linalg.yield %m : f32
  } -> tensor<$Bx$Gx$Mx$Nxf32>
  %h = tensor.empty($S) : tensor<$Bx$Gx$Mx$Nx$T>
)";

static const char *opSoftmax = R"(
  %w = linalg.softmax dimension(3) ins(%t : tensor<$Bx$Gx$Mx$Nxf32>) outs(%e : tensor<$Bx$Gx$Mx$Nxf32>) -> tensor<$Bx$Gx$Mx$Nxf32>
  %share = linalg.generic {indexing_maps = [#all, #all],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%w : tensor<$Bx$Gx$Mx$Nxf32>) outs(%h : tensor<$Bx$Gx$Mx$Nx$T>) {
  ^bb0(%a: f32, %c: $T):
    %r = arith.truncf %a : f32 to $T
    linalg.yield %r : $T
  } -> tensor<$Bx$Gx$Mx$Nx$T>
)";

static const char *narrowSoftmax = R"(
  %n = linalg.generic {indexing_maps = [#all, #all],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%t : tensor<$Bx$Gx$Mx$Nxf32>) outs(%h : tensor<$Bx$Gx$Mx$Nx$T>) {
  ^bb0(%a: f32, %c: $T):
    %r = arith.truncf %a : f32 to $T
    linalg.yield %r : $T
  } -> tensor<$Bx$Gx$Mx$Nx$T>
  %share = linalg.softmax dimension(3) ins(%n : tensor<$Bx$Gx$Mx$Nx$T>) outs(%h : tensor<$Bx$Gx$Mx$Nx$T>) -> tensor<$Bx$Gx$Mx$Nx$T>
)";

/// As JAX emits it: the maximum is bounded once more.
static const char *genericSoftmax = R"(
  %re = tensor.empty($R) : tensor<$Bx$Gx$Mxf32>
  %ri = linalg.fill ins(%infinity : f32) outs(%re : tensor<$Bx$Gx$Mxf32>) -> tensor<$Bx$Gx$Mxf32>
  %most = linalg.generic {indexing_maps = [#all, #row],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%t : tensor<$Bx$Gx$Mx$Nxf32>) outs(%ri : tensor<$Bx$Gx$Mxf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.maximumf %c, %a : f32
    linalg.yield %r : f32
  } -> tensor<$Bx$Gx$Mxf32>
  %bounded = linalg.generic {indexing_maps = [#rows, #rows],
      iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%most : tensor<$Bx$Gx$Mxf32>) outs(%re : tensor<$Bx$Gx$Mxf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.maximumf %infinity, %a : f32
    linalg.yield %r : f32
  } -> tensor<$Bx$Gx$Mxf32>
  %powers = linalg.generic {indexing_maps = [#all, #row, #all],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%t, %bounded : tensor<$Bx$Gx$Mx$Nxf32>, tensor<$Bx$Gx$Mxf32>) outs(%e : tensor<$Bx$Gx$Mx$Nxf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<$Bx$Gx$Mx$Nxf32>
  %rz = linalg.fill ins(%zero : f32) outs(%re : tensor<$Bx$Gx$Mxf32>) -> tensor<$Bx$Gx$Mxf32>
  %sum = linalg.generic {indexing_maps = [#all, #row],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%powers : tensor<$Bx$Gx$Mx$Nxf32>) outs(%rz : tensor<$Bx$Gx$Mxf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.addf %c, %a : f32
    linalg.yield %r : f32
  } -> tensor<$Bx$Gx$Mxf32>
  %share = linalg.generic {indexing_maps = [#all, #row, #all],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%powers, %sum : tensor<$Bx$Gx$Mx$Nxf32>, tensor<$Bx$Gx$Mxf32>) outs(%h : tensor<$Bx$Gx$Mx$Nx$T>) {
  ^bb0(%a: f32, %b: f32, %c: $T):
    %d = arith.divf %a, %b : f32
    %r = arith.truncf %d : f32 to $T
    linalg.yield %r : $T
  } -> tensor<$Bx$Gx$Mx$Nx$T>
)";

static const char *productText = R"(
  %oe = tensor.empty($O) : tensor<$OUTx$T>
  %of = linalg.fill ins(%none : $T) outs(%oe : tensor<$OUTx$T>) -> tensor<$OUTx$T>
  %o = linalg.generic {indexing_maps = [#p, #v, #o],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%share, %v : tensor<$Bx$Gx$Mx$Nx$T>, tensor<$Bx$Nx$Ex$T>) outs(%of : tensor<$OUTx$T>)
    attrs = {tonno.lowering_config = {$CONFIG}} {
  ^bb0(%a: $T, %b: $T, %c: $T):
    %p = arith.mulf %a, %b $FLAGS : $T
    %r = arith.addf %c, %p : $T
    linalg.yield %r : $T
  } -> tensor<$OUTx$T>
  $EPILOGUE
})";

/// Replaces NaN, which is not verified.
static const char *epilogueText =
    R"(%l = linalg.generic {indexing_maps = [#all, #all],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%o : tensor<$OUTx$T>) outs(%oe : tensor<$OUTx$T>) {
  ^bb0(%a: $T, %c: $T):
    %u = arith.cmpf uno, %a, %a : $T
    %seven = arith.constant 7.0 : $T
    %r = arith.select %u, %seven, %a : $T
    linalg.yield %r : $T
  } -> tensor<$OUTx$T>
  return %l : tensor<$OUTx$T>)";

/// Leaves 9 keys.
static const char *bandText = R"(%c5 = arith.constant 5 : index
    %late = arith.addi %j, %c5 : index
    %low = arith.cmpi sle, %i, %late : index
    %c4 = arith.constant 4 : index
    %early = arith.subi %j, %c4 : index
    %high = arith.cmpi sgt, %i, %early : index
    %r = arith.andi %low, %high : i1)";

/// Computes which keys count. The first ones don't, so that some rows begin
/// with nothing.
static const char *maskText = R"(
  %me = tensor.empty($P) : tensor<$Mx$Nxi1>
  %mask = linalg.generic {indexing_maps = [#two], iterator_types = ["parallel", "parallel"]}
    outs(%me : tensor<$Mx$Nxi1>) {
  ^bb0(%c: i1):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    $COMPARE
    linalg.yield %r : i1
  } -> tensor<$Mx$Nxi1>)";

std::string AttentionKernel::write(const std::string &config) const {
  auto number = [](int64_t value) { return std::to_string(value); };
  auto extent = [&](int64_t value) { return isDynamic ? "?" : number(value); };
  std::map<std::string, std::string> words = {
      {"$B", number(heads)},
      {"$G", number(groups)},
      {"$M", extent(queries)},
      {"$N", extent(keys)},
      {"$D", number(depth)},
      {"$E", number(columns)},
      {"$T", type},
      {"$KMAP", hasKeysFirst ? "b, d, n" : "b, n, d"},
      {"$KSHAPE",
       hasKeysFirst ? number(heads) + "x" + number(depth) + "x" + extent(keys)
                    : number(heads) + "x" + extent(keys) + "x" + number(depth)},
      {"$OMAP", isProductTransposed ? "b, g, d, m" : "b, g, m, d"},
      {"$OUT",
       number(heads) + "x" + number(groups) + "x" +
           (isProductTransposed ? number(columns) + "x" + extent(queries)
                                : extent(queries) + "x" + number(columns))},
      {"$CONFIG", config},
      {"$MASKED", mask == Mask::laterLowest || mask == Mask::causal
                      ? "-3.40282347E+38"
                      : "0xFF800000"},
      {"$EPILOGUE", replacesNaN ? epilogueText : "return %o : tensor<$OUTx$T>"},
      {"$FACTOR", scale},
      {"$FLAGS", isFinite ? "fastmath<nnan, ninf>" : ""},
      {"$SIZES", ""},
      {"$QDIMS", ""},
      {"$KDIMS", ""},
      {"$VDIMS", ""},
      {"$S", ""},
      {"$R", ""},
      {"$O", ""},
      {"$P", ""},
      {"$ARGUMENTS", ""},
      {"$MASK", ""},
      {"$MASKMAP", ""},
      {"$MASKINPUT", ""},
      {"$MASKTYPE", ""},
      {"$MASKARGUMENT", ""},
      {"$APPLY", "%m = arith.addf %r, %zero : f32"}};
  if (mask == Mask::none)
    words["$APPLY"] = "%m = arith.mulf %r, %scale : f32";
  if (isDynamic) {
    words["$QDIMS"] = R"( {tonno.dims = ["B", "G", "M", "D"]})";
    words["$KDIMS"] = hasKeysFirst ? R"( {tonno.dims = ["B", "D", "N"]})"
                                   : R"( {tonno.dims = ["B", "N", "D"]})";
    words["$VDIMS"] = R"( {tonno.dims = ["B", "N", "E"]})";
    words["$SIZES"] =
        "%c1 = arith.constant 1 : index\n"
        "  %c2 = arith.constant 2 : index\n"
        "  %rows = tensor.dim %q, %c2 : tensor<" +
        number(heads) + "x" + number(groups) + "x?x" + number(depth) + "x" +
        type + ">\n" + "  %columns = tensor.dim %v, %c1 : tensor<" +
        number(heads) + "x?x" + number(columns) + "x" + type + ">";
    words["$S"] = words["$P"] = "%rows, %columns";
    words["$R"] = words["$O"] = "%rows";
  }
  std::string pairType = extent(queries) + "x" + extent(keys) + "x";
  if (mask == Mask::bias) {
    words["$ARGUMENTS"] = ", %bias: tensor<" + pairType + "f32>";
    if (isDynamic)
      words["$ARGUMENTS"] += R"( {tonno.dims = ["M", "N"]})";
    words["$MASKMAP"] = ", #pair";
    words["$MASKINPUT"] = ", %bias";
    words["$MASKTYPE"] = ", tensor<" + pairType + "f32>";
    words["$MASKARGUMENT"] = ", %b: f32";
    words["$APPLY"] = "%m = arith.addf %r, %b : f32";
  } else if (mask != Mask::none) {
    std::string compare = mask == Mask::band ? bandText
                          : mask == Mask::causal
                              ? "%r = arith.cmpi sge, %i, %j : index"
                              : "%r = arith.cmpi sle, %i, %j : index";
    words["$MASK"] = fillIn(maskText, {{"$COMPARE", compare}});
    words["$MASKMAP"] = ", #pair";
    words["$MASKINPUT"] = ", %mask";
    words["$MASKTYPE"] = ", tensor<" + pairType + "i1>";
    words["$MASKARGUMENT"] = ", %b: i1";
    words["$APPLY"] = "%m = arith.select %b, %r, %lowest : f32";
  }
  const char *middle = softmax == Softmax::op       ? opSoftmax
                       : softmax == Softmax::narrow ? narrowSoftmax
                                                    : genericSoftmax;
  return fillIn(std::string(scoresText) + middle + productText, words);
}
