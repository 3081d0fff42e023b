"""Records what pjreddie's darknet computes for small networks.

    python record.py DARKNET

DARKNET is a checkout of github.com/pjreddie/darknet in which `make` (for a CPU) was run. Needs NumPy and a C
compiler; writes into `shortcuts` beside itself.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).parent
FOLDER = HERE / "shortcuts"


def net(width, height):
    return f"[net]\nbatch=1\nwidth={width}\nheight={height}\nchannels=2\n"


def conv(filters, size=3, stride=1, pad=1):
    return (f"[convolutional]\nfilters={filters}\nsize={size}\nstride={stride}\npad={pad}\n"
            "activation=leaky\n")


def shortcut(source, activation="linear", **factors):
    lines = "".join(f"{key}={value}\n" for key, value in factors.items())
    return f"[shortcut]\nfrom={source}\nactivation={activation}\n{lines}"


def upsample(stride):
    return f"[upsample]\nstride={stride}\n"


# Each with the channels, filters and size of its convolutions. The comments say width x height.
CASES = {
    # 9x7 is added to 5x4: only its upper left part.
    "part": (net(9, 7) + conv(3) + conv(3, stride=2) + shortcut(-2), [(2, 3, 3), (3, 3, 3)]),
    # 9x9 is added to 4x4: every second element, without the last; four channels of six.
    "stride": (
        net(9, 9) + conv(4) + conv(6, stride=2, pad=0) + shortcut(-2, "leaky", alpha=0.5, beta=-2),
        [(2, 4, 3), (4, 6, 3)]),
    # 5x4 is added to 8x6: to its upper left part, which alone is multiplied by alpha.
    "larger": (
        net(9, 7) + conv(3, stride=2) + upsample(2) + conv(3, pad=0) + shortcut(-3, alpha=0.25),
        [(2, 3, 3), (3, 3, 3)]),
    # 3x3 is added to 7x7: to every second element.
    "spread": (
        net(6, 6) + conv(4, stride=2) + upsample(4) + conv(3, size=6, pad=0)
        + shortcut(-3, "relu", alpha=-1.5, beta=3), [(2, 4, 3), (4, 3, 6)]),
    # 3x2 is added to 6x4.
    "double": (net(6, 4) + conv(3, stride=2) + upsample(2) + shortcut(-2), [(2, 3, 3)]),
}


def record(name, text, kernels, predict, random):
    path = FOLDER / name
    path.with_suffix(".cfg").write_text(text)
    parts = []
    for inputs, outputs, size in kernels:
        parts += [random.normal(size=outputs), random.normal(size=outputs * inputs * size**2) / size]
    weights = np.concatenate(parts).astype("<f4")
    path.with_suffix(".weights").write_bytes(
        np.array([0, 2, 0, 0, 0], "<i4").tobytes() + weights.tobytes())
    width, height = (int(text.split(f"{key}=")[1].split()[0]) for key in ("width", "height"))
    data = random.normal(size=(1, 2, height, width)).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        given, made = f"{folder}/in", f"{folder}/out"
        data.tofile(given)
        subprocess.run(
            [predict, path.with_suffix(".cfg"), path.with_suffix(".weights"), given, made], check=True,
            stderr=subprocess.DEVNULL)
        output = np.fromfile(made, np.float32)
    np.savez_compressed(f"{path}.inputs.npz", data=data)
    np.savez_compressed(f"{path}.outputs.npz", output=output)


def main():
    darknet = pathlib.Path(sys.argv[1])
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        predict = f"{folder}/predict"
        subprocess.run(
            ["cc", HERE / "predict.c", "-I", darknet / "include", darknet / "libdarknet.a", "-lm",
             "-lpthread", "-lstdc++", "-o", predict], check=True)
        random = np.random.default_rng(46)
        for name, (text, kernels) in CASES.items():
            record(name, text, kernels, predict, random)


main()
