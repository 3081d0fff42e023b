"""Makes the models and inputs that `measure.py` runs, with a real Keras and the program.

    python prepare.py PROGRAM FOLDER

The weights are random: how long a model runs does not depend on them. Tiny YOLO and yolov3-tiny are
taken from FOLDER/tinyyolo.h5 and FOLDER/yolov3-tiny.cfg with .weights, where these are there.
"""
import os
import pathlib
import subprocess
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import keras
import numpy
from keras import layers


def lstm():
    return keras.Sequential([
        layers.Input((100, 64)), layers.LSTM(128, return_sequences=True), layers.LSTM(128),
        layers.Dense(10, activation="softmax")])


def unet():
    def block(tensor, filters):
        return layers.Conv2D(filters, 3, padding="same", activation="relu")(tensor)

    picture = layers.Input((128, 128, 3))
    tensor, skipped = picture, []
    for filters in (16, 32, 64):
        tensor = block(block(tensor, filters), filters)
        skipped.append(tensor)
        tensor = layers.MaxPooling2D()(tensor)
    tensor = block(tensor, 128)
    for filters, skip in zip((64, 32, 16), reversed(skipped)):
        tensor = layers.Conv2DTranspose(filters, 2, strides=2, padding="same")(tensor)
        tensor = block(layers.Concatenate()([tensor, skip]), filters)
    return keras.Model(picture, layers.Conv2D(1, 1, activation="sigmoid")(tensor))


MODELS = {
    "mobilenetv2": (lambda: keras.applications.MobileNetV2(weights=None), (224, 224, 3)),
    "resnet50": (lambda: keras.applications.ResNet50(weights=None), (224, 224, 3)),
    "inceptionv3": (lambda: keras.applications.InceptionV3(weights=None), (299, 299, 3)),
    "lstm": (lstm, (100, 64)),
    "unet": (unet, (128, 128, 3)),
}
GIVEN = {"tinyyolo": (".h5", (416, 416, 3)), "yolov3-tiny": (".cfg", (3, 416, 416))}


def convert_to_ncnn(folder, name):
    """Makes NAME.ncnn.param and .bin of NAME.onnx; what pnnx cannot convert, ncnn cannot run."""
    subprocess.run(
        [pathlib.Path(sys.executable).with_name("pnnx"), f"{name}.onnx", "fp16=0",
         f"ncnnparam={name}.ncnn.param", f"ncnnbin={name}.ncnn.bin"],
        cwd=folder, stdout=subprocess.DEVNULL)
    for left in [*pathlib.Path(folder).glob("*pnnx*"), *pathlib.Path(folder).glob("*_ncnn.py")]:
        left.unlink()


def finish(program, folder, name, source, shape):
    """Converts a model, exports it for the other tools, and makes inputs."""
    path = f"{folder}/{name}"
    subprocess.run([program, "convert", source, "-o", f"{path}.wbm", "--quiet"], check=True)
    subprocess.run(
        [program, "export", f"{path}.wbm", "-o", f"{path}.onnx", "--quiet"], check=True)
    convert_to_ncnn(folder, name)
    random = numpy.random.default_rng(1)
    for batch in (1, 8):
        numpy.save(f"{path}-{batch}.npy", random.random((batch,) + shape).astype("float32"))


def main():
    program, folder = sys.argv[1:]
    for name, (make, shape) in MODELS.items():
        keras.utils.set_random_seed(1)
        make().save(f"{folder}/{name}.h5")
        finish(program, folder, name, f"{folder}/{name}.h5", shape)
    for name, (extension, shape) in GIVEN.items():
        if os.path.exists(f"{folder}/{name}{extension}"):
            finish(program, folder, name, f"{folder}/{name}{extension}", shape)


if __name__ == "__main__":
    main()
