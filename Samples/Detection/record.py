"""Records what both forks of darknet detect in made-up numbers: one folder for each kind of head.

A case is a network without weights: its only layer takes the numbers as they are. Needs NumPy, a C
compiler, and both forks built as shared libraries without a GPU (AVX=0 for AlexeyAB's):

    python3 record.py FOLDER_OF_ALEXEYAB FOLDER_OF_PJREDDIE

Recorded with AlexeyAB/darknet 59596d7 and pjreddie/darknet f6afaab. Nothing of darknet is kept.
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ANCHORS = "anchors=1.5,2, 3,1.2, 2.4,2.8\n"
YOLO = "[yolo]\nmask=0,1,2\nnum=3\nclasses=3\n" + ANCHORS
GAUSSIAN = "[Gaussian_yolo]\nmask=0,2\nnum=3\nclasses=2\n" + ANCHORS
REGION = "[region]\nnum=3\nclasses=4\ncoords=4\n" + ANCHORS
DETECTION = "[detection]\nside=3\nnum=2\nclasses=3\ncoords=4\n"
TREE = "animal -1\nthing -1\ndog 0\ncat 0\nhound 2\npoodle 2\ncar 1\nboat 1\n"

# name: fork, section, channels, and settings that differ from the usual ones
CASES = {
    "yolo": ("alexeyab", YOLO + "scale_x_y=1.1\n", 24, {}),
    "yolo_pjreddie": ("pjreddie", YOLO, 24, {"letterbox": 1}),
    "yolo_greedynms": ("alexeyab", YOLO + "nms_kind=greedynms\nbeta_nms=0.9\n", 24, {}),
    "yolo_diounms": ("alexeyab", YOLO + "nms_kind=diounms\nbeta_nms=0.3\n", 24, {"letterbox": 1}),
    "yolo_agnostic": ("alexeyab", YOLO, 24, {"agnostic": 1, "threshold": 0.2}),
    "yolo_new_coords": ("alexeyab", YOLO + "new_coords=1\nscale_x_y=2\n", 24, {"is_activated": 1}),
    "gaussian_center": ("alexeyab", GAUSSIAN + "scale_x_y=1.05\n", 22, {"threshold": 0.1}),
    "gaussian_left_top": ("alexeyab", GAUSSIAN + "yolo_point=left_top\n", 22,
        {"letterbox": 1, "threshold": 0.1}),
    "gaussian_right_bottom": (
        "alexeyab", GAUSSIAN + "yolo_point=right_bottom\nnms_kind=cornersnms\n", 22,
        {"threshold": 0.1}),
    "region_softmax": ("alexeyab", REGION + "softmax=1\n", 27, {}),
    "region_plain": ("alexeyab", REGION, 27, {}),
    "region_softmax_pjreddie": ("pjreddie", REGION + "softmax=1\n", 27, {"letterbox": 1}),
    "region_plain_pjreddie": ("pjreddie", REGION, 27, {"letterbox": 1}),
    "region_background": ("pjreddie", REGION + "background=1\nsoftmax=1\n", 27, {"letterbox": 1}),
    "region_tree": (
        "alexeyab", REGION.replace("classes=4", "classes=8") + "softmax=1\ntree=classes.tree\n",
        39, {"spread": 2}),
    "region_tree_pjreddie": (
        "pjreddie", REGION.replace("classes=4", "classes=8") + "softmax=1\ntree=classes.tree\n",
        39, {"spread": 2, "letterbox": 1}),
    "detection_sqrt": ("alexeyab", DETECTION + "sqrt=1\n", 13, {"is_activated": 1}),
    "detection_softmax": ("pjreddie", DETECTION + "softmax=1\n", 13, {"is_activated": 1}),
}


def compile_driver(folder, fork, target):
    flags = ["-DPJREDDIE"] if fork == "pjreddie" else []
    subprocess.run(
        ["cc", "-O1", "-w", *flags, os.path.join(HERE, "record.c"), "-I", f"{folder}/include",
         "-I", f"{folder}/src", "-o", target, "-L", folder, "-ldarknet", f"-Wl,-rpath,{folder}",
         "-lm"], check=True)


def numbers(name, shape, settings):
    random = np.random.RandomState(sum(name.encode()))
    values = random.standard_normal(shape) * settings.get("spread", 1.5)
    if settings.get("is_activated"):
        values = 1 / (1 + np.exp(-values))
    return values.astype(np.float32)


def record(name, fork, section, channels, settings, driver):
    folder = os.path.join(HERE, name)
    os.makedirs(folder, exist_ok=True)
    width, height = (3, 3) if "detection" in name else (4, 3)
    picture = {"width": 64, "height": 30}
    with open(f"{folder}/net.cfg", "w") as file:
        file.write(f"[net]\nwidth={width}\nheight={height}\nchannels={channels}\n\n{section}")
    if "tree" in section:
        with open(f"{folder}/classes.tree", "w") as file:
            file.write(TREE)
    values = numbers(name, (1, channels, height, width), settings)
    np.save(f"{folder}/input.npy", values)
    stated = {
        "fork": fork, "picture": picture, "letterbox": bool(settings.get("letterbox")),
        "threshold": settings.get("threshold", 0.25),
        "overlap": settings.get("overlap", 0.2),
        "agnostic": bool(settings.get("agnostic")),
    }
    with tempfile.NamedTemporaryFile() as raw:
        raw.write(values.tobytes())
        raw.flush()
        output = subprocess.run(
            [driver, "net.cfg", raw.name, str(picture["width"]), str(picture["height"]),
             str(int(stated["letterbox"])), str(stated["threshold"]), str(stated["overlap"]),
             str(int(stated["agnostic"]))],
            cwd=folder, check=True, capture_output=True, text=True).stdout
    stated.update(json.loads(output.split("@@@")[1]))
    write(stated, f"{folder}/detections.json")
    print(f"{name}: {len(stated['before'])} before, {len(stated['after'])} after")


def write(stated, path):
    """One detection a line."""
    members = []
    for key, value in stated.items():
        if isinstance(value, list):
            lines = ",\n".join("    " + json.dumps(entry) for entry in value)
            members.append(f'  "{key}": [\n{lines}\n  ]')
        else:
            members.append(f'  "{key}": {json.dumps(value)}')
    with open(path, "w") as file:
        file.write("{\n" + ",\n".join(members) + "\n}\n")


def main():
    with tempfile.TemporaryDirectory() as work:
        for fork, folder in zip(["alexeyab", "pjreddie"], sys.argv[1:]):
            compile_driver(os.path.abspath(folder), fork, f"{work}/{fork}")
        for name, (fork, section, channels, settings) in CASES.items():
            record(name, fork, section, channels, settings, f"{work}/{fork}")


if __name__ == "__main__":
    main()
