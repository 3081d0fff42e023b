"""Lists the layer classes of the Keras that runs it, in classes_keras<version>.txt.

    python list_classes.py

One class a line: its name, then the other names under which Keras has it.
"""

import os
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras

if __name__ == "__main__":
    names = {}
    for name, value in sorted(vars(keras.layers).items()):
        if isinstance(value, type) and issubclass(value, keras.layers.Layer):
            names.setdefault(value, []).append(name)
    lines = [" ".join(sorted(each, key=lambda name: (name != value.__name__, name))) for value, each in names.items()]
    path = Path(__file__).resolve().parent / ("classes_keras" + keras.__version__.replace(".", "_") + ".txt")
    path.write_text("\n".join(sorted(lines)) + "\n")
    print(len(lines), path.name)
