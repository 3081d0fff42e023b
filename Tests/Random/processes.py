"""Waits for what a process says. Time is what the process computes, since others may take the processor."""

import os
import pathlib
import select


def part(process, seconds: float) -> bytes:
    """The next bytes of a process; empty if it has ended, or has computed, or waited, for so long."""
    begun = used = computed(process.pid)
    while True:
        ready, _, _ = select.select([process.stdout], [], [], seconds)
        before, used = used, computed(process.pid)
        if ready:
            return os.read(process.stdout.fileno(), 1 << 16)
        if not before + 1 < used < begun + seconds:
            return b""


def computed(process: int) -> float:
    """The seconds of processor time that a process and those that it started have taken."""
    folder = pathlib.Path(f"/proc/{process}")
    try:
        fields = (folder / "stat").read_text(encoding="utf8").rsplit(")", 1)[1].split()
        children = (folder / f"task/{process}/children").read_text(encoding="utf8").split()
    except OSError:
        return 0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") + sum(map(computed, map(int, children)))
