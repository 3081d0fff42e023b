"""Measures networks that PyTorch exported to ONNX, ours and onnxruntime's.

    python exported.py PROGRAM FOLDER [--threads 1,2] [--rounds 7] [--count 15] [--only TEXT] [--processor-time]

FOLDER gets the networks, with random weights: ViT-Tiny/16, ConvNeXt-Tiny and Swin-T by both of PyTorch's exporters
(`torchscript`, opset 17, and `export`, opset 20), and residual convolutions of 475,000 weights and MobileNetV2 in float32
and as onnxruntime quantizes them statically (QDQ and QOperator, a scale for each output channel). The tools run in processes of their own, one
after the other, round after round; a result is the least of the rounds' medians, in milliseconds. A last column has the
largest difference of the outputs, relative to the largest output; quantized networks also round differently where a sum
lies between two integers. With --processor-time a result is the least of the rounds' differences between the processor's
time of COUNT + 2 runs and that of 2, for each run, which other processes disturb less; for one thread.

It needs torch, torchvision, onnx, onnxscript and onnxruntime, from PyPI.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

import numpy

FORMS = ("QDQ", "QOperator")


def small():
    """Residual convolutions of 475,172 weights."""
    import torch
    from torch import nn

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.start = nn.Sequential(nn.Conv2d(3, 32, 3, 1, 1), nn.ReLU(), nn.Conv2d(32, 64, 3, 2, 1), nn.ReLU())
            self.first = nn.Sequential(nn.Conv2d(64, 64, 3, 1, 1), nn.ReLU(), nn.Conv2d(64, 64, 3, 1, 1))
            self.wide = nn.Sequential(nn.Conv2d(64, 128, 3, 1, 1), nn.ReLU())
            self.second = nn.Sequential(nn.Conv2d(128, 128, 3, 1, 1), nn.ReLU(), nn.Conv2d(128, 128, 3, 1, 1))
            self.head = nn.Linear(128, 100)

        def forward(self, x):
            x = self.start(x)
            x = self.wide(nn.functional.max_pool2d(torch.relu(self.first(x) + x), 2))
            return self.head(torch.relu(self.second(x) + x).mean((2, 3)))

    return Network()


def networks():
    """Names, functions that make a network, and whether it is quantized."""
    import torch
    from torchvision import models

    def vit():
        network = models.VisionTransformer(224, 16, num_layers=12, num_heads=3, hidden_dim=192, mlp_dim=768)
        torch.nn.init.normal_(network.heads.head.weight, std=0.05)
        return network

    yield "vit-tiny", vit, False
    yield "convnext-tiny", lambda: models.convnext_tiny(weights=None), False
    yield "swin-t", lambda: models.swin_t(weights=None), False
    yield "residual", small, True
    yield "mobilenet-v2", lambda: models.mobilenet_v2(weights=None), True


def quantize(source, target, form):
    """Quantizes a network statically, on random images, in one of onnxruntime's forms."""
    from onnxruntime import quantization
    from onnxruntime.quantization.shape_inference import quant_pre_process

    prepared, random = source.with_suffix(".prepared.onnx"), numpy.random.default_rng(1)
    quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)

    class Reader(quantization.CalibrationDataReader):
        rest = iter([random.random((1, 3, 224, 224), "float32") for _ in range(4)])

        def get_next(self):
            array = next(self.rest, None)
            return None if array is None else {"x": array}

    quantization.quantize_static(
        str(prepared), str(target), Reader(), quant_format=quantization.QuantFormat[form], per_channel=True,
        activation_type=quantization.QuantType.QUInt8, weight_type=quantization.QuantType.QInt8)
    prepared.unlink()


def prepare(folder, only):
    """Exports the networks that are not there, and returns the names of all."""
    import torch

    names = []
    for name, make, is_quantized in networks():
        for is_new in (False,) if is_quantized else (False, True):
            path = folder / (name if is_quantized else f"{name}-{'export' if is_new else 'torchscript'}")
            quantized = {form: path.with_name(f"{path.name}-{form}") for form in FORMS if is_quantized}
            names += [path.name] + [other.name for other in quantized.values()]
            if path.with_suffix(".onnx").exists() or only not in path.name:
                continue
            torch.manual_seed(7)
            network, x = make().eval(), torch.rand(1, 3, 224, 224)
            settings = {"external_data": False} if is_new else {}
            torch.onnx.export(
                network, (x,), f"{path}.onnx", dynamo=is_new, opset_version=20 if is_new else 17, input_names=["x"],
                **settings)
            numpy.save(f"{path}-1.npy", x.numpy())
            for form, other in quantized.items():
                numpy.save(f"{other}-1.npy", x.numpy())
                quantize(path.with_suffix(".onnx"), other.with_suffix(".onnx"), form)
    return [name for name in names if only in name]


def error(program, model):
    """The largest difference of the outputs."""
    import onnxruntime

    array = numpy.load(f"{model}-1.npy")
    subprocess.run([program, "run", f"{model}.wbm", "--inputs", f"{model}-1.npy", "--outputs", f"{model}.npz", "--quiet"],
                   check=True)
    own = next(iter(numpy.load(f"{model}.npz").values()))
    expected = onnxruntime.InferenceSession(f"{model}.onnx").run(None, {"x": array})[0]
    return abs(own - expected).max() / abs(expected).max()


def processor_time(command, count):
    """The processor's time of a run, in milliseconds. `command` ends with the number of runs."""
    times = []
    for runs in (count + 2, 2):
        process = subprocess.Popen([*command, str(runs)], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command)
        times.append(usage.ru_utime + usage.ru_stime)
    return 1000 * (times[0] - times[1]) / count


def median(command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["median_ms"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--count", type=int, default=15)
    parser.add_argument("--only", default="")
    parser.add_argument("--processor-time", action="store_true")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    peer = pathlib.Path(__file__).with_name("peer.py")
    print("| network | threads | weighbridge | onnxruntime | ours / onnxruntime | difference |")
    print("|---|---|---:|---:|---:|---:|")
    for name in prepare(arguments.folder, arguments.only):
        model, count = str(arguments.folder / name), str(arguments.count)
        subprocess.run(
            [arguments.program, "convert", f"{model}.onnx", "-o", f"{model}.wbm", "--quiet"], check=True)
        difference = error(arguments.program, model)
        for threads in arguments.threads.split(","):
            commands = [
                [arguments.program, "run", f"{model}.wbm", "--inputs", f"{model}-1.npy", "--threads", threads, "--json",
                 "--repeat"],
                [sys.executable, str(peer), "onnxruntime", model, f"{model}-1.npy", threads]]
            rounds = [
                [processor_time(command, arguments.count) if arguments.processor_time else median([*command, count])
                 for command in commands] for _ in range(arguments.rounds)]
            own, other = (min(times) for times in zip(*rounds))
            print(f"| {name} | {threads} | {own:.2f} | {other:.2f} | {own / other:.2f} | {difference:.1e} |", flush=True)


if __name__ == "__main__":
    main()
