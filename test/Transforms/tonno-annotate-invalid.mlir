// RUN: not tonno-opt %s --tonno-annotate=chip=abacus 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tonno-opt %s --tonno-annotate=target=abacus 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not tonno-opt %s --tonno-annotate=target=nvptx 2>&1 | FileCheck %s --check-prefix=NATIVE
// RUN: not tonno-opt %s --tonno-annotate="target=amdgpu chip=sm_90" 2>&1 | FileCheck %s --check-prefix=VENDOR
// RUN: not tonno-opt %s --tonno-annotate="target=nvptx chip=gfx942" 2>&1 | FileCheck %s --check-prefix=OTHER-VENDOR

// CHIP: error: unknown chip 'abacus' for {{.*}}; give a CPU's name as in 'llc -mcpu=help', or 'native'
// TARGET: error: unknown target 'abacus'; the targets are: host, nvptx, amdgpu
// NATIVE: error: unknown GPU 'native'; the GPUs are: sm_80, {{.*}}gfx942
// VENDOR: error: 'sm_90' is another vendor's chip; give one such as 'gfx942'
// OTHER-VENDOR: error: 'gfx942' is another vendor's chip; give one such as 'sm_90'
module {}
