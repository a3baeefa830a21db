# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices and places to compile on the nodes of a Ray cluster."""

from __future__ import annotations

import collections
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from tonno.distributed.exchange import Exchange, Refused, Slot
from tonno.distributed.places import CONTROL, Place, describe_failure, read_versions
from tonno.errors import Error

RESOURCE = "tonno_"
"""Prefix of the resource that a node has for each of its devices: `tonno_host`, `tonno_sm_90a`."""

RUNNER_TOOL, WORKER_TOOL = "tonno-runner", "tonno-worker"
TOOLS = (RUNNER_TOOL, WORKER_TOOL)

_CHIPS = {"host": "host", "nvptx": "sm_", "amdgpu": "gfx"}
"""First letters of the chips of each target."""
_DEVICES = {"host": "host", "nvptx": "cuda", "amdgpu": "hip"}
_EXAMPLES = {"host": "host", "nvptx": "sm_90", "amdgpu": "gfx942"}

START_SECONDS = 60.0
"""Time limit of the start of a place to compile, and of a relay with it."""
_WORKER_SECONDS = 5.0
"""Time that a relay waits for a place to compile whose process is about to end."""
_GRACE_SECONDS = 10.0
"""Time that other devices have after the first one is ready."""
_LOSS_SECONDS = 30.0
"""Time in which Ray notices that a node is lost."""
_THREADS = 8
"""Calls of a place at the same time: it passes on input and output."""


_PlaceActor = ray.remote(concurrency_groups={CONTROL: 2})(Place)


def connect(address: str | None, say: Callable[[str], None]) -> None:
    """Connects to a cluster, unless this process is connected.

    address: as of `ray.init`: None for $RAY_ADDRESS, a cluster on this machine, or else a new one
        that has the host as its device, which `local` starts in any case
    say: is told of a new one where `address` is None

    Raises `tonno.Error` if no cluster answers at the address.
    """
    if ray.is_initialized():
        return
    logging.getLogger("ray").setLevel(logging.ERROR)
    options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    if address != "local":
        named = address or os.environ.get("RAY_ADDRESS")
        try:
            ray.init(address=named or "auto", **options)
            return
        except (ConnectionError, RuntimeError, ValueError) as error:
            if named or not isinstance(error, ConnectionError):
                raise Error(
                    f"cannot use a Ray cluster at '{named or 'auto'}': {error}; check the "
                    "address, and that Ray's version and $RAY_AUTH_MODE are the cluster's"
                ) from error
            say("no Ray cluster answers here; the session has a new one, of this machine only")
    ray.init("local", resources={RESOURCE + "host": 1}, include_dashboard=False, **options)


def _list_chips() -> dict[str, float]:
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
    if target not in _CHIPS:
        raise Error(f"the target '{target}' is unknown; name one of {', '.join(_CHIPS)}")
    wanted = chip if chip != "native" and target != "host" else None
    fitting = [
        kind
        for kind in _list_chips()
        if (kind == wanted if wanted else kind.startswith(_CHIPS[target]))
    ]
    if len(fitting) > 1:
        raise Error(f"the cluster has {' and '.join(fitting)}; name one of them by '--chip'")
    if not fitting:
        raise Error(
            f"no node has a device for '--target={target}'; start nodes that have by "
            f"'ray start --resources={{\"{RESOURCE}{wanted or _EXAMPLES[target]}\": 1}}'"
        )
    return fitting[0]


def _alive_nodes() -> list[dict[str, Any]]:
    return [node for node in ray.nodes() if node["Alive"]]


def _name_node(identity: str) -> str:
    names = [str(node["NodeName"]) for node in ray.nodes() if node["NodeID"] == identity]
    return names[0] if names else identity


def _start_place(**options: Any) -> Any:
    """Returns the actor of a new place."""
    return _PlaceActor.options(max_concurrency=_THREADS, **options).remote()


