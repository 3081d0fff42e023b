"""The pinned environments of environments.txt, installed into .build/random from PyPI."""

import os
import pathlib
import shutil
import subprocess
from typing import Optional

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".build" / "random"


class Environment:
    """A row of the table."""

    def __init__(self, row):
        self.name, self.python, self.module, self.packages = row.split(None, 3)
        self.folder = FOLDER / self.name

    @property
    def interpreter(self):
        return self.folder / "bin" / "python"

    @property
    def variables(self):
        """What the framework's process needs to know."""
        backend = {"KERAS_BACKEND": self.name.split("-")[-1]} if self.name.startswith("keras3") else {}
        return dict(os.environ, PYTHONDONTWRITEBYTECODE="1", PYTHONHASHSEED="0", **backend)

    def base(self) -> Optional[str]:
        """An interpreter of the version, or None: of this name, or one of pyenv's."""
        found = shutil.which(f"python{self.python}")
        if (
            found
            and subprocess.run([found, "--version"], capture_output=True, check=False).returncode == 0
        ):
            return found
        others = sorted(pathlib.Path.home().glob(f".pyenv/versions/{self.python}.*/bin/python"))
        return str(others[-1]) if others else None

    def install(self) -> Optional[str]:
        """Installs it if it is not there; says why if that is impossible."""
        if self.interpreter.exists() and (
            self.folder.parent != FOLDER or (self.folder / "done").exists()
        ):
            return None
        base = self.base()
        if base is None:
            return f"there is no Python {self.python} here"
        print(f"Installing {self.name} into {self.folder}", flush=True)
        subprocess.run([base, "-m", "venv", "--clear", self.folder], check=True)
        done = subprocess.run(
            [self.interpreter, "-m", "pip", "install", "-q", *self.packages.split()],
            cwd=ROOT,
            check=False,
        )
        if done.returncode:
            return "pip has failed"
        (self.folder / "done").touch()
        return None


def table() -> dict:
    """All environments by name."""
    lines = (ROOT / "Tests/Random/environments.txt").read_text().splitlines()
    rows = [Environment(line) for line in lines if line and not line.startswith("#")]
    return {row.name: row for row in rows}
