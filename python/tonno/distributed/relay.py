# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for a process elsewhere: `relay.py SOCKET PLACE [argument ...]`.

Gives its standard input and output to the driver at the socket, and ends as the process ends. Runs
by an interpreter without packages, as it starts with each runner and worker. `exchange.py` is the
other side.
"""

import json
import os
import resource
import signal
import socket
import struct
import sys

STATUS = struct.Struct("<i")
"""How the process has ended, as in `subprocess.Popen.returncode`: the driver's only message."""


def end_like(status: int) -> None:
    if status < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -status not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-status, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [-status])
        os.kill(os.getpid(), -status)
    os._exit(status)


def main() -> None:
    address, place, *arguments = sys.argv[1:]
    driver = socket.socket(socket.AF_UNIX)
    driver.connect(address)
    socket.send_fds(driver, [json.dumps([place, arguments]).encode()], [0, 1])
    message = driver.recv(STATUS.size)
    # Without one, the driver has ended.
    end_like(STATUS.unpack(message)[0] if message else -signal.SIGHUP)


if __name__ == "__main__":
    main()