class _Nodes:
    """State of the nodes, shared by all pools."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._versions = read_versions(TOOLS)
        self._lock = threading.Lock()
        self._told: set[str] = set()
        self._lost: dict[str, float] = {}

    def tell(self, text: str) -> None:
        """Says a text once."""
        with self._lock:
            is_new = text not in self._told
            self._told.add(text)
        if is_new:
            self._say(text)

    def check(self, reference: Any, node: str) -> dict[str, Any] | None:
        """Returns what a place says of its node; None, and why is said, if it can't be used."""
        try:
            about: dict[str, Any] = ray.get(reference)
        except ray.exceptions.RayError as error:
            self.tell(f"the node {node} is not used: {describe_failure(error)}")
            return None
        for tool, version in about["versions"].items():
            if version != self._versions[tool]:
                self.tell(
                    f"the node {node} is not used: its {tool} says '{version}', and this "
                    f"machine's says '{self._versions[tool]}'; install one version on all nodes"
                )
                return None
        return about

    def lose(self, slot: Slot, why: str) -> None:
        """Is told of a place that has ended, perhaps before Ray says that its node has."""
        with self._lock:
            self._lost[slot.node] = time.monotonic()
        self.tell(f"the node {_name_node(slot.node)}: {why}")

    def usable(self) -> Iterator[dict[str, Any]]:
        with self._lock:
            now = time.monotonic()
            lost = {node for node, since in self._lost.items() if now < since + _LOSS_SECONDS}
        return (node for node in _alive_nodes() if node["NodeID"] not in lost)


class Workers:
    """Places to compile, for all sessions of this process; held until they are closed.

    count: candidates that are compiled at the same time; None for as many as there are CPUs
    say: gets a line for each node that is refused or lost
    """

    def __init__(self, count: int | None, say: Callable[[str], None]) -> None:
        self.nodes = _Nodes(say)
        self._count = count
        self._changed = threading.Condition()
        self._free: list[Slot] = []
        self._opened: list[Any] = []
        """Actors, those that start included."""
        self._held: dict[str, int] = {}
        """CPUs of devices, by node."""
        self._is_closed = False

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            actors = list(self._opened)
            self._changed.notify_all()
        for actor in actors:
            ray.kill(actor)

    def hold(self, node: str, cpus: int) -> None:
        """Leaves these CPUs of a node to a device."""
        with self._changed:
            self._held[node] = self._held.get(node, 0) + cpus

    @property
    def count(self) -> int:
        """Number of candidates that are compiled at the same time."""
        return self._count or max(1, self._count_cpus())

    def _count_cpus(self) -> int:
        """Returns on how many CPUs the cluster compiles, those in use included."""
        return sum(
            int(node["Resources"].get("CPU", 0)) - self._held.get(node["NodeID"], 0)
            for node in self.nodes.usable()
        )

    def take(self) -> Slot:
        """Returns a place. Raises `Refused` if no CPU is free."""
        end = time.monotonic() + _WORKER_SECONDS
        usable = {node["NodeID"] for node in self.nodes.usable()}
        with self._changed:
            while True:
                for slot in [slot for slot in self._free if slot.node not in usable]:
                    self._free.remove(slot)
                    self._opened.remove(slot.actor)
                if self._is_closed:
                    raise Refused
                if self._free:
                    return self._free.pop()
                if len(self._opened) < self._count_cpus():
                    break
                if not self._changed.wait(end - time.monotonic()):
                    raise Refused
            actor = _start_place(num_cpus=1, scheduling_strategy="SPREAD")
            self._opened.append(actor)
        reference = actor.about.remote(TOOLS)
        ready, _ = ray.wait([reference], timeout=START_SECONDS)
        about = self.nodes.check(reference, "that compiles") if ready else None
        if about is not None:
            return Slot(actor, WORKER_TOOL, about["node"])
        self.drop(actor)
        raise Refused

    def release(self, slot: Slot) -> None:
        with self._changed:
            self._free.append(slot)
            self._changed.notify()

    def drop(self, actor: Any) -> None:
        """Ends a place that can't be used."""
        ray.kill(actor)
        with self._changed:
            self._opened.remove(actor)
            self._changed.notify()


