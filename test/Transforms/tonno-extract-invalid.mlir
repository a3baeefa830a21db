// RUN: tonno-opt %s --mlir-elide-elementsattrs-if-larger=1 --tonno-extract=output=%t.json -verify-diagnostics -split-input-file

// expected-note @+1 {{here it has options 32, 64 and default 32}}
func.func @options() attributes {x.k = #tonno.knob<"BM" from [32, 64]>} {
  // expected-error @+1 {{knob "BM" has options 32, 64, 128 and default 32, but knobs of one name are one variable; give it the same everywhere, or another name}}
  return {x.k = #tonno.knob<"BM" from [32, 64, 128]>}
}

// -----

// expected-note @+1 {{here it has options 32, 64 and default 32}}
func.func @default() attributes {x.k = #tonno.knob<"BM" from [32, 64]>} {
  // expected-error @+1 {{knob "BM" has options 32, 64 and default 64}}
  return {x.k = #tonno.knob<"BM" from [32, 64] default 64>}
}

// -----

// The default is the first option, said or not; selecting changes neither.
func.func @same() attributes {x.k = #tonno.knob<"BM" from [32, 64]>} {
  return {x.k = #tonno.knob<"BM" = 64 from [32, 64] default 32>}
}

// Another kernel has variables of its own.
func.func @other() attributes {x.k = #tonno.knob<"BM" from ["a"]>} { return }

// -----

// What is printed can be shortened until nothing tells options apart.
// expected-error @+1 {{options 0 and 1 of knob "P" print the same: dense_resource<__elided__> : tensor<2xi64>}}
func.func @twins() attributes {x.k = #tonno.knob<"P" from [dense<[1, 2]> : tensor<2xi64>, dense<[3, 4]> : tensor<2xi64>]>} { return }
