"""Writes the types that ONNX's operators take, from onnx' own definitions and onnxruntime's list of
kernels, as Sources/Conversion/ONNXConversion/Export/ONNXSignatures.swift: for each operator whose name
stands in the sources there, and for each version of it that an opset from 13 to 23 has.

usage: onnx_signatures.py
"""

import pathlib
import re

import onnx
from onnxruntime.capi import onnxruntime_pybind11_state as onnxruntime_state

FOLDER = pathlib.Path(__file__).parents[2] / "Sources/Conversion/ONNXConversion"
TARGET = FOLDER / "Export/ONNXSignatures.swift"
OPSETS = range(13, 24)
# The letters of struct and numpy, as far as they go.
LETTERS = {
    "bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
    "int64": "q", "uint64": "Q", "float16": "e", "bfloat16": "w", "float": "f", "double": "d",
}
# The end of the range of opsets of a kernel for the newest version of its operator.
NEWEST = 2**31 - 1


def letters(types):
    known = {re.sub(r"^tensor\((\w+)\)$", r"\1", name) for name in types}
    return "".join(letter for name, letter in LETTERS.items() if name in known)


def kernel_types(schema, variable):
    """The letters for which onnxruntime has a kernel on a processor; `None` where that does not depend
    on the type."""
    types = set()
    for kernel in onnxruntime_state.get_all_opkernel_def():
        first, last = kernel.version_range
        is_of_version = first == schema.since_version or (
            first < schema.since_version <= last < NEWEST)
        if (kernel.op_name, kernel.domain, kernel.provider) == (
                schema.name, "", "CPUExecutionProvider") and is_of_version:
            types |= set(letters(kernel.type_constraints.get(variable, [])))
    # onnxruntime casts float16 itself.
    return types | {"e"} if "f" in types else types or None


def constraint(schema, entry):
    """A variable's types: those that onnxruntime computes with, a comma, and others."""
    known = letters(entry.allowed_type_strs)
    kernels = kernel_types(schema, entry.type_param_str)
    runs = "".join(letter for letter in known if kernels is None or letter in kernels)
    others = "".join(letter for letter in known if letter not in runs)
    return f"{entry.type_param_str}={runs}{',' if others else ''}{others}" if known else (
        f"{entry.type_param_str}=-")


def parameters(schema, entries):
    """The types of inputs or outputs: a variable's name, or letters; `*` repeats the last one."""
    constraints = {entry.type_param_str: entry.allowed_type_strs for entry in schema.type_constraints}
    texts = []
    for entry in entries:
        possible = constraints.get(entry.type_str, [entry.type_str])
        text = entry.type_str if len(possible) > 1 else letters(possible) or "-"
        if entry.option == onnx.defs.OpSchema.FormalParameterOption.Variadic:
            # The elements of a heterogeneous list have types of their own.
            text = (text if entry.is_homogeneous else "-") + "*"
        texts.append(text)
    return ",".join(texts) or "-"


def line(schema):
    variables = " ".join(
        constraint(schema, entry) for entry in schema.type_constraints
        if len(entry.allowed_type_strs) > 1)
    return (f"{schema.name} {schema.since_version} {parameters(schema, schema.inputs)} "
            f"{parameters(schema, schema.outputs)} {variables}").rstrip()


def source():
    """The text of the file."""
    names = set()
    for path in FOLDER.rglob("*.swift"):
        if path != TARGET:
            names |= set(re.findall(r'"([A-Z]\w+)"', path.read_text()))
    lines = {}
    for name in sorted(names):
        for opset in OPSETS:
            if onnx.defs.has(name, opset):
                schema = onnx.defs.get_schema(name, opset)
                lines[name, schema.since_version] = line(schema)
    table = "\n".join(f"    {text}" for text in lines.values())
    return f'''extension ONNXSignature {{
  /// The types that operators of ONNX's opsets 13 to 23 take, one version of an operator in each line:
  /// its name, the first opset that has it, the types of its inputs and of its outputs, and the types
  /// that each variable may stand for, those with which onnxruntime does not compute behind a comma.
  /// `*` repeats a type, `-` is any; the letters are those of ``letters``. Made by
  /// Tests/Peers/onnx_signatures.py from onnx' definitions and onnxruntime's kernels.
  static let table = """
{table}
    """
}}
'''


if __name__ == "__main__":
    TARGET.write_text(source())
