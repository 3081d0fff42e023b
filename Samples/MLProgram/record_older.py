"""Makes packages of this folder with the version of coremltools that is installed, of PyTorch modules.

    pip install coremltools==5.2 torch==1.10.2 "protobuf<3.21" "numpy<1.24"      # Python 3.8
    pip install coremltools==6.3 torch==1.12.1 "numpy<1.24"                      # Python 3.10
    pip install coremltools==7.2 torch "numpy<2", or coremltools==8.3 torch      # Python 3.11
    python record_older.py [NAME...]
"""

import pathlib
import shutil
import sys

import coremltools as ct
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from settle import settled

HERE = pathlib.Path(__file__).parent
VERSION = int(ct.__version__.split(".")[0])
TARGET = {5: "iOS15", 6: "iOS16", 7: "iOS17", 8: "iOS18"}[VERSION]


class Of(nn.Module):
    """A module of a function and the modules that it uses."""

    def __init__(self, function, *modules):
        super().__init__()
        self.function = function
        self.parts = nn.ModuleList(modules)

    def forward(self, *inputs):
        return self.function(*self.parts, *inputs)


def attend(query, key, value, x):
    scores = query(x) @ key(x).transpose(1, 2) / 8**0.5
    return scores.softmax(-1) @ value(x)


#: Modules with the shapes of their inputs.
MODULES = {
    "network": lambda: (nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, ceil_mode=True),
        nn.Conv2d(8, 8, 3, groups=2, padding=1), nn.Hardswish(), nn.ConvTranspose2d(8, 4, 2, 2),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 4), nn.Softmax(1)), [(1, 3, 15, 15)]),
    "lstm": lambda: (Of(lambda part, x: part(x)[0], nn.LSTM(4, 5, bidirectional=True)), [(6, 2, 4)]),
    "gru": lambda: (Of(lambda part, x: part(x)[0], nn.GRU(4, 5)), [(6, 2, 4)]),
    "attention": lambda: (Of(attend, *[nn.Linear(8, 8) for _ in range(3)]), [(2, 5, 8)]),
    "resized": lambda: (
        Of(lambda x: F.interpolate(x, scale_factor=1.5, mode="bilinear", align_corners=False)),
        [(1, 3, 8, 10)]),
    "indexed": lambda: (
        Of(lambda x: x[[0, 2], [1, 3]] + torch.gather(x, 1, torch.tensor([[1], [0], [2]]))[:2, 0]),
        [(3, 5)]),
    "normalized": lambda: (
        nn.Sequential(nn.GroupNorm(2, 4), nn.GELU(), nn.LayerNorm((5, 6))), [(1, 4, 5, 6)]),
}


def compressed(model):
    """The compressions of coremltools 6, which its later versions have in another module."""
    from coremltools.models.ml_program import compression_utils as utils
    return {
        "int8": utils.affine_quantize_weights(model),
        "palette": utils.palettize_weights(model, nbits=4, mode="uniform"),
        "pruned": utils.sparsify_weights(model, mode="percentile_based", target_percentile=0.6)}


def save(model, name, inputs, outputs):
    folder = HERE / f"{name}_coremltools{VERSION}.mlpackage"
    shutil.rmtree(folder, ignore_errors=True)
    model.save(str(folder))
    settled(folder)
    target = model.get_spec().description.output[0].name
    base = str(folder)[:-len(".mlpackage")]
    np.savez(f"{base}.inputs.npz", **{f"x{n}": x.numpy() for n, x in enumerate(inputs)})
    np.savez(f"{base}.outputs.npz", **{target: outputs.numpy()})


def converted(module, inputs):
    options = {} if VERSION < 6 else {"skip_model_load": True}
    return ct.convert(
        torch.jit.trace(module, inputs, check_trace=False), convert_to="mlprogram",
        inputs=[ct.TensorType(name=f"x{n}", shape=x.shape) for n, x in enumerate(inputs)],
        compute_precision=ct.precision.FLOAT32, minimum_deployment_target=getattr(ct.target, TARGET),
        **options)


def record(name, build):
    torch.manual_seed(7)
    module, shapes = build()
    module.eval()
    generator = torch.Generator().manual_seed(11)
    inputs = [torch.randn(shape, generator=generator) for shape in shapes]
    with torch.no_grad():
        save(converted(module, inputs), name, inputs, module(*inputs))


def record_compressed():
    """A layer whose weights coremltools compressed; the outputs are those of the weights that it restores."""
    from coremltools.models.ml_program import compression_utils as utils
    torch.manual_seed(7)
    module = nn.Linear(64, 48).eval()
    inputs = [torch.randn((2, 64), generator=torch.Generator().manual_seed(11))]
    for name, model in compressed(converted(module, inputs)).items():
        plain = utils.decompress_weights(model)._mil_program.functions["main"]
        weight, = [op.val.val for op in plain.find_ops(op_type="const")
                   if getattr(op.val.val, "shape", ()) == (48, 64)]
        with torch.no_grad():
            output = F.linear(inputs[0], torch.from_numpy(np.asarray(weight)), module.bias)
        save(model, name, inputs, output)


if __name__ == "__main__":
    for name in sys.argv[1:] or MODULES:
        record(name, MODULES[name])
    if VERSION == 6 and not sys.argv[1:]:
        record_compressed()
