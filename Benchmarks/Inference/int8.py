"""Measures models that run with 8-bit integers: ours, onnxruntime's and OpenVINO's of the same pictures.

    python int8.py PROGRAM FOLDER IMAGE IMAGE... [--models tinyyolo,resnet50] [--threads 1,2] [--rounds 5]

FOLDER holds for each model what `prepare.py` makes, and gets a folder `int8`. All tools learn from the same
parts of all images but the last, and are measured on parts of the last one. onnxruntime quantizes statically
(QDQ, a scale for each output channel, no softmax; of the ranges by minimum and maximum and by percentile, those
with the smaller error), OpenVINO by NNCF. An error is ||int8 - float32|| / ||float32|| of a tool's own outputs,
of a softmax of the centred logarithms, the worst over the pictures. For the times, tools run in processes
of their own, one after the other, round after round; a result is the least of the rounds' medians.

It needs onnxruntime, onnx, openvino, nncf and opencv-python-headless, from PyPI.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

import numpy

SIZES = {"tinyyolo": 416, "yolov3-tiny": 416, "resnet50": 224}


def parts_of(path, count, size):
    """Square parts of an image, as `[height, width, BGR]`."""
    import cv2

    image, random = cv2.imread(path), numpy.random.default_rng(1)
    height, width = image.shape[:2]
    for _ in range(count):
        side = int(min(height, width) * random.uniform(0.5, 1))
        y, x = random.integers(0, height - side + 1), random.integers(0, width - side + 1)
        yield cv2.resize(image[y:y + side, x:x + side], (size, size), interpolation=cv2.INTER_AREA)


def save_parts(folder, name, images, count):
    """Arrays as the model takes them."""
    folder.mkdir(parents=True, exist_ok=True)
    arrays = []
    for image in images:
        for part in parts_of(image, count, SIZES[name]):
            part = part.astype("float32")
            array = part - numpy.float32([103.939, 116.779, 123.68]) if name == "resnet50" \
                else part[..., ::-1] / 255
            arrays.append(numpy.ascontiguousarray(array[None]))
            numpy.save(folder / f"{len(arrays):03}.npy", arrays[-1])
    return arrays


# --- Quantizing.

def quantize_ours(program, source, target, calibration, evaluation):
    subprocess.run(
        [program, "compact", source, "-o", target, "--activations", "int8", "--quiet",
         "--calibration", calibration, "--evaluation", evaluation], check=True)


def quantize_onnx(source, target, arrays, method):
    from onnxruntime import quantization
    from onnxruntime.quantization.shape_inference import quant_pre_process

    import onnx

    prepared = target.with_suffix(".prepared.onnx")
    quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
    graph = onnx.load(prepared).graph
    name, softmaxes = graph.input[0].name, [node.name for node in graph.node if node.op_type == "Softmax"]

    class Reader(quantization.CalibrationDataReader):
        rest = iter(arrays)

        def get_next(self):
            array = next(self.rest, None)
            return None if array is None else {name: array}

    quantization.quantize_static(
        str(prepared), str(target), Reader(), quant_format=quantization.QuantFormat.QDQ, per_channel=True,
        activation_type=quantization.QuantType.QUInt8, weight_type=quantization.QuantType.QInt8,
        calibrate_method=getattr(quantization.CalibrationMethod, method), nodes_to_exclude=softmaxes)


def quantize_openvino(source, target, arrays):
    import nncf
    import openvino

    model = openvino.Core().read_model(source)
    model.reshape(list(arrays[0].shape))
    quantized = nncf.quantize(model, nncf.Dataset(arrays), subset_size=len(arrays))
    openvino.save_model(quantized, target, compress_to_fp16=False)


# --- Running.

def load(tool, path, threads, shape):
    """A function that runs a model of another tool."""
    if tool == "onnxruntime":
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        name = session.get_inputs()[0].name
        return lambda array: session.run(None, {name: array})
    import openvino

    core = openvino.Core()
    network = core.read_model(path)
    network.reshape(list(shape))
    settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32",
                "PERFORMANCE_HINT": "LATENCY"}
    request = core.compile_model(network, "CPU", settings).create_infer_request()
    return lambda array: list(request.infer([array]).values())


def outputs(program, tool, path, folder, arrays):
    """The outputs for each array."""
    if tool != "weighbridge":
        run = load(tool, str(path), 2, arrays[0].shape)
        return [[numpy.array(output) for output in run(array)] for array in arrays]
    found = []
    for file in sorted(folder.glob("*.npy")):
        result = folder.parent / "outputs.npz"
        subprocess.run([program, "run", path, "--inputs", file, "--outputs", result, "--quiet"], check=True)
        with numpy.load(result) as opened:
            found.append([opened[name] for name in opened.files])
    return found


def error(got, want):
    """The largest error over outputs and pictures."""
    def scores(array):
        array = array.astype("float64")
        if array.min() < 0 or abs(array.sum() - 1) > 1e-3:
            return array
        logarithm = numpy.log(numpy.maximum(array, 1e-30))
        return logarithm - logarithm.mean()

    return max(
        numpy.linalg.norm(scores(a) - scores(b)) / numpy.linalg.norm(scores(b))
        for first, second in zip(got, want) for a, b in zip(first, second))


def measure_once(tool, path, array, threads, count):
    """Prints the median milliseconds of a run; for a process of its own."""
    array = numpy.load(array)
    run = load(tool, path, threads, array.shape)
    times = []
    for _ in range(count + 3):
        start = time.perf_counter()
        run(array)
        times.append((time.perf_counter() - start) * 1e3)
    print(json.dumps({"median_ms": statistics.median(times[3:])}))


def milliseconds(program, tool, path, array, threads, count):
    command = [sys.executable, __file__, "--once", tool, path, array, threads, count]
    if tool == "weighbridge":
        command = [program, "run", path, "--inputs", array, "--threads", threads,
                   "--repeat", count, "--json"]
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    return json.loads(result.stdout)["median_ms"]


class Bench:
    """The files of a model, float32 and int8 for each tool."""

    def __init__(self, arguments, name):
        self.program, self.name = arguments.program, name
        self.folder = pathlib.Path(arguments.folder) / "int8" / name
        self.learned = save_parts(self.folder / "calibration", name, arguments.images[:-1], 16)
        self.measured = save_parts(self.folder / "evaluation", name, arguments.images[-1:], 8)
        plain = f"{arguments.folder}/{name}"
        onnx = self.folder / "float.onnx"
        subprocess.run([self.program, "export", f"{plain}.wbm", "-o", onnx, "--opset", "17", "--quiet"],
                       check=True)
        self.files = {
            ("weighbridge", "float32"): pathlib.Path(f"{plain}.wbm"), ("onnxruntime", "float32"): onnx,
            ("openvino", "float32"): onnx}
        self.errors = {}

    def quantize(self):
        ours, theirs = self.folder / "int8.wbm", self.folder / "int8.xml"
        quantize_ours(self.program, self.files["weighbridge", "float32"], ours,
                      self.folder / "calibration", self.folder / "evaluation")
        self.note("weighbridge", ours)
        onnx = self.files["onnxruntime", "float32"]
        for method in ("MinMax", "Percentile"):
            target = self.folder / f"int8-{method}.onnx"
            quantize_onnx(onnx, target, self.learned, method)
            self.note("onnxruntime", target)
        quantize_openvino(onnx, theirs, self.learned)
        self.note("openvino", theirs)

    def note(self, tool, path):
        """Keeps a model if it is a tool's most exact one."""
        both = [outputs(self.program, tool, file, self.folder / "evaluation", self.measured)
                for file in (path, self.files[tool, "float32"])]
        found = error(*both)
        print(f"{self.name}: {tool}, {path.name}: error {found:.4f}", file=sys.stderr)
        if found < self.errors.get(tool, numpy.inf):
            self.errors[tool], self.files[tool, "int8"] = found, path

    def row(self, threads, rounds, count):
        times = {key: [] for key in self.files}
        array = self.folder / "evaluation" / "001.npy"
        for _ in range(rounds):
            for key, path in self.files.items():
                times[key].append(milliseconds(self.program, key[0], path, array, threads, count))
        cells = [self.name, str(threads)]
        for tool in ("weighbridge", "onnxruntime", "openvino"):
            plain, fast = min(times[tool, "float32"]), min(times[tool, "int8"])
            cells += [f"{plain:.2f}", f"{fast:.2f}", f"{fast / plain:.2f}", f"{self.errors[tool]:.4f}"]
        return cells


def line(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def main():
    if sys.argv[1:2] == ["--once"]:
        tool, path, array, threads, count = sys.argv[2:]
        return measure_once(tool, path, array, int(threads), int(count))
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("images", nargs="+")
    parser.add_argument("--models", default="tinyyolo,resnet50")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=20)
    arguments = parser.parse_args()
    columns = ["float32", "int8", "int8 / float32", "error"]
    line(["model", "threads"] + [f"{tool} {column}" for tool in ("ours", "onnxruntime", "OpenVINO")
                                 for column in columns])
    line(["---"] * 2 + ["---:"] * 12)
    for name in arguments.models.split(","):
        bench = Bench(arguments, name)
        bench.quantize()
        for threads in arguments.threads.split(","):
            line(bench.row(int(threads), arguments.rounds, arguments.count))


if __name__ == "__main__":
    main()