class Places:
    """The devices of one kind of chip; held until it is closed.

    target, chip: as of tonno-tune; the chip as `choose_chip` returns it

    Raises `tonno.Error` if there is no device.
    """

    def __init__(self, target: str, chip: str, workers: Workers) -> None:
        self._target = target
        self._resource = RESOURCE + chip
        self._nodes = workers.nodes
        self._workers = workers
        self._devices = self._open_devices()
        self._is_closed = False
        self._exchange = Exchange(self._take, self._release)
        self._worker = self._exchange.command("", "worker")
        self._commands = {name: self._exchange.command(name, name) for name in self._devices}

    def __enter__(self) -> Places:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends all processes, and gives the devices back."""
        self._is_closed = True
        self._exchange.close()
        for slot in self._devices.values():
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
            *(f"--runner-command={self._commands[name]}" for name in devices or self._devices),
            f"--worker-command={self._worker}",
            f"--start-seconds={START_SECONDS:.0f}",
        ]

    def _divide_cpus(self, node: dict[str, Any], count: int) -> list[int]:
        """Returns how many CPUs each device of a node takes: a host that is timed has its CPUs for
        itself, if others compile."""
        is_elsewhere = any(
            other["Resources"].get("CPU", 0) and not other["Resources"].get(self._resource)
            for other in _alive_nodes()
        )
        if self._target != "host" or not is_elsewhere:
            return [0] * count
        cpus = int(node["Resources"].get("CPU", 0))
        return [cpus // count + (index < cpus % count) for index in range(count)]

    def _open_devices(self) -> dict[str, Slot]:
        asked: dict[Any, tuple[Any, dict[str, Any], int]] = {}
        for node in _alive_nodes():
            count = int(node["Resources"].get(self._resource, 0))
            for cpus in self._divide_cpus(node, count):
                self._workers.hold(node["NodeID"], cpus)
                has_gpus = self._target != "host" and node["Resources"].get("GPU")
                actor = _start_place(
                    num_cpus=cpus,
                    resources={self._resource: 1},
                    num_gpus=1 if has_gpus else 0,
                    scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False),
                )
                asked[actor.about.remote(TOOLS)] = actor, node, cpus
        ready, late = ray.wait(list(asked), num_returns=1, timeout=_GRACE_SECONDS)
        if not ready:
            self._nodes.tell("waiting for a device: all are in use, or their nodes start slowly")
            ready, late = ray.wait(late, num_returns=1)
        if late:
            more, late = ray.wait(late, num_returns=len(late), timeout=_GRACE_SECONDS)
            ready += more
        slots: dict[str, Slot] = {}
        counts: collections.Counter[str] = collections.Counter()
        for reference, (actor, node, cpus) in asked.items():
            name = str(node["NodeName"])
            about = self._nodes.check(reference, name) if reference in ready else None
            if reference in late:
                self._nodes.tell(f"a device of {name} is not used: it is in use elsewhere")
            if about is None:
                self._workers.hold(node["NodeID"], -cpus)
                ray.kill(actor)
                continue
            slot = self._make_slot(actor, node, about["devices"], counts[node["NodeID"]])
            counts[node["NodeID"]] += 1
            slots[_find_free_name(name, slots)] = slot
        if not slots:
            raise Error(
                f"the nodes with the resource {self._resource} cannot be used; mend what the warnings "
                "name"
            )
        return slots

    def _make_slot(
        self, actor: Any, node: dict[str, Any], named: Sequence[str], index: int
    ) -> Slot:
        kind = _DEVICES[self._target]
        own = [device for device in named if device.partition(":")[0] == kind]
        if own:
            device = own[index % len(own)]
        elif kind == "host" and int(node["Resources"][self._resource]) > 1:
            device = f"{kind}:{index}"
        else:
            device = kind  # of GPUs, Ray shows a place the one that it has reserved
        return Slot(actor, RUNNER_TOOL, node["NodeID"], device, bool(own))

    def _take(self, name: str) -> Slot:
        if not name:
            return self._workers.take()
        slot = self._devices[name]
        if slot.is_lost:
            raise Refused
        return slot

    def _release(self, slot: Slot, problem: str, is_lost: bool) -> None:
        if self._is_closed:
            return
        # Another place to compile is as good; a device has no other.
        is_lost = is_lost or (bool(problem) and slot.tool == WORKER_TOOL)
        slot.is_lost = is_lost
        if is_lost:
            self._nodes.lose(slot, problem)
        elif problem:
            self._nodes.tell(f"the node {_name_node(slot.node)}: {problem}")
        if slot.tool != WORKER_TOOL:
            return
        if is_lost:
            self._workers.drop(slot.actor)
        else:
            self._workers.release(slot)


def _find_free_name(node: str, taken: Any) -> str:
    """Returns a name for users, which is a file's name, too."""
    name = "".join(c if c.isalnum() or c in "._-" else "_" for c in node).lstrip(".") or "node"
    index = 1
    found = name
    while found in taken or found == "worker":
        found = f"{name}-{index}"
        index += 1
    return found
