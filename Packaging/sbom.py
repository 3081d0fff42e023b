"""Writes the bill of materials of a program or library, as SPDX 2.3, and the licences of the parts linked into it.

Usage: sbom.py NAME FILE MAP VERSION FOLDER, with SOURCE_DATE_EPOCH in the environment. NAME is `weighbridge` for the
program, `libweighbridge` for the library; MAP is the linker's. FOLDER gets NAME.spdx.json and the folder `licenses`.
"""

import hashlib
import json
import os
import re
import sys
import time
from pathlib import Path

from linked import Part, linked_files, parts_of

COMMON_LICENSES = Path("/usr/share/common-licenses")


def package(part: Part) -> dict:
    """Returns the SPDX record of a part."""
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


def document(name: str, file: Path, version: str, parts: list[Part]) -> dict:
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    epoch = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))
    whole = f"SPDXRef-{name}"
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{name}-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{version}-{digest}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", epoch),
            "creators": ["Tool: Packaging/sbom.py"]},
        "packages": [{
            "SPDXID": whole, "name": name, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "primaryPackagePurpose": "LIBRARY" if name.startswith("lib") else "APPLICATION",
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
    """Writes a licence text for each part, and in `common` those that Debian shares among packages."""
    common = folder / "common"
    common.mkdir(parents=True, exist_ok=True)
    for part in parts:
        text = part.text.read_text()
        (folder / f"{part.name}.txt").write_text(text)
        for name in re.findall(rf"{COMMON_LICENSES}/([\w.-]*\w)", text):
            (common / name).write_text((COMMON_LICENSES / name).read_text())


def main() -> None:
    name, file, map_path, version, folder = sys.argv[1:]
    parts = parts_of(linked_files(Path(map_path)))
    if not parts:
        sys.exit(f"{map_path} names no file that was linked")
    write_licenses(parts, Path(folder, "licenses"))
    text = json.dumps(document(name, Path(file), version, parts), indent=2, ensure_ascii=False)
    Path(folder, f"{name}.spdx.json").write_text(text + "\n")
    print(f"{len(parts)} parts are linked into {name}: "
          + ", ".join(f"{part.name} {part.version}" for part in parts))


main()
