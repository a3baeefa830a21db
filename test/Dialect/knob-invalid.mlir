// RUN: tonno-opt %s -verify-diagnostics -split-input-file

// expected-error @+1 {{a knob's name must not be empty}}
module attributes {x.k = #tonno.knob<"" from [1]>} {}

// -----

// expected-error @+1 {{a knob's name must be UTF-8}}
module attributes {x.k = #tonno.knob<"\FF" from [1]>} {}

// -----

// expected-error @+1 {{knob "BM" has no options}}
module attributes {x.k = #tonno.knob<"BM" from []>} {}

// -----

// expected-error @+1 {{a knob needs a list of options, or another attribute that has options, not 32}}
module attributes {x.k = #tonno.knob<"BM" from 32>} {}

// -----

// expected-error @+1 {{knob "BM" has option 32 twice}}
module attributes {x.k = #tonno.knob<"BM" from [32, 64, 32]>} {}

// -----

// expected-error @+1 {{the options of knob "BM" must be of one type: 32 : i64 and "big" are not}}
module attributes {x.k = #tonno.knob<"BM" from [32, "big"]>} {}

// -----

// expected-error @+1 {{the options of knob "BM" must be of one type: 32 : i64 and 64 : i32 are not}}
module attributes {x.k = #tonno.knob<"BM" from [32, 64 : i32]>} {}

// -----

// expected-error @+1 {{the options of knob "BM" must be of one type: 1 : i64 and true are not}}
module attributes {x.k = #tonno.knob<"BM" from [1, true]>} {}

// -----

#in = #tonno.knob<"in" from [1]>
// expected-error @+1 {{option [#tonno.knob<"in" from [1]>] of knob "out" contains a knob}}
module attributes {x.k = #tonno.knob<"out" from [[#in]]>} {}

// -----

// expected-error @+1 {{default 48 is not an option of knob "BM"; its options are: 32, 64}}
module attributes {x.k = #tonno.knob<"BM" from [32, 64] default 48>} {}

// -----

// expected-error @+1 {{selected 48 is not an option of knob "BM"; its options are: 32, 64}}
module attributes {x.k = #tonno.knob<"BM" = 48 from [32, 64] default 32>} {}

// -----

// expected-error @+1 {{selected "cut" is not an option of knob "tail"; its options are: "mask", "split"}}
module attributes {x.k = #tonno.knob<"tail" = "cut" from ["mask", "split"]>} {}

// -----

// A number has the type that its options have.
// expected-error @+1 {{selected 32 is not an option of knob "BM"; its options are: 32 : i32, 64 : i32}}
module attributes {x.k = #tonno.knob<"BM" = 32 from [32 : i32, 64 : i32]>} {}

// -----

// expected-error @+1 {{a knob's name must be in quotes: write #tonno.knob<"BM" from [16, 32, 64]>}}
module attributes {x.k = #tonno.knob<BM from [1]>} {}

// -----

// expected-error @+1 {{a knob's name must be in quotes: write #tonno.knob<"BM" from [16, 32, 64]>}}
module attributes {x.k = #tonno.knob<BM = [1, 2]>} {}

// -----

// expected-error @+1 {{expected a knob's name in quotes, such as "BM"}}
module attributes {x.k = #tonno.knob<[1, 2]>} {}

// -----

// expected-error @+1 {{a knob's name cannot contain ' '; write "a_b" instead of "a b"}}
module attributes {x.k = #tonno.knob<"a b" from [1]>} {}

// -----

// expected-error @+1 {{a knob's name cannot contain '\0A'; write "a_b_" instead of "a\0Ab="}}
module attributes {x.k = #tonno.knob<"a\0Ab=" from [1]>} {}

// -----

// expected-error @+1 {{a knob's name cannot contain '@'; write "_BM_" instead of "@BM@"}}
module attributes {x.k = #tonno.knob<"@BM@" from [1]>} {}

// -----

// The upper half of a signless integer's values is no negative number.
// expected-error @+1 {{9223372036854775808 does not fit; integers of type 'i64' are at most 9223372036854775807}}
module attributes {x.k = #tonno.knob<"BM" from [1, 9223372036854775808]>} {}

// -----

// expected-error @+1 {{200 does not fit; integers of type 'i8' are at most 127}}
module attributes {x.k = #tonno.knob<"BM" from [1 : i8, 200 : i8]>} {}

// -----

// expected-error @+1 {{18446744073709551615 does not fit}}
module attributes {x.k = #tonno.knob<"BM" = 18446744073709551615 from [1, -1]>} {}

// -----

// expected-error @+1 {{9223372036854775809 does not fit}}
module attributes {x.k = #tonno.knob<"BM" from [[1], [9223372036854775809]]>} {}

// -----

// Bits and negative numbers are what they are.
module attributes {x.k = #tonno.knob<"BM" from [-1, 0x8000000000000000, 9223372036854775807]>, x.l = #tonno.knob<"BN" from [true, false]>} {}

// -----

// expected-error @+1 {{expected 'from'}}
module attributes {x.k = #tonno.knob<"BM">} {}

// -----

// expected-error @+1 {{unknown attribute `knop` in dialect `tonno`}}
module attributes {x.k = #tonno.knop<"BM" from [1]>} {}
