"""Makes most Core ML packages of this folder with coremltools 9 of PyTorch modules, and README.md.

Each package holds an ML Program. PyTorch computed the outputs beside it, of the module before its
conversion. Weights are compressed by coremltools where the name says so; the outputs are then those
of the module with the weights that the compressed ones stand for.

    pip install coremltools==9.0 torch numpy scikit-learn
    python record.py [NAME...]
"""

import pathlib
import shutil
import sys

import coremltools as ct
import coremltools.optimize.coreml as cto
import numpy as np
import torch
from coremltools.converters.mil import Builder as mb
from torch import nn
from torch.nn import functional as F

from settle import settled

HERE = pathlib.Path(__file__).parent
torch.manual_seed(7)


class Of(nn.Module):
    """A module of a function and the modules that it uses."""

    def __init__(self, function, *modules):
        super().__init__()
        self.function = function
        self.parts = nn.ModuleList(modules)

    def forward(self, *inputs):
        return self.function(*self.parts, *inputs)


def image(*modules):
    return nn.Sequential(*modules), [(1, 3, 9, 8)]


def rows(*modules):
    return nn.Sequential(*modules), [(2, 6)]


def first(module):
    return Of(lambda part, *x: part(*x)[0], module)


def of(function, *shapes):
    return Of(function), list(shapes)


class Decided(nn.Module):
    """A loop and branches that the numbers of the input decide; to be scripted, not traced."""

    def forward(self, x):
        steps, y = torch.zeros(1, dtype=torch.int32), x
        while bool(y.abs().sum() > 0.7):
            y = torch.tanh(y * 0.6)
            if bool(y.sum() > 0):
                y = y - 0.05
            else:
                y = y + 0.1
            steps = steps + 1
        return torch.cat([y, steps.to(torch.float32).reshape(1, 1).expand(1, 4)], 0)


def heads(x):
    return x.reshape(1, 5, 2, 4).permute(0, 2, 1, 3)


def attend(query, key, value, last, x):
    product = F.scaled_dot_product_attention(heads(query(x)), heads(key(x)), heads(value(x)))
    return last(product.permute(0, 2, 1, 3).reshape(1, 5, 8))


def attention():
    return Of(attend, *[nn.Linear(8, 8) for _ in range(4)]), [(1, 5, 8)]


def encode(query, key, value, last, first_norm, second_norm, wide, narrow, x):
    x = first_norm(x + attend(query, key, value, last, x))
    return second_norm(x + narrow(F.gelu(wide(x))))


def encoder():
    parts = [nn.Linear(8, 8) for _ in range(4)] + [nn.LayerNorm(8), nn.LayerNorm(8)]
    return Of(encode, *parts, nn.Linear(8, 16), nn.Linear(16, 8)), [(1, 5, 8)]


def residual():
    parts = nn.Conv2d(3, 6, 3, padding=1), nn.BatchNorm2d(6), nn.Conv2d(6, 6, 3, padding=1)
    return Of(
        lambda a, b, c, x: F.relu(c(F.relu(b(a(x)))) + a(x)).mean((2, 3)), *parts), [(1, 3, 8, 8)]


def small_network():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 4), nn.Softmax(1)), [(1, 3, 16, 16)]


def wide():
    return nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32)), [(2, 32)]


PLACES = torch.tensor([[0, 2], [1, 1], [3, 0]])


def assign(x):
    x = x.clone()
    x[:, 1:3] = x[:, 3:5] * 2
    return x


def after_pruning(compress):
    """Compresses the elements that pruning keeps."""
    pruning = cto.OpMagnitudePrunerConfig(target_sparsity=0.5, weight_threshold=0)

    def apply(model, config):
        pruned = cto.prune_weights(model, cto.OptimizationConfig(global_config=pruning))
        return compress(pruned, config, joint_compression=True)

    return apply


