"""Converts a Keras model with another tool, as in its documentation.

    python convert.py coremltools|tf2onnx MODEL.h5 OUTPUT
"""
import sys

import tensorflow


def main():
    tool, model, output = sys.argv[1:]
    network = tensorflow.keras.models.load_model(model, compile=False)
    if tool == "coremltools":
        import coremltools
        coremltools.convert(network, source="tensorflow", convert_to="neuralnetwork").save(output)
    else:
        import tf2onnx
        tf2onnx.convert.from_keras(network, output_path=output)


if __name__ == "__main__":
    main()
