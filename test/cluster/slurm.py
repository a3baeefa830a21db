# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Slurm of one node: Debian's munge, slurmctld and slurmd, in a folder of their own.

Its GPU is one only by name.
"""

from __future__ import annotations

import getpass
import os
import pathlib
import shutil
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "salloc", "squeue")

_CONFIGURATION = """
ClusterName=tonno
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmctldPort={controller}
SlurmdPort={node}
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} Gres=gpu:1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def find_missing() -> list[str]:
    """Returns the programs that this machine lacks."""
    path = f"{os.environ['PATH']}:/usr/sbin"
    return [name for name in PROGRAMS if shutil.which(name, path=path) is None]


def find_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Slurm:
    """Runs until it is closed. `environment` lets `srun` and others find it."""

    def __init__(self, folder: pathlib.Path) -> None:
        for name in ("state", "spool"):
            (folder / name).mkdir()
        key = folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        folder.chmod(0o755)  # as munged demands
        configuration = folder / "slurm.conf"
        configuration.write_text(
            _CONFIGURATION.format(
                host=socket.gethostname().partition(".")[0],
                user=getpass.getuser(),
                folder=folder,
                controller=find_port(),
                node=find_port(),
                cpus=os.cpu_count(),
            )
        )
        (folder / "gres.conf").write_text("Name=gpu File=/dev/null\n")
        self.environment = {
            **os.environ,
            "PATH": f"{os.environ['PATH']}:/usr/sbin",
            "SLURM_CONF": str(configuration),
        }
        commands = (
            [
                "munged",
                "--foreground",
                "--force",
                f"--key-file={key}",
                f"--socket={folder}/munge.socket",
                f"--pid-file={folder}/munged.pid",
                f"--log-file={folder}/munged.log",
                f"--seed-file={folder}/munge.seed",
            ],
            ["slurmctld", "-D"],
            ["slurmd", "-D"],
        )
        self._daemons: list[subprocess.Popen[bytes]] = []
        try:
            for command in commands:
                self._daemons.append(
                    subprocess.Popen(
                        command,
                        env=self.environment,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                    )
                )
                time.sleep(1)  # each needs the one before
        except BaseException:
            self._close()
            raise

    def __enter__(self) -> Slurm:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        for daemon in reversed(self._daemons):
            daemon.terminate()
            daemon.wait()

    def list_jobs(self) -> str:
        """Returns the jobs that wait or run."""
        asked = subprocess.run(
            ["squeue", "--noheader"], env=self.environment, check=True, stdout=subprocess.PIPE
        )
        return asked.stdout.decode().strip()
