"""Exports small models of scikit-learn and XGBoost to ONNX, which are no neural networks, and networks
of scikit-learn, with what onnxruntime computes with them.

Needs scikit-learn, skl2onnx, xgboost, onnxmltools and onnxruntime. Writes beside itself.
"""

import pathlib

import numpy
import onnxmltools
import onnxruntime
import xgboost
from onnxmltools.convert.common.data_types import FloatTensorType
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HERE = pathlib.Path(__file__).parent


def write(name, model):
    (HERE / f"{name}.onnx").write_bytes(model.SerializeToString(deterministic=True))


def main():
    random = numpy.random.default_rng(7)
    x = random.normal(size=(60, 4)).astype(numpy.float32)
    y = (x[:, 0] > 0).astype(int) + (x[:, 1] > 0.5)
    words = numpy.array(["no", "yes"])[(x[:, 0] > 0).astype(int)]
    forest = RandomForestClassifier(2, max_depth=2, random_state=7).fit(x, y)
    write("forest", to_onnx(forest, x[:1]))
    logistic = make_pipeline(StandardScaler(), LogisticRegression()).fit(x, words)
    write("logistic", to_onnx(logistic, x[:1]))
    boosted = xgboost.XGBRegressor(n_estimators=2, max_depth=2).fit(x, x[:, 1])
    write("boosted", onnxmltools.convert_xgboost(
        boosted, initial_types=[("x", FloatTensorType([None, 4]))]))
    network = make_pipeline(
        StandardScaler(), MLPClassifier((5,), max_iter=50, random_state=7)).fit(x, y)
    write("perceptron", to_onnx(network, x[:1]))
    session = onnxruntime.InferenceSession(str(HERE / "perceptron.onnx"))
    label, maps = session.run(None, {"X": x[:6]})
    numpy.savez(HERE / "perceptron.inputs.npz", X=x[:6])
    numpy.savez(
        HERE / "perceptron.outputs.npz", output_label=label,
        output_probability=numpy.array([list(row.values()) for row in maps], numpy.float32))


if __name__ == "__main__":
    main()
