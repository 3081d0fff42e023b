"""Records state dictionaries of one small network, as programs around darknet write them, with what
the network computes.

usage: record.py VERSION, in an environment with that version of PyTorch: 1.0, 1.6 or 2

Each version writes `state_VERSION.pth` and the program `traced_VERSION.pt`; 2 also writes other programs, a checkpoint, one of DataParallel, one of the form
before 1.6, one with views, the plain weights as .safetensors where that package is there, and the
arrays. The network is `net.cfg`; its numbers are the same in all files.
"""

import pathlib
import sys

import numpy
import torch
from torch import nn

HERE = pathlib.Path(__file__).parent


class Part(nn.Module):
    def __init__(self, taken, given, size, normalized):
        super().__init__()
        self.conv = nn.Conv2d(taken, given, size, padding=size // 2, bias=not normalized)
        self.bn = nn.BatchNorm2d(given, eps=1e-5) if normalized else None

    def forward(self, x):
        x = self.conv(x)
        return nn.functional.leaky_relu(self.bn(x), 0.1) if self.bn is not None else x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.models = nn.ModuleList([Part(3, 4, 3, True), nn.MaxPool2d(2, 2), Part(4, 5, 1, False)])

    def forward(self, x):
        for part in self.models:
            x = part(x)
        return x


def network():
    """The network, with numbers that do not depend on the version."""
    net, source = Net(), numpy.random.RandomState(7)
    for name, tensor in net.state_dict().items():
        if tensor.dtype == torch.float32:
            numbers = source.uniform(0.5, 1.5, tuple(tensor.shape)) if "running_var" in name else source.normal(
                0, 0.5, tuple(tensor.shape))
            tensor.copy_(torch.from_numpy(numbers.astype("float32")))
    return net.eval()


def main(version):
    net = network()
    state = net.state_dict()
    torch.save(state, str(HERE / ("state_%s.pth" % version)))
    inputs = torch.from_numpy(numpy.random.RandomState(8).normal(0, 1, (2, 3, 8, 8)).astype("float32"))
    torch.jit.save(torch.jit.trace(net, inputs), str(HERE / ("traced_%s.pt" % version)))
    if version != "2":
        return
    torch.save({"epoch": 3, "model": state, "best": 0.5}, HERE / "checkpoint.pth")
    torch.save({"module." + name: tensor for name, tensor in state.items()}, HERE / "parallel.pth")
    torch.save(state, HERE / "sequence.pth", _use_new_zipfile_serialization=False)
    # The same numbers as views: transposed, in the middle of a storage, and of parameters.
    kernel = state["models.0.conv.weight"]
    around = torch.cat([torch.zeros(5), state["models.2.conv.bias"], torch.zeros(5)])
    views = dict(state)
    views["models.0.conv.weight"] = kernel.permute(1, 0, 2, 3).contiguous().permute(1, 0, 2, 3)
    views["models.2.conv.bias"] = around[5:10]
    views["models.0.bn.weight"] = nn.Parameter(state["models.0.bn.weight"])
    torch.save(views, HERE / "views.pth")
    torch.manual_seed(0)
    torch.save(nn.Linear(2, 3).state_dict(), HERE / "named_otherwise.dat")
    torch.jit.save(torch.jit.script(net.models[2]), HERE / "scripted_2.pt")
    torch.export.save(torch.export.export(net, (inputs,)), HERE / "exported_2.pt2")
    with torch.no_grad():
        outputs = net(inputs).numpy()
    numpy.savez(HERE / "inputs.npz", data=inputs.numpy())
    numpy.savez(HERE / "outputs.npz", output=outputs)


if __name__ == "__main__":
    main(sys.argv[1])
