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
    An ordered list of options for a knob, explicit or computed. Arrays and
    dense arrays implement this interface: their options are their elements.
    Attributes of other dialects may implement it too.
  }];
  let methods = [
    InterfaceMethod<"Returns the number of options.",
                    "uint64_t", "getNumOptions", (ins)>,
    InterfaceMethod<"Returns the option at `index`, which must be less than "
                    "the number of options.",
                    "::mlir::Attribute", "getOption", (ins "uint64_t":$index)>,
    InterfaceMethod<"Returns the index of `option`, or none if it is no option.",
                    "std::optional<uint64_t>", "getOptionIndex",
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
  let summary = "A named tunable value and its options";
  let description = [{
    ```mlir
    #tonno.knob<"BM" from [32, 64, 128]>               // has value 32
    #tonno.knob<"BM" from [32, 64, 128] default 64>    // has value 64
    #tonno.knob<"BM" = 128 from [32, 64, 128]>         // 128 was selected
    #tonno.knob<"tail" from ["mask", "split"]>
    #tonno.knob<"pack" from [true, false]>
    #tonno.knob<"width" from [32 : i32, 64 : i32]>     // the default type is i64
    #tonno.knob<"order" from [[0, 1, 2], [1, 0, 2]]>
    #tonno.knob<"map" from [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>]>
    #tonno.knob<"BK" from pow2<16 to 256> default 64>  // 16, 32, ..., 256
    #tonno.knob<"unroll" from range<0 to 8 step 2>>    // 0, 2, 4, 6, 8
    #tonno.knob<"loops" from permutations<3>>          // [0, 1, 2], [0, 2, 1], ...
    ```

    A knob has these parts:

    - The *name* is a string in UTF-8 that is not empty, without blanks, control
      characters, `,`, `(`, `)`, `{`, `}`, `=` and `@`, which separate words of
      pipelines and command lines.
    - The *domain* lists 1 to 65536 options. It is an array of distinct
      attributes of one kind (strings, arrays, integers of one type, ...)
      without knobs inside; or [`pow2`](#pow2attr), [`range`](#rangeattr) or
      [`permutations`](#permutationsattr); or any other attribute with the
      interface `DomainAttrInterface`.
    - The *selected* option, if there is one, is the knob's value.
    - The *default*, if there is one, is the value without a selected option.

    Without a selected option and a default, the value is the first option. A
    selected option leaves the domain in place, so that the knob can be tuned
    again. The printer creates an alias from the name: `#BM`.
  }];

  let parameters = (ins
    StringRefParameter<"name of the knob within a function">:$name,
    AttrParameter<"DomainAttrInterface", "options">:$domain,
    OptionalParameter<"::mlir::Attribute", "selected option">:$selected,
    OptionalParameter<"::mlir::Attribute",
                      "option used without a selection">:$defaultOption
  );
  let assemblyFormat = [{
    `<` custom<KnobName>($name) (`=` custom<Option>($selected)^)?
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
    std::optional<uint64_t> getOptionIndex(::mlir::Attribute option) const {
      return getDomain().getOptionIndex(option);
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
                                              ["getOptionIndex"]>]> {
  let genVerifyDecl = 1;
}

def Tonno_Pow2Attr : Tonno_DomainAttr<"Pow2", "pow2"> {
  let summary = "Domain of powers of two";
  let description = [{
    `#tonno.pow2<16 to 256>` has the options 16, 32, 64, 128 and 256, of type
    i64. Both bounds are powers of two. In a schedule, write
    `transform.tune.knob<"BM"> options = #tonno.pow2<16 to 256>`.
  }];
  let parameters = (ins AttrOrTypeParameter<"int64_t", "least option">:$low,
                        AttrOrTypeParameter<"int64_t", "largest option">:$high);
  let assemblyFormat = "`<` $low `to` $high `>`";
}

def Tonno_RangeAttr : Tonno_DomainAttr<"Range", "range"> {
  let summary = "Domain of integers with a constant step";
  let description = [{
    `#tonno.range<0 to 8 step 2>` has the options 0, 2, 4, 6 and 8, of type
    i64. The upper bound is an option if its distance from the lower bound is
    a multiple of the step. The default step is 1.
  }];
  let parameters = (ins
    AttrOrTypeParameter<"int64_t", "least option">:$low,
    AttrOrTypeParameter<"int64_t", "upper bound, included">:$high,
    DefaultValuedParameter<"int64_t", "1",
                           "distance between options">:$step
  );
  let assemblyFormat = "`<` $low `to` $high (`step` $step^)? `>`";
}

def Tonno_PermutationsAttr : Tonno_DomainAttr<"Permutations", "permutations"> {
  let summary = "Domain of the permutations of 0 to n - 1";
  let description = [{
    `#tonno.permutations<3>` has the options `[0, 1, 2]`, `[0, 2, 1]`,
    `[1, 0, 2]`, `[1, 2, 0]`, `[2, 0, 1]` and `[2, 1, 0]`, in this order. The
    elements have type i64. n is from 1 to 8.
  }];
  let parameters = (ins
    AttrOrTypeParameter<"int64_t", "number of elements">:$count
  );
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

    `tonno.constraints` is an array of constraints, on the kernel, on an
    operation in it, or on its schedule. The command line and JSON use the same
    text.

    | term | meaning |
    | --- | --- |
    | `+`, `-`, `*`, `floordiv`, `ceildiv`, `mod` | arithmetic on 64-bit integers, as in affine expressions |
    | `==`, `!=`, `<`, `<=`, `>`, `>=` | comparison of integers |
    | `'mask'`, `"mask"` | a string; strings compare by `==` and `!=` |
    | `and`, `or`, `not`, `if c then a else b` | operators on conditions; a knob of booleans is a condition |
    | `,` | `and`, with the lowest precedence |
    | `order[0]` | an element of a knob whose options are lists |
    | `` `block m` `` | a knob whose name is not an identifier |
    | `M` | an integer: a size that `tonno.dims` names |

    Conditions are evaluated from left to right, until the result is known:
    `U != 0, 64 mod U == 0` never divides by zero. These are errors when the
    kernel is read:

    - a division by zero or an overflow in some configuration;
    - an unknown name;
    - a comparison with a string that is not an option.
  }];
  let parameters = (ins StringRefParameter<"condition">:$text);
  let assemblyFormat = "`<` $text `>`";
  let genVerifyDecl = 1;
}

def Tonno_InputAttr : Tonno_Attr<"Input", "input"> {
  let summary = "Input data of a kernel during tuning";
  let description = [{
    ```mlir
    func.func @gather(%table: tensor<100x64xf32>
                          {tonno.input = #tonno.input<"normal(0, 1)">},
                      %rows: tensor<32xi64>
                          {tonno.input = #tonno.input<"integers(0, 99)">})
    ```

    `tonno.input` is an attribute of a kernel's argument. The command line and
    JSON use the same text:

    | text | data |
    | --- | --- |
    | `uniform(low, high)` | floating-point numbers in [low, high) |
    | `normal(mean, stddev)` | normally distributed floating-point numbers |
    | `integers(low, high)` | integers from low to high, both included |
    | `permutation` | 0 to n - 1 in random order; n is the number of elements |
    | `constant(value)` | the same value in each element |
    | `npy("file.npy")` | the array in the file, of the argument's shape |
    | `sorted(data)` | any of the above, in ascending order |

    By default, floating-point numbers are uniform in [-1, 1). Integers that
    index a tensor or buffer are within its bounds, if these can be derived.
  }];
  let parameters = (ins StringRefParameter<"data">:$text);

  let assemblyFormat = "`<` $text `>`";
  let genVerifyDecl = 1;
}

#endif // TONNO_DIALECT_TONNOATTRS_TD
