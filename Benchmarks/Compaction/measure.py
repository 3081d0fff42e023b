#!/usr/bin/env python3
"""Measures how small `weighbridge compact` makes models at several errors.

usage: measure.py PROGRAM OUT.json MODEL[=EXAMPLES[=EVALUATION]]...

For each model it prints the bytes of the weights without loss, at relative errors of the outputs from 0.1 to 0.001, and
in encodings of fixed width with their errors. EXAMPLES is a folder of images for calibration, EVALUATION one for
measurement; without them both are generated. plot.py draws the figures of OUT.json.
"""

import json
import pathlib
import resource
import subprocess
import sys
import tempfile

BUDGETS = [["--max-error", error] for error in ("0.1", "0.03", "0.01", "0.003", "0.001")]
ENCODINGS = [["--encoding", name] for name in ("int8", "palette8", "palette6", "float16", "bfloat16")]


def processor_time():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compact(program, model, examples, arguments, folder):
    """Returns the figures that a call prints, with its processor time; None when the budget cannot be met."""
    before = processor_time()
    done = subprocess.run(
        [program, "compact", model, "-o", f"{folder}/small.wbm", "--json", *arguments, *examples],
        capture_output=True, text=True)
    if done.returncode == 5:
        return None
    if done.returncode != 0:
        sys.exit(done.stderr)
    record = json.loads(done.stdout)
    losses = record.get("compaction", {}).get("outputs", [])
    return {
        "bytes": sum(encoding["bytes"] for encoding in record["encodings"]),
        "plain": record["weights"]["bytes"],
        "worst": max((loss["worst"] for loss in losses), default=0),
        "mean": max((loss["mean"] for loss in losses), default=0),
        "answers": record.get("compaction", {}).get("answers"),
        "inputs": record.get("compaction", {}).get("inputs"),
        "seconds": round(processor_time() - before, 1),
    }


def main():
    program, target, *models = sys.argv[1:]
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for model in models:
            path, examples, evaluation = [*model.split("="), "", ""][:3]
            given = ["--calibration", examples] if examples else []
            given += ["--evaluation", evaluation] if evaluation else []
            name = pathlib.Path(path).stem
            rows = {}
            for arguments in [["--lossless"], *BUDGETS, *ENCODINGS]:
                lossy = given if arguments != ["--lossless"] else []
                row = compact(program, path, lossy, arguments, folder)
                rows[" ".join(arguments)] = row
                if row is None:
                    print(f"| {name} | {' '.join(arguments)} | cannot be met | | | |", flush=True)
                    continue
                answers = row["answers"]
                kept = f"{answers['kept']} of {answers['total']}" if answers else ""
                print(f"| {name} | {' '.join(arguments)} | {row['bytes']:,} | "
                      f"{100 * row['bytes'] / row['plain']:.1f} % | {row['worst']:.2e} | {kept} | "
                      f"{row['seconds']} s |", flush=True)
            results[name] = rows
    pathlib.Path(target).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
