"""Runs a model with another tool and prints the median time of a run in milliseconds.

    python peer.py TOOL MODEL INPUTS.npy THREADS COUNT

MODEL is the path without an extension. There are up to three warm-up runs, at most COUNT - 1; a COUNT of 1 is a single
run in a new process.
"""
import json
import statistics
import sys
import time

import numpy


def onnxruntime(model, array, threads):
    import onnxruntime as tool

    options = tool.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = tool.InferenceSession(
        f"{model}.onnx", options, providers=["CPUExecutionProvider"])
    feed = {session.get_inputs()[0].name: array}
    return lambda: session.run(None, feed)


def openvino(model, array, threads):
    import openvino as tool

    core = tool.Core()
    network = core.read_model(f"{model}.onnx")
    network.reshape(list(array.shape))
    settings = {
        "INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32",
        "PERFORMANCE_HINT": "LATENCY"}
    request = core.compile_model(network, "CPU", settings).create_infer_request()
    return lambda: request.infer([array])


def opencv(model, array, threads):
    import cv2 as tool

    tool.setNumThreads(threads)
    network = tool.dnn.readNetFromONNX(f"{model}.onnx")

    outputs = network.getUnconnectedOutLayersNames()

    def run():
        network.setInput(array)
        return network.forward(outputs)

    return run


def ncnn(model, array, threads):
    import ncnn as tool

    if len(array) > 1:
        raise ValueError("a batch")
    network = tool.Net()
    network.opt.num_threads = threads
    if network.load_param(f"{model}.ncnn.param") or network.load_model(f"{model}.ncnn.bin"):
        raise ValueError("not converted")

    def run():
        extractor = network.create_extractor()
        extractor.input("in0", tool.Mat(array[0]))
        results = []
        for name in network.output_names():
            status, output = extractor.extract(name)
            if status:
                raise ValueError(f"status {status}")
            results.append(numpy.array(output))
        return results

    return run


TOOLS = {tool.__name__: tool for tool in (onnxruntime, openvino, opencv, ncnn)}


def main():
    tool, model, inputs, threads, count = sys.argv[1:]
    run = TOOLS[tool](model, numpy.load(inputs), int(threads))
    for _ in range(min(3, int(count) - 1)):
        run()
    times = []
    for _ in range(int(count)):
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    print(json.dumps({"median_ms": statistics.median(times), "max_ms": max(times)}))


if __name__ == "__main__":
    main()
