# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is compared with what, in which shapes, and what each row must reach."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping, Sequence


@dataclasses.dataclass(frozen=True)
class Source:
    """C code of an opponent: a file of `c/` with macros beside the case's."""

    file: str
    macros: Mapping[str, object] = dataclasses.field(default_factory=dict)

    @property
    def calls_blas(self) -> bool:
        return self.file.startswith("blas_")

    @property
    def only_calls(self) -> bool:
        """There is nothing in it that flags change."""
        return self.file in ("blas_matmul", "blas_matvec", "blas_batch_matmul")


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    kernel: str
    """A file of `kernels/`, where @NAME@ stands for a size."""
    sizes: Mapping[str, object]
    sources: Sequence[Source]
    threads: int = 1
    """With several, the kernel tuned for one thread is an opponent too."""


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    must: float
    aim: float
    cases: Sequence[Case]


BLAS = Source("blas_matmul")
MATMULS = [
    *[(size, size, size) for size in (64, 128, 256, 512, 1024, 2048)],
    (1000, 1000, 1000),
    (1003, 1021, 1019),
    (2048, 32, 1024),
    (32, 2048, 1024),
    (1536, 1536, 32),
]
"""M, N, K; with the matrix-vector product twelve shapes."""
LAYERS = [(256, 512, 512), (1024, 1024, 1024), (1003, 509, 777)]


def _sizes(**given: object) -> dict[str, object]:
    return given


def _types(results: str, inputs: str = "") -> dict[str, object]:
    zero = "0" if results.startswith("i") else "0.0"
    return {"IN": inputs or results, "OUT": results, "ZERO": zero}


def _matmul(name: str, m: int, n: int, k: int, types: dict[str, object], *by: Source) -> Case:
    sizes = {"M": m, "N": n, "K": k, **types}
    return Case(f"{name} {m}x{n}x{k}", "matmul", sizes, by)


def _cube(name: str, types: dict[str, object], *by: Source) -> Case:
    return _matmul(name, 768, 768, 768, types, *by)


def _plain_matmuls() -> list[Case]:
    cases = [_matmul("matmul", *shape, _types("f32"), BLAS) for shape in MATMULS]
    ways = (Source("blas_matvec"), Source("blas_matvec", {"AS_PRODUCT": 1}))
    return [*cases, Case("matvec 2048x2048", "matvec", _sizes(M=2048, K=2048), ways)]


def _by_threads(threads: int, size: int) -> Case:
    case = _matmul(f"{threads} threads, matmul", size, size, size, _types("f32"))
    return dataclasses.replace(case, threads=threads)


def _layers() -> list[Case]:
    loop = [Source("blas_bias_relu")]
    return [
        Case(f"matmul + bias + ReLU {m}x{n}x{k}", "matmul_bias_relu", _sizes(M=m, N=n, K=k), loop)
        for m, n, k in LAYERS
    ]


def _transposed(which: str) -> Case:
    source = Source("blas_matmul", {f"TRANSPOSED_{which.upper()}": 1})
    name, sizes = f"transposed {which} 768^3", _sizes(M=768, N=768, K=768)
    return Case(name, f"matmul_transposed_{which}", sizes, [source])


def _batch(count: int, size: int) -> Case:
    sizes = _sizes(B=count, M=size, N=size, K=size)
    return Case(f"{count} of {size}^3", "batch_matmul", sizes, [Source("blas_batch_matmul")])


def _tiles(file: str, rows: Sequence[int], columns: Sequence[int]) -> list[Source]:
    return [Source(file, {"ROWS": r, "COLUMNS": c}) for r in rows for c in columns]


def _rows(kernel: str, m: int, n: int, *files: str | Source) -> Case:
    sources = [Source(file) if isinstance(file, str) else file for file in files or (kernel,)]
    return Case(f"{kernel.replace('_', ' ')} {m}x{n}", kernel, _sizes(M=m, N=n), sources)


def _softmax(m: int, n: int) -> Case:
    return _rows("softmax", m, n, "softmax", "softmax_plain")


def _column_sum(m: int, n: int) -> Case:
    widths = (Source("column_sum", {"COLUMNS": width}) for width in (64, 256, n))
    return _rows("column_sum", m, n, *widths)


def _transpose(m: int, n: int) -> Case:
    tiles = [(8, 8), (16, 16), (32, 32), (16, 128)]
    fitting = [(t, b) for t, b in tiles if math.gcd(m, n) % b == 0]
    blocks = [Source("transpose", {"TILE": t, "BLOCK": b}) for t, b in fitting]
    through = [(8, 8), (16, 16), (32, 32), (8, 128), (16, 64), (16, 128)]
    buffers = [Source("transpose_buffer", {"TILE": t, "BLOCK": b}) for t, b in through]
    return _rows("transpose", m, n, *blocks, *buffers)


