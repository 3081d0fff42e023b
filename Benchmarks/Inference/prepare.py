"""Makes the models and inputs for `measure.py`, with Keras and the program.

    python prepare.py PROGRAM FOLDER [FIXTURES]

The weights are random, since the time of a run does not depend on them. If FOLDER/NAME.h5 exists, the model is read
from it. With the folder of fixtures, trained networks follow: four of less than a millisecond, and a large one for style.
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

ROOT = pathlib.Path(__file__).parents[2]
SKETCHES = ROOT / "Samples/Models/sketch-classifier/sketch-classifier.h5"


def convolve(tensor, filters, size=3):
    """Applies a convolution in the form of darknet's detectors."""
    tensor = layers.Conv2D(
        filters, size, padding="same", use_bias=False, kernel_initializer="he_normal")(tensor)
    return layers.LeakyReLU(0.1)(layers.BatchNormalization()(tensor))


def tinyyolo():
    """Makes Tiny YOLO (Redmon and Farhadi 2016) for the 20 classes of VOC."""
    picture = tensor = layers.Input((416, 416, 3))
    for filters in (16, 32, 64, 128, 256):
        tensor = layers.MaxPooling2D()(convolve(tensor, filters))
    tensor = layers.MaxPooling2D(strides=1, padding="same")(convolve(tensor, 512))
    tensor = convolve(convolve(tensor, 1024), 1024)
    return keras.Model(picture, layers.Conv2D(125, 1)(tensor))


def yolov3_tiny():
    """Makes yolov3-tiny (Redmon and Farhadi 2018) for the 80 classes of COCO, up to its heads."""
    picture = tensor = layers.Input((416, 416, 3))
    for filters in (16, 32, 64, 128):
        tensor = layers.MaxPooling2D()(convolve(tensor, filters))
    fine = convolve(tensor, 256)
    tensor = convolve(layers.MaxPooling2D()(fine), 512)
    tensor = convolve(layers.MaxPooling2D(strides=1, padding="same")(tensor), 1024)
    coarse = convolve(tensor, 256, size=1)
    first = layers.Conv2D(255, 1)(convolve(coarse, 512))
    tensor = layers.UpSampling2D()(convolve(coarse, 128, size=1))
    tensor = convolve(layers.Concatenate()([tensor, fine]), 256)
    return keras.Model(picture, [first, layers.Conv2D(255, 1)(tensor)])


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
    "tinyyolo": (tinyyolo, (416, 416, 3)),
    "yolov3-tiny": (yolov3_tiny, (416, 416, 3)),
    "mobilenetv2": (lambda: keras.applications.MobileNetV2(weights=None), (224, 224, 3)),
    "resnet50": (lambda: keras.applications.ResNet50(weights=None), (224, 224, 3)),
    "inceptionv3": (lambda: keras.applications.InceptionV3(weights=None), (299, 299, 3)),
    "lstm": (lstm, (100, 64)),
    "unet": (unet, (128, 128, 3)),
}


def trained(fixtures):
    """Returns the sources of the trained networks and the shapes of their inputs. Those of the style have no batch axis."""
    real = pathlib.Path(fixtures) / "keras/real"
    faces = {"emotion": "emotion_model", "xception": "fer2013_big_XCEPTION", "xception-small": "tiny_XCEPTION_KDEF"}
    models = {name: ([real / file / f"{file}.hdf5"], (64, 64, 1)) for name, file in faces.items()}
    style = real / "van-gogh/FastStyleTransferVanGoghStarryNight.mlmodel"
    return {**models, "sketches": ([SKETCHES], (64, 64, 1)),
            "style": ([style, "--custom-layers", ROOT / "Benchmarks/style.json"], (3, 320, 320))}


def convert_to_ncnn(folder, name):
    """Converts NAME.onnx to NAME.ncnn.param and .bin; a model that pnnx cannot convert is not run with ncnn."""
    subprocess.run(
        [pathlib.Path(sys.executable).with_name("pnnx"), f"{name}.onnx", "fp16=0",
         f"ncnnparam={name}.ncnn.param", f"ncnnbin={name}.ncnn.bin"],
        cwd=folder, stdout=subprocess.DEVNULL)
    for left in [*pathlib.Path(folder).glob("*pnnx*"), *pathlib.Path(folder).glob("*_ncnn.py")]:
        left.unlink()


def finish(program, folder, name, source, shape):
    """Converts a model, exports it for the other tools, and generates inputs."""
    path = f"{folder}/{name}"
    subprocess.run([program, "convert", *source, "-o", f"{path}.wbm", "--quiet"], check=True)
    subprocess.run(
        [program, "export", f"{path}.wbm", "-o", f"{path}.onnx", "--quiet"], check=True)
    convert_to_ncnn(folder, name)
    random = numpy.random.default_rng(1)
    for axes in ((),) if name == "style" else ((1,), (8,)):
        numpy.save(f"{path}-{axes[0] if axes else 1}.npy", random.random(axes + shape).astype("float32"))


def main():
    program, folder, *fixtures = sys.argv[1:]
    for name, (make, shape) in MODELS.items():
        keras.utils.set_random_seed(1)
        if not os.path.exists(f"{folder}/{name}.h5"):
            make().save(f"{folder}/{name}.h5")
        finish(program, folder, name, [f"{folder}/{name}.h5"], shape)
    for name, (source, shape) in (trained(fixtures[0]) if fixtures else {}).items():
        finish(program, folder, name, source, shape)
    # This is for the other converters, which load it with Keras 2.15.
    subprocess.run(
        [program, "export", f"{folder}/tinyyolo.wbm", "-o", f"{folder}/tinyyolo-keras2.h5",
         "--quiet"], check=True)


if __name__ == "__main__":
    main()
