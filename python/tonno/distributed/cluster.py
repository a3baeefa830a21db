# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices and places to compile on the nodes of a Ray cluster."""

from __future__ import annotations

import collections
import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import ray
from ray.util.placement_group import (
    placement_group,
    placement_group_table,
    remove_placement_group,
)
from ray.util.scheduling_strategies import (
    NodeAffinitySchedulingStrategy,
    PlacementGroupSchedulingStrategy,
)

from tonno.distributed.exchange import LOSS_SECONDS, Exchange, Refused, Slot, is_reachable
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
"""Time that a relay waits for a place to compile."""
_LOOK_SECONDS = 0.1
"""Time after which a free CPU or place is looked for again."""
_GRACE_SECONDS = 10.0
"""Time that the devices which were asked last have to answer."""
_NEXT_SECONDS = 1.0
"""Time after which other devices are asked instead of those that do not answer."""
_MOST_WORKERS_OF_DEVICE = 8
"""Workers for each device: compiling takes about eight times as long as a trial. With more, a search
would propose many candidates before it has learnt from any."""
_THREADS = 8
"""Calls of a place at the same time: it passes on input and output."""


_PlaceActor = ray.remote(concurrency_groups={CONTROL: 2})(Place)


def connect(address: str | None, say: Callable[[str], None]) -> None:
    """Connects to a cluster, unless this process is connected.

    address: as of `ray.init`: None for $RAY_ADDRESS, a cluster on this machine, or else a new one
        that has the host as its device, which `local` starts in any case
    say: called with a line about a new one where `address` is None

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
        raise Error(
            f"the cluster has {' and '.join(fitting)}; name one of them by '--chip', or 'chip' of the "
            "job"
        )
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
        self._said: set[str] = set()
        self._refused: set[str] = set()
        self._lost: dict[str, float] = {}

    def say_once(self, text: str) -> None:
        with self._lock:
            is_new = text not in self._said
            self._said.add(text)
        if is_new:
            self._say(text)

    def refuse(self, node: str, why: str) -> None:
        """Leaves a node out from now on."""
        with self._lock:
            self._refused.add(node)
        self.say_once(f"the node {_name_node(node)} is not used: {why}")

    def fetch(self, reference: Any, node: str) -> Any:
        """Returns what a place answers; None if its node can't be used, perhaps only now."""
        try:
            return ray.get(reference, timeout=START_SECONDS)
        except ray.exceptions.RayTaskError as error:
            self.refuse(node, describe_failure(error))
            return None
        except ray.exceptions.GetTimeoutError:
            self.lose(node, f"no worker has started there in {START_SECONDS:.0f} s")
            return None
        except ray.exceptions.RayError as error:
            self.lose(node, describe_failure(error))
            return None

    def check(self, reference: Any, node: str) -> dict[str, Any] | None:
        """Returns what a place says of its node; None if the node can't be used, perhaps only now."""
        about: dict[str, Any] | None = self.fetch(reference, node)
        for tool, version in about["versions"].items() if about else ():
            if version != self._versions[tool]:
                self.refuse(
                    node,
                    f"{tool} there says '{version}', and this machine's says "
                    f"'{self._versions[tool]}'; install one version on all nodes",
                )
                return None
        return about

    def lose(self, node: str, why: str) -> None:
        """Leaves a node out until Ray knows whether it is lost."""
        with self._lock:
            self._lost[node] = time.monotonic()
        self.report(node, why)

    def report(self, node: str, text: str) -> None:
        """Says once what has happened on a node."""
        self.say_once(f"the node {_name_node(node)}: {text}")

    def find_unusable(self) -> set[str]:
        """Returns the nodes that were refused, or perhaps lost."""
        with self._lock:
            now = time.monotonic()
            lost = {node for node, since in self._lost.items() if now < since + LOSS_SECONDS}
            return lost | self._refused

    def usable(self) -> list[dict[str, Any]]:
        others = self.find_unusable()
        return [node for node in _alive_nodes() if node["NodeID"] not in others]

    def compiling(self) -> list[dict[str, Any]]:
        """Returns the usable nodes that compile: those with CPUs, without nodes that time on them if
        there are others."""
        nodes = [node for node in self.usable() if node["Resources"].get("CPU")]
        quiet = [node for node in nodes if not node["Resources"].get(RESOURCE + "host")]
        return quiet or nodes


