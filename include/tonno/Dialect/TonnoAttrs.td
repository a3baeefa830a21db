//===- The attributes of the tonno dialect --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_DIALECT_TONNOATTRS_TD
#define TONNO_DIALECT_TONNOATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpAsmInterface.td"
include "tonno/Dialect/TonnoDialect.td"

def DomainAttrInterface : AttrInterface<"DomainAttrInterface"> {
  let cppNamespace = "::tonno";
  let description = [{
    A list of options, written out or not: what a knob may be. Arrays, dense
    ones too, have this interface and are the list of their elements; so may
    attributes of other dialects.
  }];
  let methods = [
    InterfaceMethod<"How many options there are.",
                    "uint64_t", "getNumOptions", (ins)>,
    InterfaceMethod<"The option of this number, which is less than their number.",
                    "::mlir::Attribute", "getOption", (ins "uint64_t":$index)>,
    InterfaceMethod<"The number of this option, if it is one.",
                    "std::optional<uint64_t>", "getIndexOf",
                    (ins "::mlir::Attribute":$option), "", [{
      ::mlir::Attribute attribute = $_attr;
      auto domain = ::llvm::cast<DomainAttrInterface>(attribute);
      for (uint64_t i = 0, e = domain.getNumOptions(); i < e; ++i)
        if (domain.getOption(i) == option)
          return i;
      return std::nullopt;
    }]>,
  ];
}

class Tonno_Attr<string className, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Tonno_Dialect, className, traits> {
  let mnemonic = attrMnemonic;
}

