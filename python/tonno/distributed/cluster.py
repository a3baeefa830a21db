# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices and places to compile on the nodes of a Ray cluster."""

from __future__ import annotations

import collections
import dataclasses
import logging
import subprocess
import threading
from collections.abc import Callable, Sequence
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from tonno.distributed.exchange import Exchange, Refused
from tonno.distributed.places import DEVICES, Place
from tonno.errors import Error
from tonno.mlir.tools import find_tool

RESOURCE = "tonno_"
"""Prefix of the resource that a node has for each of its devices: `tonno_host`, `tonno_sm_90a`."""

WORKER = "worker"
RUNNER_TOOL, WORKER_TOOL = "tonno-runner", "tonno-worker"

_CHIPS = {"host": ("host",), "nvptx": ("sm_",), "amdgpu": ("gfx",)}
"""First letters of the chips of each target."""
_DEVICES = {"host": "host", "nvptx": "cuda", "amdgpu": "hip"}

START_SECONDS = 60.0
"""Time limit of the start of a place to compile, and of a relay with it."""
_GRACE_SECONDS = 10.0
"""Time that other devices have after the first one is ready."""
_THREADS = 8
"""Calls of a place at the same time: it passes on input and output."""


@dataclasses.dataclass
class _Slot:
    """A place on a node."""

    name: str
    actor: Any
    tool: str
    node: str
    device: str = ""
    is_lost: bool = False


def connect(address: str | None) -> None:
    """Connects to a cluster, unless this process is connected.

    address: as of `ray.init`: None for $RAY_ADDRESS, a cluster on this machine, or else a new one
        that has the host as its device, which `local` starts in any case
    """
    if ray.is_initialized():
        return
    logging.getLogger("ray").setLevel(logging.ERROR)
    options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    if address != "local":
        try:
            ray.init(address=address or "auto", **options)
            return
        except ConnectionError as error:
            if address:
                raise Error(f"no Ray cluster answers at '{address}': {error}") from error
    ray.init("local", resources={RESOURCE + "host": 1}, include_dashboard=False, **options)


def list_chips() -> dict[str, float]:
    """Returns how many devices of each kind of chip the cluster has; `host` for CPUs."""
    found: collections.Counter[str] = collections.Counter()
    for node in _alive_nodes():
        for name, count in node["Resources"].items():
            if name.startswith(RESOURCE):
                found[name.removeprefix(RESOURCE)] += count
    return dict(sorted(found.items()))


def choose_chip(target: str, chip: str = "native") -> str:
    """Returns the kind of chip whose devices time for a target.

    Raises `tonno.Error` if no node has one, or for `native` if there are several.
    """
    chips = list_chips()
    if target == "host":
        fitting = [kind for kind in chips if kind == "host"]
    elif chip == "native":
        fitting = [kind for kind in chips if kind.startswith(_CHIPS[target])]
    else:
        fitting = [kind for kind in chips if kind == chip]
    if len(fitting) > 1:
        raise Error(f"the cluster has {' and '.join(fitting)}; name one of them by '--chip'")
    if not fitting:
        wanted = "host" if target == "host" else "sm_90" if target == "nvptx" else "gfx942"
        wanted = wanted if chip == "native" or target == "host" else chip
        raise Error(
            f"no node has a device for '--target={target}'; start nodes that have by "
            f"'ray start --resources={{\"{RESOURCE}{wanted}\": 1}}'"
        )
    return fitting[0]


def _alive_nodes() -> list[dict[str, Any]]:
    return [node for node in ray.nodes() if node["Alive"]]


def _node_name(node: dict[str, Any]) -> str:
    return str(node["NodeName"])


def _find_node_name(identity: str) -> str:
    names = [_node_name(node) for node in ray.nodes() if node["NodeID"] == identity]
    return names[0] if names else identity


def tool_versions(tools: Sequence[str]) -> dict[str, str]:
    """Returns what the tools of this machine say by `--version`."""
    found = {}
    for tool in tools:
        asked = subprocess.run([find_tool(tool), "--version"], capture_output=True, check=True)
        found[tool] = asked.stdout.decode(errors="replace").strip()
    return found


