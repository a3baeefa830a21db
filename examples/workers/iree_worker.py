# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes how IREE lowers a contraction or a convolution for the CPU.

    pip install iree-base-compiler==3.13.0
    tonno-tune matmul_iree.mlir --worker-command='python iree_worker.py' -o matmul.tuned.mlir

A knob is named by a level of IREE's tiling and a loop of the op: `distribution_0` is the tile of
the first loop for a workgroup, `vector_common_parallel_1` that of the second loop in registers.
`enable_loop_peeling` is 1 to peel the rests of tiles. All zeros are IREE's own choice. Kernels that IREE computes in several dispatches are refused.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

from iree.compiler import ir, version as iree_version

from tonno.frontends import CandidateFailed
from tonno.worker import Kernel, serve

LEVELS = (
    "distribution",
    "cache_parallel",
    "cache_reduction",
    "vector_common_parallel",
    "vector_reduction",
)
PIPELINES = {"linalg.matmul": "DoubleTilingExpert", "linalg.conv": "ConvTileAndDecomposeExpert"}
ONES = {
    "distribution_0": 1,
    "vector_common_parallel_0": 1,
    "vector_common_parallel_1": 1,
    "vector_reduction_4": 1,
    "vector_reduction_5": 1,
}
"""Tiles of convolutions that IREE's pipeline needs: one image, one row, one point of the filter."""
TARGET = [
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-link-embedded=false",
]
ENTRY = """
#include <stddef.h>
#include <stdint.h>

// The parts of IREE's interface of executables, version 6, that a kernel of one
// dispatch needs.
struct dispatch_state {{
  uint32_t size_x, size_y;
  uint16_t size_z, constants_count;
  uint32_t count_x, count_y;
  uint16_t count_z;
  uint8_t max_concurrency, bindings_count;
  const uint32_t *constants;
  void *const *bindings;
  const size_t *lengths;
}};
struct workgroup_state {{
  uint32_t x, y;
  uint16_t z, reserved;
  uint32_t processor;
  void *local_memory;
  uint32_t local_memory_size;
}};
typedef int dispatch(const void *environment, const struct dispatch_state *,
                     const struct workgroup_state *);
struct library {{
  const struct {{ uint32_t version; }} *header;
  struct {{ uint32_t count; const void *symbols; }} imports;
  struct {{ uint32_t count; dispatch *const *functions; }} exports;
}};
extern const struct library *iree_hal_executable_library_query(
    uint32_t version, const void *environment);

static uint64_t environment[32];
static char local_memory[1 << 20] __attribute__((aligned(64)));

void {name}(void **buffers) {{
  static const size_t lengths[] = {{{lengths}}};
  const struct library *library =
      iree_hal_executable_library_query(6, environment);
  struct dispatch_state state = {{1, 1, 1, 0, {x}, {y}, {z}, 1, {count},
                                 NULL, buffers, lengths}};
  for (uint32_t z = 0; z < {z}; ++z)
    for (uint32_t y = 0; y < {y}; ++y)
      for (uint32_t x = 0; x < {x}; ++x) {{
        struct workgroup_state workgroup = {{
            x, y, (uint16_t)z, 0, 0, local_memory, sizeof local_memory}};
        if (library->exports.functions[0](environment, &state, &workgroup) != 0)
          __builtin_trap();
      }}
}}
"""
ALIGNMENT = 64
BYTES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i16": 2, "i8": 1}


def compile(kernel: Kernel, values: Mapping[str, Any]) -> bytes:
    if any(each.alignment < ALIGNMENT for each in kernel.buffers):
        raise CandidateFailed(
            "unlaunchable",
            f"IREE's code needs tonno.alignment = {ALIGNMENT} on all arguments and results",
        )
    text = set_config(kernel.text, values)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run_iree(folder, text, kernel)
        (binary,) = folder.glob("files/*.o")
        counts = read_workgroups(folder, len(kernel.buffers))
        lengths = [find_bytes(each.element_type) * count(each.shape) for each in kernel.buffers]
        entry = ENTRY.format(
            name=kernel.name,
            lengths=", ".join(map(str, lengths)),
            count=len(lengths),
            **dict(zip("xyz", counts, strict=True)),
        )
        library = folder / "kernel.so"
        run("cc", "-O2", "-shared", "-fPIC", "-x", "c", "-", "-x", "none", binary, "-lm", "-o", library, text=entry)
        return library.read_bytes()


