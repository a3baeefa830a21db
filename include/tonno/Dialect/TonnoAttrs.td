//===- TonnoAttrs.td - The attributes of the tonno dialect -*- tablegen -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_DIALECT_TONNOATTRS_TD
#define TONNO_DIALECT_TONNOATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpAsmInterface.td"
include "tonno/Dialect/TonnoDialect.td"

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
    ```

    The name is any string that is not empty. The domain is an array of
    attributes: at least one, no two equal, all of one kind (all strings, all
    arrays, all integers of one type, ...) and without knobs inside. Selected
    and default are options.

    A selected option leaves the domain in place, so that the knob can be tuned
    again. In the text form a knob gets an alias of its name: `#BM`.
  }];

  let parameters = (ins
    StringRefParameter<"what identifies the knob within a function">:$name,
    AttrParameter<"::mlir::Attribute", "the options">:$domain,
    OptionalParameter<"::mlir::Attribute",
                      "the option that somebody chose">:$selected,
    OptionalParameter<"::mlir::Attribute",
                      "the option that holds when nobody chose">:$defaultOption
  );
  let assemblyFormat = [{
    `<` $name (`=` custom<Option>($selected)^)?
        `from` $domain
        (`default` custom<Option>($defaultOption)^)? `>`
  }];
  let genVerifyDecl = 1;

  let extraClassDeclaration = [{
    uint64_t getNumOptions() const;
    ::mlir::Attribute getOption(uint64_t index) const;

    /// The index of `option`, if it is one.
    std::optional<uint64_t> getIndexOf(::mlir::Attribute option) const;

    /// Of the option that holds when nobody chose.
    uint64_t getDefaultIndex() const;

    /// Whether somebody chose an option.
    bool isResolved() const { return static_cast<bool>(getSelected()); }

    /// The value the knob has: the selected option, else the default, else the
    /// first.
    ::mlir::Attribute getValue() const;

    /// This knob with another selected option.
    KnobAttr select(::mlir::Attribute option) const;

    /// The options as in the text form, separated by commas: for messages.
    std::string printOptions() const;
  }];
}

#endif // TONNO_DIALECT_TONNOATTRS_TD
