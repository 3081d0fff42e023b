"""Makes the hostile darknet files and README.md. Needs Python 3 only; writes beside itself."""

import pathlib
import struct

HERE = pathlib.Path(__file__).parent
NET = "[net]\nwidth=8\nheight=6\nchannels=3\n"
CONV = "[convolutional]\nfilters=4\nsize=3\npad=1\nactivation=leaky\n"
YOLO = "[yolo]\nmask=0,1\nanchors=10,14,23,27\nnum=2\nclasses=3\n"

CONFIGURATIONS = {
    "activation_comment": (NET + CONV.replace("leaky", "leaky # as in the paper"), "A comment behind a word, which becomes a part of it; --strict refuses it."),
    "activation_unknown": (NET + CONV.replace("leaky", "leaky # 0.1"), "An activation that darknet takes relu for; --strict refuses it."),
    "anchors_missing": (NET + CONV.replace("=4", "=16") + YOLO.replace("10,14,23,27", "10,14"), "Fewer anchors than the mask names; --strict refuses it."),
    "classes_changed": (NET + CONV.replace("=4", "=16") + YOLO.replace("classes=3", "classes=5"), "More classes than the filters before the boxes."),
    "dilation": (NET + CONV.replace("pad=1", "pad=0\ndilation=2"), "A dilation with which darknet reads beyond its buffers."),
    "empty_list": (NET + CONV + "[route]\nlayers=,\n", "A list without an entry."),
    "equals_missing": (NET + "batch 64\n" + CONV, "A line without an equals sign, where darknet reads no value; --strict refuses it."),
    "filters_huge": (NET + CONV.replace("filters=4", "filters=1000000000"), "More filters than any memory holds."),
    "filters_many": (NET + CONV.replace("filters=4", "filters=16000000") * 2, "Kernels of a petabyte."),
    "filters_negative": (NET + CONV.replace("filters=4", "filters=-4"), "Less than no filter."),
    "groups": (NET + CONV + CONV.replace("size", "groups=3\nsize"), "Groups that do not divide the channels."),
    "half_precision": (NET + CONV + "real=16\n", "The precision of a fork on a GPU; --strict refuses it."),
    "key_before_section": ("width=8\n" + NET + CONV, "A key before the first section."),
    "key_unknown": (NET + CONV + "warp=9\n", "A key that no darknet knows."),
    "mask_outside": (NET + CONV.replace("=4", "=16") + YOLO.replace("mask=0,1", "mask=0,2"), "A mask that names an anchor that is not there."),
    "net_missing": (CONV, "A file that does not begin with the network."),
    "net_only": (NET, "A network without a layer."),
    "no_size": ("[net]\nbatch=1\n" + CONV, "A network whose input has no size."),
    "not_a_number": (NET + CONV.replace("=4", "=four"), "A word for a number."),
    "nul_byte": (NET + CONV + "stride=\0001\n", "A NUL byte in the text."),
    "picture_huge": (NET.replace("=8", "=16000000").replace("=6", "=16000000") + CONV, "A picture of 256 trillion places."),
    "placeholder": (NET + "n=18\n" + CONV.replace("=4", "=$n"), "A template whose placeholder was not replaced."),
    "region_classfix": (NET + CONV.replace("=4", "=14") + "[region]\nnum=2\nanchors=1,2,3,4\nclasses=2\nclassfix=-1\n", "Boxes that one fork leaves out by a rule of its own."),
    "region_tree_missing": (NET + CONV.replace("=4", "=14") + "[region]\nnum=2\nanchors=1,2,3,4\nclasses=2\nsoftmax=1\ntree=nowhere.tree\n", "A tree of classes that is not there."),
    "reorg_stride": (NET + CONV + "[reorg]\nstride=4\n", "A reorg that does not divide the picture."),
    "route_behind": (NET + CONV + "[route]\nlayers=2\n" + CONV, "A route to a layer behind it."),
    "route_cost": (NET + CONV + "[cost]\n[route]\nlayers=1\n", "A route to a layer without an output."),
    "route_groups": (NET + CONV + "[route]\nlayers=-1\ngroups=3\n", "Groups that do not divide the channels of a route."),
    "route_self": (NET + CONV + "[route]\nlayers=1\n", "A route to itself."),
    "route_sizes": (NET + CONV + "[maxpool]\nsize=2\nstride=2\n[route]\nlayers=-1,-2\n", "A route to pictures of two sizes."),
    "section_of_fork": (NET + CONV + "[route_lhalf]\nlayers=-1\n", "A section of a fork that says what it is in darknet's words; --strict refuses it."),
    "section_open": (NET + "[convolutional\nfilters=4\n", "A section without its second bracket."),
    "section_unknown": (NET + CONV + CONV.replace("[c", "[C") + "[teleport]\n", "Sections that nobody knows; darknet makes layers of no size of them."),
    "shortcut_before": (NET + CONV + "[shortcut]\nfrom=-40\nactivation=linear\n", "A shortcut from before the first layer."),
    "shortcut_sizes": (NET + CONV + CONV.replace("pad=1", "pad=1\nstride=2") + "[shortcut]\nfrom=-2\n", "A shortcut between two sizes, which one fork alone can do."),
    "softmax_groups": (NET + CONV + "[softmax]\ngroups=7\n", "Groups that do not divide the numbers."),
    "stride_zero": (NET + CONV + "[maxpool]\nsize=2\nstride=0\n", "A stride of 0."),
    "training_keys": (NET + "learning_rate_poly_power=4\nmax_epoch=9\n" + CONV, "Settings for training that other forks read; --strict refuses them."),
    "weights_type": (NET + CONV + CONV + "[shortcut]\nfrom=-2\nweights_type=per_feature\n", "A weighted shortcut that does not say how the weights are normalised."),
    "window_too_large": (NET + CONV.replace("size=3\npad=1", "size=9"), "A window larger than the picture."),
}


