"""Builds the networks of keras.applications and compares what Weighbridge computes with what Keras does.

    python measure.py FOLDER PROGRAM            # all networks; prints the rows of the table
    python measure.py FOLDER PROGRAM ResNet50   # one of them

Runs under Keras 2.15 and under Keras 3 (see requirements.txt). Each network gets random weights, random
statistics in its batch normalisations, and a last layer without softmax whose numbers are of the order of
ten, so that nothing hides an error. FOLDER takes the files, some hundred MB, which are not part of this
repository. PROGRAM is the built `weighbridge`.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy as np

VERSION = keras.__version__
# The smallest pictures at which every stage of the network still has several pixels.
SIZES = {"InceptionV3": 139, "Xception": 139, "NASNetMobile": 128}
NETWORKS = ["MobileNet", "MobileNetV2", "MobileNetV3Small", "MobileNetV3Large", "EfficientNetB0",
            "EfficientNetV2B0", "ResNet50", "ResNet50V2", "InceptionV3", "Xception", "DenseNet121",
            "NASNetMobile", "ConvNeXtTiny", "RegNetX002", "ResNetRS50"]


def randomize(model, rng):
    """Gives every weight a value that keeps the spread of the activations."""
    for layer in model.layers:
        if hasattr(layer, "layers"):
            randomize(layer, rng)
            continue
        values = []
        for variable in layer.weights:
            name = getattr(variable, "path", variable.name).split("/")[-1].split(":")[0]
            shape = tuple(variable.shape)
            if name in ("kernel", "pointwise_kernel"):
                spread = np.sqrt(1.6 / max(1, np.prod(shape[:-1])))
                value = rng.normal(0, spread, shape)
            elif name == "depthwise_kernel":
                value = rng.normal(0, np.sqrt(1.6 / np.prod(shape[:2])), shape)
            elif name in ("moving_variance", "variance"):
                value = rng.uniform(0.5, 1.5, shape)
            elif name in ("gamma", "layer_scale"):
                value = rng.uniform(0.6, 1.1, shape)
            elif name in ("count",):
                value = np.zeros(shape)
            else:
                value = rng.normal(0, 0.1, shape)
            values.append(value.astype("float32"))
        if values:
            layer.set_weights([np.asarray(value) for value in values])


def build(name, rng):
    """A network with a linear classifier of 100 classes whose outputs are of the order of ten."""
    size = SIZES.get(name, 128)
    constructor = getattr(keras.applications, name, None)
    if constructor is None:  # RegNet and ResNet-RS stand in modules of their own
        constructor = getattr(getattr(keras.applications, name.lower()[:6]), name)
    model = constructor(weights=None, classes=100, classifier_activation=None,
                        input_shape=(size, size, 3))
    randomize(model, rng)
    pictures = rng.integers(0, 256, (1, size, size, 3)).astype("float32")
    if not any(layer.__class__.__name__ in ("Rescaling", "Normalization") for layer in model.layers):
        pictures = pictures / 127.5 - 1
    outputs = np.asarray(model(pictures, training=False))
    last = [layer for layer in model.layers if layer.weights][-1]
    factor = 10 / np.abs(outputs).max()
    last.set_weights([weight * factor for weight in last.get_weights()])
    return model, pictures, np.asarray(model(pictures, training=False))


def measure(name, folder, program):
    """A row: the network, what wrote it, its size, the largest error and how long converting takes."""
    rng = np.random.default_rng(sum(name.encode()))
    model, pictures, outputs = build(name, rng)
    inputs_file, outputs_file = folder / f"{name}.inputs.npz", folder / f"{name}.outputs.npz"
    np.savez(inputs_file, input=pictures)
    np.savez(outputs_file, output=outputs)
    rows = []
    for extension in ("h5", "keras"):
        path = folder / f"{name}-{VERSION}.{extension}"
        try:
            model.save(path)
        except Exception as error:  # Keras 2.15 cannot write every one of its own networks
            rows.append((name, VERSION, extension, "", "Keras itself cannot write it: " + str(error).split("\n")[0][:60], ""))
            continue
        target = folder / "model.wbm"
        start = time.monotonic()
        converted = subprocess.run([program, "convert", path, "-o", target], capture_output=True, text=True)
        seconds = time.monotonic() - start
        if converted.returncode != 0:
            rows.append((name, VERSION, extension, "", converted.stderr.strip()[:3000], ""))
            continue
        report = subprocess.run(
            [program, "verify", target, "--against", path, "--json", "--reference-inputs", inputs_file,
             "--reference-outputs", outputs_file], capture_output=True, text=True)
        checks = json.loads(report.stdout)["checks"] if report.stdout else []
        failed = [check["reason"] for check in checks if check["status"] == "failed" and check["name"] != "references"]
        errors = [check["max_abs"] / max(1, float(np.abs(outputs).max())) for check in checks if "max_abs" in check]
        error = f"{errors[0]:.1e}" if errors and not failed else (failed or [report.stderr.strip()])[0]
        rows.append((name, VERSION, extension, f"{model.count_params():,}", error, f"{1000 * seconds:.0f} ms"))
        if not os.environ.get("KEEP"):
            path.unlink()
    return rows


def main():
    folder, program = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[3:] or NETWORKS:
        try:
            rows = measure(name, folder, program)
        except Exception as error:
            rows = [(name, VERSION, "", "", f"{type(error).__name__}: {error}"[:200], "")]
        for row in rows:
            print("| " + " | ".join(row) + " |", flush=True)


main()
