#!/bin/sh
# Compiles the launches of a lowered kernel as a shell script would:
#   chain.sh sm_90|gfx942 lowered.mlir <scratch file> <LLVM's bin> <ptxas> [opt]
# With "opt" it optimises LLVM IR as tonno does; without, it takes less time for
# slower kernels.
# The input is tonno's after tonno-record-launches: tiled, bufferized, outlined.
# What tonno does before that costs the chain nothing.
set -e
chip=$1 input=$2 out=$3 llvm=$4 ptxas=$5 opt=$6
front="affine-expand-index-ops,memref-expand,expand-strided-metadata,lower-affine,convert-vector-to-scf,canonicalize,cse,convert-scf-to-cf"
back="convert-vector-to-llvm,convert-index-to-llvm,convert-arith-to-llvm,reconcile-unrealized-casts,canonicalize,cse"
case $chip in
sm_*)
  triple=nvptx64-nvidia-cuda
  middle="convert-nvgpu-to-nvvm,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},convert-nvvm-to-llvm"
  ;;
*)
  triple=amdgcn-amd-amdhsa
  middle="convert-amdgpu-to-rocdl{chipset=$chip},convert-gpu-to-rocdl{chipset=$chip use-bare-ptr-memref-call-conv=1 runtime=HIP}"
  ;;
esac
# A gpu.module becomes the module that is translated.
"$llvm/mlir-opt" "$input" --mlir-disable-threading --pass-pipeline="builtin.module(gpu.module($front,$middle,$back))" |
  sed -e '/^module attributes/d' -e 's/^  gpu.module @[a-z_0-9]*/module/' -e '/^}$/d' |
  "$llvm/mlir-translate" --mlir-to-llvmir > "$out.ll"
if [ "$opt" = opt ]; then
  "$llvm/opt" -O2 -mtriple=$triple -mcpu="$chip" "$out.ll" -o "$out.bc"
  mv "$out.bc" "$out.ll"
fi
case $chip in
sm_*)
  "$llvm/llc" -mtriple=$triple -mcpu="$chip" "$out.ll" -o "$out.ptx"
  "$ptxas" -arch="$chip" "$out.ptx" -o "$out.cubin"
  ;;
*)
  "$llvm/llc" -mtriple=$triple -mcpu="$chip" -filetype=obj "$out.ll" -o "$out.o"
  "$llvm/ld.lld" -shared "$out.o" -o "$out.hsaco"
  ;;
esac
