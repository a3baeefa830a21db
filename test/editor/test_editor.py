# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tonno-lsp-server, as an editor sees it."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from lsprotocol import types

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from editor import URI, Editor  # noqa: E402

ROOT = HERE.parent.parent

KERNEL = """\
#BM = #tonno.knob<"BM" from [16, 32, 64] default 32>
#BN = #tonno.knob<"BN" = 64 from pow2<32 to 256>>
#map = affine_map<(d0) -> (d0)>
#order = #tonno.knob<"order" from [#map, affine_map<(d0) -> (0)>]>

// A #tonno.knob<"comment" from [1]>.
func.func @matmul(%a: tensor<256x256xf32> {tonno.dims = ["M", "K"]},
                  %b: tensor<256x256xf32>, %c: tensor<256x256xf32>) -> tensor<256x256xf32>
    attributes {tonno.constraints = [#tonno.constraint<"BM * BN <= 4096, M mod BM == 0">],
                tonno.tuned = {device = "cpu", verdict = "faster", median_ns = 1250 : i64,
                               baseline_ns = 2500 : i64, speedup = [1.9, 2.1]}} {
  %r = linalg.matmul {tonno.lowering_config = {workgroup = [#BM, #BN, 0],
                          subgroup = [#tonno.knob<"MR" from [2, 4]>, 16, 0],
                          copy = #tonno.knob<"COPY" from ["registers", "async"]>},
                      mine = [#order, #tonno.knob<"MR" from [2, 4]>]}
       ins(%a, %b : tensor<256x256xf32>, tensor<256x256xf32>)
       outs(%c : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}
"""


def find_tool(name: str) -> pathlib.Path:
    build = pathlib.Path(os.environ.get("TONNO_BUILD_DIR", ROOT / "build")).resolve()
    return build / "bin" / name


SERVER = find_tool("tonno-lsp-server")


@pytest.fixture
def editor() -> Iterator[Editor]:
    editor = Editor(SERVER)
    yield editor
    assert editor.close() == 0


@pytest.fixture
def kernel(editor: Editor) -> Editor:
    editor.open(KERNEL)
    return editor


def run_tool(name: str, text: str, *options: str) -> list[tuple[int, int, str]]:
    """Returns the line, the column and the text of each error and warning of a tool."""
    done = subprocess.run(
        [find_tool(name), "-", *options], input=text, text=True, capture_output=True
    )
    found = re.findall(
        r"^(?:<stdin>|-):(\d+):(\d+): (?:error|warning): (.*)$", done.stderr, re.MULTILINE
    )
    return [(int(line), int(column), said) for line, column, said in found]


def seen(editor: Editor) -> list[tuple[int, int, str]]:
    """Returns the diagnostics in the form of run_tool."""
    return [
        (one.range.start.line + 1, one.range.start.character + 1, one.message)
        for one in editor.diagnostics()
    ]


