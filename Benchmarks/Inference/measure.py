"""Measures how fast Weighbridge and other tools run models, side by side.

    python measure.py PROGRAM FOLDER [--models tinyyolo,...] [--threads 1,2] [--batches 1,8] [--rounds 5]

FOLDER holds NAME.wbm, NAME.onnx and NAME-BATCH.npy for each model (`prepare.py` makes them). Every
tool runs in a process of its own, one after the other, round after round, so that whatever else the
machine does meets all of them; a tool's result is the median of its rounds' medians.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time


def wait_until_idle(limit=0.6, patience=600):
    """Waits until the load of the last minute is low."""
    end = time.time() + patience
    while os.getloadavg()[0] > limit and time.time() < end:
        time.sleep(5)


def peer(tool, model, inputs, threads, count):
    """Runs another tool in this process and returns the median of `count` runs in milliseconds."""
    import numpy

    array = numpy.load(inputs)
    if tool == "onnxruntime":
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"])
        feed = {session.get_inputs()[0].name: array}
        run = lambda: session.run(None, feed)
    elif tool == "openvino":
        import openvino

        core = openvino.Core()
        network = core.read_model(model)
        network.reshape(list(array.shape))
        settings = {
            "INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32",
            "PERFORMANCE_HINT": "LATENCY"}
        compiled = core.compile_model(network, "CPU", settings)
        request = compiled.create_infer_request()
        run = lambda: request.infer([array])
    elif tool == "opencv":
        import cv2

        cv2.setNumThreads(threads)
        network = cv2.dnn.readNetFromONNX(model)

        def run():
            network.setInput(array)
            return network.forward()
    else:
        raise ValueError(tool)
    for _ in range(3):
        run()
    times = []
    for _ in range(count):
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def measure(tool, arguments, name, batch, threads, count):
    """The median of a tool's runs in milliseconds; None when it cannot run the model."""
    inputs = f"{arguments.folder}/{name}-{batch}.npy"
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
    if tool == "weighbridge":
        command = [
            arguments.program, "run", f"{arguments.folder}/{name}.wbm", "--inputs", inputs,
            "--repeat", str(count), "--threads", str(threads), "--json"]
    else:
        command = [
            sys.executable, __file__, "--peer", tool, f"{arguments.folder}/{name}.onnx", inputs,
            str(threads), str(count)]
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    if result.returncode != 0:
        return None
    return json.loads(result.stdout)["median_ms"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument(
        "--models", default="tinyyolo,yolov3-tiny,mobilenetv2,resnet50,inceptionv3,lstm,unet")
    parser.add_argument("--tools", default="weighbridge,onnxruntime,openvino,opencv")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--batches", default="1,8")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=20)
    arguments = parser.parse_args()
    tools = arguments.tools.split(",")
    print("| model | batch | threads | " + " | ".join(tools) + " | ours / onnxruntime |")
    print("|---|---|---|" + "---|" * (len(tools) + 1))
    for name in arguments.models.split(","):
        for batch in arguments.batches.split(","):
            for threads in arguments.threads.split(","):
                wait_until_idle()
                times = {tool: [] for tool in tools}
                for _ in range(arguments.rounds):
                    for tool in tools:
                        value = measure(
                            tool, arguments, name, batch, int(threads), arguments.count)
                        if value is not None:
                            times[tool].append(value)
                medians = {
                    tool: statistics.median(values) for tool, values in times.items() if values}
                cells = [f"{medians[t]:.2f} ms" if t in medians else "cannot" for t in tools]
                ratio = ""
                if "weighbridge" in medians and "onnxruntime" in medians:
                    ratio = f"{medians['weighbridge'] / medians['onnxruntime']:.2f}"
                print(
                    f"| {name} | {batch} | {threads} | " + " | ".join(cells) + f" | {ratio} |",
                    flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--peer":
        tool, model, inputs, threads, count = sys.argv[2:]
        print(json.dumps({"median_ms": peer(tool, model, inputs, int(threads), int(count))}))
    else:
        main()
