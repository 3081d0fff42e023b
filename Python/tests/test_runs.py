"""Running on memory of NumPy's."""

import threading

import numpy
import pytest

import weighbridge
from weighbridge._arrays import numpy_type


def expect_same(got, want):
    assert got.keys() == want.keys()
    for name in got:
        assert got[name].dtype == want[name].dtype and got[name].shape == want[name].shape
        assert numpy.allclose(got[name], want[name], rtol=1e-4, atol=1e-5)


def test_what_keras_computed(model, sketch, samples):
    recorded = numpy.load(samples / "Models/sketch-classifier/outputs.npz")
    (got,) = model.run(sketch).values()
    assert numpy.allclose(got, recorded[recorded.files[0]], atol=1e-5)


def test_engines_agree(dense, dense_inputs):
    with dense.session(engine="reference") as reference, dense.session(threads=1) as session:
        want = reference.run(dense_inputs)
        for _ in range(3):
            expect_same(session.run(dense_inputs), want)


def test_the_time_of_each_layer(model, sketch):
    inputs = {model.inputs[0].name: sketch}
    with model.session(threads=1) as session:
        session.run(inputs)
        profile = session.profile(inputs)
    assert profile.milliseconds == pytest.approx(sum(layer.milliseconds for layer in profile.layers))
    times = [layer.milliseconds for layer in profile.layers]
    assert len(times) > 3 and times == sorted(times, reverse=True)
    assert any("convolution" in layer.kernel and layer.operations > 0 for layer in profile.layers)
    assert profile.activation_bytes >= profile.activation_bytes_at_least > 0


def test_results_do_not_share_memory(dense, dense_inputs):
    first = dense.run(dense_inputs)
    kept = {name: array.copy() for name, array in first.items()}
    dense.run({name: array * 2 for name, array in dense_inputs.items()})
    for name in first:
        assert numpy.array_equal(first[name], kept[name])


def test_other_shapes(model, sketch):
    name = model.outputs[0].name
    one = model.run(sketch)[name]
    three = model.run(numpy.concatenate([sketch] * 3))[name]
    assert three.shape == (3, 8) and numpy.allclose(three, one, atol=1e-5)
    assert model.run(sketch)[name].shape == (1, 8)


def test_read_only_inputs_are_only_read(dense, dense_inputs):
    want = dense.run(dense_inputs)
    for array in dense_inputs.values():
        array.flags.writeable = False
    expect_same(dense.run(dense_inputs), want)


def test_outputs_of_the_caller(dense, dense_inputs):
    want = dense.run(dense_inputs)
    out = {name: numpy.empty_like(array) for name, array in want.items()}
    got = dense.run(dense_inputs, out=out)
    assert all(got[name] is out[name] for name in out)
    expect_same(out, want)
    with dense.session(engine="reference") as reference:
        got = reference.run(dense_inputs, out=out)
        assert all(got[name] is out[name] for name in out)
        expect_same(out, want)


def test_memory_that_is_not_aligned(dense, dense_inputs):
    want = dense.run(dense_inputs)
    for name, array in dense_inputs.items():
        room = numpy.empty(array.nbytes + 1, "uint8")[1:]
        room[:] = array.view("uint8").reshape(-1)
        dense_inputs[name] = room.view("float32").reshape(array.shape)
    assert not all(array.flags.aligned for array in dense_inputs.values())
    expect_same(dense.run(dense_inputs), want)


def test_wrong_arrays(dense, dense_inputs):
    name, other = dense_inputs
    right = dense_inputs[name]
    cases = [
        (right.astype("float64"), r"takes float32 \[3, 4\].*astype\('float32'\)"),
        (right.tolist(), "numpy.asarray"),
        (numpy.asfortranarray(right), "ascontiguousarray"),
        (numpy.repeat(right, 2, axis=1)[:, ::2], "ascontiguousarray"),
        (right.astype(">f4"), "astype"),
        (right.reshape(4, 3), r"\[3, 4\]"),
        (right[0], r"\[3, 4\]"),
    ]
    for array, text in cases:
        with pytest.raises(weighbridge.ArgumentError, match=text):
            dense.run({name: array, other: dense_inputs[other]})
    for inputs in ({}, {name: right}, {**dense_inputs, "third": right}, {name: right, "x": right}):
        with pytest.raises(weighbridge.ArgumentError, match="the model takes"):
            dense.run(inputs)
    dense.run(dense_inputs)


