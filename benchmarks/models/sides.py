# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ways to run a network, each in a process of its own.

A way takes a `Task` and returns variants of itself: calls without arguments, of which
the fastest counts. A call returns when the result is there.
"""

from __future__ import annotations

import dataclasses
import inspect
import io
import os
import pathlib
import subprocess
import tempfile
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import jax
import numpy as np
from networks import FULL, Model

Call = Callable[[], Any]


@dataclasses.dataclass(frozen=True)
class Task:
    name: str
    threads: int
    type: str = "f32"
    tuned: pathlib.Path | None = None
    """The folder with tuned modules."""

    @property
    def model(self) -> Model:
        (found,) = (model for model in FULL if model.name == self.name)
        return found.cast(self.type)


class Absent(Exception):
    """The side can't take part; says why."""


def _import(task: Task) -> Any:
    from tonno import models

    (parameters, *_) = inspect.signature(task.model.function).parameters
    return models.from_jax(task.model.function, *task.model.arguments(), constants=[parameters])


def _load_tonno(task: Task, source: Any) -> dict[str, Call]:
    from tonno import mlir

    arguments = []
    for leaf in jax.tree.leaves(task.model.draw()):
        arguments.append(mlir.empty(leaf.shape, leaf.dtype))
        arguments[-1][...] = leaf
    kernel = mlir.compile(_import(task) if source is None else source)
    kernel.load(*arguments)
    return {"": lambda: kernel(*arguments)}


def run_default(task: Task) -> dict[str, Call]:
    if task.threads == 1:
        return _load_tonno(task, None)
    from tonno.mlir.tools import find_tool

    annotated = subprocess.run(
        [find_tool("tonno-opt"), f"--tonno-annotate=threads={task.threads}"],
        input=_import(task).text,
        capture_output=True,
        text=True,
        check=True,
    )
    return _load_tonno(task, annotated.stdout)


def run_tuned(task: Task) -> dict[str, Call]:
    if task.tuned is None:
        raise Absent("without --tuned")
    file = task.tuned / f"{task.name}.{task.threads}.mlir"
    if not file.exists():
        raise Absent(f"'{file.name}' is not in the folder of --tuned")
    return _load_tonno(task, file)


def run_jax(task: Task) -> dict[str, Call]:
    function = task.model.function
    params, *inputs = jax.device_put(task.model.draw())
    passed = jax.jit(function)
    constant = jax.jit(lambda *inputs: function(params, *inputs))
    return {
        "weights passed": lambda: passed(params, *inputs).block_until_ready(),
        "weights constant": lambda: constant(*inputs).block_until_ready(),
    }


IREE_TARGET = [
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
    # It refuses layer normalisation otherwise.
    "--iree-llvmcpu-stack-allocation-limit=1048576",
]
IREE_VARIANTS = {
    "O3": ["--iree-opt-level=O3"],
    "O3, microkernels": ["--iree-opt-level=O3", "--iree-llvmcpu-enable-ukernels=all"],
}


def run_iree(task: Task) -> dict[str, Call]:
    import iree.compiler
    import iree.runtime

    params, *inputs = task.model.draw()
    params = jax.device_put(params)
    function = jax.jit(lambda *inputs: task.model.function(params, *inputs))
    module = function.trace(*inputs).lower(lowering_platforms=("tpu",)).compiler_ir("stablehlo")
    (name,) = (str(op.name.value) for op in module.body if str(op.name.value) == "main")
    text = io.BytesIO()
    module.operation.write_bytecode(text)
    iree.runtime.flags.parse_flags(f"--task_topology_group_count={task.threads}")
    driver = "local-sync" if task.threads == 1 else "local-task"
    config = iree.runtime.Config(driver)
    variants: dict[str, Call] = {}
    for variant, options in IREE_VARIANTS.items():
        binary = iree.compiler.compile_str(
            text.getvalue(), input_type="stablehlo", extra_args=[*IREE_TARGET, *options]
        )
        context = iree.runtime.SystemContext(config=config)
        loaded = iree.runtime.VmModule.copy_buffer(context.instance, binary)
        context.add_vm_module(loaded)
        entry = loaded.lookup_function(name)
        given = iree.runtime.VmVariantList(len(inputs))
        for value in inputs:
            array = iree.runtime.asdevicearray(config.device, value)
            given.push_ref(array._buffer_view)
        variants[variant] = _invoke_iree(context, config, entry, given)
    return variants


