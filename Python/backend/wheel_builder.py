"""Builds the wheel (PEP 517) of the package and what `make wheel` has laid out for it.

The same files give the same bytes: members are sorted and have one time. There is no source distribution,
for the library is built by the Makefile.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
#: The folder with `lib`, `bin`, `licenses` and `sboms`.
NATIVE = "WEIGHBRIDGE_NATIVE"
#: ZIP knows no earlier time.
TIME = (1980, 1, 1, 0, 0, 0)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds the wheel and returns its name."""
    if NATIVE not in os.environ:
        raise SystemExit(f"the wheel is built by `make wheel`, which names the library in {NATIVE}")
    native = pathlib.Path(os.environ[NATIVE])
    project, version = _project(), _version()
    tag = f"py3-none-{_platform(native)}"
    info = f"weighbridge-{version}.dist-info"
    members = {}
    for path in sorted((ROOT / "src/weighbridge").rglob("*")):
        if path.suffix == ".py" or path.name == "py.typed":
            members[path.relative_to(ROOT / "src").as_posix()] = (path.read_bytes(), 0o644)
    for path in sorted((native / "lib").iterdir()):
        members[f"weighbridge/lib/{path.name}"] = (path.read_bytes(), 0o755)
    program = (native / "bin/weighbridge").read_bytes()
    members[f"weighbridge-{version}.data/scripts/weighbridge"] = (program, 0o755)
    for folder in ("licenses", "sboms"):
        for path in filter(pathlib.Path.is_file, (native / folder).rglob("*")):
            members[f"{info}/{path.relative_to(native).as_posix()}"] = (path.read_bytes(), 0o644)
    licenses = sorted(name[len(f"{info}/licenses/") :] for name in members if "/licenses/" in name)
    members[f"{info}/METADATA"] = (_metadata(project, version, licenses).encode(), 0o644)
    wheel = f"Wheel-Version: 1.0\nGenerator: weighbridge\nRoot-Is-Purelib: false\nTag: {tag}\n"
    members[f"{info}/WHEEL"] = (wheel.encode(), 0o644)
    members[f"{info}/RECORD"] = (_record(members, info).encode(), 0o644)
    name = f"weighbridge-{version}-{tag}.whl"
    _write(pathlib.Path(wheel_directory) / name, members)
    return name


def _project():
    if sys.version_info < (3, 11):
        raise SystemExit("building the wheel takes Python 3.11 or later, which reads TOML")
    import tomllib

    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def _version():
    """The version that the library has."""
    source = ROOT.parent / "Sources/Base/Bytes/Version.swift"
    return re.search(r'weighbridgeVersion = "(.+)"', source.read_text()).group(1)


def _platform(native):
    """The tag for the C library that the binaries need (PEP 600), by the versions of its symbols."""
    needed = set()
    for path in [*(native / "lib").iterdir(), native / "bin/weighbridge"]:
        found = subprocess.run(
            ["readelf", "--version-info", "--wide", path], capture_output=True, text=True, check=True
        ).stdout
        needed |= {int(minor) for minor in re.findall(r"Name: GLIBC_2\.(\d+)", found)}
        if "GLIBC_ABI_DT_RELR" in found:
            needed.add(36)  # what the loader of 2.36 understands
    return f"manylinux_2_{max(needed)}_{os.uname().machine}"


def _metadata(project, version, licenses):
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
        f"License-Expression: {project['license']}",
        *(f"License-File: {name}" for name in licenses),
        f"Keywords: {','.join(project['keywords'])}",
        *(f"Classifier: {classifier}" for classifier in project["classifiers"]),
        *(f"Requires-Dist: {dependency}" for dependency in project["dependencies"]),
    ]
    for extra, dependencies in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {name}; extra == '{extra}'" for name in dependencies]
    lines.append("Description-Content-Type: text/markdown")
    return "\n".join(lines) + "\n\n" + (ROOT / project["readme"]).read_text()


def _record(members, info):
    lines = []
    for name, (content, _) in sorted(members.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    return "".join(lines) + f"{info}/RECORD,,\n"


def _write(path, members):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, (content, mode) in sorted(members.items()):
            member = zipfile.ZipInfo(name, TIME)
            member.external_attr = (0o100000 | mode) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, content)