def test_wrong_outputs(dense, dense_inputs):
    want = dense.run(dense_inputs)
    name = dense.outputs[0].name
    read_only = numpy.empty_like(want[name])
    read_only.flags.writeable = False
    cases = [
        ({name: read_only}, "read-only"),
        ({name: numpy.empty((3, 6), "float32")}, r"numpy.empty\(\(3, 5\)"),
        ({name: numpy.empty((3, 5), "int32")}, "astype"),
        ({name: numpy.empty((5, 3), "float32").T}, "contiguous"),
        ({"nobody": want[name]}, "there is no output nobody"),
    ]
    for out, text in cases:
        with pytest.raises(weighbridge.ArgumentError, match=text):
            dense.run(dense_inputs, out=out)
    room = numpy.zeros(1024, "float32")
    first = dense_inputs[dense.inputs[0].name]
    overlapping = room[:15].reshape(3, 5)
    room[:12] = first.reshape(-1)
    with pytest.raises(weighbridge.ArgumentError, match="overlaps"):
        dense.run(
            {**dense_inputs, dense.inputs[0].name: room[:12].reshape(3, 4)}, out={name: overlapping}
        )


def test_wrong_settings(dense):
    for settings, text in [
        ({"engine": "gpu"}, "reference, cpu"), ({"threads": 0}, "threads"), ({"threads": -1}, "threads"),
        ({"memory_limit": -5}, "memory_limit"),
    ]:
        with pytest.raises(weighbridge.ArgumentError, match=text):
            dense.session(**settings)


def test_a_memory_limit(model, sketch):
    with model.session(memory_limit=64) as session:
        with pytest.raises(weighbridge.StateError, match="`memory_limit`"):
            session.run({model.inputs[0].name: sketch})


@pytest.mark.parametrize("name", ["float16_cnn", "float64_recurrent", "uint8_picture", "bfloat16_dense"])
def test_other_number_types(name, samples):
    folder = samples / "Models/number-types"
    recorded = numpy.load(folder / f"{name}.inputs.npz")
    model = weighbridge.open(folder / f"{name}.k2.h5")
    inputs = {
        port.name: recorded[file].astype(port.dtype)
        for port, file in zip(model.inputs, recorded.files)
    }
    got = model.run(inputs)
    with model.session(engine="reference") as reference:
        want = reference.run(inputs)
    for port in model.outputs:
        assert got[port.name].dtype == want[port.name].dtype == numpy_type(port.dtype)
        assert numpy.allclose(numbers(got[port.name]), numbers(want[port.name]), atol=2e-2)


def numbers(array):
    """The numbers of an array, which may be the bits of bfloat16."""
    if array.dtype == "uint16":
        return (array.astype("uint32") << 16).view("float32")
    return array.astype("float64")


def test_threads_take_turns(dense, dense_inputs):
    want = dense.run(dense_inputs)
    failures = []

    def work():
        try:
            for _ in range(50):
                expect_same(dense.run(dense_inputs), want)
        except BaseException as error:  # for the main thread to see
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_inputs_that_are_not_given(samples):
    """A state starts at zero; with the state that this gives, the next window is what was recorded."""
    model = weighbridge.open(samples / "CoreML/remembering.mlmodel")
    before = numpy.load(samples / "CoreML/remembering.before.npz")
    first = model.run({"features": before["features"]})
    expect_same(first, model.run({name: before[name] for name in before.files}))
    features = numpy.load(samples / "CoreML/remembering.inputs.npz")["features"]
    second = model.run({"features": features, "h_in": first["h_out"], "c_in": first["c_out"]})
    expect_same(second, dict(numpy.load(samples / "CoreML/remembering.outputs.npz")))
    with pytest.raises(weighbridge.ArgumentError, match="the inputs are h_in"):
        model.run({"h_in": first["h_out"]})
