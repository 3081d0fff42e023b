"""Exports networks by both of PyTorch's exporters to ONNX, reads them, and compares what they compute with PyTorch.

usage: onnx_pytorch_peer.py PROGRAM [--only TEXT] [--record]

PROGRAM is `weighbridge`. The networks are those of torchvision and a few made here, with random weights; each is
exported with any batch, in the opsets of EXPORTS, by a process of its own. An export must be read, give the same numbers
(1e-4 of the largest), and go on to Core ML, TFLite and ncnn. onnx_pytorch.txt lists what is not exported, read or written,
with the reason; an outcome that differs from it fails the run, and --record writes it anew. At least RIGHT exports must be
right, and 80 % of them be written to each target.
"""

import argparse
import collections
import contextlib
import io
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import warnings

import numpy
import torch
import torchvision
from torch import nn

TABLE = pathlib.Path(__file__).with_name("onnx_pytorch.txt")
BATCH = {0: torch.export.Dim.DYNAMIC}
# Whether PyTorch's exporter is the one of torch.export, and the opset.
EXPORTS = ((False, 11), (False, 17), (True, 18), (True, 20))
# How many exports are right, at least.
RIGHT = 110
# The memory and the time that a network may take.
MEMORY, SECONDS = 12 << 30, 1200
TARGETS = {"coreml": "mlmodel", "tflite": "tflite", "ncnn": "param"}
NAMES = """resnet18 resnet50 mobilenet_v2 mobilenet_v3_small mobilenet_v3_large efficientnet_b0 efficientnet_v2_s
    convnext_tiny vit_b_16 swin_t swin_v2_t densenet121 googlenet inception_v3 mnasnet0_5 regnet_y_400mf
    shufflenet_v2_x0_5 squeezenet1_1 alexnet""".split()
SETTINGS = {"vit_b_16": {"image_size": 64}, "googlenet": {"init_weights": False, "aux_logits": False},
            "inception_v3": {"init_weights": False, "aux_logits": False}}


class Attention(nn.Module):
    """Attention of timm's vision transformers: one product for queries, keys and values."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.qkv, self.proj = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        batch, count, width = x.shape
        parts = self.qkv(x).reshape(batch, count, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        y = nn.functional.scaled_dot_product_attention(*parts.unbind(0))
        return self.proj(y.transpose(1, 2).reshape(batch, count, width))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.first, self.attention, self.second = nn.LayerNorm(width), Attention(width, heads), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.first(x))
        return x + self.mlp(self.second(x))


class DeiT(nn.Module):
    """A vision transformer with a token for the class and one for the teacher's."""

    def __init__(self, size=32, patch=8, width=48, heads=3, depth=2):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.tokens = nn.Parameter(torch.randn(1, 2, width))
        self.positions = nn.Parameter(torch.randn(1, (size // patch) ** 2 + 2, width))
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(depth)))
        self.norm, self.head, self.teacher = nn.LayerNorm(width), nn.Linear(width, 10), nn.Linear(width, 10)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.tokens.expand(x.shape[0], -1, -1), x], 1) + self.positions
        x = self.norm(self.blocks(x))
        return (self.head(x[:, 0]) + self.teacher(x[:, 1])) / 2


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
    yield "deit", DeiT, (2, 3, 32, 32)
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


def outcomes(program, name):
    """Exports and checks a network: lines that say what is right, written or not."""
    (make, shape), = [(make, shape) for other, make, shape in networks() if other == name]
    torch.manual_seed(7)
    network, x = make().eval(), torch.randn(shape)
    if name == "vit_b_16":  # its last weights are 0
        nn.init.normal_(network.heads.head.weight, std=0.05)
    with torch.no_grad():
        result = network(x)
    expected = [value.numpy() for value in (result if isinstance(result, tuple) else (result,))]
    assert all(value.std() > 0 for value in expected), name
    for is_new, opset in EXPORTS:
        label = f"{name} by {'torch.export' if is_new else 'TorchScript'}, opset {opset}"
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            problem = export(network, x, folder / "m.onnx", is_new, opset)
            if problem:
                yield f"{label}: not exported: {problem[:80]}"
                continue
            problem = check(program, folder, x, expected)
            yield f"{label}: wrong: {problem}" if problem else f"{label}: right"
            for target, extension in () if problem else TARGETS.items():
                problem = run(program, "export", folder / "m.wbm", "-o", folder / f"m.{extension}")
                # The names of nodes are the exporter's.
                reason = re.sub(r".*?: (layer #\d+ |ncnn has no form for a layer: |Core ML has no form for a layer: )\S+ ",
                                "", problem)
                yield f"{label}: {target} refused: {reason[:200]}" if problem else f"{label}: {target} written"


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("program")
    options.add_argument("--only", default="")
    options.add_argument("--record", action="store_true")
    options.add_argument("--network", help="only this one, in this process")
    arguments = options.parse_args()
    if arguments.network:
        warnings.filterwarnings("ignore")
        for line in outcomes(arguments.program, arguments.network):
            print(line, flush=True)
        return
    counts, found, failed = collections.Counter(), [], 0
    for name, _, _ in networks():
        if arguments.only not in name:
            continue
        command = [sys.executable, __file__, arguments.program, "--network", name]
        done = subprocess.run(command, preexec_fn=limit, timeout=SECONDS, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{name}: {done.stderr[-500:]}")
        for line in done.stdout.splitlines():
            # Exporters print, too.
            outcome = re.match(r"\w+ by [\w.]+, opset \d+: (not exported|right|wrong|\w+ (?:written|refused))", line)
            if not outcome:
                continue
            counts[outcome[1]] += 1
            if not line.endswith((": right", " written")):
                found.append(line)
                print(line, flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    if arguments.record and not arguments.only:
        TABLE.write_text("".join(f"{line}\n" for line in found))
    known = [line for line in TABLE.read_text().splitlines() if arguments.only in line.split(" by ")[0]]
    for line in sorted(set(known) ^ set(found)):
        print(f"{'no longer' if line in known else 'not in ' + TABLE.name}: {line}")
        failed += 1
    for target in TARGETS:
        written, refused = counts[f"{target} written"], counts[f"{target} refused"]
        failed += written < 0.8 * (written + refused) and not arguments.only
    sys.exit(1 if failed or counts["wrong"] or counts["right"] < (1 if arguments.only else RIGHT) else 0)


if __name__ == "__main__":
    main()
