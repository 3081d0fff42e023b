"""Writes graphs of TensorFlow that must be refused.

    <python with TensorFlow 2> make.py

alone.index is of ../foreign/make.py.
"""
import os
import pathlib
import shutil

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")

import tensorflow as tf
from tensorflow.core.framework import function_pb2, graph_pb2
from tensorflow.core.protobuf import saved_model_pb2

HERE = pathlib.Path(__file__).resolve().parent
FLOAT = 1
INTEGER = 3


def graph(*nodes, function=None):
    result = graph_pb2.GraphDef()
    add(result.node, "x", "Placeholder", dtype=FLOAT).attr["shape"].shape.dim.add().size = 4
    for name, kind, *inputs in nodes:
        add(result.node, name, kind, *inputs)
    if function:
        result.library.function.append(function)
    return result


def add(nodes, name, kind, *inputs, dtype=None):
    node = nodes.add(name=name, op=kind, input=inputs)
    if dtype:
        node.attr["dtype"].type = dtype
    return node


def function(name, result, *nodes):
    """A function of x."""
    definition = function_pb2.FunctionDef()
    definition.signature.name = name
    definition.signature.input_arg.add(name="x", type=FLOAT)
    definition.signature.output_arg.add(name="y", type=FLOAT)
    definition.ret["y"] = result
    for node in nodes:
        add(definition.node_def, *node)
    return definition


def constant(shape, contents):
    result = graph(("sum", "Add", "x", "weights"))
    tensor = add(result.node, "weights", "Const", dtype=FLOAT).attr["value"].tensor
    tensor.dtype = FLOAT
    for size in shape:
        tensor.tensor_shape.dim.add().size = size
    tensor.tensor_content = contents
    return result


def training():
    result = graph(*[(name, "Identity", "x") for name in ("scale", "offset", "mean", "variance")])
    node = add(result.node, "norm", "FusedBatchNormV3", "x", "scale", "offset", "mean", "variance")
    node.attr["is_training"].b = True
    return result


def resizing(kind, image, size):
    """Resizes an image of some shape to constant sizes, or to sizes that are an input."""
    result = graph(("resized", kind, "x", "size"))
    shape = result.node[0].attr["shape"].shape
    del shape.dim[:]
    for dimension in image:
        shape.dim.add().size = dimension
    if size is None:
        add(result.node, "size", "Placeholder", dtype=INTEGER).attr["shape"].shape.dim.add().size = 2
        return result
    tensor = add(result.node, "size", "Const", dtype=INTEGER).attr["value"].tensor
    tensor.dtype = INTEGER
    tensor.tensor_shape.dim.add().size = 2
    tensor.int_val.extend(size)
    return result


def write(name, data):
    (HERE / name).write_bytes(data.SerializeToString(deterministic=True))


def write_loop():
    """A recurrent layer without its description."""
    model = tf.keras.Sequential([tf.keras.Input((5, 2)), tf.keras.layers.LSTM(2)])
    folder = HERE / "loop"
    shutil.rmtree(folder, ignore_errors=True)
    module = tf.Module()
    module.variables_ = model.variables
    module.function = tf.function(
        lambda x: model(x, training=False), input_signature=[tf.TensorSpec((None, 5, 2), tf.float32)])
    tf.saved_model.save(module, str(folder), signatures=module.function)
    for part in ("assets", "fingerprint.pb"):
        path = folder / part
        path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)


def write_unsigned():
    model = saved_model_pb2.SavedModel(saved_model_schema_version=1)
    model.meta_graphs.add().meta_info_def.tags.append("serve")
    (HERE / "unsigned").mkdir(exist_ok=True)
    write("unsigned/saved_model.pb", model)


write("recursion.pb", graph(("call", "again", "x"), function=function("again", "call:y:0", ("call", "again", "x"))))
write("cycle.pb", graph(("a", "Relu", "b"), ("b", "Relu", "a"), ("c", "Relu", "a")))
write("old_loop.pb", graph(("start", "Enter", "x"), ("merge", "Merge", "start", "next"), ("body", "Relu", "merge"),
    ("next", "NextIteration", "body"), ("out", "Exit", "merge")))
write("own_argument.pb", graph(("call", "same", "call"), ("out", "Relu", "call"), function=function("same", "x")))
write("missing_node.pb", graph(("out", "Relu", "nothing")))
write("assign.pb", graph(("v", "VarHandleOp"), ("a", "AssignVariableOp", "v", "x"), ("out", "Relu", "x", "^a")))
write("large_constant.pb", constant([1 << 61, 8], b"\0\0\0\0"))
write("short_constant.pb", constant([4], b"\0" * 10))
write("training.pb", training())
write("old_cubic.pb", resizing("ResizeBicubic", [1, 4, 3, 2], [6, 5]))
write("other_size.pb", resizing("ResizeNearestNeighbor", [1, -1, -1, 2], None))
write_unsigned()
write_loop()
