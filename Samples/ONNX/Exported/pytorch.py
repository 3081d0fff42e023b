"""Exports small networks with PyTorch, and records what onnxruntime computes with them.

Needs torch (1.12, whose exporter scripts a module), onnx and onnxruntime. Writes beside itself.
"""

import pathlib

import numpy
import onnx
import onnxruntime
import torch
from torch import nn

HERE = pathlib.Path(__file__).parent


class Rates(nn.Module):
    """Another convolution for each rate of sound, as in detectors of speech."""

    def __init__(self):
        super().__init__()
        self.fast = nn.Conv1d(1, 2, 8, stride=4)
        self.slow = nn.Conv1d(1, 2, 4, stride=2)
        self.head = nn.Linear(2, 1)

    def forward(self, x, sr):
        if bool(sr == 16000):
            y = self.fast(x)
        else:
            y = self.slow(x)
        return torch.sigmoid(self.head(torch.relu(y).mean(2)))


class Squeezed(nn.Module):
    """Takes an axis away if it is 1, which is known only when its size is."""

    def forward(self, x):
        return torch.relu(x.squeeze(1))


class Shuffled(nn.Module):
    """Channels that become pixels, which old versions of ONNX write as three nodes."""

    def __init__(self):
        super().__init__()
        self.body = nn.Conv2d(3, 12, 3, padding=1)
        self.tail = nn.Conv2d(3, 2, 1)

    def forward(self, x):
        return self.tail(torch.relu(nn.functional.pixel_shuffle(self.body(x), 2)))


class Unshuffled(nn.Module):
    """Pixels that become channels."""

    def __init__(self):
        super().__init__()
        self.body = nn.Conv2d(12, 2, 3, padding=1)

    def forward(self, x):
        return self.body(nn.functional.pixel_unshuffle(x, 2))


def export(module, name, arguments, inputs, opset, axes):
    torch.onnx.export(
        module.eval(), arguments, str(HERE / f"{name}.onnx"), opset_version=opset,
        input_names=inputs, output_names=["y"], dynamic_axes=axes)


def record(name, suffix="", **inputs):
    session = onnxruntime.InferenceSession(str(HERE / f"{name}.onnx"))
    outputs = session.run(None, inputs)
    numpy.savez(HERE / f"{name}{suffix}.outputs.npz", y=outputs[0])


def main():
    torch.manual_seed(7)
    random = numpy.random.default_rng(7)
    export(torch.jit.script(Rates()), "rates", (torch.zeros(1, 1, 32), torch.tensor(16000)),
           ["x", "sr"], 13, {"x": {0: "batch", 2: "samples"}})
    x = random.normal(size=(2, 1, 48)).astype(numpy.float32)
    numpy.savez(HERE / "rates.inputs.npz", x=x)
    for rate in (8000, 16000):
        record("rates", f".{rate}", x=x, sr=numpy.array(rate))

    # As PyTorch writes what it has no types for, and in an order that runtimes do not mind.
    model = onnx.load(str(HERE / "rates.onnx"))
    for node in model.graph.node:
        for attribute in node.attribute:
            for output in attribute.g.output:
                output.type.Clear()
            if attribute.HasField("g"):
                attribute.g.node.sort(key=lambda node: node.op_type == "Conv")
    nodes = list(model.graph.node)[::-1]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    untyped = model.graph.value_info.add()
    untyped.name = nodes[-1].output[0]
    model.graph.output[0].type.Clear()
    (HERE / "unordered.onnx").write_bytes(model.SerializeToString(deterministic=True))

    export(Squeezed(), "squeezed", (torch.zeros(1, 1, 4),), ["x"], 11, {"x": {1: "channels"}})
    x = numpy.arange(4, dtype=numpy.float32).reshape(1, 1, 4)
    numpy.savez(HERE / "squeezed.inputs.npz", x=x)
    record("squeezed", x=x)
    export(Shuffled(), "shuffled", (torch.zeros(1, 3, 4, 5),), ["x"], 9, {"x": {0: "batch"}})
    x = random.normal(size=(1, 3, 4, 5)).astype(numpy.float32)
    numpy.savez(HERE / "shuffled.inputs.npz", x=x)
    record("shuffled", x=x)
    export(Unshuffled(), "unshuffled", (torch.zeros(1, 3, 4, 6),), ["x"], 9, None)
    x = random.normal(size=(1, 3, 4, 6)).astype(numpy.float32)
    numpy.savez(HERE / "unshuffled.inputs.npz", x=x)
    record("unshuffled", x=x)

    # What onnxruntime's optimizer makes of a file.
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(HERE / "optimized.onnx")
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    export(nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU()), "optimized", (torch.zeros(1, 1, 4, 4),),
           ["x"], 13, None)
    onnxruntime.InferenceSession(
        str(HERE / "optimized.onnx"), options, providers=["CPUExecutionProvider"])


if __name__ == "__main__":
    main()