def _conv(size: int, stride: int, channels: int, filters: int) -> Case:
    out = (size - 3) // stride + 1
    sizes = _sizes(IH=size, IW=size, C=channels, F=filters, OH=out, OW=out, S=stride)
    blocks = [(p, f) for p in (4, 7, 8, 14) for f in (32, 64) if out % p == 0]
    sources = [Source("conv", {"PIXELS": p, "FILTERS": f}) for p, f in blocks]
    return Case(f"3x3 {size}x{size}x{channels} to {filters}", "conv", sizes, sources)


def _depthwise(size: int, channels: int) -> Case:
    sizes = _sizes(IH=size, IW=size, C=channels, OH=size - 2, OW=size - 2)
    sources = [Source("depthwise", {"CHANNELS": c}) for c in (16, 32, channels)]
    tiles = [(1, 64), (2, 32), (4, 32), (7, 16), (7, 32), (14, 16)]
    sources += [
        Source("depthwise_pixels", {"PIXELS": p, "CHANNELS": c})
        for p, c in tiles
        if (size - 2) % p == 0
    ]
    return Case(f"depthwise 3x3 {size}x{size}x{channels}", "depthwise", sizes, sources)


def _stencil(m: int, n: int) -> Case:
    sizes = _sizes(M=m, N=n, IH=m + 2, IW=n + 2)
    sources = [Source("stencil", {"ROWS": rows}) for rows in (1, 2, 4)]
    return Case(f"5-point stencil {m}x{n}", "stencil", sizes, sources)


def _attention(m: int, n: int, d: int) -> Case:
    blocks = [Source("blas_attention_blocks", {"ROWS": rows}) for rows in (64, 128)]
    sources = [Source("blas_attention"), *blocks]
    return Case(f"attention {m}x{n}, {d}", "attention", _sizes(M=m, N=n, D=d), sources)


@functools.cache
def all_rows() -> list[Row]:
    f64 = Source("blas_matmul", {"DOUBLE": 1})
    bf16 = _tiles("matmul_bf16", (4, 8), (32, 48))
    i8 = [*_tiles("matmul_i8_columns", (4, 8), (32, 48)), *_tiles("matmul_i8_dots", (1,), (1, 4))]
    return [
        Row("f32 matmul, 12 shapes", 0.9, 1.05, _plain_matmuls()),
        Row("matmul + bias + ReLU", 1.0, 1.2, _layers()),
        Row("batched matmul", 0.8, 1.0, [_batch(64, 64), _batch(16, 256)]),
        Row("transposed matmul", 0.8, 1.0, [_transposed("a"), _transposed("b")]),
        Row("f64 matmul", 0.8, 1.0, [_cube("f64", _types("f64"), f64)]),
        Row("bf16 matmul", 0.8, 1.0, [_cube("bf16", _types("f32", "bf16"), *bf16)]),
        Row("i8 matmul", 0.8, 1.0, [_cube("i8", _types("i32", "i8"), *i8)]),
        Row("softmax", 1.0, 2.0, [_softmax(1024, 1024), _softmax(4096, 128)]),
        Row("layernorm", 1.0, 2.0, [_rows("layernorm", 1024, 1024), _rows("layernorm", 4096, 256)]),
        Row("reductions", 1.0, 2.0, [_rows("row_sum", 2048, 1024), _column_sum(2048, 1024)]),
        Row(
            "elementwise chains",
            1.0,
            2.0,
            [_rows("scale_shift_clamp", 1024, 1024), _rows("gated_silu", 1024, 1024)],
        ),
        Row("transpose", 1.0, 2.0, [_transpose(2048, 2048), _transpose(1000, 520)]),
        Row("3x3 convolution", 1.0, 2.0, [_conv(58, 1, 64, 64), _conv(30, 1, 128, 128)]),
        Row("3x3 convolution, stride 2", 1.0, 2.0, [_conv(57, 2, 64, 128)]),
        Row("depthwise convolution", 1.0, 2.0, [_depthwise(58, 128)]),
        Row("5-point stencil", 1.0, 2.0, [_stencil(2048, 2048), _stencil(500, 700)]),
        Row("attention", 1.0, 1.3, [_attention(512, 512, 64), _attention(1024, 1024, 64)]),
        Row(
            "two threads against one, large matmul",
            1.7,
            1.95,
            [_by_threads(2, size) for size in (1024, 2048)],
        ),
    ]


DEFAULT_ROW = "tuned against the default, all cases"
DEFAULT_MUST, DEFAULT_AIM = 1.15, 1.4
