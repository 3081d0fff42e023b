"""Reads TFLite files that litert-torch and onnx2tf wrote, and compares what they compute with LiteRT.

usage: tflite_writers_peer.py PROGRAM LITERT-TORCH ONNX2TF

PROGRAM is `weighbridge`; the others are Python's interpreters of the environments with the two converters, which write
the networks below with random weights: litert-torch in float32, onnx2tf from PyTorch's ONNX files in float32 and float16,
with 8-bit weights, and with activations of 8 and 16 bits. A file is right if each output is within 1e-4 of the largest
number, or, where layers compute with integers, within one unit of the largest scale of what LiteRT's reference kernels
compute, or two for one number in 100: these kernels round twice where they multiply. A file with operators of TensorFlow's own,
which LiteRT does not run, must be refused by their names.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import numpy

# The files that must be read and right: of litert-torch, and of onnx2tf.
RIGHT = {"litert-torch": 9, "onnx2tf": 23}
SECONDS = 600


def networks():
    """Returns networks of PyTorch, each with its input, by name."""
    # pylint: disable=import-outside-toplevel
    import torch
    from torch import nn
    from torch.nn import functional as F

    class Network(nn.Module):
        """A network of layers and a function of them and the input."""

        def __init__(self, function, **layers):
            super().__init__()
            self.function = function
            for name, layer in layers.items():
                self.add_module(name, layer)

        def forward(self, x):
            return self.function(self, x)

    def classify(net, x):
        x = F.relu(net.normalization(net.first(x)))
        x = F.hardswish(net.pointwise(F.relu6(net.depthwise(x))))
        return F.softmax(net.dense(F.max_pool2d(x, 2).mean((2, 3))), -1)

    def add(net, x):
        y = net.slopes(net.first(x))
        y = F.avg_pool2d(y + F.silu(net.grouped(y)), 2)
        return torch.cat([net.transposed(y), x], 1)

    def resize(net, x):
        y = F.leaky_relu(net.first(x), 0.1)
        return (
            F.interpolate(y, scale_factor=2, mode="nearest"),
            F.interpolate(y, scale_factor=2, mode="bilinear", align_corners=False),
            F.interpolate(y, size=(11, 13), mode="bilinear", align_corners=True))

    def shuffle(net, x):
        y = net.first(x)
        blocks = y.reshape(1, 2, 4, 16, 16).transpose(1, 2).reshape(1, 8, 16, 16)
        return F.pixel_shuffle(blocks, 2), F.group_norm(y, 2), F.adaptive_avg_pool2d(y, (2, 4))

    def compute(_, x):
        a, b = x.chunk(2, -1)
        y = torch.exp(-a * a) + torch.sqrt(b.abs() + 1) - torch.where(a > b, a, b * 2)
        total = torch.clamp(y, -1, 2).cumsum(1)
        return y.pow(2).sum(-1), total.argmax(-1), torch.sin(x).max(1)[0], F.pad(x, (1, 2)), F.elu(b), torch.erf(a)

    torch.manual_seed(1)
    image, steps = torch.randn(1, 3, 16, 16), torch.randn(1, 6, 12)
    encoder = nn.TransformerEncoderLayer(16, 4, 32, activation="gelu", batch_first=True, dropout=0)
    found = {
        "classifier": (Network(
            classify, first=nn.Conv2d(3, 8, 3, stride=2, padding=1), normalization=nn.BatchNorm2d(8),
            depthwise=nn.Conv2d(8, 8, 3, padding=1, groups=8), pointwise=nn.Conv2d(8, 12, 1),
            dense=nn.Linear(12, 5)), image),
        "residual": (Network(
            add, first=nn.Conv2d(3, 6, 3, padding=1), grouped=nn.Conv2d(6, 6, 3, padding=1, groups=2),
            transposed=nn.ConvTranspose2d(6, 4, 2, stride=2), slopes=nn.PReLU(6)), image),
        "resizing": (Network(resize, first=nn.Conv2d(3, 4, 3, padding=2, dilation=2)), image),
        "shuffle": (Network(shuffle, first=nn.Conv2d(3, 8, 1)), image),
        "encoder": (nn.Sequential(nn.Linear(12, 16), encoder, nn.LayerNorm(16), nn.Linear(16, 3)), steps),
        "gru": (Network(
            lambda net, x: net.dense(net.gru(net.embedding(x))[0][:, -1]), embedding=nn.Embedding(20, 8),
            gru=nn.GRU(8, 6, batch_first=True), dense=nn.Linear(6, 2)), torch.randint(0, 20, (1, 7))),
        "lstm": (Network(
            lambda net, x: net.lstm(x)[0], lstm=nn.LSTM(12, 7, batch_first=True, bidirectional=True)), steps),
        "arithmetic": (Network(compute), steps),
        "volume": (Network(
            lambda net, x: F.relu(net.first(x)).mean((2, 3, 4)), first=nn.Conv3d(2, 4, 3, padding=1)),
            torch.randn(1, 2, 3, 4, 5)),
    }
    with torch.no_grad():
        found["classifier"][0].normalization.running_mean.uniform_(-1, 1)
        found["classifier"][0].normalization.running_var.uniform_(0.5, 2)
    return {name: (network.eval(), x) for name, (network, x) in found.items()}


def write(folder):
    """Writes all networks by litert-torch, and as ONNX for onnx2tf. Runs in litert-torch's environment."""
    # pylint: disable=import-outside-toplevel
    import litert_torch
    import torch

    for name, (network, x) in networks().items():
        litert_torch.convert(network, (x,)).export(str(folder / f"litert-torch-{name}.tflite"))
        torch.onnx.export(network, (x,), str(folder / f"{name}.onnx"), dynamo=False, opset_version=17)