def test_server_states_its_name(editor: Editor) -> None:
    assert editor.answer.server_info is not None
    assert editor.answer.server_info.name == "tonno-lsp-server"
    version = subprocess.run(
        [SERVER, "--version"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    assert (editor.answer.server_info.version or "?") in version


def test_valid_kernel_has_no_diagnostics(kernel: Editor) -> None:
    assert kernel.diagnostics() == []


BROKEN = {
    "syntax": KERNEL.replace("default 32>", "default 32"),
    "option": KERNEL.replace("default 32>", "default 33>"),
    "domain": KERNEL.replace("pow2<32", "pow3<32"),
    "key": KERNEL.replace("subgroup", "subgrup"),
    "attribute": KERNEL.replace("tonno.tuned", "tonno.tunned"),
    "type": KERNEL.replace("return %r : tensor<256x256xf32>", "return %r : tensor<4xf32>"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_diagnostics_are_those_of_tonno_opt(editor: Editor, name: str) -> None:
    editor.open(BROKEN[name])
    expected = run_tool("tonno-opt", BROKEN[name])
    assert expected
    assert seen(editor) == expected


REFUSED = {
    "unknown name": KERNEL.replace("M mod BM", "M mod BX"),
    "conflict": KERNEL.replace("BM * BN <= 4096", "BM > 16, BM < 32"),
    "two domains": KERNEL.replace('<"COPY" from ["registers", "async"]', '<"MR" from ["a"]'),
    "dialect": KERNEL + '"mine.op"() : () -> ()\n',
    "private schedule": KERNEL.replace(
        "tonno.tuned = {", "tonno.schedule = @nowhere, tonno.tuned = {"
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_diagnostics_are_those_of_tonno_tune(editor: Editor, name: str) -> None:
    """Errors that no verifier of an attribute or an op finds."""
    editor.open(REFUSED[name])
    expected = run_tool("tonno-tune", REFUSED[name], "--cache=off", "--effort=none", "-o", "-")
    assert expected
    assert seen(editor) == expected


def test_notes_are_kept(editor: Editor) -> None:
    editor.open(REFUSED["dialect"])
    (error,) = editor.diagnostics()
    assert error.related_information is not None
    assert "--load-dialect-plugin" in error.related_information[0].message


def test_diagnostics_follow_changes(kernel: Editor) -> None:
    assert kernel.diagnostics() == []
    kernel.change(BROKEN["option"])
    (error,) = kernel.diagnostics()
    assert "33" in error.message
    assert error.severity == types.DiagnosticSeverity.Error
    kernel.change(KERNEL)
    assert kernel.diagnostics() == []


def test_diagnostics_are_of_the_version_that_they_name(editor: Editor) -> None:
    """While someone types, texts arrive faster than they are checked."""
    texts = [BROKEN["option"], KERNEL]
    editor.open(texts[0])
    for i in range(1, 40):
        editor.change(texts[i % 2])
    assert editor.diagnostics() == []
    for params in editor.published:
        assert params.version is not None
        assert len(params.diagnostics) == params.version % 2


def test_parts_of_a_file_are_modules(editor: Editor) -> None:
    text = KERNEL + "// -----\n" + BROKEN["option"] + "// -----\n" + KERNEL
    editor.open(text)
    ((line, column, said),) = run_tool("tonno-opt", BROKEN["option"])
    assert seen(editor) == [(KERNEL.count("\n") + 1 + line, column, said)]
    second = text.index("BM", len(KERNEL) + 20)
    editor.change(text.replace("default 33", "default 64"))
    assert "default: `64`" in (editor.hover(editor.position(second)) or "")


def test_file_without_knobs_has_no_diagnostics(editor: Editor) -> None:
    editor.open("func.func @f() { return }\n")
    assert editor.diagnostics() == []


def test_knob_is_described(kernel: Editor) -> None:
    for place in ('#tonno.kn|ob<"BM"', '"B|M"', "[1|6, 32, 64]", "default 3|2>", "[#B|M, "):
        said = kernel.hover(kernel.find(place))
        assert said is not None, place
        assert "**knob** `BM`: 3 options" in said
        assert "options: `16`, `32`, `64`" in said
        assert "default: `32`\n" in said
        assert "selected: none" in said
    said = kernel.hover(kernel.find("#B|N ="))
    assert said is not None
    assert "default: `32`, the first option" in said and "selected: `64`" in said
    assert kernel.hover(kernel.find('// A #tonno.k|nob<"comment"')) is None


def test_aliases_in_options_are_read(kernel: Editor) -> None:
    said = kernel.hover(kernel.find('"or|der"'))
    assert said is not None
    assert "2 options" in said and "affine_map<(d0) -> (d0)>" in said


def test_long_list_of_options_is_cut(editor: Editor) -> None:
    editor.open('#U = #tonno.knob<"U" from range<1 to 1000>>')
    said = editor.hover(editor.find('"|U"'))
    assert said is not None
    assert "1000 options" in said and "`16`, and 984 more" in said and "`17`" not in said
    titles = list(editor.actions(editor.find('"|U"')))
    assert len(titles) == 64 and titles[0] == "Select 1 for knob U"
    editor.change('#U = #tonno.knob<"U" = 1000 from range<1 to 1000>>')
    titles = list(editor.actions(editor.find('"|U"')))
    assert len(titles) == 64
    editor.change('#U = #tonno.knob<"U" = 500 from range<1 to 1000>>')
    titles = list(editor.actions(editor.find('"|U"')))
    assert titles[0] == "Select 468 for knob U" and titles[-2] == "Select 531 for knob U"
    editor.change('#U = #tonno.knob<"U" = 1000 from range<1 to 1000>>')
    titles = list(editor.actions(editor.find('"|U"')))
    assert titles[0] == "Select 937 for knob U" and titles[-1] == "Select no option for knob U"


def test_constraint_is_described(kernel: Editor) -> None:
    said = kernel.hover(kernel.find("BM * B|N"))
    assert said is not None
    assert "BM * BN <= 4096, M mod BM == 0" in said
    assert "- `BM`: `16`, `32`, `64`" in said and "- `M`: a dimension, or" in said


def test_tuned_is_described(kernel: Editor) -> None:
    for place in ("tonno.tu|ned", 'verdict = "fas|ter"', "|baseline_ns"):
        said = kernel.hover(kernel.find(place))
        assert said is not None, place
        for line in (
            "verdict: `faster`",
            "speedup: 1.900x to 2.100x",
            "median: 1.25 us",
            "median of the default: 2.50 us",
            "device: `cpu`",
        ):
            assert line in said


def test_strings_of_any_bytes_are_printable(editor: Editor) -> None:
    editor.open('func.func @f() attributes {tonno.tuned = {verdict = "\\FF\\1B[1m"}} { return }\n')
    assert editor.diagnostics() == []
    said = editor.hover(editor.find("tonno.tu|ned"))
    assert said is not None and "verdict: `\\xff\\x1b[1m`" in said
    editor.change('func.func @f() attributes {"tonno.\\FF"} { return }\n')
    (error,) = editor.diagnostics()
    assert "tonno.\\xff" in error.message


def test_key_is_described(kernel: Editor) -> None:
    said = kernel.hover(kernel.find("work|group = "))
    assert said is not None
    assert "one core or workgroup computes" in said and "nvptx" in said


def test_upstream_describes_the_others(kernel: Editor) -> None:
    said = kernel.hover(kernel.find("linalg.mat|mul"))
    assert said is not None and '"linalg.matmul"' in said


def test_parser_completes_attributes(editor: Editor) -> None:
    editor.open("#x = #tonno.")
    assert {"knob", "constraint", "pow2"} <= set(editor.complete(editor.position(12)))
    editor.change('#x = #tonno.knob<"BM" from ')
    found = editor.complete(editor.position(len(editor.text)))
    assert {"pow2", "range", "permutations"} <= set(found)
    editor.change('#x = #tonno.knob<"BM" from [1, 2] ')
    assert "default" in editor.complete(editor.position(len(editor.text)))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ('#x = #tonno.knob<"x" from [16, 32] default ', "", {"16", "32"}),
        ('#x = #tonno.knob<"x" from [16, 32] default 3', ">", {"16", "32"}),
        ('#x = #tonno.knob<"x" = ', " from [16, 32]>", {"16", "32"}),
        ('#x = #tonno.knob<"x" = 1', " from [16, 32] default 16>\n", {"16", "32"}),
        ('#x = #tonno.knob<"x" = ', ' from ["a", "b"]>', {'"a"', '"b"'}),
        ('#x = #tonno.knob<"x" = "', '" from ["a", "b"]>', {'"a"', '"b"'}),
        ('#x = #tonno.knob<"x" from pow2<2 to 8> default ', ">", {"2", "4", "8"}),
        ('#x = #tonno.knob<"x" = ', "", set()),
        ('#x = #tonno.knob<"x" from [16, 32] // default ', "\n>", set()),
        ('#x = #tonno.knob<"x" from [16, 32', "", set()),
    ],
)
def test_options_are_completed(
    editor: Editor, before: str, after: str, expected: set[str]
) -> None:
    editor.open(before + after)
    found = editor.complete(editor.position(len(before)))
    values = {
        label for label, item in found.items() if item.kind == types.CompletionItemKind.Value
    }
    assert values == expected
    for label in values:
        edit = found[label].text_edit
        assert isinstance(edit, types.TextEdit)
        assert f'"x" = {label}' in editor.apply(edit) or f"default {label}" in editor.apply(edit)


def test_names_of_attributes_are_completed(editor: Editor) -> None:
    before = "func.func @f() attributes {tonno."
    editor.open(before + "} { return }")
    found = editor.complete(editor.position(len(before)))
    page = (ROOT / "docs/reference/dialect.md").read_text()
    table = re.findall(r"^\| `(tonno\.\w+)` \|", page, re.MULTILINE)
    assert set(table) - set(found) == set()
    edit = found["tonno.tuned"].text_edit
    assert isinstance(edit, types.TextEdit)
    assert "attributes {tonno.tuned}" in editor.apply(edit)


@pytest.mark.parametrize(
    ("config", "is_key"),
    [
        ("{|}", True),
        ("{wo|}", True),
        ("{workgroup = [1], |}", True),
        ("{workgroup = |}", False),
        ("{workgroup = [|]}", False),
        ("{workgroup = [1], // |\n}", False),
    ],
)
def test_keys_are_completed(editor: Editor, config: str, is_key: bool) -> None:
    marked = f"#c = 1\nfunc.func @f() attributes {{tonno.lowering_config = {config}}} {{ return }}"
    before, _, after = marked.partition("|")
    editor.open(before + after)
    found = editor.complete(editor.position(len(before)))
    keys = (ROOT / "docs/reference/lowering-config.md").read_text()
    table = set(re.findall(r"^\| `(\w+)` \|", keys, re.MULTILINE))
    assert len(table) > 10
    assert table & set(found) == (table if is_key else set())


def test_names_in_constraints_are_completed(kernel: Editor) -> None:
    found = kernel.complete(kernel.find("BM * |BN"))
    assert {"BM", "BN", "MR", "COPY", "mod", "if"} <= set(found)
    assert "comment" not in found
    assert found["BM"].detail == "16, 32, 64"


@pytest.mark.parametrize("typed", ["M-", "M-ti", "M - `", "M - `tile-", "M-`tile-m"])
def test_names_in_constraints_replace_one_operand(editor: Editor, typed: str) -> None:
    editor.open(f'#k = #tonno.knob<"tile-m" from [1, 2]>\n#c = #tonno.constraint<"{typed}')
    edit = editor.complete(editor.position(len(editor.text)))["`tile-m`"].text_edit
    assert isinstance(edit, types.TextEdit)
    operator = "M - " if " " in typed else "M-"
    assert editor.apply(edit).endswith(f'<"{operator}`tile-m`')


def test_actions_select_an_option(kernel: Editor) -> None:
    actions = kernel.actions(kernel.find("[#B|M, "))
    assert list(actions) == [f"Select {n} for knob BM" for n in (16, 32, 64)]
    text = kernel.apply_action(actions["Select 16 for knob BM"])
    assert '#BM = #tonno.knob<"BM" = 16 from [16, 32, 64] default 32>\n' in text
    kernel.change(text)
    assert kernel.diagnostics() == []
    actions = kernel.actions(kernel.find("#B|M ="))
    assert "Select 16 for knob BM" not in actions
    again = kernel.apply_action(actions["Select no option for knob BM"])
    assert again == KERNEL


def test_actions_replace_a_selection(kernel: Editor) -> None:
    actions = kernel.actions(kernel.find('"B|N"'))
    assert "Select 64 for knob BN" not in actions
    text = kernel.apply_action(actions["Select 256 for knob BN"])
    assert '#tonno.knob<"BN" = 256 from pow2<32 to 256>>' in text
    assert run_tool("tonno-opt", text) == []


def test_actions_change_every_place_of_a_knob(kernel: Editor) -> None:
    place = kernel.position(KERNEL.index('"MR"'))
    text = kernel.apply_action(kernel.actions(place)["Select 4 for knob MR"])
    assert text.count('#tonno.knob<"MR" = 4 from [2, 4]>') == 2
    kernel.change(text)
    assert kernel.diagnostics() == []


def test_actions_change_one_knob_alone(editor: Editor) -> None:
    editor.open('#x = #tonno.knob<"x" from [1, 2]>\n#y = #tonno.knob<"y" from [1, 2]>\n')
    text = editor.apply_action(editor.actions(editor.find('"|y"'))["Select 2 for knob y"])
    assert text == editor.text.replace('"y"', '"y" = 2')


def test_actions_repair_unequal_selections(kernel: Editor) -> None:
    first = KERNEL.index('"MR"')
    text = KERNEL.replace('"MR"', '"MR" = 2', 1)
    last = text.rindex('"MR"')
    kernel.change(text[:last] + text[last:].replace('"MR"', '"MR" = 4'))
    assert any('"MR"' in error.message for error in kernel.diagnostics())
    actions = kernel.actions(kernel.position(first))
    kernel.change(kernel.apply_action(actions["Select 4 for knob MR"]))
    assert kernel.text.count('"MR" = 4 from') == 2
    assert kernel.diagnostics() == []


def test_actions_write_options_as_the_parser_reads_them(kernel: Editor) -> None:
    actions = kernel.actions(kernel.find('"COP|Y"'))
    text = kernel.apply_action(actions['Select "async" for knob COPY'])
    assert '<"COPY" = "async" from ["registers", "async"]>' in text
    kernel.change(text)
    title = "Select affine_map<(d0) -> (d0)> for knob order"
    text = kernel.apply_action(kernel.actions(kernel.find("[#or|der"))[title])
    assert "<\"order\" = affine_map<(d0) -> (d0)> from [#map, " in text
    assert run_tool("tonno-opt", text) == []


SCHEDULE = """\
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %m = transform.tune.knob<"tile-m"> options = [16, 32] -> !transform.any_param
    %n = transform.tune.knob<"N"> = 8 from options = #tonno.pow2<4 to 64> -> !transform.any_param
    transform.yield
  }
}
"""


def test_knobs_of_a_schedule(editor: Editor) -> None:
    editor.open(SCHEDULE)
    assert editor.diagnostics() == []
    said = editor.hover(editor.find('"tile|-m"'))
    assert said is not None and "**knob** `tile-m`: 2 options" in said and "`16`, `32`" in said
    actions = editor.actions(editor.find("tune.kn|ob<\"N\""))
    text = editor.apply_action(actions["Select 32 for knob N"])
    assert 'knob<"N"> = 32 from options = #tonno.pow2<4 to 64>' in text
    actions = editor.actions(editor.find('"tile|-m"'))
    assert list(actions) == ["Select 16 for knob tile-m", "Select 32 for knob tile-m"]
    text = editor.apply_action(actions["Select 16 for knob tile-m"])
    assert 'knob<"tile-m"> = 16 from options = [16, 32]' in text
    editor.change(text)
    assert editor.diagnostics() == []
    assert "selected: `16`" in (editor.hover(editor.find('"tile|-m"')) or "")


def test_selection_ends_at_the_word_before_the_domain(editor: Editor) -> None:
    editor.open('#x = #tonno.knob<"from" = {from = "from "} from [{from = "from "}, {from = "a"}]>\n')
    place = editor.find('"fr|om" =')
    text = editor.apply_action(editor.actions(place)['Select {from = "a"} for knob from'])
    assert text == editor.text.replace('= {from = "from "} from', '= {from = "a"} from')
    editor.change('#x = #tonno.knob<"x" = "from" from ["from", "a"]>\n')
    text = editor.apply_action(editor.actions(editor.find('"|x"'))['Select "a" for knob x'])
    assert text == '#x = #tonno.knob<"x" = "a" from ["from", "a"]>\n'


def test_actions_are_of_the_kind_that_is_wanted(kernel: Editor) -> None:
    place = kernel.find("#B|M =")
    assert kernel.actions(place, only=["quickfix"]) == {}
    found = kernel.actions(place, only=["refactor"])
    assert {action.kind for action in found.values()} == {"refactor"}
    assert kernel.actions(kernel.find("linalg.mat|mul")) == {}


def test_selected_options_that_break_a_constraint_are_reported(kernel: Editor) -> None:
    title = "Select 256 for knob BN"
    kernel.change(kernel.apply_action(kernel.actions(kernel.find('"B|N"'))[title]))
    (error,) = kernel.diagnostics()
    assert "BM * BN <= 4096" in error.message
    title = "Select 16 for knob BM"
    kernel.change(kernel.apply_action(kernel.actions(kernel.find("#B|M ="))[title]))
    assert kernel.diagnostics() == []


@pytest.mark.parametrize("encodings", [None, ["utf-16"], ["utf-8", "utf-16"]])
def test_columns_behind_other_letters(encodings: list[str] | None) -> None:
    editor = Editor(SERVER, encodings=list(encodings) if encodings else None)
    agreed = editor.answer.capabilities.position_encoding
    assert agreed == ("utf-8" if encodings and "utf-8" in encodings else None)
    editor.open('#x = {a = "äß𝄞", k = #tonno.knob<"größe" from [1, 2]>, bad = #tonno.knob<"" from [1]>}\n')
    (error,) = editor.diagnostics()
    assert editor.offset(error.range.start) == editor.text.index('""')
    place = editor.find('"gr|öße"')
    assert "größe" in (editor.hover(place) or "")
    text = editor.apply_action(editor.actions(place)["Select 2 for knob größe"])
    assert 'k = #tonno.knob<"größe" = 2 from [1, 2]>, bad' in text
    assert editor.close() == 0


def test_definition_of_a_value(kernel: Editor) -> None:
    (place,) = kernel.definitions(kernel.find("return %|r"))
    assert place.range.start == kernel.find("|%r = linalg")
    (place,) = kernel.definitions(kernel.find("ins(%a|, %b"))
    assert place.range.start == kernel.find("|%a: tensor")


def test_closed_document_has_no_answers(kernel: Editor) -> None:
    kernel.diagnostics()
    kernel.client.text_document_did_close(
        types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(URI))
    )
    assert kernel.hover(kernel.find('"B|M"')) is None
    assert list(kernel.published[-1].diagnostics) == []


def test_end_without_shutdown_is_a_failure() -> None:
    editor = Editor(SERVER)
    editor.client.exit(None)
    assert editor.wait() == 1


def test_end_of_input_ends_the_server() -> None:
    done = subprocess.run([SERVER], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    assert done.returncode == 1


def test_unknown_option_is_refused() -> None:
    done = subprocess.run([SERVER, "--nothing"], capture_output=True, text=True)
    assert done.returncode == 1 and "--nothing" in done.stderr


def test_incomplete_texts(editor: Editor) -> None:
    """Nobody types a file at once: every beginning of one has answers."""
    editor.open("")
    text = re.sub(r"\n +", " ", KERNEL + SCHEDULE)
    for end in range(len(text) + 1):
        editor.change(text[:end])
        editor.hover(editor.position(end))
        editor.complete(editor.position(end))
        editor.actions(editor.position(end))
        # The rest of the file, too, with a gap that someone fills.
        if end % 3 == 0:
            editor.change(text[:end] + text[end + 5 :])
            editor.hover(editor.position(end))
            editor.complete(editor.position(end))
            editor.actions(editor.position(end))
    editor.change(text)
    assert editor.diagnostics() == []
