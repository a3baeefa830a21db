# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/setup.sh on machines that don't exist, made of fake commands."""

from __future__ import annotations

import os
import pathlib
import subprocess

import pytest

BUILD = "libmlir-22-dev mlir-22-tools llvm-22-dev liblld-22-dev lld-22 clang-22"
BUILD += " g++ cmake ninja-build nlohmann-json3-dev libeigen3-dev libmd-dev"
BUILD += " zlib1g-dev"
LLVM = [package for package in BUILD.split() if "22" in package]


class Machine:
    """Fake commands in front of the PATH; `log` has what they were asked."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.log = folder / "log"
        self.log.touch()
        self.sources = folder / "sources.list.d"
        (folder / "bin").mkdir()
        self.sources.mkdir()
        self.os("debian", "bookworm")
        self.installed("")
        self.command("id", "echo 0")
        self.command("sudo", "exit 1")
        self.command("apt-get", f'echo "apt-get $*" >> {self.log}')
        self.command("apt-cache", 'echo "  Candidate: 1"')

    def os(self, name: str, codename: str) -> None:
        text = f"ID={name}\nVERSION_CODENAME={codename}\n"
        (self.folder / "os-release").write_text(text)

    def command(self, name: str, body: str) -> None:
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)

    def installed(self, packages: str) -> None:
        test = f'[[ " {packages} " == *" ${{!#}} "* ]] && echo "ii "'
        self.command("dpkg-query", test)

    def setup(self, root: pathlib.Path, *options: str, **environment: str):
        variables = dict(os.environ, PATH=f"{self.folder}/bin:{os.environ['PATH']}")
        variables.pop("MLIR_DIR", None)
        variables["TONNO_OS_RELEASE"] = str(self.folder / "os-release")
        variables["TONNO_APT_SOURCES_DIR"] = str(self.sources)
        return subprocess.run(
            [root / "scripts/setup.sh", *options],
            env=variables | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def install_line(self) -> str:
        lines = [x for x in self.log.read_text().splitlines() if " install " in x]
        assert len(lines) <= 1
        return lines[0] if lines else ""


@pytest.fixture
def machine(tmp_path: pathlib.Path) -> Machine:
    return Machine(tmp_path)


def test_only_the_missing_are_installed(root: pathlib.Path, machine: Machine) -> None:
    machine.installed(BUILD.replace(" libmd-dev", "").replace(" cmake", ""))
    done = machine.setup(root)
    assert done.returncode == 0
    assert "setup: missing: libmd-dev: SHA-256" in done.stdout
    assert machine.install_line().endswith("--no-install-recommends cmake libmd-dev")


def test_nothing_missing_asks_no_archive(root: pathlib.Path, machine: Machine) -> None:
    machine.installed(BUILD)
    done = machine.setup(root)
    assert done.returncode == 0
    assert machine.log.read_text() == ""


def test_tests_need_more(root: pathlib.Path, machine: Machine) -> None:
    machine.installed(BUILD)
    assert machine.setup(root, "--tests").returncode == 0
    assert "python3-venv" in machine.install_line()


def test_benchmarks_need_another_library(root: pathlib.Path, machine: Machine) -> None:
    machine.installed(BUILD)
    assert machine.setup(root, "--benchmarks").returncode == 0
    assert machine.install_line().endswith("--no-install-recommends libopenblas0-pthread")


def test_both_are_asked_for_at_once(root: pathlib.Path, machine: Machine) -> None:
    machine.installed(BUILD)
    assert machine.setup(root, "--tests", "--benchmarks").returncode == 0
    assert "python3-venv" in machine.install_line()
    assert "libopenblas0-pthread" in machine.install_line()


def test_given_mlir_is_not_installed(root: pathlib.Path, machine: Machine) -> None:
    assert machine.setup(root, MLIR_DIR="/opt/mlir").returncode == 0
    assert "mlir" not in machine.install_line()
    assert "clang-22" in machine.install_line()


def test_security_archive_is_added(root: pathlib.Path, machine: Machine) -> None:
    archive = machine.sources / "tonno-security.sources"
    machine.command(
        "apt-cache",
        f'[[ $2 == *22* && ! -e {archive} ]] && echo "  Candidate: (none)" || '
        'echo "  Candidate: 1"',
    )
    done = machine.setup(root)
    assert done.returncode == 0
    assert "adding the security archive" in done.stdout
    assert "Suites: bookworm-security" in archive.read_text()
    assert machine.log.read_text().count("update") == 2


def test_security_archive_is_not_added_needlessly(
    root: pathlib.Path, machine: Machine
) -> None:
    assert machine.setup(root).returncode == 0
    assert list(machine.sources.iterdir()) == []


def test_unknown_package_is_named(root: pathlib.Path, machine: Machine) -> None:
    machine.os("debian", "forky")
    machine.command("apt-cache", 'echo "  Candidate: (none)"')
    done = machine.setup(root)
    assert done.returncode == 1
    assert "apt knows no package libmlir-22-dev" in done.stdout


def test_user_without_sudo_is_told(root: pathlib.Path, machine: Machine) -> None:
    machine.installed(" ".join(LLVM))
    machine.command("id", "echo 1000")
    done = machine.setup(root)
    assert done.returncode == 1
    assert "apt-get install --no-install-recommends g++ cmake" in done.stdout
    assert machine.log.read_text() == ""


def test_user_with_sudo_installs(root: pathlib.Path, machine: Machine) -> None:
    machine.command("id", "echo 1000")
    machine.command("sudo", f'echo "sudo $*" >> {machine.log}; shift; exec "$@"')
    done = machine.setup(root)
    assert done.returncode == 0, done.stdout
    assert "sudo -n env DEBIAN_FRONTEND=noninteractive apt-get" in machine.log.read_text()


def test_other_system_lists_what_is_needed(
    root: pathlib.Path, machine: Machine
) -> None:
    machine.os("fedora", "")
    for tool in ("cmake", "ninja", "clang-22", "clang++-22"):
        machine.command(tool, "")
    done = machine.setup(root)
    assert done.returncode == 0
    assert "this is not Debian" in done.stdout
    assert "libmd-dev" in done.stdout


def test_other_system_without_tools(root: pathlib.Path, machine: Machine) -> None:
    machine.os("fedora", "")
    for tool in ("dirname", "sed", "bash"):
        machine.command(tool, f'exec /usr/bin/{tool} "$@"')
    done = machine.setup(root, PATH=f"{machine.folder}/bin")
    assert done.returncode == 1
    assert "not on the PATH: cmake ninja" in done.stdout


def test_unknown_option_is_refused(root: pathlib.Path, machine: Machine) -> None:
    done = machine.setup(root, "--tets")
    assert done.returncode == 1
    assert "unknown option '--tets'" in done.stdout