#: Modules with the shapes of their inputs.
MODULES = {
    "conv1d": lambda: (nn.Conv1d(4, 6, 3, padding=1, stride=2), [(2, 4, 9)]),
    "conv2d": lambda: image(nn.Conv2d(3, 5, (3, 2), stride=(2, 1), padding=(1, 0))),
    "conv2d_dilated": lambda: image(nn.Conv2d(3, 4, 3, dilation=2, padding=2)),
    "conv2d_grouped": lambda: (nn.Conv2d(4, 8, 3, groups=2, bias=False), [(1, 4, 7, 7)]),
    "conv2d_depthwise": lambda: (nn.Conv2d(4, 4, 3, groups=4, padding=1), [(1, 4, 7, 7)]),
    "conv2d_reflected": lambda: image(nn.Conv2d(3, 4, 3, padding=1, padding_mode="reflect")),
    "conv3d": lambda: (nn.Conv3d(2, 3, 3, padding=1), [(1, 2, 4, 5, 6)]),
    "conv_transpose": lambda: (nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1), [(1, 3, 5, 6)]),
    "conv_transpose_appended": lambda: (
        nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1), [(1, 3, 5, 6)]),
    "batch_norm": lambda: image(nn.BatchNorm2d(3), nn.ReLU6()),
    "instance_norm": lambda: image(nn.InstanceNorm2d(3, affine=True)),
    "group_norm": lambda: (nn.GroupNorm(2, 4), [(1, 4, 5, 6)]),
    "layer_norm": lambda: rows(nn.LayerNorm(6)),
    "local_response": lambda: image(nn.LocalResponseNorm(3)),
    "max_pool": lambda: image(nn.MaxPool2d(3, stride=2, padding=1)),
    "average_pool": lambda: image(nn.AvgPool2d(3, stride=2, padding=1)),
    "average_pool_inside": lambda: image(
        nn.AvgPool2d(3, stride=2, padding=1, count_include_pad=False)),
    "adaptive_pool": lambda: (nn.AdaptiveAvgPool2d(2), [(1, 3, 8, 8)]),
    "max_pool_rounded_up": lambda: (nn.MaxPool2d(3, 2, ceil_mode=True), [(1, 3, 12, 10)]),
    "average_pool_rounded_up": lambda: (
        nn.AvgPool2d(3, 2, padding=1, ceil_mode=True), [(1, 3, 12, 11)]),
    "average_pool_rounded_up_inside": lambda: (
        nn.AvgPool2d(3, 2, padding=1, ceil_mode=True, count_include_pad=False), [(1, 3, 12, 11)]),
    "wide": wide,
    "linear": lambda: rows(nn.Linear(6, 4), nn.Sigmoid(), nn.Linear(4, 3, bias=False)),
    "bilinear_sum": lambda: of(lambda a, b: torch.matmul(a, b.transpose(1, 2)), (2, 3, 4), (2, 5, 4)),
    "einsum": lambda: of(lambda a, b: torch.einsum("bij,bjk->bik", a, b), (2, 3, 4), (2, 4, 5)),
    "gelu": lambda: rows(nn.GELU()), "gelu_tanh": lambda: rows(nn.GELU(approximate="tanh")),
    "silu": lambda: rows(nn.SiLU()), "elu": lambda: rows(nn.ELU(0.7)),
    "softplus_channels": lambda: image(nn.Softplus(2.0)),
    "leaky": lambda: rows(nn.LeakyReLU(0.2)), "prelu": lambda: image(nn.PReLU(3)),
    "hard_swish": lambda: rows(nn.Hardswish()), "softplus": lambda: rows(nn.Softplus()),
    "softmax": lambda: rows(nn.Softmax(1)), "log_softmax": lambda: rows(nn.LogSoftmax(1)),
    "mish": lambda: rows(nn.Mish()), "tanh_shrink": lambda: rows(nn.Tanhshrink()),
    "lstm": lambda: (first(nn.LSTM(4, 5, batch_first=True)), [(1, 6, 4)]),
    "lstm_both": lambda: (first(nn.LSTM(4, 5, bidirectional=True)), [(6, 1, 4)]),
    "lstm_two": lambda: (first(nn.LSTM(4, 5, num_layers=2)), [(6, 1, 4)]),
    "gru_reset_after": lambda: (
        Of(lambda part, x, h: part(x, h[None])[0], nn.GRU(4, 5)), [(6, 2, 4), (2, 5)]),
    "gru": lambda: (first(nn.GRU(4, 5)), [(6, 2, 4)]),
    "gru_both": lambda: (
        first(nn.GRU(4, 5, bidirectional=True, batch_first=True)), [(2, 6, 4)]),
    "rnn": lambda: (first(nn.RNN(4, 5)), [(6, 1, 4)]),
    "attention": attention, "encoder": encoder, "residual": residual, "network": small_network,
    "product_attention": lambda: of(
        F.scaled_dot_product_attention, (1, 2, 5, 4), (1, 2, 5, 4), (1, 2, 5, 4)),
    "resized": lambda: image(nn.Upsample(scale_factor=2, mode="nearest")),
    "resized_bilinear": lambda: image(nn.Upsample(scale_factor=2, mode="bilinear")),
    "resized_corners": lambda: image(
        nn.Upsample(size=(13, 11), mode="bilinear", align_corners=True)),
    "resized_fraction": lambda: (nn.Upsample(scale_factor=1.5), [(1, 3, 8, 10)]),
    "resized_smaller": lambda: image(nn.Upsample(size=(5, 4))),
    "sampled": lambda: of(
        lambda x, g: F.grid_sample(x, g, align_corners=False), (1, 3, 6, 7), (1, 5, 4, 2)),
    "sampled_border": lambda: of(
        lambda x, g: F.grid_sample(x, g, padding_mode="border", align_corners=True),
        (1, 3, 6, 7), (1, 5, 4, 2)),
    "sampled_reflected": lambda: of(
        lambda x, g: F.grid_sample(x, g, padding_mode="reflection", align_corners=False),
        (2, 3, 6, 7), (2, 5, 4, 2)),
    "sampled_nearest": lambda: of(
        lambda x, g: F.grid_sample(x, g, mode="nearest", align_corners=False),
        (1, 3, 6, 7), (1, 5, 4, 2)),
    "pixel_unshuffle": lambda: (nn.PixelUnshuffle(2), [(2, 3, 4, 6)]),
    "pixel_shuffle": lambda: (nn.PixelShuffle(2), [(1, 8, 3, 4)]),
    "padded": lambda: image(nn.ConstantPad2d((1, 2, 0, 1), 0.5)),
    "replicated": lambda: image(nn.ReplicationPad2d((1, 2, 0, 1))),
    "sliced": lambda: of(lambda x: x[:, 1:, ::2, -3:], (1, 3, 6, 5)),
    "joined": lambda: of(lambda a, b: torch.cat([a, b * 2], 1), (2, 3), (2, 4)),
    "stacked": lambda: of(lambda a, b: torch.stack([a, b], 1), (2, 3), (2, 3)),
    "split": lambda: of(lambda x: torch.split(x, [1, 2], 1)[1] + x.chunk(3, 1)[0], (2, 3)),
    "flipped": lambda: of(lambda x: torch.flip(x, [1]), (2, 5)),
    "permuted": lambda: of(lambda x: x.permute(0, 2, 3, 1).reshape(1, -1, 3), (1, 3, 4, 5)),
    "reduced": lambda: of(lambda x: x.amax(2) + x.mean(2) - x.sum(2) / 7, (2, 3, 4)),
    "norm": lambda: of(lambda x: F.normalize(x, dim=1), (2, 5)),
    "decided": lambda: (torch.jit.script(Decided()), [(3, 4)]),
    "chosen": lambda: of(lambda x: torch.where(x > 0.2, x, -x * 3), (2, 5)),
    "clamped": lambda: of(lambda x: x.clamp(-0.5, 0.4), (2, 5)),
    "powers": lambda: of(lambda x: x.abs().pow(1.5) + x.exp() + x.abs().rsqrt(), (2, 5)),
    "sines": lambda: of(lambda x: x.sin() + x.cos() * x.atan() - x.erf(), (2, 5)),
    "top": lambda: of(lambda x: torch.topk(x, 3, 1)[0], (2, 5)),
    "greatest": lambda: of(lambda x: x.argmax(1).float() + x.max(1)[0], (2, 5)),
    "gathered": lambda: of(lambda x: x[[0, 2], [1, 3]], (3, 5)),
    "scattered": lambda: of(lambda x: torch.zeros(3, 5).scatter(1, PLACES, x), (3, 2)),
    "scattered_sums": lambda: of(lambda x: torch.ones(3, 5).scatter_add(1, PLACES, x), (3, 2)),
    "replaced": lambda: of(
        lambda x: x.clone().index_put(
            (torch.tensor([0, 2]), torch.tensor([1, 3])), torch.tensor([5.0, 6.0])), (3, 5)),
    "assigned": lambda: of(assign, (3, 5)),
    "lower": lambda: of(torch.tril, (4, 5)), "upper": lambda: of(lambda x: x.triu(1), (2, 4, 5)),
    "found": lambda: of(lambda x: x[x > 0], (3, 5)),
    "products": lambda: of(lambda x: x.cumprod(1), (3, 5)),
    "cumulated": lambda: of(lambda x: x.cumsum(1), (2, 5)),
}

