"""Makes the folder of a darknet training and README.md (`record.py` makes the other samples). Needs Python 3 only; writes beside itself."""

import pathlib
import random
import struct

HERE = pathlib.Path(__file__).parent
FOLDER = HERE / "training"

NET = "[net]\nbatch=64\nsubdivisions=16\nwidth=16\nheight=16\nchannels=3\nmax_batches=4000\npolicy=steps\n"
BODY = (
    "[convolutional]\nbatch_normalize=1\nfilters=4\nsize=3\nstride=2\npad=1\nactivation=leaky\n"
    "[convolutional]\nfilters={filters}\nsize=1\nactivation=linear\n"
    "[yolo]\nmask=0,1,2\nanchors=4,6, 7,5, 9,9\nnum=3\nclasses={classes}\njitter=.3\nignore_thresh=.7\n"
)


def configuration(classes):
    return NET + BODY.format(filters=3 * (5 + classes), classes=classes)


def weights(classes, seed):
    """Version 0.2.5 with a counter of 64 bits; biases, scales, means, variances, kernel."""
    generator = random.Random(seed)

    def numbers(count, low, high):
        return struct.pack(f"<{count}f", *(generator.uniform(low, high) for _ in range(count)))

    filters = 3 * (5 + classes)
    first = numbers(4, -1, 1) + numbers(4, 0.5, 1.5) + numbers(4, -1, 1) + numbers(4, 0.5, 1.5)
    first += numbers(4 * 27, -0.3, 0.3)
    return struct.pack("<iiiQ", 0, 2, 5, 64 * seed) + first + numbers(filters + 4 * filters, -1, 1)


FILES = {
    # As an editor on Windows saves it: a byte order mark, and lines that end with CR LF.
    "pets.cfg": (b"\xef\xbb\xbf" + configuration(2).replace("\n", "\r\n").encode(), "The network as it was trained, for two classes; as an editor on Windows saves it."),
    "birds.cfg": (configuration(3).encode(), "The same for three classes."),
    "setup.cfg": (b"[metadata]\nname = pets\n", "A file of another kind with the same ending."),
    "pets_best.weights": (weights(2, 3), "Weights of `pets.cfg`."),
    "pets_last.weights": (weights(2, 4), "Others."),
    "pets_1000.weights": (weights(2, 1), "Others."),
    "birds_final.weights": (weights(3, 5), "Weights of `birds.cfg`."),
    "obj.data": (b"\xef\xbb\xbfclasses = 2\r\ntrain = data/train.txt\r\nnames = C:\\yolo\\data\\obj.names\r\nbackup = /mydrive/yolo\r\n", "Paths of the machine that it was trained on."),
    "obj.names": (b"\xef\xbb\xbfcat\r\ndog\r\n\r\n\r\n", "Names of two classes, with blank lines at the end."),
    "colors.names": (b"black\nwhite\n", "Two other names."),
    "birds.names": (b"crow\n\nowl\n", "A file of names with a blank line between them."),
}

FOLDER.mkdir(exist_ok=True)
for name, (data, _) in FILES.items():
    (FOLDER / name).write_bytes(data)

(HERE / "README.md").write_text(
    "# darknet\n\n"
    "`shortcuts` contains networks whose outputs pjreddie's darknet computed; `record.py` says how.\n\n"
    "## A training\n\n"
    "`training` is the folder as somebody has it after a training with darknet: no `.weights` file has the\n"
    "name of its `.cfg`. The numbers mean nothing. `make.py` makes the files and this text.\n\n"
    "| file | content |\n|---|---|\n"
    + "".join(f"| `{name}` | {text} |\n" for name, (_, text) in sorted(FILES.items())))
