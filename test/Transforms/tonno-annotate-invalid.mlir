// RUN: not tonno-opt %s --tonno-annotate=chip=abacus 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tonno-opt %s --tonno-annotate=target=abacus 2>&1 | FileCheck %s --check-prefix=TARGET

// CHIP: error: unknown chip 'abacus' for {{.*}}; give a CPU's name as in 'llc -mcpu=help', or 'native'
// TARGET: error: unknown target 'abacus'; there are: host, nvptx, amdgpu
module {}
