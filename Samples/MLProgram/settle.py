"""Gives a package the same bytes each time: no date, identifiers of its own, and no empty folder,
which Git leaves out."""

import json
import uuid

import coremltools as ct


def settled(folder):
    path = folder / "Data/com.apple.CoreML/model.mlmodel"
    spec = ct.utils.load_spec(str(path))
    for key in list(spec.description.metadata.userDefined):
        if "date" in key:
            del spec.description.metadata.userDefined[key]
    path.write_bytes(spec.SerializeToString(deterministic=True))
    manifest = json.loads((folder / "Manifest.json").read_text())
    for identifier, entry in list(manifest["itemInfoEntries"].items()):
        item = folder / "Data" / entry["path"]
        if item.is_dir() and not any(item.iterdir()):
            item.rmdir()
            del manifest["itemInfoEntries"][identifier]
    names = {old: str(uuid.uuid5(uuid.NAMESPACE_URL, entry["path"])).upper()
             for old, entry in manifest["itemInfoEntries"].items()}
    manifest["itemInfoEntries"] = {
        names[old]: entry for old, entry in manifest["itemInfoEntries"].items()}
    manifest["rootModelIdentifier"] = names[manifest["rootModelIdentifier"]]
    (folder / "Manifest.json").write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n")
