"""Prints functions as Keras stores those of Lambda layers, compiled by the Python that runs this.

    for python in python2.7 python3.6 ... python3.13; do $python functions.py; done

Each adds its own version to functions.json: by the function's text, its code in base64, and `raw` for the form in
which Keras 1 and early versions of Keras 2 keep it. Runs with every Python from 2.7 on.
"""

import base64
import json
import marshal
import os
import sys

FUNCTIONS = [
    "lambda x: x / 127.5 - 1.0",
    "lambda x: x / 255 - 0.5",
    "lambda x: (x - 117.0) / 58.25",
    "lambda x: 1.0 - x * 2",
    "lambda x: (x - np.array([103.5, 116.25, 123.75])) / 2.0",
    "lambda x: -x",
    "lambda x: x[:, 1:3]",
    "lambda x: x[:, :, ::-1]",
    "lambda x: x[..., 0]",
    "lambda x: x[:, None, -1, :]",
    "lambda x, a=2.0: x * a",
    "lambda x: K.squeeze(x, 2)",
    "lambda x: K.expand_dims(x, axis=-1)",
    "lambda x: K.reverse(x, axes=[1, 2, 3])",
    "lambda x: tf.argmax(x, axis=-1)",
    "lambda x: K.l2_normalize(x, axis=1)",
    "lambda x: tf.image.resize_images(x, (66, 200), align_corners=True)",
    "lambda x: tf.image.resize(x, [66, 200], method='nearest')",
    "lambda x: K.abs(x[0] - x[1]) ** 2",
    "lambda x: tf.where(x > 0.5, x, x % 3)",
    "lambda x: tf.concat([x, -x, x[:, 2:]], axis=-1)",
    "lambda x: x // 2 <= K.sum(x, axis=[1, 2], keepdims=True)",
    "lambda x: K.softmax(x) if x is None else x",
    "lambda x: [y for y in x]",
]

RESIZE = """
def resize(image):
    import tensorflow as tf
    return tf.image.resize_images(image, (40, 160))
"""

DEFINITIONS = {
    "resize": RESIZE,
    "exchanged": """
def exchanged(v):
    x, y = v
    x, y = y, x
    z = x - y
    z *= 2
    return [z, x * y]
""",
    "rotated": """
def rotated(a):
    x, y, z = a[0], a[1], a[2]
    p = q = x
    return p * y + q * z
""",
    "captured": """
def make(limit):
    return lambda x: K.clip(x, -limit, limit)
captured = make(3)
""",
    "discarded": """
def discarded(x):
    parts = [x]
    parts.append(x)
    return K.concatenate(parts)
""",
}


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "functions.json")
    stored = json.load(open(path)) if os.path.exists(path) else {}
    version = "%d.%d" % sys.version_info[:2]
    codes = {}
    for text in FUNCTIONS:
        code = marshal.dumps(eval(compile(text, "functions.py", "eval")).__code__)
        codes[text] = base64.b64encode(code).decode("ascii")
    for name, text in DEFINITIONS.items():
        names = {}
        exec(compile(text, "functions.py", "exec"), names)
        code = marshal.dumps(names[name].__code__)
        codes[name] = base64.b64encode(code).decode("ascii")
        if name == "resize":
            codes["raw"] = code.decode("raw_unicode_escape")
    stored[version] = codes
    with open(path, "w") as file:
        file.write(json.dumps(stored, indent=1, sort_keys=True, separators=(",", ": ")) + "\n")


if __name__ == "__main__":
    main()
