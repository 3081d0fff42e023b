"""No module imports one of a higher floor of Sources, nor one that Package.swift does not give it, and the tests of a
module are on its floor of Tests, in a folder of its name."""

import re

from source import ROOT, swift_files

IMPORT = re.compile(r"^(?:@\w+(?:\(\w+\))? )*(?:package |public |internal |private )?import (?:\w+ )?(\w+)", re.M)


def floor_names(manifest):
    """The folders of Sources, the lowest first."""
    body = manifest[manifest.index("enum Floor"):]
    return re.findall(r'case \w+ = "(\w+)"', body[:body.index("\n}")])


def dependencies(manifest):
    """For each target of a manifest, the names that it depends on: a list, or a named list and another."""
    result, strings = {}, re.compile(r'"(\w+)"')
    lists = dict(re.findall(r"\blet (\w+): \[Target\.Dependency\] = \[([^\]]*)\]", manifest))
    pattern = r'\b(?:module|cLibrary)\(\s*(?://[^\n]*\n\s*)?(?:\.\w+,\s*)?"(\w+)"|executableTarget\(\s*name: "(\w+)"'
    matches = list(re.finditer(pattern, manifest))
    for match, following in zip(matches, [*matches[1:], None]):
        part = manifest[match.end():following.start() if following else len(manifest)]
        names = re.search(r"(?:(\w+) \+ )?\[([^\]]*)\]", part)
        result[match.group(1) or match.group(2)] = set(
            strings.findall(lists.get(names.group(1), "") + names.group(2))) if names else set()
    return result


def violations():
    manifest = (ROOT / "Package.swift").read_text()
    numbers = {name: number for number, name in enumerate(floor_names(manifest))}
    floors = {
        path.name: number for name, number in numbers.items()
        for path in (ROOT / "Sources" / name).iterdir() if path.is_dir()}
    for folder in (ROOT / "Tests").glob("*/*Tests"):
        name, floor = folder.name.removesuffix("Tests"), folder.parent.name
        if name != floor and floors.get(name) != numbers[floor]:
            yield f"{folder.relative_to(ROOT)}: expected a module's name on its own floor, or the floor's"
    yield from unplaced_tests(ROOT / "Tests/Conversion/ConversionTests", ROOT / "Sources/Conversion")
    known, imported = dependencies(manifest), {}
    for path, text in swift_files("Sources"):
        module, names = path.parts[2], IMPORT.findall(text)
        imported.setdefault(module, set()).update(names)
        yield from (
            f"{path}: {problem}" for name in names if (problem := violation(module, name, floors, known)))
    for module, names in known.items():
        # Modules of the products name what others re-export, which incremental builds need.
        if module in imported and floors.get(module, 0) < numbers["Product"]:
            unused = [name for name in names - imported[module] if floors.get(name, 0) > numbers["CLibraries"]]
            yield from (f"Package.swift: {module} depends on {name} and does not import it" for name in sorted(unused))


def unplaced_tests(tests, modules):
    """The entries of a folder of tests that several modules share, other than a folder for each module and Files."""
    names = {module.name for module in modules.iterdir()}
    for entry in sorted(tests.iterdir()):
        if entry.name != "Files" and entry.name not in names:
            yield f"{entry}: expected a folder called as a module of {modules.name}"


def violation(module, name, floors, known):
    """What is wrong with an import; None if nothing is."""
    if name not in floors or name == module:
        return None
    if floors[name] > floors[module]:
        return f"imports {name}, which is on a higher floor"
    if module in known and name not in known[module]:
        return f"imports {name}, on which {module} does not depend in Package.swift"
    return None
