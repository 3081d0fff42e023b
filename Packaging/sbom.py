"""Writes what a program is made of, as SPDX 2.3, and the licences of that.

Usage: sbom.py PROGRAM MAP VERSION FOLDER, with SOURCE_DATE_EPOCH in the environment.

MAP is the linker's list of every piece that is in the program and of the file that it came from. A file
belongs to the sources, to a package that SwiftPM fetched, to Swift's toolchain, or to a package of
Debian; one that belongs to none of them is an error. FOLDER gets weighbridge.spdx.json and the folder
`licenses`.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

COMMON_LICENSES = Path("/usr/share/common-licenses")
SWIFT = "Apache-2.0 WITH Swift-exception"


@dataclass
class Part:
    name: str
    version: str
    supplier: str
    location: str
    license: str  # an SPDX expression, or "" where only the text tells
    text: Path
    purl: str
    files: set[str] = field(default_factory=set)


def linked_files(map_path: Path) -> set[Path]:
    """The object files and archives of which something is in the program."""
    line = re.compile(r"^ *(?:[0-9a-f]+ +){3}\d+ +(/.+?)(?:\([^()]*\))?:\(.*\)$")
    found = (line.match(text) for text in map_path.open(errors="replace"))
    return {Path(match[1]) for match in found if match}


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def debian_part(path: Path) -> Part:
    """The package of Debian that a file came with."""
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


def swift_part(toolchain: Path) -> Part:
    version = re.search(r"Swift version (\S+)", output("swift", "--version"))[1]
    return Part(
        "swift", version, "Organization: Swift.org",
        f"git+https://github.com/swiftlang/swift@swift-{version}-RELEASE", SWIFT,
        toolchain / "share/swift/LICENSE.txt",
        f"pkg:github/swiftlang/swift@swift-{version}-RELEASE")


def fetched_part(checkout: Path, pins: list[dict]) -> Part:
    """A package of Swift that SwiftPM fetched into `checkout`."""
    pin = next(pin for pin in pins if pin["identity"] == checkout.name)
    version, url = pin["state"]["version"], pin["location"]
    return Part(
        checkout.name, version, "Organization: Apple Inc. and the Swift project authors",
        f"git+{url}@{pin['state']['revision']}", SWIFT, checkout / "LICENSE.txt",
        f"pkg:swift/{url.removeprefix('https://')}@{version}")


def parts_of(files: set[Path]) -> list[Part]:
    """What the program is made of beside its own sources, each part with the names of its files."""
    toolchain = Path(shutil.which("swift")).resolve().parents[1]
    checkouts = list(Path(".build/program/checkouts").resolve().iterdir())
    pins = json.loads(Path("Package.resolved").read_text())["pins"]
    build = Path(".build/program").resolve()
    parts: dict[str, Part] = {}
    for path in sorted({path.resolve() for path in files}):
        if path.is_relative_to(build):
            module = path.parent.name.removesuffix(".build")
            checkout = next((c for c in checkouts if (c / "Sources" / module).is_dir()), None)
            if checkout is None:
                continue  # the sources' own
            part, file = fetched_part(checkout, pins), module
        elif path.is_relative_to(toolchain):
            if path.name == "lib_FoundationICU.a":
                sys.exit("ICU is in the program: its licence is missing among those of Swift")
            part, file = swift_part(toolchain), path.name
        else:
            part, file = debian_part(path), path.name
        parts.setdefault(part.name, part).files.add(file)
    return sorted(parts.values(), key=lambda part: part.name)


def package(part: Part) -> dict:
    """SPDX's record of a part."""
    return {
        "SPDXID": spdx_id(part), "name": part.name, "versionInfo": part.version,
        "supplier": part.supplier, "downloadLocation": part.location, "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": part.license or license_id(part),
        "copyrightText": "NOASSERTION",
        "comment": "Linked in: " + ", ".join(sorted(part.files)),
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": part.purl}],
    }


def spdx_id(part: Part) -> str:
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", part.name)


def license_id(part: Part) -> str:
    return "LicenseRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", part.name)


def document(program: Path, version: str, parts: list[Part]) -> dict:
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    epoch = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))
    whole = "SPDXRef-weighbridge"
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"weighbridge-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/weighbridge-{version}-{digest}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", epoch),
            "creators": ["Tool: Packaging/sbom.py"]},
        "packages": [{
            "SPDXID": whole, "name": "weighbridge", "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "primaryPackagePurpose": "APPLICATION",
            "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
            "licenseConcluded": "NOASSERTION", "licenseDeclared": "Apache-2.0",
            "copyrightText": "The Weighbridge authors",
        }] + [package(part) for part in parts],
        "hasExtractedLicensingInfos": [
            {"licenseId": license_id(part), "name": f"Licences of {part.name}",
             "extractedText": part.text.read_text()}
            for part in parts if not part.license],
        "relationships": [{
            "spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
            "relatedSpdxElement": whole}] + [
            {"spdxElementId": whole, "relationshipType": "STATIC_LINK",
             "relatedSpdxElement": spdx_id(part)} for part in parts],
    }


def write_licenses(parts: list[Part], folder: Path) -> None:
    """A text for each part, and in `common` those that Debian keeps once for many packages."""
    common = folder / "common"
    common.mkdir(parents=True, exist_ok=True)
    for part in parts:
        text = part.text.read_text()
        (folder / f"{part.name}.txt").write_text(text)
        for name in re.findall(rf"{COMMON_LICENSES}/([\w.-]*\w)", text):
            (common / name).write_text((COMMON_LICENSES / name).read_text())


def main() -> None:
    program, map_path, version, folder = sys.argv[1:]
    parts = parts_of(linked_files(Path(map_path)))
    if not parts:
        sys.exit(f"{map_path} names no file that was linked")
    write_licenses(parts, Path(folder, "licenses"))
    text = json.dumps(document(Path(program), version, parts), indent=2, ensure_ascii=False)
    Path(folder, "weighbridge.spdx.json").write_text(text + "\n")
    print(f"{len(parts)} parts are linked in: "
          + ", ".join(f"{part.name} {part.version}" for part in parts))


main()
