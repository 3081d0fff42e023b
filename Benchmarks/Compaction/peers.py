"""Other tools that compress weights. Each takes arrays by name and returns the size in bytes and the decoded arrays."""

import logging
import sys
import types

import numpy

logging.disable(logging.WARNING)


def import_nncodec():
    """Returns NNCodec's array coder, without the frameworks whose models it can also read."""
    def module(name, **members):
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(members)
        return sys.modules[name]

    names = "nncodec.framework"
    module(names, __path__=[],
           tensorflow_model=module(f"{names}.tensorflow_model", is_tef_model=lambda model: False),
           pytorch_model=module(f"{names}.pytorch_model", is_pyt_model=lambda model: False),
           use_case_init=module(f"{names}.use_case_init", use_cases={}))
    sys.modules.setdefault("h5py", types.ModuleType("h5py"))
    from nncodec import nnc
    return nnc


def nncodec(weights, qp, offsets=None):
    """ISO/IEC 15938-17 with dependent quantization; with one step size for all (about 2^(qp / 4)), or with an offset
    for each in quarters of powers of 2."""
    nnc = import_nncodec()
    each = None if offsets is None else {name: qp + offsets[name] for name in weights}
    coded = nnc.compress(dict(weights), qp=qp, qp_per_tensor=each, use_dq=True, param_opt=True, row_skipping=True,
                         bitstream_path=None, return_bitstream=True, verbose=False)
    decoded = nnc.decompress(coded, verbose=False)
    return len(coded), {name: numpy.asarray(decoded[name], "f4").reshape(weights[name].shape) for name in weights}


def coremltools_kmeans(weights, bits=8):
    """One lookup table for each weight, by k-means over its float16 elements, as computed by coremltools."""
    from coremltools.models.neural_network import quantization_utils
    size, result = 0, {}
    for name, weight in weights.items():
        table, codes = quantization_utils._get_kmeans_lookup_table_and_weight(bits, weight.astype("f2"))
        result[name] = numpy.float32(table).reshape(-1)[codes.reshape(-1)].reshape(weight.shape)
        size += (weight.size * bits + 7) // 8 + 4 * (1 << bits)
    return size, result


def onnxruntime_int8(weights):
    """int8 with a scale for each output channel, as computed by onnxruntime's quantiser."""
    from onnx import TensorProto
    from onnxruntime.quantization.quant_utils import quantize_data
    size, result = 0, {}
    for name, weight in weights.items():
        channels = []
        for channel in weight:
            _, scale, codes = quantize_data(channel.flatten(), TensorProto.INT8, symmetric=True)
            channels.append((numpy.float32(codes) * numpy.float32(scale)).reshape(channel.shape))
        result[name] = numpy.stack(channels)
        size += weight.size + 4 * len(weight)
    return size, result
