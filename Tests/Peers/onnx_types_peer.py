"""Checks files with elements of all types, which `WEIGHBRIDGE_ONNX_TYPES=FOLDER swift test --filter
ONNXTypeTests` writes, with ONNX' own checker, and lets onnxruntime open them. The table of types in the
sources must be the one that these versions of onnx and onnxruntime give.

usage: onnx_types_peer.py FOLDER
"""

import collections
import pathlib
import sys

import onnx
import onnxruntime

import onnx_signatures


# The types that no wider one can replace where onnxruntime has no kernel for them.
WIDEST = ("_float64_", "_int64_", "_uint64_")


def open_session(path, counts):
    """Lets onnxruntime open a file, which it may refuse for want of a kernel for one of WIDEST."""
    try:
        onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    except Exception as error:
        if "NOT_IMPLEMENTED" not in str(error) or not any(name in path.name for name in WIDEST):
            raise
        counts["without a kernel"] += 1


def main():
    counts = collections.Counter()
    if onnx_signatures.TARGET.read_text() != onnx_signatures.source():
        sys.exit("ONNXSignatures.swift is not what onnx_signatures.py writes")
    onnxruntime.set_default_logger_severity(4)
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.onnx")):
        counts["files"] += 1
        try:
            onnx.checker.check_model(onnx.load(path), full_check=True)
            # onnxruntime has normalization over an odd number of channels only, whatever the type.
            if "local_response" not in path.name:
                open_session(path, counts)
        except Exception as error:  # the kinds are those of onnx and onnxruntime
            counts["wrong"] += 1
            print(f"{path.name}: {' '.join(str(error).split())[:300]}")
    print(f"{counts['files']} files, {counts['wrong']} wrong, {counts['without a kernel']} of the widest "
          "types for which onnxruntime has no kernel")
    sys.exit(counts["files"] == 0 or counts["wrong"] > 0)


if __name__ == "__main__":
    main()
