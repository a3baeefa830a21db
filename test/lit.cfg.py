# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suites that drive the tools: tests are RUN lines, checked by FileCheck."""

import importlib.util
import os
import platform
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
import timed_format

config.name = "tonno"
config.test_format = timed_format.TimedFormat(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "docs", "house", "install", "models", "unit"]
config.test_source_root = os.path.join(config.tonno_source_root, "test")
config.test_exec_root = os.path.join(config.tonno_build_root, "test")

# Our tools come first; LLVM's are those of the LLVM that the build found.
config.environment["PATH"] = os.pathsep.join(
    [
        os.path.join(config.tonno_build_root, "bin"),
        config.llvm_tools_dir,
        os.environ["PATH"],
    ]
)
# Tests that time on a device run one after another: others would only wait, and
# what they wait for would count as theirs.
config.timed_on = None
config.untimed = ()
config.parallelism_group = timed_format.timing_device
lit_config.parallelism_groups.update({"host": 1, "gpu": 1})
# A user's cache must neither serve a test nor be written by one.
config.environment.pop("TONNO_CACHE_DIR", None)
config.environment.pop("TONNO_STORE", None)
config.environment.pop("TONNO_MODE", None)

plugin = os.path.join(config.tonno_build_root, "lib", "TonnoPlugin.so")
config.substitutions += [
    ("%source_root", config.tonno_source_root),
    ("%build_root", config.tonno_build_root),
    ("%plugin", plugin),
    # The host's mlir-opt, which knows tonno by the plugin only.
    (
        "%mlir_opt_with_plugin",
        f"mlir-opt --load-dialect-plugin={plugin} --load-pass-plugin={plugin}",
    ),
]

# A CPU that this machine's kernels don't run on.
is_arm = platform.machine() in ("aarch64", "arm64")
other_chip = "x86_64-linux-gnu:x86-64-v3" if is_arm else "aarch64-linux-gnu:neoverse-v1"
config.substitutions.append(("%other_chip", other_chip))

# Which GPU is meant, and where its vendor's tools are.
for name in (
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "CUDA_HOME",
    "CUDA_PATH",
    "ROCM_PATH",
):
    if name in os.environ:
        config.environment[name] = os.environ[name]


def find_devices():
    """The kinds of devices that are here, as features: cuda, hip, opencl."""
    runner = os.path.join(config.tonno_build_root, "bin", "tonno-runner")
    try:
        listing = subprocess.run(
            [runner, "--list-devices"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=60,
            text=True,
        )
    except (OSError, subprocess.TimeoutExpired):
        return set()
    lines = listing.stdout.splitlines() if listing.returncode == 0 else []
    kinds = ("cuda", "hip", "opencl")
    return {kind for kind in kinds for line in lines if line.startswith(kind + ":")}


config.available_features.update(find_devices())
if platform.machine() == "x86_64":
    config.available_features.add("x86")
if {0, 1} <= os.sched_getaffinity(0):
    config.available_features.add("two-cores")

# lit's own Python, which may have packages that the system's has not.
config.substitutions.append(("%python", sys.executable))
if importlib.util.find_spec("ml_dtypes"):
    config.available_features.add("ml_dtypes")

# A prefix that runs a tool without root's rights, which no permission binds.
unprivileged = "env"
if os.geteuid() == 0:
    unprivileged = "setpriv --reuid=65534 --regid=65534 --clear-groups"
tool = os.path.join(config.tonno_build_root, "bin", "tonno-opt")
reads_tree = ["test", "-x", tool, "-a", "-r", config.tonno_source_root]
if subprocess.run(unprivileged.split() + reads_tree).returncode == 0:
    config.available_features.add("unprivileged")
config.substitutions.append(("%unprivileged", unprivileged))

# A prefix that runs a program among mounts of its own, which end with it.
for prefix in ("unshare --mount", "unshare --mount --map-root-user"):
    trial = [*prefix.split(), "mount", "-t", "tmpfs", "tonno-test", "/mnt"]
    try:
        mounts = subprocess.run(trial, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        mounts = False
    if mounts:
        config.available_features.add("mounts")
        config.substitutions.append(("%own_mounts", prefix))
        break
