# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tonno.models: functions of JAX, and StableHLO."""

from __future__ import annotations

import functools
import pathlib
import re
import subprocess
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tonno import Error, mlir, models
from tonno.models import weights

_TABLE = np.random.default_rng(0).standard_normal((64, 32), dtype=np.float32)
_NARROW = jnp.asarray(np.linspace(-1, 1, 700), jnp.bfloat16)


def _spec(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def classify(x: Any, params: Any) -> Any:
    for i, layer in enumerate(params):
        with jax.named_scope(f"layer{i}"), jax.named_scope("attention"):
            # gelu's erfc is an op of CHLO.
            x = jax.nn.gelu(x @ layer["w"] + layer["b"], approximate=False)
    with jax.named_scope("head"):
        return jax.nn.softmax(x @ _TABLE), _NARROW


ARGUMENTS = (_spec(8, 64), [{"w": _spec(64, 64), "b": _spec(64)}] * 2)


def _random_inputs() -> tuple[Any, list[Any]]:
    """Returns arguments of `classify`, as they are and as arrays in order."""
    random = np.random.default_rng(1)
    values = jax.tree.map(
        lambda spec: random.standard_normal(spec.shape, dtype=np.float32) * 0.1, ARGUMENTS
    )
    return values, jax.tree.leaves(values)


@pytest.mark.usefixtures("tools")
@pytest.mark.filterwarnings("ignore::tonno.mlir.AlignmentWarning")
def test_results_are_those_of_jax() -> None:
    model = models.from_jax(classify, *ARGUMENTS)
    values, leaves = _random_inputs()
    scores, narrow = mlir.compile(model)(*leaves, *model.weights.values())
    expected = classify(*values)
    np.testing.assert_allclose(scores, expected[0], rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(narrow, expected[1])


def _activate(x: Any) -> Any:
    return jax.nn.gelu(x, approximate=False) + jax.scipy.special.erf(x)


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize(("dtype", "digits"), [(jnp.float32, 24), (jnp.bfloat16, 8)])
def test_error_functions_stay_ops(dtype: Any, digits: int) -> None:
    model = models.from_jax(_activate, jax.ShapeDtypeStruct((64, 64), dtype))
    assert re.findall(r"math\.\w+", model.text) == ["math.erfc", "math.erf"]
    x = jnp.linspace(-6, 6, 64 * 64, dtype=dtype).reshape(64, 64)
    found = np.asarray(mlir.compile(model)(np.asarray(x)), np.float32)
    np.testing.assert_allclose(found, _activate(x).astype(np.float32), 0, 6 * 2.0 ** (3 - digits))


@pytest.mark.usefixtures("tools")
def test_products_whose_types_imply_the_algorithm_are_lowered() -> None:
    """As those of attention: factors in bf16, sums in f32."""
    attend = functools.partial(jax.nn.dot_product_attention, is_causal=True)
    q, k, v = (
        jax.random.normal(jax.random.key(i), (2, 24, 2, 16), jnp.bfloat16) for i in range(3)
    )
    model = models.from_jax(attend, *[jax.ShapeDtypeStruct(q.shape, q.dtype)] * 3, name="attend")
    found = np.asarray(mlir.compile(model)(*map(np.asarray, (q, k, v))), np.float32)
    np.testing.assert_allclose(found, attend(q, k, v).astype(np.float32), 0, 2.0**-6)


def test_products_with_another_algorithm_are_refused() -> None:
    def multiply(x: Any, y: Any) -> Any:
        return jax.lax.dot(x, y, precision=jax.lax.DotAlgorithmPreset.BF16_BF16_F32_X3)

    with pytest.raises(Error, match="stablehlo.dot_general"):
        models.from_jax(multiply, _spec(8, 8), _spec(8, 8))


def test_error_functions_of_f64_are_polynomials() -> None:
    with jax.enable_x64(True):
        model = models.from_jax(_activate, jax.ShapeDtypeStruct((8, 8), jnp.float64))
    assert "math.erf" not in model.text


def test_arguments_have_their_paths_and_large_constants_are_the_last() -> None:
    model = models.from_jax(classify, *ARGUMENTS)
    assert model.function == "classify"
    assert [argument.name for argument in model.arguments] == [
        "x",
        "params[0]['b']",
        "params[0]['w']",
        "params[1]['b']",
        "params[1]['w']",
        "constant_0",
        "constant_1",
    ]
    assert model.arguments[0] == models.Argument("x", (8, 64), "float32")
    assert model.arguments[-1] == models.Argument("constant_1", (700,), "bfloat16")
    assert list(model.weights) == ["constant_0", "constant_1"]
    np.testing.assert_array_equal(model.weights["constant_0"], _TABLE)
    assert re.search(r"dense<\"0x", model.text) is None
    assert "loc(\"params[0]['w']\")" in model.text


def test_small_constants_and_unused_arguments_stay() -> None:
    small = np.arange(256, dtype=np.float32)
    model = models.from_jax(lambda x, unused: x + small, _spec(256), _spec(3), name="shift")
    assert [argument.name for argument in model.arguments] == ["x", "unused"]
    assert not model.weights and "@shift(" in model.text
    large = np.arange(257, dtype=np.float32)
    assert list(models.from_jax(lambda x: x + large, _spec(257)).weights) == ["constant_0"]


def test_scopes_name_the_ops_also_within_jitted_functions() -> None:
    inner = jax.jit(lambda y: jnp.tanh(y @ _TABLE))

    def model(x: Any) -> Any:
        with jax.named_scope("layer3"), jax.named_scope("attention"):
            return inner(x)

    text = models.from_jax(jax.jit(model), _spec(8, 64)).text
    assert 'loc("layer3.attention.dot_general"(' in text
    assert "jit(" not in text
    assert pathlib.Path(__file__).name in text


def test_functions_have_the_line_of_their_source() -> None:
    def shift(x: Any) -> Any:
        return x + 1

    model = models.from_jax(jax.jit(shift), _spec(8))
    line = shift.__code__.co_firstlineno
    assert 'loc("shift"(#loc' in model.text
    assert f'{pathlib.Path(__file__).name}":{line}:1)' in model.text


def test_kernels_have_the_names_of_scopes(tools: pathlib.Path) -> None:
    # Layers whose matrices fit the cache would be one kernel.
    layer = {"w": _spec(1024, 1024), "b": _spec(1024)}
    end = {"w": _spec(1024, 64), "b": _spec(64)}
    model = models.from_jax(classify, _spec(64, 1024), [layer, layer, end])
    ran = subprocess.run(
        [tools / "tonno-opt", "--tonno-form-kernels"],
        input=model.text,
        capture_output=True,
        text=True,
        check=True,
    )
    kernels = re.findall(r"func\.func private @([\w.]+)", ran.stdout)
    assert any(name.startswith("classify.layer0.attention.") for name in kernels)
    assert any(name.startswith("classify.head.") for name in kernels)
    assert not any("kernel_" in name for name in kernels)


@pytest.mark.parametrize(
    ("function", "op"),
    [
        (lambda x: x.at[jnp.arange(4)].add(1.0), "stablehlo.scatter"),
        (lambda x: jnp.linalg.qr(x)[0], 'stablehlo.custom_call "Qr"'),
    ],
)
def test_ops_that_are_not_lowered_are_named_with_their_place(function: Any, op: str) -> None:
    def solve(x: Any) -> Any:
        with jax.named_scope("solver"):
            return function(x)

    place = rf"{re.escape(op)} at solver\.\w+ \(.*{pathlib.Path(__file__).name}:\d+\)"
    with pytest.raises(models.ImportFailure, match=f"cannot be lowered to linalg:\n  {place}"):
        models.from_jax(solve, _spec(8, 8))


def test_element_types_that_tonno_has_not_are_refused() -> None:
    spec = jax.ShapeDtypeStruct((4,), jnp.complex64)
    with pytest.raises(models.ImportFailure, match=r"'x' has elements of type complex<f32>"):
        models.from_jax(lambda x: x * 2, spec)


def test_constants_that_do_not_fit_are_refused_before_lowering(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    memory = tmp_path / "meminfo"
    memory.write_text("MemTotal: 16 kB\nMemAvailable:   7 kB\n")
    monkeypatch.setattr(weights, "_MEMORY", memory)
    inner = jax.jit(lambda x: x @ _TABLE)
    with pytest.raises(Error, match="the arrays that the function closes over would be copied"):
        models.from_jax(lambda x: inner(x) * 2, _spec(8, 64))
    models.from_jax(lambda x, table: x @ table, _spec(8, 64), _spec(64, 32))


@pytest.mark.usefixtures("tools")
@pytest.mark.filterwarnings("ignore::tonno.mlir.AlignmentWarning")
def test_stablehlo_files_are_models_too(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "small.stablehlo.mlir"
    traced = jax.jit(classify).trace(*ARGUMENTS)
    file.write_text(traced.lower(lowering_platforms=("tpu",)).as_text(debug_info=True))
    model = models.from_stablehlo(file)
    assert model.function == "small"
    assert [argument.name for argument in model.arguments][-2:] == ["constant_0", "constant_1"]
    assert 'loc("layer1.attention.dot_general"(' in model.text
    values, leaves = _random_inputs()
    scores, _ = mlir.compile(model)(*leaves, *model.weights.values())
    np.testing.assert_allclose(scores, classify(*values)[0], rtol=1e-5, atol=1e-5)
    file.write_text("func.func @f() {")
    with pytest.raises(models.ImportFailure, match="cannot be parsed"):
        models.from_stablehlo(file)


def test_files_that_do_not_fit_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "large.mlir"
    file.write_text("func.func @f() { return }" + " " * 4096)
    assert models.from_stablehlo(file).function == "large"
    memory = tmp_path / "meminfo"
    memory.write_text("MemAvailable: 8 kB\n")
    monkeypatch.setattr(weights, "_MEMORY", memory)
    with pytest.raises(Error, match=r"the constants of '.*large.mlir' would be copied"):
        models.from_stablehlo(file)


def test_one_of_several_functions_is_imported(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "several.mlir"
    file.write_text("""
func.func @scores(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @twice(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @twice(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %x, %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @sorted(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @Sort(%x) : (tensor<8xf32>) -> tensor<8xf32> loc("head/sort")
  return %0 : tensor<8xf32>
}
""")
    text = models.from_stablehlo(file, function="scores").text
    assert "@scores(" in text and "linalg" in text and "@sorted" not in text
    with pytest.raises(models.ImportFailure, match='custom_call "Sort" at head.sort'):
        models.from_stablehlo(file, function="sorted")
    with pytest.raises(models.ImportFailure, match="2 public functions: scores, sorted"):
        models.from_stablehlo(file)
    with pytest.raises(models.ImportFailure, match="no public function 'twice', only scores"):
        models.from_stablehlo(file, function="twice")


def test_parameters_can_be_constant() -> None:
    def project(params: dict[str, jax.Array], x: jax.Array) -> jax.Array:
        return x @ params["w"] + params["b"]

    params = {"w": _spec(64, 32), "b": _spec(32)}
    model = models.from_jax(project, params, _spec(8, 64), constants=["params"])
    (head,) = re.findall(r"func\.func public @project\(.*?\) ->", model.text)
    assert head.count("tonno.constant") == 2
    assert "tonno.constant" not in head.rpartition(",")[2]
    with pytest.raises(models.ImportFailure, match="no parameter 'weights'"):
        models.from_jax(project, params, _spec(8, 64), constants=["weights"])


@pytest.mark.usefixtures("tools")
def test_weights_are_constant() -> None:
    large = np.arange(512, dtype=np.float32)
    model = models.from_jax(lambda x: x + large, _spec(512), name="shift")
    (head,) = re.findall(r"func\.func public @shift\(.*?\) ->", model.text)
    assert head.count("tonno.constant") == 1
    kernel = mlir.compile(model)
    x = np.ones(512, np.float32)
    kernel.load(x, *model.weights.values())
    np.testing.assert_array_equal(kernel(x, *model.weights.values()), x + large)


@pytest.mark.usefixtures("tools")
@pytest.mark.filterwarnings("ignore::tonno.mlir.AlignmentWarning")
def test_comparisons_in_bf16_read_rounded_numbers() -> None:
    def find_largest(x: jax.Array) -> jax.Array:
        return jnp.argmax(x * jnp.bfloat16(0.1) + 4, 1)

    x = jax.random.normal(jax.random.key(0), (64, 97), jnp.bfloat16)
    kernel = mlir.compile(models.from_jax(find_largest, x))
    np.testing.assert_array_equal(kernel(np.asarray(x)), find_largest(x))


def test_intermediate_results_in_bf16_may_stay_in_f32(monkeypatch: pytest.MonkeyPatch) -> None:
    def scale(x: jax.Array) -> jax.Array:
        return jnp.tanh(x * x + x).astype(jnp.float32) * 2

    narrow = jax.ShapeDtypeStruct((64,), jnp.bfloat16)
    text = models.from_jax(scale, narrow).text
    ops = ("arith.mulf", "arith.addf", "math.tanh", "arith.extf")
    flags = r"{} .*fastmath<contract> : bf16"
    assert all(re.search(flags.format(op), text) for op in ops)
    assert re.search(r"arith\.mulf %\w+, %\w+ : f32", text)
    flag = "--xla_allow_excess_precision="
    for given in (f"{flag}false", f"{flag}0", f"{flag}true {flag}false"):
        monkeypatch.setenv("XLA_FLAGS", given)
        assert "fastmath" not in models.from_jax(scale, narrow).text
    monkeypatch.setenv("XLA_FLAGS", f"{flag}false {flag}true")
    assert "fastmath" in models.from_jax(scale, narrow).text