def find_bytes(element_type: str) -> int:
    if element_type not in BYTES:
        raise CandidateFailed("unlaunchable", f"the worker does not know the size of {element_type}")
    return BYTES[element_type]


def count(shape: tuple[int, ...]) -> int:
    product = 1
    for extent in shape:
        product *= extent
    return product


def run(*command: Any, text: str) -> None:
    ran = subprocess.run([str(part) for part in command], input=text, capture_output=True, text=True)
    if ran.returncode != 0:
        errors = [line for line in ran.stderr.splitlines() if "error" in line] or [ran.stderr]
        raise CandidateFailed("compile_error", errors[0])


def run_iree(folder: pathlib.Path, text: str, kernel: Kernel) -> None:
    """Compiles the module; leaves the binaries and the IR of all phases in the folder."""
    compiler = pathlib.Path(sys.executable).with_name("iree-compile")
    cpu = [f"--iree-llvmcpu-target-cpu={kernel.chip}"]
    dumps = [
        f"--iree-hal-dump-executable-intermediates-to={folder / 'files'}",
        f"--dump-compilation-phases-to={folder / 'phases'}",
    ]
    run(compiler, "-", *TARGET, *cpu, *dumps, "-o", folder / "module.vmfb", text=text)
    if len(list(folder.glob("files/*.o"))) != 1:
        raise CandidateFailed("unlaunchable", "IREE computes the kernel in several dispatches")


def read_workgroups(folder: pathlib.Path, buffers: int) -> list[int]:
    """Returns the numbers of workgroups of the one dispatch, which binds all buffers in order."""
    (file,) = folder.glob("phases/*.hal.mlir")
    text = file.read_text()
    constants = dict(re.findall(r"(%c\w+) = arith.constant (\d+) : index", text))
    calls = re.findall(r"dispatch<.*?workgroups\(\[(.*?)\]\) bindings\(\[(.*?)\n    \]\)", text, re.S)
    if len(calls) != 1:
        raise CandidateFailed("unlaunchable", "IREE computes the kernel in several dispatches")
    counts, bindings = calls[0]
    bound = [constants[name] for name in re.findall(r"\((%c\w+) : index\)\[", bindings)]
    if bound != [str(place) for place in range(buffers)]:
        raise CandidateFailed("unlaunchable", "IREE binds the buffers in another order")
    return [int(constants[name.strip()]) for name in counts.split(",")]


def set_config(text: str, values: Mapping[str, Any]) -> str:
    """Returns the module with the configuration on its contraction or convolution."""
    if not any(values.values()):
        return text
    with ir.Context():
        module = ir.Module.parse(text)
        found = list(find_ops(module.operation))
        if len(found) != 1:
            text = f"the kernel has {len(found)} products and convolutions, and not one"
            raise CandidateFailed("compile_error", text)
        ((op, pipeline),) = found
        op.attributes["compilation_info"] = ir.Attribute.parse(make_info(pipeline, values))
        return str(module)


def find_ops(operation: Any) -> Iterator[tuple[Any, str]]:
    for region in operation.regions:
        for block in region:
            for op in block:
                for prefix, pipeline in PIPELINES.items():
                    if op.operation.name.startswith(prefix):
                        yield op, pipeline
                yield from find_ops(op.operation)


def make_info(pipeline: str, values: Mapping[str, Any]) -> str:
    loops, values = (7, ONES | values) if pipeline.startswith("Conv") else (3, values)
    levels = []
    for level in LEVELS:
        sizes = [values.get(f"{level}_{loop}", 0) for loop in range(loops)]
        if any(sizes):
            levels.append(f"{level} = {sizes}")
    peels = ", {enable_loop_peeling}" if values.get("enable_loop_peeling") else ""
    return (
        f"#iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config"
        f"<{', '.join(levels)}>, translation_info = <pipeline = #iree_cpu.pipeline<{pipeline}>{peels}>>"
    )


if __name__ == "__main__":
    linker = subprocess.run(["cc", "--version"], capture_output=True, text=True, check=True)
    version = f"IREE {iree_version.VERSION}, {linker.stdout.splitlines()[0]}"
    raise SystemExit(serve(compile, version=version))