def header(major=0, minor=2, seen=b"\0" * 8):
    return struct.pack("<iii", major, minor, 0) + seen


def numbers(count):
    return header() + b"\0\0\0\x3f" * count


# The network of most weights_*.cfg takes 4 + 108 numbers, then 9 + 36.
NUMBERS = b"\0\0\0\x3f" * (4 + 108 + 9 + 36)
WEIGHTED = NET + CONV + CONV.replace("filters=4\nsize=3\npad=1", "filters=9\nsize=1") + (
    "[yolo]\nmask=0\nanchors=10,14\nnum=1\nclasses=4\n")
WEIGHTS = {
    "weights_backbone": (header() + NUMBERS[: 4 * 112], "The numbers of the first layer only."),
    "weights_classes": (header() + b"\0\0\0\x3f" * (112 + 7 * 5), "The numbers of the same network with two classes less."),
    "weights_counter": (header(seen=b"\0" * 4) + NUMBERS, "A counter of 32 bits where 64 are read."),
    "weights_cut": (header() + NUMBERS[:-100], "Numbers that are cut off."),
    "weights_empty": (b"", "A file without a byte."),
    "weights_half_number": (header() + NUMBERS[:-2], "A file that ends within a number."),
    "weights_header_only": (header(), "A header, and nothing behind it."),
    "weights_not_darknet": (b"\x89HDF\r\n\x1a\n" + b"\0" * 64, "A file of another kind."),
    "weights_surplus": (header() + NUMBERS + b"\0\0\0\x3f" * 40, "Numbers behind the last layer."),
    "weights_anchors": (numbers(112 + 18 * 5), "The numbers of the same network with two anchors."),
    "weights_filters": (numbers(112 + 22 * 5), "The numbers of a network with other classes and anchors."),
    "weights_gray": (numbers(4 + 36 + 45), "The numbers of the same network for gray images."),
    "weights_normalized": (numbers(4 * 4 + 108 + 45), "The numbers of the same network with batch normalization."),
    "weights_outputs": (numbers(112 + 20 * 5), "The numbers of a classifier of 20 classes."),
    "weights_plain": (numbers(112 + 45), "The numbers of the same network without batch normalization."),
    "weights_pointer": (b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 648\n", "A pointer in place of the file."),
    "weights_tiny": (header() + NUMBERS * 40, "The numbers of a much larger network."),
}
# The networks that are not the one above.
NETWORKS = {
    "weights_filters": WEIGHTED.replace("filters=9", "filters=27").replace("mask=0", "mask=0,1,2").replace("10,14\nnum=1", "1,2,3,4,5,6\nnum=3"),
    "weights_outputs": NET + CONV + CONV.replace("filters=4\nsize=3\npad=1", "filters=9\nsize=1") + "[avgpool]\n[softmax]\n",
    "weights_plain": NET + CONV.replace("filters", "batch_normalize=1\nfilters") + WEIGHTED.removeprefix(NET + CONV),
}

rows = []
for name, (text, reason) in CONFIGURATIONS.items():
    (HERE / f"{name}.cfg").write_bytes(text.encode())
    rows.append((f"{name}.cfg", reason))
for name, (data, reason) in WEIGHTS.items():
    (HERE / f"{name}.cfg").write_bytes(NETWORKS.get(name, WEIGHTED).encode())
    (HERE / f"{name}.weights").write_bytes(data)
    rows.append((f"{name}.weights", reason))

(HERE / "README.md").write_text(
    "# Hostile darknet files\n\n"
    "Files with which darknet crashes or computes nonsense: one per attack. `make.py` makes them and this\n"
    "text. `Tests/Conversion/ConversionTests/DarknetConversion/HostileDarknetTests.swift` says what the program must answer.\n\n"
    "| file | what it tries |\n|---|---|\n"
    + "".join(f"| `{file}` | {reason} |\n" for file, reason in sorted(rows)))
