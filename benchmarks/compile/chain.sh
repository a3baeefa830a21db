#!/bin/sh
# Compiles the launches of a lowered kernel as a shell script would:
#   chain.sh sm_90|gfx942|native lowered.mlir <scratch file> <LLVM's bin> <ptxas> [opt]
# With "opt" it optimises LLVM IR as tonno does; without, it takes less time for
# slower kernels.
# The input is tonno's after tonno-record-launches, tiled, bufferized, outlined;
# of the host's ("native") that after tonno-lower-vectors, on buffers, in loops
# and vectors. What tonno does before that costs the chain nothing.
set -e
chip=$1 input=$2 out=$3 llvm=$4 ptxas=$5 opt=$6
if [ "$chip" = native ]; then
  front="canonicalize,cse,loop-invariant-code-motion,expand-strided-metadata,lower-affine,convert-scf-to-cf"
  back="convert-vector-to-llvm{reassociate-fp-reductions=1},finalize-memref-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,convert-ub-to-llvm,convert-cf-to-llvm,convert-func-to-llvm{use-bare-ptr-memref-call-conv=1},reconcile-unrealized-casts,canonicalize,cse"
  # Its buffers, workspace among them, don't overlap, and are aligned; entry
  # points get an array.
  "$llvm/mlir-opt" "$input" --mlir-disable-threading --allow-unregistered-dialect --pass-pipeline="builtin.module(func.func(canonicalize),$front,$back)" |
    "$llvm/mlir-translate" --mlir-to-llvmir |
    sed -e '/^define/s/ptr /ptr noalias align 64 /g' > "$out.ll"
  awk '/^define void @/ {
    name = $0; sub(/^define void @/, "", name); sub(/\(.*/, "", name)
    buffers = gsub(/ptr /, "")
  }
  END {
    print "define void @" name "_entry(ptr %buffers) {"
    for (i = 0; i < buffers; ++i) {
      print "  %at" i " = getelementptr ptr, ptr %buffers, i64 " i
      print "  %b" i " = load ptr, ptr %at" i
      arguments = arguments (i ? ", " : "") "ptr %b" i
    }
    print "  call void @" name "(" arguments ")\n  ret void\n}"
  }' "$out.ll" > "$out.entry"
  cat "$out.entry" >> "$out.ll"
  # Without a triple nothing is known of the C library: no memset.
  triple=$("$llvm/llvm-config" --host-target)
  if [ "$opt" = opt ]; then
    "$llvm/opt" -O2 -mtriple="$triple" -mcpu=native "$out.ll" -o "$out.bc"
    mv "$out.bc" "$out.ll"
  fi
  "$llvm/llc" -O2 -mtriple="$triple" -mcpu=native -relocation-model=pic -filetype=obj "$out.ll" -o "$out.o"
  "$llvm/ld.lld" -shared "$out.o" -o "$out.so"
  exit
fi
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
