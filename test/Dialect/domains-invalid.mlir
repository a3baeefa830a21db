// RUN: tonno-opt %s -verify-diagnostics -split-input-file

// expected-error @+1 {{12 is not a power of two}}
module attributes {x.d = #tonno.pow2<12 to 64>} {}

// -----

// expected-error @+1 {{0 is not a power of two}}
module attributes {x.k = #tonno.knob<"BM" from pow2<0 to 64>>} {}

// -----

// expected-error @+1 {{the lower bound 64 is greater than the upper bound 16}}
module attributes {x.k = #tonno.knob<"BM" from pow2<64 to 16>>} {}

// -----

// expected-error @+1 {{the lower bound 3 is greater than the upper bound 1}}
module attributes {x.k = #tonno.knob<"U" from range<3 to 1>>} {}

// -----

// expected-error @+1 {{the step must be at least 1, not 0}}
module attributes {x.k = #tonno.knob<"U" from range<0 to 8 step 0>>} {}

// -----

// expected-error @+1 {{a range has at most 65536 options}}
module attributes {x.k = #tonno.knob<"U" from range<-9223372036854775808 to 9223372036854775807>>} {}

// -----

// expected-error @+1 {{permutations have 1 to 8 elements, not 9}}
module attributes {x.k = #tonno.knob<"order" from permutations<9>>} {}

// -----

// expected-error @+1 {{unknown domain 'powers'; a domain is a list, pow2<...>, range<...>, permutations<...> or another attribute that has options}}
module attributes {x.k = #tonno.knob<"BM" from powers<1 to 8>>} {}

// -----

// expected-error @+1 {{default 48 is not an option of knob "BM"; its options are: pow2<16 to 64>}}
module attributes {x.k = #tonno.knob<"BM" from pow2<16 to 64> default 48>} {}

// -----

// expected-error @+1 {{selected 5 is not an option of knob "U"; its options are: range<0 to 8 step 2>}}
module attributes {x.k = #tonno.knob<"U" = 5 from range<0 to 8 step 2>>} {}

// -----

// expected-error @+1 {{default [0, 0] is not an option of knob "order"; its options are: permutations<2>}}
module attributes {x.k = #tonno.knob<"order" from permutations<2> default [0, 0]>} {}

// -----

// expected-error @+1 {{a knob needs a list of options, or another attribute that has options, not 32}}
module attributes {x.k = #tonno.knob<"BM" from 32>} {}
