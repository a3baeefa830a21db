# Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command on a terminal of 60 columns, and prints what it shows.

`--columns=N` gives it N columns. `--narrow` halves the columns when the first trial was shown. `--raw` prints the
bytes, with escapes as "ESC". Any other sequence than those of the live region is
an error. Each line that was on the screen is printed once, in the order in which
it appeared; then "END" and the screen as the command left it.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios

COLUMNS, ROWS = 60, 24
OPTION = re.compile("--(narrow|raw|columns=[0-9]+)")
SEQUENCE = re.compile(r"\x1b\[(\d*)([AKm])")


class Screen:
    """A terminal that wraps its lines anew when it is resized."""

    def __init__(self, columns: int) -> None:
        self.lines, self.row, self.columns, self.seen = [""], 0, columns, []

    def write(self, text: str) -> None:
        while text:
            if sequence := SEQUENCE.match(text):
                self._execute(int(sequence[1] or 1), sequence[2])
                text = text[sequence.end() :]
                continue
            self._put(text[0])
            text = text[1:]
        self.seen += [line for line in self.lines if line not in self.seen]

    def resize(self, columns: int) -> None:
        self.columns = columns
        self.lines = [
            line[i : i + columns]
            for line in self.lines
            for i in range(0, max(1, len(line)), columns)
        ]
        self.row = len(self.lines) - 1

    def _execute(self, n: int, command: str) -> None:
        if command == "A":
            self.row -= n
            assert self.row >= 0, "the cursor left the screen"
        elif command == "K":
            self.lines[self.row] = ""

    def _put(self, character: str) -> None:
        assert character != "\x1b", "unknown sequence"
        if character == "\r":
            return
        if character == "\n":
            self.row += 1
            if self.row == len(self.lines):
                self.lines.append("")
            return
        if len(self.lines[self.row]) == self.columns:
            self._put("\n")
        self.lines[self.row] += character


def set_size(descriptor: int, columns: int) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))


def read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # The command has ended.
        return b""


def main() -> int:
    options = [word for word in sys.argv[1:] if OPTION.fullmatch(word)]
    command = sys.argv[1 + len(options) :]
    columns = next((int(word[10:]) for word in options if word.startswith("--c")), COLUMNS)
    child, terminal = pty.fork()
    if child == 0:
        set_size(1, columns)
        os.execvp(command[0], command)
    screen, raw, is_narrow = Screen(columns), "", False
    while piece := read(terminal):
        text = piece.decode()
        raw += text
        screen.write(text)
        if "--narrow" in options and not is_narrow and " 1/" in text:
            # Nothing may be on its way to the terminal while it changes.
            is_narrow = True
            os.kill(child, signal.SIGSTOP)
            while select.select([terminal], [], [], 0.2)[0]:
                screen.write(read(terminal).decode())
            set_size(terminal, columns // 2)
            screen.resize(columns // 2)
            os.kill(child, signal.SIGCONT)
    shown = [*screen.seen, "END", *screen.lines]
    print(raw.replace("\x1b", "ESC") if "--raw" in options else "\n".join(shown))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(main())