class Places:
    """The devices of one kind of chip, and places to compile; held until it is closed.

    target, chip: as of tonno-tune; the chip as `choose_chip` returns it
    workers: candidates that are compiled at the same time; None for as many as there are free
        CPUs
    say: gets a line for each node that is refused or lost

    Raises `tonno.Error` if there is no device.
    """

    def __init__(
        self, target: str, chip: str, workers: int | None, say: Callable[[str], None]
    ) -> None:
        self._target = target
        self._resource = RESOURCE + chip
        self._say = say
        self._lock = threading.Lock()
        self._own = tool_versions([RUNNER_TOOL, WORKER_TOOL])
        self._told: set[str] = set()
        self._cpus = float(ray.available_resources().get("CPU", 0))
        self._devices = self._open_devices()
        self._free: list[_Slot] = []
        self._is_closed = False
        self.workers = workers or max(1, int(self._cpus))
        self._opened = 0  # places to compile
        self._lost_nodes: set[str] = set()  # before Ray knows of it
        self._exchange = Exchange(self._take, self._release)

    def __enter__(self) -> Places:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends all processes, and gives the places back."""
        self._exchange.close()
        with self._lock:
            self._is_closed = True
            slots = [*self._devices.values(), *self._free]
        for slot in slots:
            ray.kill(slot.actor)

    @property
    def devices(self) -> list[str]:
        """Names of the devices."""
        return list(self._devices)

    def options(self, devices: Sequence[str] | None = None) -> list[str]:
        """Returns the options by which tonno-tune uses the devices, all by default."""
        # Any device of the kind, in whose place each command takes its own.
        device = next(iter(self._devices.values())).device
        return [
            f"--device={device}",
            *(
                f"--runner-command={self._exchange.command(name)}"
                for name in devices or self._devices
            ),
            f"--worker-command={self._exchange.command(WORKER)}",
            f"--start-seconds={START_SECONDS:.0f}",
        ]

    def _count_held(self, node: dict[str, Any]) -> float:
        """Returns how many CPUs a device takes: a CPU that is timed is a node's own, if others
        compile."""
        is_elsewhere = any(
            other["Resources"].get("CPU", 0) and not other["Resources"].get(self._resource)
            for other in _alive_nodes()
        )
        if self._target != "host" or not is_elsewhere or not node["Resources"].get(self._resource):
            return 0
        return float(node["Resources"].get("CPU", 0) // node["Resources"][self._resource])

    def _open_devices(self) -> dict[str, _Slot]:
        asked: dict[Any, tuple[Any, dict[str, Any]]] = {}
        for node in _alive_nodes():
            for _ in range(int(node["Resources"].get(self._resource, 0))):
                held = self._count_held(node)
                self._cpus -= held
                actor = self._start(
                    num_cpus=held,
                    resources={self._resource: 1},
                    num_gpus=1 if node["Resources"].get("GPU") else 0,
                    scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False),
                )
                asked[actor.about.remote([RUNNER_TOOL, WORKER_TOOL])] = actor, node
        ready, late = ray.wait(list(asked), num_returns=1)
        more, late = ray.wait(late, num_returns=len(late), timeout=_GRACE_SECONDS) if late else ([], [])
        for reference in late:  # another job has it
            ray.kill(asked[reference][0])
        slots: dict[str, _Slot] = {}
        counts: collections.Counter[str] = collections.Counter()
        for reference in asked:
            if reference not in (*ready, *more):
                continue
            actor, node = asked[reference]
            name = _node_name(node)
            about = self._check(reference, name)
            if about is None:
                ray.kill(actor)
                continue
            index = counts[name]
            counts[name] += 1
            device = self._name_device(about["devices"], index, int(node["Resources"][self._resource]))
            slot = _Slot(f"{name}-{index}" if index else name, actor, RUNNER_TOOL, name, device)
            slots[slot.name] = slot
        if not slots:
            raise Error(f"no node with the resource {self._resource} can be used")
        return slots

    def _name_device(self, named: Sequence[str], index: int, count: int) -> str:
        if named:
            return named[index % len(named)]
        kind = _DEVICES[self._target]
        # Ray shows a place the GPU that it has reserved for it, and no other.
        return f"{kind}:{index}" if kind == "host" and count > 1 else kind

    def _check(self, reference: Any, node: str) -> dict[str, Any] | None:
        """Returns what a node says of itself; None, and why is said, if it can't be used."""
        try:
            about: dict[str, Any] = ray.get(reference)
        except ray.exceptions.RayError as error:
            cause = str(getattr(error, "cause", None) or error).strip().splitlines()
            self._tell(f"the node {node} is not used: {cause[-1] if cause else 'it is lost'}")
            return None
        for tool, version in about["versions"].items():
            if version != self._own[tool]:
                self._tell(
                    f"the node {node} is not used: its {tool} says '{version}', and this "
                    f"machine's says '{self._own[tool]}'; install one version on all nodes"
                )
                return None
        return about

    def _tell(self, text: str) -> None:
        with self._lock:
            is_new = text not in self._told
            self._told.add(text)
        if is_new:
            self._say(text)

    def _start(self, **options: Any) -> Any:
        made = ray.remote(Place)
        return made.options(max_concurrency=_THREADS, **options).remote()

    def _take(self, name: str) -> _Slot:
        if name == WORKER:
            return self._take_worker()
        slot = self._devices[name]
        if slot.is_lost:
            raise Refused
        return slot

    def _take_worker(self) -> _Slot:
        with self._lock:
            if self._free:
                return self._free.pop()
            if self._opened >= self._count_cpus():
                raise Refused
            self._opened += 1
        actor = self._start(num_cpus=1, scheduling_strategy="SPREAD")
        reference = actor.about.remote([RUNNER_TOOL, WORKER_TOOL])
        ready, _ = ray.wait([reference], timeout=START_SECONDS)
        about = self._check(reference, "that compiles") if ready else None
        if about is not None:
            return _Slot(WORKER, actor, WORKER_TOOL, _find_node_name(about["node"]))
        ray.kill(actor)
        with self._lock:
            self._opened -= 1
        raise Refused

    def _count_cpus(self) -> float:
        """Returns on how many CPUs the cluster compiles, those in use included."""
        return sum(
            float(node["Resources"].get("CPU", 0))
            - self._count_held(node) * float(node["Resources"].get(self._resource, 0))
            for node in _alive_nodes()
            if _node_name(node) not in self._lost_nodes
        )

    def _release(self, slot: Any, is_usable: bool) -> None:
        with self._lock:
            if self._is_closed:
                return
            if is_usable and slot.name == WORKER:
                self._free.append(slot)
            elif not is_usable and slot.name == WORKER:
                self._opened -= 1
            slot.is_lost = not is_usable
            if not is_usable:
                self._lost_nodes.add(slot.node)
        if not is_usable:
            self._tell(f"the node {slot.node} gives no answer any more")
