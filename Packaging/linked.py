"""Determines the parts of a program that are not from its own sources, from the linker's map.

A file that is linked into the program belongs to the sources, to a package fetched by SwiftPM, to Swift's toolchain, or
to a Debian package; a file that belongs to none of them is an error.
"""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import quote

TOOLCHAIN = Path(shutil.which("swift")).resolve().parents[1]
TOOLCHAIN_LICENSE = TOOLCHAIN / "share/swift/LICENSE.txt"
SWIFT = "Apache-2.0 WITH Swift-exception"


@dataclass
class Part:
    name: str
    version: str
    supplier: str
    location: str
    license: str  # an SPDX expression, or "" if there is only the text
    text: Path
    purl: str
    files: set[str] = field(default_factory=set)


def linked_files(map_path: Path) -> set[Path]:
    """Returns the object files and archives that are linked into the program."""
    line = re.compile(r"^ *(?:[0-9a-f]+ +){3}\d+ +(/.+?)(?:\([^()]*\))?:\(.*\)$")
    found = (line.match(text) for text in map_path.open(errors="replace"))
    return {Path(match[1]) for match in found if match}


def output(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def debian_part(path: Path) -> Part:
    """Returns the Debian package that contains a file."""
    owner = output("dpkg-query", "--search", str(path)).split(":")[0]
    fields = "${Package}\n${Version}\n${Architecture}\n${source:Package}\n${source:Version}"
    name, version, architecture, source, source_version = output(
        "dpkg-query", "--show", "--showformat", fields, owner).split("\n")
    system = dict(
        line.rstrip().split("=", 1) for line in Path("/etc/os-release").open() if "=" in line)
    vendor = system["ID"].strip('"')
    return Part(
        name, version, f"Organization: {vendor.capitalize()}", "NOASSERTION", "",
        Path("/usr/share/doc", name, "copyright").resolve(),
        f"pkg:deb/{vendor}/{quote(name)}@{quote(version, ':')}"
        f"?arch={architecture}&upstream={quote(f'{source}@{source_version}', ':')}")


@cache
def swift_part() -> Part:
    version = re.search(r"Swift version (\S+)", output("swift", "--version"))[1]
    return Part(
        "swift", version, "Organization: Swift.org",
        f"git+https://github.com/swiftlang/swift@swift-{version}-RELEASE", SWIFT,
        TOOLCHAIN_LICENSE,
        f"pkg:github/swiftlang/swift@swift-{version}-RELEASE")


def fetched_part(checkout: Path, pins: list[dict]) -> Part:
    """Returns a Swift package that SwiftPM fetched into `checkout`."""
    pin = next(pin for pin in pins if pin["identity"] == checkout.name)
    version, url = pin["state"]["version"], pin["location"]
    text = next(checkout.glob("LICENSE*"))
    is_like_swift = text.read_bytes() == TOOLCHAIN_LICENSE.read_bytes()
    return Part(
        checkout.name, version, "NOASSERTION", f"git+{url}@{pin['state']['revision']}",
        SWIFT if is_like_swift else "", text, f"pkg:swift/{url.removeprefix('https://')}@{version}")


def parts_of(files: set[Path]) -> list[Part]:
    """Returns the parts of the program that are not from its own sources, each with the names of its files."""
    checkouts = list(Path(".build/program/checkouts").resolve().iterdir())
    pins = json.loads(Path("Package.resolved").read_text())["pins"]
    build = Path(".build/program").resolve()
    parts: dict[str, Part] = {}
    for path in sorted({path.resolve() for path in files}):
        if path.is_relative_to(build):
            module = path.parent.name.removesuffix(".build")
            checkout = next((c for c in checkouts if (c / "Sources" / module).is_dir()), None)
            if checkout is None:
                continue  # from the program's own sources
            part, file = fetched_part(checkout, pins), module
        elif path.is_relative_to(TOOLCHAIN):
            if path.name == "lib_FoundationICU.a":
                sys.exit("ICU is in the program: its licence is missing among those of Swift")
            part, file = swift_part(), path.name
        else:
            part, file = debian_part(path), path.name
        parts.setdefault(part.name, part).files.add(file)
    return sorted(parts.values(), key=lambda part: part.name)