def _invoke_iree(context: Any, config: Any, entry: Any, given: Any) -> Call:
    import iree.runtime

    def call() -> Any:
        results = iree.runtime.VmVariantList(1)
        context.vm_context.invoke(entry, given, results)
        view = results.get_as_object(0, iree.runtime.HalBufferView)
        return iree.runtime.DeviceArray(config.device, view, implicit_host_transfer=True)

    return call


def _make_torch(task: Task) -> tuple[Any, list[Any]]:
    import torch
    from torch_networks import Network, to_tensor

    torch.set_num_threads(task.threads)
    params, *inputs = task.model.draw()
    tensors = [to_tensor(value) for value in inputs]
    images = [t.permute(0, 3, 1, 2) if t.ndim == 4 else t for t in tensors]
    return Network(task.model, params).eval(), images


def run_inductor(task: Task) -> dict[str, Call]:
    import torch
    import torch._inductor.config as config

    network, inputs = _make_torch(task)
    # Weights become constants, and their layouts are chosen.
    config.freezing = True
    compiled = torch.compile(network)

    def call() -> Any:
        with torch.no_grad():
            return compiled(*inputs)

    return {"": call}


def run_onnxruntime(task: Task) -> dict[str, Call]:
    import onnxruntime
    import torch

    network, inputs = _make_torch(task)
    inputs = [tensor.contiguous() for tensor in inputs]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = task.threads
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "model.onnx")
        torch.onnx.export(network, tuple(inputs), file, dynamo=True, external_data=False, verbose=False)
        session = onnxruntime.InferenceSession(file, options, ["CPUExecutionProvider"])
    names = [value.name for value in session.get_inputs()]
    given = {n: tensor.numpy() for n, tensor in zip(names, inputs, strict=True)}
    return {"": lambda: session.run(None, given)[0]}


SIDES: dict[str, Callable[[Task], dict[str, Call]]] = {
    "tonno default": run_default,
    "tonno tuned": run_tuned,
    "ONNX Runtime": run_onnxruntime,
    "JAX": run_jax,
    "IREE": run_iree,
    "inductor": run_inductor,
}


def to_array(result: Any) -> Any:
    """Returns a result as an array; those of torch in bf16 become f32."""
    return np.asarray(result.float() if hasattr(result, "float") else result)


def time_calls(call: Call, calls: int) -> float:
    begin = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - begin) / calls


def serve(side: str, task: Task, pipe: Connection) -> None:
    """Prepares a side, sends its result or why there is none, and then the seconds of a call
    for each number of calls that it receives."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: task.threads])
    begin = time.perf_counter()
    try:
        variants = SIDES[side](task)
        results = [to_array(variant()) for variant in variants.values()]
    except (Absent, ImportError) as error:
        pipe.send(f"absent: {error}")
        return
    except Exception as error:  # the table names it, and has the other sides
        pipe.send(f"failed: {type(error).__name__}: {' '.join(str(error).split())[:300]}")
        return
    prepared = time.perf_counter() - begin
    times = {name: min(time_calls(call, 3) for _ in range(3)) for name, call in variants.items()}
    chosen = min(times, key=lambda name: times[name])
    pipe.send((results, chosen, prepared))
    call = variants[chosen]
    while calls := pipe.recv():
        call()  # brings the weights into the caches
        pipe.send(time_calls(call, calls))
