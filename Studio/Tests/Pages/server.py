"""The studio as a process."""

import os
import pathlib
import signal
import subprocess


class Server:
    """weighbridge-studio on the samples, with its temporary files in a folder of its own."""

    def __init__(self, program, samples, folder, *options):
        self.temporary = folder / "temporary"
        self.temporary.mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            [program.resolve(), "--models", samples / "models", "--photos", samples / "photos",
             "--sketches", samples / "sketches", *options],
            stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(self.temporary)})
        line = self.process.stdout.readline()
        assert line.startswith("Open http://127.0.0.1:"), f"the studio says {line!r}"
        self.address = line.split()[1]
        port, self.token, _ = self.address.removeprefix("http://127.0.0.1:").split("/")
        self.port = int(port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end()

    def check_alive(self):
        """It still runs."""
        assert self.process.poll() is None, f"the studio ended with {self.process.returncode}"

    def end(self):
        """Ctrl-C: it ends with status 0, and nothing of it stays."""
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(timeout=60)
        assert status == 0, f"the studio ended with {status}"
        left = list(self.temporary.glob("weighbridge-studio-*"))
        assert not left, f"{left} stay"

    def uploads(self):
        """What is on disk of what was sent: files but indexes."""
        return [path for path in self.temporary.glob("weighbridge-studio-*/*/*") if path.is_file()]

    def memory(self):
        """The most memory that it has had, in bytes."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("VmHWM")) * 1024

    def children(self):
        """The numbers of its helpers."""
        text = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task").iterdir()
        words = [(task / "children").read_text() for task in tasks]
        return [int(word) for line in words + [text] for word in line.split()]
