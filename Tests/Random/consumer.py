"""Runs exported files in the tool that they are for, one line of JSON after the other.

usage: consumer.py TARGET PROGRAM

A request has the exported `file`, the `model` that it was made of, `inputs` and `outputs` (.npz), the
tolerance as `bound`, and what the program said as `notes`. The answer has a `kind` and a `text`: agreed,
wrong, invalid (the tool refuses the file), or not run (the tool or its stand-in here lacks something).
"""

import importlib
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Peers"))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import numpy  # pylint: disable=wrong-import-position

import cases  # pylint: disable=wrong-import-position
import comparing  # pylint: disable=wrong-import-position


class Different(Exception):
    """What the tool computes is not what the framework computed."""


def compare_all(results, names, case, bound: float):
    """Compares outputs with the framework's."""
    wanted = cases.matched(names, cases.arrays(case.outputs))
    for name, got, want in zip(names, results, wanted):
        found = comparing.compare(numpy.asarray(got), want, bound, case.noise)
        if found:
            raise Different(f"{found[0]}: {name}: {found[1]} (by {found[2]:.3g})")


def run_onnx(peer, case, request: dict):
    """Checks a file and runs it in onnxruntime."""
    model = peer.onnx.load(request["file"])
    peer.onnx.checker.check_model(model, full_check=True)
    options = peer.onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = peer.onnxruntime.InferenceSession(
        request["file"], options, providers=["CPUExecutionProvider"]
    )
    ports = session.get_inputs()
    given = cases.matched([port.name for port in ports], cases.arrays(case.inputs))
    feed = {port.name: array.astype(peer.numpy_type(port.type)) for port, array in zip(ports, given)}
    compare_all(
        session.run(None, feed), [port.name for port in session.get_outputs()], case, request["bound"]
    )


def run_keras(peer, case, request: dict):
    """Loads a file in Keras and runs it."""
    peer.keras.backend.clear_session()
    model = peer.keras.models.load_model(request["file"], compile=False)
    names = [tensor.name.split(":")[0] for tensor in model.inputs]
    given = cases.matched(names, cases.arrays(case.inputs))
    feed = [
        array.astype(str(getattr(tensor.dtype, "name", tensor.dtype)))
        for tensor, array in zip(model.inputs, given)
    ]
    results = model(feed if len(feed) > 1 else feed[0], training=False)
    results = list(results) if isinstance(results, (list, tuple)) else [results]
    results = [numpy.asarray(result) for result in results]
    results = [each.astype("float32") if each.dtype.name == "bfloat16" else each for each in results]
    compare_all(results, list(model.output_names), case, request["bound"])


def run_ncnn(peer, case, request: dict):
    """Runs a file in ncnn, which has float32 alone."""
    peer.check(request["program"], case, pathlib.Path(request["file"]), max(1e-4, request["bound"]))


def run_coreml(peer, case, request: dict):
    """Computes a file with NumPy; Core ML's networks compute in float32."""
    peer.check(request["program"], case, pathlib.Path(request["file"]), max(1e-4, request["bound"]))


def run_tflite(peer, case, request: dict):
    """Runs a file in LiteRT, with XNNPACK and without, which has float32 alone."""
    for has_delegate in (True, False):
        peer.check(
            request["program"],
            case,
            pathlib.Path(request["file"]),
            request["bound"],
            has_delegate=has_delegate,
            has_integers=False,
        )


RUNNERS = {
    "onnx": ("onnx_peer", run_onnx),
    "keras": ("keras_peer", run_keras),
    "keras-h5": ("keras_peer", run_keras),
    "ncnn": ("ncnn_peer", run_ncnn),
    "coreml": ("coreml_peer", run_coreml),
    "tflite": ("tflite_peer", run_tflite),
}


def answer(peer, runner, request: dict) -> tuple:
    """The answer to a request."""
    case = cases.Case(
        "random",
        "random",
        pathlib.Path(request["model"]),
        request["inputs"],
        request["outputs"],
        noise=request["noise"],
    )
    case.notes = request["notes"]
    try:
        runner(peer, case, request)
    except (Different, AssertionError) as error:
        text = " ".join(str(error).split())
        is_peer = (
            "weighbridge: error: the input" in text
        )  # it gives one example where the file takes all
        return "not run" if is_peer else "wrong", text
    except cases.Refused as error:
        return "not run", str(error)
    except Exception as error:  # pylint: disable=broad-except
        text = " ".join(str(error).split())
        lacks = (
            any(
                words in text
                for words in (
                    "NOT_IMPLEMENTED",
                    "No corresponding Numpy type",
                    "Numpy_type 256",
                    "cannot reshape array",
                )
            )
            or "NotImplemented" in type(error).__name__
        )
        return "not run" if lacks else "invalid", f"{type(error).__name__}: {text}"[:600]
    return "agreed", ""


def main():
    target, program = sys.argv[1:]
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    module, runner = RUNNERS[target]
    peer = importlib.import_module(module)
    for line in sys.stdin:
        request = dict(json.loads(line), program=program)
        kind, text = answer(peer, runner, request)
        output.write(json.dumps({"kind": kind, "text": text}) + "\n")
        output.flush()


if __name__ == "__main__":
    main()
