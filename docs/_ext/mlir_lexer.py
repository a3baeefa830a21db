# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Highlights blocks of MLIR, for which Pygments has no lexer."""

from __future__ import annotations

from pygments import token
from pygments.lexer import RegexLexer
from sphinx.application import Sphinx


class MlirLexer(RegexLexer):
    name = "MLIR"
    aliases = ["mlir"]
    filenames = ["*.mlir"]

    tokens = {
        "root": [
            (r"//.*$", token.Comment.Single),
            (r'"(\\.|[^"\\])*"', token.String),
            (r"%[\w$.#-]+(:\d+)?", token.Name.Variable),
            (r"@[\w$.-]+", token.Name.Function),
            (r"\^[\w$.-]+", token.Name.Label),
            (r"#[\w$.-]+", token.Name.Decorator),
            (r"![\w$.-]+", token.Keyword.Type),
            (r"\b(tensor|memref|vector|index|[fiu]\d+|bf16|none)\b", token.Keyword.Type),
            (r"\b(\d+x)+", token.Number),
            (r"-?\b\d+(\.\d+)?([eE][+-]?\d+)?\b", token.Number),
            (r"\b[a-z_]\w*(\.\w+)+", token.Keyword),
            (r"\b(func|module|return|attributes|ins|outs|to|step|iter_args|true|false)\b",
             token.Keyword),
            (r"\w+", token.Name),
            (r"\s+", token.Whitespace),
            (r".", token.Punctuation),
        ]
    }


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_lexer("mlir", MlirLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