def Tonno_KnobAttr
    : Tonno_Attr<"Knob", "knob",
                 [DeclareAttrInterfaceMethods<OpAsmAttrInterface,
                                              ["getAlias"]>]> {
  let summary = "A named tunable value, with the options it may take";
  let description = [{
    A knob has a *name*, a *domain* (its options), perhaps a *selected* option,
    which somebody chose, and perhaps a *default*, which holds while nobody has.
    Without either, the first option holds.

    ```mlir
    #tonno.knob<"BM" from [32, 64, 128]>               // has value 32
    #tonno.knob<"BM" from [32, 64, 128] default 64>    // has value 64
    #tonno.knob<"BM" = 128 from [32, 64, 128]>         // 128 was selected
    #tonno.knob<"tail" from ["mask", "split"]>
    #tonno.knob<"pack" from [true, false]>
    #tonno.knob<"width" from [32 : i32, 64 : i32]>     // i64 unless it says so
    #tonno.knob<"order" from [[0, 1, 2], [1, 0, 2]]>
    #tonno.knob<"map" from [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>]>
    #tonno.knob<"BK" from pow2<16 to 256> default 64>  // 16, 32, ..., 256
    #tonno.knob<"unroll" from range<0 to 8 step 2>>    // 0, 2, 4, 6, 8
    #tonno.knob<"loops" from permutations<3>>          // [0, 1, 2], [0, 2, 1], ...
    ```

    The name is any string that is not empty. The domain is an array of
    attributes, no two equal, all of one kind (all strings, all arrays, all
    integers of one type, ...) and without knobs inside; or
    [`pow2`](#pow2attr), [`range`](#rangeattr), [`permutations`](#permutationsattr);
    or any other attribute with the interface `DomainAttrInterface`. It has at
    least one option and at most 65536. Selected and default are options.

    A selected option leaves the domain in place, so that the knob can be tuned
    again. In the text form a knob gets an alias of its name: `#BM`.
  }];

  let parameters = (ins
    StringRefParameter<"what identifies the knob within a function">:$name,
    AttrParameter<"DomainAttrInterface", "the options">:$domain,
    OptionalParameter<"::mlir::Attribute",
                      "the option that somebody chose">:$selected,
    OptionalParameter<"::mlir::Attribute",
                      "the option that holds when nobody chose">:$defaultOption
  );
  let assemblyFormat = [{
    `<` $name (`=` custom<Option>($selected)^)?
        `from` custom<Domain>($domain)
        (`default` custom<Option>($defaultOption)^)? `>`
  }];
  let genVerifyDecl = 1;

  let extraClassDeclaration = [{
    static constexpr uint64_t kMaxOptions = 65536;

    uint64_t getNumOptions() const { return getDomain().getNumOptions(); }
    ::mlir::Attribute getOption(uint64_t index) const {
      return getDomain().getOption(index);
    }

    /// Returns the index of `option`, or none if it is no option.
    std::optional<uint64_t> getIndexOf(::mlir::Attribute option) const {
      return getDomain().getIndexOf(option);
    }

    /// Returns the index of the option used without a selection.
    uint64_t getDefaultIndex() const;

    /// Returns true if an option is selected.
    bool isResolved() const { return static_cast<bool>(getSelected()); }

    /// Returns the knob's value: the selected option, else the default, else
    /// the first.
    ::mlir::Attribute getValue() const;

    /// Returns the knob with another selected option.
    KnobAttr select(::mlir::Attribute option) const;

    /// Prints the options as in the textual IR, for messages.
    std::string printOptions() const {
      return ::tonno::printOptions(getDomain());
    }
  }];
}

class Tonno_DomainAttr<string className, string attrMnemonic>
    : Tonno_Attr<className, attrMnemonic,
                 [DeclareAttrInterfaceMethods<DomainAttrInterface,
                                              ["getIndexOf"]>]> {
  let genVerifyDecl = 1;
}

def Tonno_Pow2Attr : Tonno_DomainAttr<"Pow2", "pow2"> {
  let summary = "Powers of two, as a domain";
  let description = [{
    `#tonno.pow2<16 to 256>` has the options 16, 32, 64, 128 and 256, of type
    i64. Both bounds are powers of two. It is also read by
    `transform.tune.knob<"BM"> options = #tonno.pow2<16 to 256>`.
  }];
  let parameters = (ins "int64_t":$low, "int64_t":$high);
  let assemblyFormat = "`<` $low `to` $high `>`";
}

def Tonno_RangeAttr : Tonno_DomainAttr<"Range", "range"> {
  let summary = "Integers at equal distances, as a domain";
  let description = [{
    `#tonno.range<0 to 8 step 2>` has the options 0, 2, 4, 6 and 8, of type
    i64. The upper bound is an option if steps lead to it. The step is 1 if it
    is not given.
  }];
  let parameters = (ins "int64_t":$low, "int64_t":$high,
                        DefaultValuedParameter<"int64_t", "1">:$step);
  let assemblyFormat = "`<` $low `to` $high (`step` $step^)? `>`";
}

def Tonno_PermutationsAttr : Tonno_DomainAttr<"Permutations", "permutations"> {
  let summary = "The orders of n things, as a domain";
  let description = [{
    `#tonno.permutations<3>` has the options `[0, 1, 2]`, `[0, 2, 1]`,
    `[1, 0, 2]`, `[1, 2, 0]`, `[2, 0, 1]` and `[2, 1, 0]`, of elements of type
    i64, in this order. n is from 1 to 8.
  }];
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
}

def Tonno_ConstraintAttr : Tonno_Attr<"Constraint", "constraint"> {
  let summary = "A condition over knobs that every configuration satisfies";
  let description = [{
    ```mlir
    func.func @matmul(...) attributes {tonno.constraints = [
        #tonno.constraint<"BM * BN * 4 <= 49152, BM mod 16 == 0">,
        #tonno.constraint<"tail == 'mask' or BK mod 8 == 0">]}
    ```

    `tonno.constraints` is an array of these, on the kernel, on an operation in
    it, or on its schedule. The text is the same on the command line and in
    JSON. Integers have 64 bits and `+`, `-`, `*`, `floordiv`, `ceildiv` and
    `mod` as in affine expressions; they compare by `==`, `!=`, `<`, `<=`, `>`
    and `>=`. Strings, in single or double quotes, compare by `==` and `!=`.
    A knob of booleans is a condition. Conditions are joined by `and`, `or`,
    `not` and `if c then a else b`; a comma is an `and` that binds least.
    `order[0]` is an element of a knob whose options are lists. The name of a
    knob that is no identifier stands in backquotes: `` `block m` <= 4 ``. The
    names in `tonno.dims` are integers: `M mod BM == 0`.

    Evaluation goes from left to right and stops where the result is known:
    `U != 0, 64 mod U == 0` divides by no zero. A division by zero or an
    overflow that some configuration leads to, an unknown name, and a comparison
    with a string that is no option are errors when the kernel is read.
  }];
  let parameters = (ins StringRefParameter<"the condition">:$text);
  let assemblyFormat = "`<` $text `>`";
  let genVerifyDecl = 1;
}

def Tonno_InputAttr : Tonno_Attr<"Input", "input"> {
  let summary = "The data that a kernel is run on";
  let description = [{
    ```mlir
    func.func @gather(%table: tensor<100x64xf32>
                          {tonno.input = #tonno.input<"normal(0, 1)">},
                      %rows: tensor<32xi64>
                          {tonno.input = #tonno.input<"integers(0, 99)">})
    ```

    `tonno.input` is an attribute of a kernel's argument. The text is the same
    on the command line and in JSON:

    | text | data |
    | --- | --- |
    | `uniform(low, high)` | reals in [low, high) |
    | `normal(mean, stddev)` | reals |
    | `integers(low, high)` | low to high, both included |
    | `permutation` | 0 to n - 1 in any order; n is the number of elements |
    | `constant(value)` | |
    | `npy("file.npy")` | an array of the argument's shape |
    | `sorted(data)` | any of these in ascending order |

    Without it, reals are uniform in [-1, 1), and integers that index a tensor
    or buffer are in its bounds, where these can be derived.
  }];
  let parameters = (ins StringRefParameter<"the data">:$text);
  let assemblyFormat = "`<` $text `>`";
  let genVerifyDecl = 1;
}

#endif // TONNO_DIALECT_TONNOATTRS_TD