#: Forms of compressed weights, with the deployment that has them.
COMPRESSED = {
    "int8": ("iOS16", cto.linear_quantize_weights, cto.OpLinearQuantizerConfig(
        mode="linear_symmetric", weight_threshold=0)),
    "palette4": ("iOS16", cto.palettize_weights, cto.OpPalettizerConfig(
        mode="uniform", nbits=4, weight_threshold=0)),
    "pruned": ("iOS16", cto.prune_weights, cto.OpMagnitudePrunerConfig(
        target_sparsity=0.6, weight_threshold=0)),
    "int4_blocks": ("iOS18", cto.linear_quantize_weights, cto.OpLinearQuantizerConfig(
        mode="linear_symmetric", dtype="int4", granularity="per_block", block_size=8,
        weight_threshold=0)),
    "uint4_blocks": ("iOS18", cto.linear_quantize_weights, cto.OpLinearQuantizerConfig(
        mode="linear", dtype="uint4", granularity="per_block", block_size=8, weight_threshold=0)),
    "palette_vectors": ("iOS18", cto.palettize_weights, cto.OpPalettizerConfig(
        mode="kmeans", nbits=4, cluster_dim=2, weight_threshold=0)),
    "pruned_palette": ("iOS18", after_pruning(cto.palettize_weights), cto.OpPalettizerConfig(
        mode="uniform", nbits=4, weight_threshold=0)),
    "pruned_int8": ("iOS18", after_pruning(cto.linear_quantize_weights), cto.OpLinearQuantizerConfig(
        mode="linear_symmetric", weight_threshold=0)),
    "palette3_groups": ("iOS18", cto.palettize_weights, cto.OpPalettizerConfig(
        mode="uniform", nbits=3, granularity="per_grouped_channel", group_size=8,
        weight_threshold=0)),
}