class Workers:
    """Places to compile, for all sessions of this process; held until they are closed.

    count: candidates that are compiled at the same time; None for as many as are useful
    say: called with a line for each node that is refused or lost
    """

    def __init__(self, count: int | None, say: Callable[[str], None]) -> None:
        self.nodes = _Nodes(say)
        self._count = count
        self._lock = threading.Lock()
        self._free: list[Slot] = []
        self._reserved: dict[Any, Any] = {}
        """Placement groups, by the actors in them."""
        self._held: dict[str, int] = {}
        """CPUs of devices, by node."""
        self._is_closed = False

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            actors = list(self._reserved)
        for actor in actors:
            self._drop(actor)

    def hold(self, node: str, cpus: int) -> None:
        """Keeps these CPUs of a node for a device."""
        with self._lock:
            self._held[node] = self._held.get(node, 0) + cpus

    def count_cpus(self) -> int:
        """Returns on how many CPUs this process compiles, or could: others use the rest."""
        available = int(ray.available_resources().get("CPU", 0)) + len(self._reserved)
        return min(self._count_left(), available)

    def _count_left(self) -> int:
        """Returns the CPUs of nodes that compile, without those of devices."""
        return sum(
            int(node["Resources"]["CPU"]) - self._held.get(node["NodeID"], 0)
            for node in self.nodes.compiling()
        )

    def count_for(self, devices: int, all_devices: int) -> int:
        """Returns how many candidates a session compiles at the same time that has `devices` of all
        devices."""
        most = self._count or min(self.count_cpus(), _MOST_WORKERS_OF_DEVICE * all_devices)
        return max(1, most * devices // all_devices)

    def await_cpu(self) -> None:
        """Waits until there is a place to compile. Raises `tonno.Error` if the cluster has no CPU for
        one."""
        while not self._reserved:
            if self._count_left() < 1:
                raise Error(
                    "no CPU is left to compile on; start a node that has more CPUs than its devices "
                    "take, or mend what the warnings name"
                )
            if (slot := self._find()) is not None:
                self.release(slot, "")
            else:
                self.nodes.say_once("waiting for a CPU to compile on: all are in use")

    def take(self) -> Slot:
        """Returns a place. Raises `Refused` if no CPU is free."""
        if (slot := self._find()) is not None:
            return slot
        if not self._is_closed:
            self.nodes.say_once("no CPU is free for another worker; others compile without it")
        raise Refused

    def _find(self) -> Slot | None:
        """Returns a place; None if no CPU is free for a while."""
        end = time.monotonic() + _WORKER_SECONDS
        group = None
        try:
            while not self._is_closed and time.monotonic() < end:
                if (slot := self._find_free()) is not None:
                    return slot
                if group is None:
                    group = self._reserve()
                if placement_group_table(group)["state"] == "CREATED":
                    reserved, group = group, None
                    if (slot := self._start(reserved)) is not None:
                        return slot
                    end = time.monotonic() + _WORKER_SECONDS  # for another node
                else:
                    time.sleep(_LOOK_SECONDS)
        finally:
            if group is not None:
                remove_placement_group(group)
        return None

    def _find_free(self) -> Slot | None:
        """Returns a place that is started and not in use."""
        with self._lock:
            if not self._free:
                return None
        usable = {node["NodeID"] for node in self.nodes.usable()}
        with self._lock:
            lost = [slot for slot in self._free if slot.node not in usable]
            self._free = [slot for slot in self._free if slot.node in usable]
            found = self._free.pop() if self._free else None
        for slot in lost:
            self._drop(slot.actor)
        return found

    def _reserve(self) -> Any:
        """Asks for a CPU of a node that compiles."""
        compiling = {node["NodeID"] for node in self.nodes.compiling()}
        alive = {node["NodeID"] for node in _alive_nodes()}
        others = sorted((alive | self.nodes.find_unusable()) - compiling)
        labels = [{"ray.io/node-id": f"!in({','.join(others)})"}] if others else None
        return placement_group([{"CPU": 1}], bundle_label_selector=labels)

    def _start(self, group: Any) -> Slot | None:
        """Starts a place on a reserved CPU; returns None if its node can't be used."""
        strategy = PlacementGroupSchedulingStrategy(group)
        actor = _start_place(num_cpus=1, scheduling_strategy=strategy)
        with self._lock:
            self._reserved[actor] = group
        if self._is_closed:
            self._drop(actor)
            return None
        node = placement_group_table(group)["bundles_to_node_id"][0]
        about = self.nodes.check(actor.about.remote(TOOLS), node)
        if about is not None:
            return Slot(actor, WORKER_TOOL, node)
        self._drop(actor)
        return None

    def release(self, slot: Slot, problem: str) -> None:
        """Makes a place free again, or ends it if something went wrong there: another is as good."""
        if self._is_closed:
            return
        if problem:
            self._drop(slot.actor)
            return
        with self._lock:
            self._free.append(slot)

    def _drop(self, actor: Any) -> None:
        """Ends a place that can't be used."""
        with self._lock:
            group = self._reserved.pop(actor, None)
        if group is not None:
            ray.kill(actor)
            remove_placement_group(group)


class Places:
    """The devices of one kind of chip; held until it is closed.

    target, chip: as of tonno-tune; the chip as `choose_chip` returns it
    most: number of devices that are used at most; None for all

    Raises `tonno.Error` if there is no device.
    """

    def __init__(self, target: str, chip: str, workers: Workers, most: int | None = None) -> None:
        self._target = target
        self._resource = RESOURCE + chip
        self._nodes = workers.nodes
        self._workers = workers
        self._devices = self._open_devices(most)
        self._is_closed = False
        self._exchange = Exchange(self._take, self._release, self._report)
        self.worker_command = self._exchange.command("", "worker")
        """Command of a worker on any node, as of --worker-command."""
        self.runner_commands = {name: self._exchange.command(name, name) for name in self._devices}
        """Commands of the devices by their names, as of --runner-command."""

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
        """Names of the devices that are not lost."""
        return [name for name, slot in self._devices.items() if not slot.is_lost]

    def options(self, devices: Sequence[str]) -> list[str]:
        """Returns the options by which tonno-tune uses these devices."""
        # Any device of the kind: each command puts its own in its place.
        device = next(iter(self._devices.values())).device
        return [
            f"--device={device}",
            *(f"--runner-command={self.runner_commands[name]}" for name in devices),
            f"--worker-command={self.worker_command}",
            f"--start-seconds={START_SECONDS:.0f}",
        ]

    def is_answering(self, device: str) -> bool:
        """Returns whether a device is not lost, once that is known."""
        slot = self._devices[device]
        if not slot.is_lost and not is_reachable(slot):
            self._release(slot, "its process has ended", is_lost=True)
        return not slot.is_lost

    def _divide_cpus(self, node: dict[str, Any], others_compile: bool) -> list[int]:
        """Returns how many CPUs each device of a node takes. A host that is timed has its CPUs for
        itself if others compile, and else all but one."""
        count = int(node["Resources"].get(self._resource, 0))
        if self._target != "host" or count == 0:
            return [0] * count
        cpus = int(node["Resources"].get("CPU", 0))
        taken = cpus if others_compile else max(0, cpus - count)
        return [taken // count + (index < taken % count) for index in range(count)]

    def _open_devices(self, most: int | None) -> dict[str, Slot]:
        """Returns free devices, by name: as many as wanted, or all."""
        others_compile = any(
            not node["Resources"].get(self._resource) for node in self._nodes.compiling()
        )
        candidates = [
            (node, cpus)
            for node in self._nodes.usable()
            for cpus in self._divide_cpus(node, others_compile)
        ]
        most = most or len(candidates)
        opened: list[Slot] = []
        asked: dict[Any, tuple[Any, dict[str, Any], int]] = {}
        try:
            while len(opened) < most and (candidates or asked):
                for _ in candidates[: most - len(opened)]:
                    self._ask(asked, *candidates.pop(0))
                # A busy device does not answer: others are asked, too.
                missing = min(len(asked), most - len(opened))
                wait_s = _NEXT_SECONDS if candidates else _GRACE_SECONDS
                ready, _ = ray.wait(list(asked), num_returns=missing, timeout=wait_s)
                if not ready and not candidates:
                    if opened:
                        break
                    self._nodes.say_once(
                        "waiting for a device: all are in use, or CPUs of their nodes are, or the "
                        "nodes start slowly"
                    )
                    ready, _ = ray.wait(list(asked), num_returns=1)
                self._check(asked, ready, opened)
            if len(opened) < most:
                for node, count in collections.Counter(
                    node["NodeID"] for _, node, _ in asked.values()
                ).items():
                    self._nodes.report(
                        node,
                        f"{count} of its devices have not answered in {_GRACE_SECONDS:.0f} s and are "
                        "not used: they are in use elsewhere, or CPUs of the node are",
                    )
        except BaseException:
            for slot in opened:
                ray.kill(slot.actor)
            raise
        finally:
            for actor, node, cpus in asked.values():
                self._workers.hold(node["NodeID"], -cpus)
                ray.kill(actor)
        if not opened:
            raise self._no_device()
        slots: dict[str, Slot] = {}
        for slot in opened:
            slots[_find_free_name(_name_node(slot.node), slots)] = slot
        return slots

    def _ask(self, asked: dict[Any, Any], node: dict[str, Any], cpus: int) -> None:
        """Asks for a device of a node."""
        self._workers.hold(node["NodeID"], cpus)
        has_gpus = self._target != "host" and node["Resources"].get("GPU")
        actor = _start_place(
            num_cpus=cpus,
            resources={self._resource: 1},
            num_gpus=1 if has_gpus else 0,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False),
        )
        asked[actor.about.remote(TOOLS)] = actor, node, cpus

    def _check(self, asked: dict[Any, Any], ready: Sequence[Any], opened: list[Slot]) -> None:
        """Adds the devices that have answered and can be used to those that are open."""
        for reference in ready:
            actor, node, cpus = asked[reference]
            about = self._nodes.check(reference, node["NodeID"])
            slot = self._make_slot(actor, node, about["devices"]) if about else None
            if slot is not None:
                slot.cpus = cpus
                opened.append(slot)
            else:
                self._workers.hold(node["NodeID"], -cpus)
                ray.kill(actor)
            del asked[reference]

    def _no_device(self) -> Error:
        return Error(
            f"the nodes with the resource {self._resource} cannot be used; mend what the warnings "
            "name"
        )

    def _make_slot(self, actor: Any, node: dict[str, Any], named: Sequence[str]) -> Slot | None:
        """Returns a place with its device; None if no device of the node is known to be its own."""
        kind = _DEVICES[self._target]
        identity = node["NodeID"]
        count = int(node["Resources"][self._resource])
        own = [device for device in named if device.partition(":")[0] == kind]
        if own and len(own) < count:
            self._nodes.refuse(
                identity,
                f"{self._resource} is {count} there, and $TONNO_DEVICES names {len(own)} devices; name "
                "each",
            )
            return None
        # Ray shows a place the GPU that it has reserved, of those that it counts.
        if not own and kind != "host" and count > max(1, int(node["Resources"].get("GPU", 0))):
            self._nodes.refuse(
                identity,
                f"{self._resource} is {count} there, and Ray knows of fewer GPUs; start the node with "
                f"'--num-gpus={count}', or name the devices in $TONNO_DEVICES",
            )
            return None
        candidates = own
        if not own and kind == "host" and count > 1:
            candidates = [f"{kind}:{index}" for index in range(count)]
        device = kind
        if candidates:
            device = self._nodes.fetch(actor.claim.remote(candidates), identity)
        return Slot(actor, RUNNER_TOOL, identity, device, bool(own)) if device else None

    def _report(self, slot: Slot, text: str) -> None:
        self._nodes.report(slot.node, text)

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
        if is_lost:
            slot.is_lost = True
            self._workers.hold(slot.node, -slot.cpus)
            self._nodes.lose(slot.node, problem)
        elif problem:
            self._nodes.report(slot.node, problem)
        if not slot.device:
            self._workers.release(slot, problem)


def _find_free_name(node: str, taken: Any) -> str:
    """Returns a name for users, which is a file's name, too."""
    name = "".join(c if c.isalnum() or c in "._-" else "_" for c in node).lstrip(".") or "node"
    index = 1
    found = name
    while found in taken or found == "worker":
        found = f"{name}-{index}"
        index += 1
    return found
