"""Exports networks by both of PyTorch's exporters to ONNX, reads them, and compares what they compute with PyTorch.

usage: onnx_pytorch_peer.py PROGRAM [--only TEXT] [--targets]

PROGRAM is `weighbridge`. The networks are those of torchvision and a few made here, with random weights; each is
exported with any batch, in the opsets of EXPORTS. An export must be read and give the same numbers (1e-4 of the largest);
with --targets it goes on to Core ML, TFLite and ncnn, of which at least 80 % must be written, and each refusal is printed.
What an exporter itself refuses is printed and not counted.
"""

import argparse
import collections
import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy
import torch
import torchvision
from torch import nn

BATCH = {0: torch.export.Dim.DYNAMIC}
# Whether PyTorch's exporter is the one of torch.export, and the opset.
EXPORTS = ((False, 11), (False, 17), (True, 18), (True, 20))
TARGETS = {"coreml": "mlmodel", "tflite": "tflite", "ncnn": "param"}
NAMES = """resnet18 resnet50 mobilenet_v2 mobilenet_v3_small mobilenet_v3_large efficientnet_b0 efficientnet_v2_s
    convnext_tiny vit_b_16 swin_t swin_v2_t densenet121 googlenet inception_v3 mnasnet0_5 regnet_y_400mf
    shufflenet_v2_x0_5 squeezenet1_1 alexnet""".split()
SETTINGS = {"vit_b_16": {"image_size": 64}, "googlenet": {"init_weights": False, "aux_logits": False},
            "inception_v3": {"init_weights": False, "aux_logits": False}}


class Taking(nn.Module):
    """A network of which one result is taken, by a function."""

    def __init__(self, network, take):
        super().__init__()
        self.network, self.take = network, take

    def forward(self, x):
        return self.take(self.network, x)


def unet():
    """Two levels, one enlarged by a transposed convolution and one by interpolation."""
    def block(before, after):
        return nn.Sequential(nn.Conv2d(before, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU())
    network = nn.ModuleDict({
        "a": block(3, 8), "b": block(8, 16), "c": block(16, 32), "up": nn.ConvTranspose2d(32, 16, 2, 2),
        "d": block(32, 16), "e": block(24, 8), "out": nn.Conv2d(8, 1, 1)})

    def take(n, x):
        first = n["a"](x)
        second = n["b"](nn.functional.max_pool2d(first, 2))
        y = n["d"](torch.cat([n["up"](n["c"](nn.functional.max_pool2d(second, 2))), second], 1))
        y = nn.functional.interpolate(y, scale_factor=2, mode="bilinear", align_corners=True)
        return torch.sigmoid(n["out"](n["e"](torch.cat([y, first], 1))))
    return Taking(network, take)


def networks():
    """Names, functions that make a network, and the shape of its input."""
    models = torchvision.models
    for name in NAMES:
        yield (name, lambda name=name: getattr(models, name)(weights=None, **SETTINGS.get(name, {})),
               (2, 3, 96, 96) if name == "inception_v3" else (2, 3, 64, 64))
    parts = {"weights": None, "weights_backbone": None}
    for name in ("deeplabv3_mobilenet_v3_large", "lraspp_mobilenet_v3_large", "fcn_resnet50"):
        yield (name, lambda name=name: Taking(
            getattr(models.segmentation, name)(**parts), lambda n, x: n(x)["out"]), (2, 3, 64, 64))
    for name in ("fcos_resnet50_fpn", "retinanet_resnet50_fpn"):
        yield (name, lambda name=name: Taking(
            getattr(models.detection, name)(**parts),
            lambda n, x: tuple(n.head(list(n.backbone(x).values())).values())), (2, 3, 64, 64))
    yield "unet", unet, (2, 3, 32, 32)
    yield "gru", lambda: Taking(nn.GRU(12, 16, 2, batch_first=True, bidirectional=True), lambda n, x: n(x)[0]), (2, 7, 12)
    yield "lstm", lambda: Taking(nn.LSTM(12, 16, 2, batch_first=True), lambda n, x: n(x)[0]), (2, 7, 12)
    yield "encoder", lambda: nn.TransformerEncoder(
        nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, dropout=0.0), 2), (2, 7, 32)


def export(network, x, path, is_new, opset):
    """Writes a network as ONNX; says why the exporter does not."""
    settings = {"dynamic_shapes": (BATCH,), "external_data": False} if is_new else {"dynamic_axes": {"x": {0: "N"}}}
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            torch.onnx.export(network, (x,), str(path), dynamo=is_new, opset_version=opset, input_names=["x"], **settings)
    except Exception as error:  # noqa: BLE001 (exporters raise anything)
        return str(error).split("\n", 1)[0]
    return ""


def run(*command):
    """Runs the program and returns why it failed; empty if it did not."""
    done = subprocess.run([*map(str, command), "--quiet"], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else " ".join(done.stderr.split()) or f"ended by signal {-done.returncode}"


def check(program, folder, x, expected):
    """Why an export is not what PyTorch computes; empty if it is."""
    numpy.savez(folder / "in.npz", x=x.numpy())
    problem = run(program, "convert", folder / "m.onnx", "-o", folder / "m.wbm") or run(
        program, "run", folder / "m.wbm", "--inputs", folder / "in.npz", "--outputs", folder / "out.npz")
    if problem:
        return problem
    actual = list(numpy.load(folder / "out.npz").values())
    if [value.shape for value in actual] != [value.shape for value in expected]:
        return f"has outputs {[value.shape for value in actual]}, expected {[value.shape for value in expected]}"
    errors = [abs(a - b).max() / max(1e-6, abs(b).max()) for a, b in zip(actual, expected)]
    return "" if max(errors) < 1e-4 else f"differs by {max(errors):.3g}"


def main():
    options = argparse.ArgumentParser()
    options.add_argument("program")
    options.add_argument("--only", default="")
    options.add_argument("--targets", action="store_true")
    arguments = options.parse_args()
    warnings.filterwarnings("ignore")
    counts, failed = collections.Counter(), 0
    for name, make, shape in networks():
        if arguments.only not in name:
            continue
        torch.manual_seed(7)
        network, x = make().eval(), torch.randn(shape)
        with torch.no_grad():
            result = network(x)
        expected = [value.numpy() for value in (result if isinstance(result, tuple) else (result,))]
        for is_new, opset in EXPORTS:
            label = f"{name} by {'torch.export' if is_new else 'TorchScript'}, opset {opset}"
            with tempfile.TemporaryDirectory() as place:
                folder = pathlib.Path(place)
                problem = export(network, x, folder / "m.onnx", is_new, opset)
                if problem:
                    print(f"{label}: not exported: {problem[:150]}")
                    continue
                problem = check(arguments.program, folder, x, expected)
                counts["wrong" if problem else "right"] += 1
                if problem:
                    print(f"{label}: {problem}")
                for target, extension in TARGETS.items() if arguments.targets and not problem else ():
                    problem = run(arguments.program, "export", folder / "m.wbm", "-o", folder / f"m.{extension}")
                    counts[f"{target} {'refused' if problem else 'written'}"] += 1
                    if problem:
                        print(f"{label} to {target}: {problem[:250]}")
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    for target in TARGETS if arguments.targets else ():
        written, refused = counts[f"{target} written"], counts[f"{target} refused"]
        failed += written < 0.8 * (written + refused)
    sys.exit(1 if failed or counts["wrong"] or not counts["right"] else 0)


if __name__ == "__main__":
    main()