def converted(module, inputs, precision, target):
    is_script = isinstance(module, torch.jit.ScriptModule)
    traced = module if is_script else torch.jit.trace(module, inputs, check_trace=False)
    return ct.convert(
        traced, convert_to="mlprogram", skip_model_load=True,
        inputs=[ct.TensorType(name=f"x{n}", shape=x.shape) for n, x in enumerate(inputs)],
        outputs=[ct.TensorType(name="y")], compute_precision=precision,
        minimum_deployment_target=getattr(ct.target, target))


def converted_unit(unit, inputs):
    """PyTorch's gated recurrent unit as the operator of iOS 18, which the converter does not use."""
    order = lambda array: np.concatenate([array[:5], array[10:], array[5:10]])
    weights = {key: order(value.detach().numpy()) for key, value in unit.named_parameters()}

    @mb.program(
        input_specs=[mb.TensorSpec(shape=x.shape) for x in inputs], opset_version=ct.target.iOS18)
    def program(x0, x1):
        return mb.gru(
            x=x0, initial_h=x1, weight_ih=weights["weight_ih_l0"], weight_hh=weights["weight_hh_l0"],
            input_bias=weights["bias_ih_l0"], bias=weights["bias_hh_l0"], reset_after=True,
            output_sequence=True, name="y")[0]

    return ct.convert(
        program, source="milinternal", convert_to="mlprogram", skip_model_load=True,
        compute_precision=ct.precision.FLOAT32, minimum_deployment_target=ct.target.iOS18)


