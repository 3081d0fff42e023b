"""Reads .wbm files with the reference reader, Schemas/reader.py: the hostile files, the unusual ones, a
file for each operator, and every recorded model as the program converts it.

usage: wbm_peer.py PROGRAM [--fixtures FOLDER] [--only TEXT] [--verbose]
"""

import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import xxhash

from cases import ROOT, darknet_cases, keras_cases, parser, sample_cases

sys.path.insert(0, str(ROOT / "Schemas"))
import reader  # pylint: disable=import-error,wrong-import-position

# So many of the recorded models can be converted at least.
CONVERTED = 0.9
MUTATIONS = 300


def verdict(data):
    """The class of the error that the reader finds in bytes, and whether it opens them."""
    opens = False
    try:
        file = reader.File(data)
        opens = True
        file.check_tensors()
    except reader.WBMError as error:
        return error.kind, opens
    return "accepted", opens


def run(program, *arguments):
    """Runs the program, which must not crash."""
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode not in (0, 1, 3, 5):
        raise AssertionError(f"{arguments}: exit {done.returncode}: {done.stderr}")
    return done


def check_hostile(program):
    """Both readers refuse each hostile file, and the reference reader with the expected class."""
    folder = ROOT / "Samples/Hostile/wbm"
    expected = json.loads((folder / "expected.json").read_text())
    files = sorted(folder.glob("*.wbm"))
    if {path.name for path in files} != set(expected):
        yield "expected.json names other files than there are"
    for path in files:
        want = expected[path.name]
        got = verdict(path.read_bytes())
        if got != (want["class"], want["opens"]):
            yield f"{path.name} is {got}, expected {want}"
        if run(program, "verify", path).returncode == 0:
            yield f"{path.name} is accepted by the program"


def check_accepted(program):
    """Both readers accept each unusual file."""
    for path in sorted((ROOT / "Samples/WBM/Accepted").glob("*.wbm")):
        if verdict(path.read_bytes()) != ("accepted", True):
            yield f"{path.name} is {verdict(path.read_bytes())}"
        if run(program, "inspect", path).returncode != 0:
            yield f"{path.name} is refused by the program"


def check_operators(program):
    """Each operator's file follows a writer's rules too, and is what the program computes."""
    files = sorted((ROOT / "Samples/WBM/Operators").glob("*.wbm"))
    if not files:
        yield "there are no files of operators"
    for path in files:
        yield from check_written(path)
        done = run(program, "verify", path)
        if done.returncode != 0:
            yield f"{path.name}: {done.stdout}"


def check_written(path):
    """A file that the program wrote follows every rule for writers."""
    try:
        file = reader.open_file(path)
        file.check_tensors()
    except reader.WBMError as error:
        yield f"{path.name}: {error}"
        return
    if not file.canonical:
        yield f"{path.name} is not written in the canonical form"
    for references in file.header["references"]:
        for entry in references["inputs"] + references["outputs"]:
            array = file.tensor(entry["tensor"])
            if not reader.within(array, array, references["tolerance"]):
                yield f"{path.name}: {entry['name']} is not within a tolerance of itself"


def check_encodings(program):
    """Each encoding of weights is decoded to the same bytes, which digests show, and written by the rules."""
    names = ["int2", "int3", "int5", "int8", "int4-block32", "palette1", "palette6", "float16", "bfloat16"]
    ways = [["--lossless"], ["--max-error", "0.05"], *(["--encoding", name] for name in names)]
    models = sorted((ROOT / "Samples/Models").glob("*/*.h5"))
    models += sorted((ROOT / "Samples/Models/number-types").glob("*.keras"))
    written = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "small.wbm"
        for model in models:
            for way in ways:
                done = subprocess.run(
                    [program, "compact", model, "-o", path, "--quiet", *way], capture_output=True, text=True)
                if done.returncode not in (0, 2, 3, 5):
                    yield f"{model.name} {way}: exit {done.returncode}: {done.stderr}"
                if done.returncode == 0:
                    written += 1
                    for problem in check_written(path):
                        yield f"{model.name} {way}: {problem}"
    print(f"{written} smaller models written and read")
    if written < 3 * len(models):  # models of few weights can only be stored without loss
        yield "too few models were made smaller"


def check_models(program, arguments):
    """Every recorded model, converted."""
    cases, counts = list(sample_cases()), collections.Counter()
    if arguments.fixtures.is_dir():
        cases += [*keras_cases(arguments.fixtures), *darknet_cases(arguments.fixtures)]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.wbm"
        for case in cases:
            if arguments.only not in f"{case.group}/{case.name}":
                continue
            counts["all"] += 1
            done = run(program, "convert", case.model, "-o", path, *case.options)
            if done.returncode:
                if arguments.verbose:
                    print(f"{case.group}/{case.name}: {done.stderr.strip()}", flush=True)
                continue
            counts["converted"] += 1
            for problem in check_written(path):
                yield f"{case.group}/{case.name}: {problem}"
    print(f"{counts['converted']} of {counts['all']} recorded models converted and read")
    if counts["converted"] < CONVERTED * counts["all"] or not counts["all"]:
        yield "too few models were converted"


def mutated(data, generator):
    """A file with some bytes of its header changed, and the checksums made to fit."""
    length = int.from_bytes(data[16:24], "little")
    changed = bytearray(data)
    for _ in range(generator.randint(1, 3)):
        position = 64 + generator.randrange(length)
        changed[position] = generator.choice([0, 1, 0x7F, 0x80, 0xFF, changed[position] ^ 4])
    changed[40:56] = xxhash.xxh3_128_digest(bytes(changed[64:64 + length]))
    changed[56:64] = xxhash.xxh3_128_digest(bytes(changed[:56]))[:8]
    return bytes(changed)


def check_mutations(program):
    """What the reference reader refuses, the program refuses, and nothing crashes."""
    data = (ROOT / "Samples/WBM/Accepted/references.wbm").read_bytes()
    generator, outcomes = random.Random(1), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "mutated.wbm"
        for number in range(MUTATIONS):
            path.write_bytes(mutated(data, generator))
            kind, opens = verdict(path.read_bytes())
            outcomes[kind] += 1
            if run(program, "inspect", path).returncode == 0 and not opens:
                yield f"mutation {number} is {kind}, and the program opens it"
    print(f"{MUTATIONS} mutations: {dict(outcomes)}")


def main():
    arguments = parser().parse_args()
    program = arguments.program
    problems = [
        *check_hostile(program), *check_accepted(program), *check_operators(program),
        *check_mutations(program), *check_encodings(program), *check_models(program, arguments)]
    for problem in problems:
        print(f"FAILED: {problem}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