def convert(file, folder):
    """Converts a file by onnx2tf. Runs in onnx2tf's environment."""
    # pylint: disable=import-outside-toplevel
    import onnx
    import onnx2tf
    import onnx2tf.utils.common_functions

    # It loads photos from the Internet to try a model on.
    random = numpy.random.default_rng(0)
    photos = random.random((20, 128, 128, 3), dtype="f4")
    onnx2tf.utils.common_functions.download_test_image_data = lambda: photos
    onnx2tf.onnx2tf.download_test_image_data = lambda: photos
    port = onnx.load(file).graph.input[0]
    shape = [size.dim_value for size in port.type.tensor_type.shape.dim]
    options = {}
    if len(shape) == 4:
        examples = file.with_suffix(".npy")
        numpy.save(examples, random.standard_normal((10, *shape[2:], shape[1]), dtype="f4"))
        one = [[[[1.0] * shape[1]]]]
        options = {
            "output_integer_quantized_tflite": True,
            "custom_input_op_name_np_data_path": [[port.name, str(examples), [[[[0.0] * shape[1]]]], one]]}
    onnx2tf.convert(
        input_onnx_file_path=str(file), output_folder_path=str(folder), non_verbose=True,
        output_dynamic_range_quantized_tflite=bool(options), **options)


def failure(program, file, folder):
    """Reads a file, runs it in LiteRT and here; returns what is wrong, or None, and whether LiteRT runs it."""
    # pylint: disable=import-outside-toplevel
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    read = subprocess.run(
        [program, "convert", file, "-o", folder / "read.wbm"], capture_output=True, text=True, check=False)
    integers = "integer" in file.name
    kernels = OpResolverType.BUILTIN_REF if integers else OpResolverType.AUTO
    network = Interpreter(model_path=str(file), num_threads=1, experimental_op_resolver_type=kernels)
    try:
        network.allocate_tensors()
    except RuntimeError as error:
        named = re.findall(r"Flex\w+", read.stderr)
        return (None if named and read.returncode else f"LiteRT: {str(error)[:80]}; {read.stderr}"), False
    if read.returncode:
        return read.stderr.strip(), True
    (details,) = network.get_input_details()
    random, kind = numpy.random.default_rng(1), details["dtype"]
    if numpy.issubdtype(kind, numpy.integer):
        limits = (0, 20) if not details["quantization"][0] else (numpy.iinfo(kind).min, numpy.iinfo(kind).max)
        x = random.integers(*limits, details["shape"]).astype(kind)
    else:
        x = random.standard_normal(details["shape"]).astype(kind)
    network.set_tensor(details["index"], x)
    network.invoke()
    numpy.save(folder / "input.npy", x)
    subprocess.run(
        [program, "run", folder / "read.wbm", "--inputs", folder / "input.npy", "--outputs", folder / "outputs.npz"],
        capture_output=True, check=True)
    with numpy.load(folder / "outputs.npz") as archive:
        outputs = [archive[name] for name in archive.files]
    wanted = [network.get_tensor(each["index"]) for each in network.get_output_details()]
    if [x.shape for x in outputs] != [x.shape for x in wanted]:
        return f"shapes {[x.shape for x in outputs]}, expected {[x.shape for x in wanted]}", True
    scales = [
        each["quantization"][0] for each in network.get_tensor_details() if each["quantization"][0]]
    for got, want in zip(outputs, wanted):
        largest = max(1, numpy.abs(want.astype(float)).max())
        unit = 1 if want.dtype.kind == "i" else 1.01 * max(scales, default=0)
        differences = numpy.abs(got.astype(float) - want.astype(float))
        bound = 2 * unit if integers else 1e-4 * largest
        if not differences.max() <= bound:
            return f"differs by {differences.max():.3g}, and {bound:.3g} is allowed", True
        share = (differences > unit).mean()
        if integers and share > 0.01:
            return f"{share:.1%} of the numbers differ by more than a unit", True
    return None, True


def main():
    if sys.argv[1] == "--write":
        return write(pathlib.Path(sys.argv[2]))
    if sys.argv[1] == "--convert":
        return convert(*map(pathlib.Path, sys.argv[2:]))
    program, litert_torch, onnx2tf = sys.argv[1:]
    right, failed = dict.fromkeys(RIGHT, 0), 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def step(python, *arguments):
            done = subprocess.run(
                [python, __file__, *arguments], capture_output=True, text=True, timeout=SECONDS, check=False)
            if done.returncode:
                print(f"{arguments}: not converted: {(done.stderr or done.stdout).strip().splitlines()[-1][:160]}")

        step(litert_torch, "--write", folder)
        for file in sorted(folder.glob("*.onnx")):
            step(onnx2tf, "--convert", file, folder / f"onnx2tf-{file.stem}")
        for file in sorted(folder.rglob("*.tflite")):
            wrong, is_run = failure(program, file, folder)
            failed += wrong is not None
            print(f"{file.name}: {wrong or ('right' if is_run else 'refused, as LiteRT does')}")
            writer = "litert-torch" if file.parent == folder else "onnx2tf"
            right[writer] += wrong is None and is_run
    print(", ".join(f"{writer}: {count} right" for writer, count in right.items()))
    return failed > 0 or any(right[writer] < count for writer, count in RIGHT.items())


if __name__ == "__main__":
    sys.exit(main())