def record(name, build, precision=ct.precision.FLOAT32, target="iOS16", compress=None):
    module, shapes = build()
    module.eval()
    generator = torch.Generator().manual_seed(11)
    inputs = [torch.randn(shape, generator=generator) for shape in shapes]
    if name == "gru_reset_after":
        model = converted_unit(module.parts[0], inputs)
    else:
        model = converted(module, inputs, precision, target)
    if compress:
        function, config = compress
        model = function(model, cto.OptimizationConfig(global_config=config))
        plain = cto.decompress_weights(model)
        state = {n: w for n, w in module.state_dict().items()}
        load_weights(module, state, plain)
    folder = HERE / f"{name}.mlpackage"
    shutil.rmtree(folder, ignore_errors=True)
    model.save(str(folder))
    settled(folder)
    with torch.no_grad():
        output = module(*inputs)
    np.savez(HERE / f"{name}.inputs.npz", **{f"x{n}": x.numpy() for n, x in enumerate(inputs)})
    target = model.get_spec().description.output[0].name
    np.savez(HERE / f"{name}.outputs.npz", **{target: output.numpy()})


def load_weights(module, state, model):
    """Gives a module the weights that a converted model has, which are in the same order."""
    program = model._mil_program.functions["main"]
    consts = [op.val.val for op in program.find_ops(op_type="const")
              if isinstance(op.val.val, np.ndarray) and op.val.val.ndim >= 2]
    names = [name for name, weight in state.items() if weight.dim() >= 2]
    assert len(consts) == len(names), (len(consts), names)
    for name, const in zip(names, consts):
        assert tuple(state[name].shape) == const.shape
        state[name].copy_(torch.from_numpy(np.asarray(const, np.float32)))


def write_readme():
    lines = [
        "# Core ML packages of coremltools", "",
        "Made by `record.py` with coremltools 9 of PyTorch modules, and by two further scripts with older versions and",
        "of Keras. `MLProgramSampleTests.swift` reads them, and `Packaging/macos-check` has Core ML run them on a Mac. Each",
        "has an ML Program, its inputs, and the outputs that PyTorch or TensorFlow computed.", "", "| packages | what is in them |", "|---|---|",
        f"| {', '.join(f'`{name}`' for name in COMPRESSED)} | `wide` with weights that coremltools compressed |",
        "| `keras_*` | models of Keras 2.12 by coremltools 7.2 (`record_keras.py`), whose outputs TensorFlow computed |",
        "| `*_coremltools5` to `*_coremltools8` | modules by that version (`record_older.py`) |",
        "| `*_half_*` | programs that compute in float16, for iOS 15, 17 and 18 |",
        "| `gru_reset_after` | the operator of iOS 18 with the weights of PyTorch's unit |",
        "| others | a module of that name, in float32 for iOS 16 |", ""]
    (HERE / "README.md").write_text("\n".join(lines))


def main(only):
    write_readme()
    for name, build in MODULES.items():
        if not only or name in only:
            record(name, build)
    for name, (target, function, config) in COMPRESSED.items():
        if not only or name in only:
            record(f"{name}", wide, target=target, compress=(function, config))
    halves = [(name, target) for name in ["network", "lstm", "attention"]
              for target in ["iOS15", "iOS17", "iOS18"]]
    for name, target in halves + [("assigned", "iOS18"), ("greatest", "iOS18"), ("gru", "iOS17")]:
        full = f"{name}_half_{target.lower()}"
        if not only or full in only:
            record(full, MODULES[name], ct.precision.FLOAT16, target)


if __name__ == "__main__":
    main(sys.argv[1:])
