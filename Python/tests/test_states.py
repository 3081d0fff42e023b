"""Ctrl-C, other threads, forks."""

import os
import signal
import subprocess
import threading
import time

import numpy
import pytest

import weighbridge

class Gate:
    """Has the library stop in the function that it asks, until the gate is opened."""

    def __init__(self, monkeypatch):
        self.entered, self.opened = threading.Event(), threading.Event()
        self.function = weighbridge._library.Interrupt(self.pass_through)
        monkeypatch.setattr(weighbridge._library, "interrupt", lambda: self.function)

    def pass_through(self):
        self.entered.set()
        self.opened.wait()
        return 0


class Worker(threading.Thread):
    """A thread that runs a model."""

    def __init__(self, model, inputs):
        super().__init__()
        self.model, self.inputs, self.error = model, inputs, None

    def run(self):
        try:
            self.model.run(self.inputs)
        except weighbridge.WeighbridgeError as error:
            self.error = error


@pytest.fixture
def gate(monkeypatch):
    gate = Gate(monkeypatch)
    yield gate
    gate.opened.set()


def test_while_another_thread_runs(model, sketch, gate):
    session, inputs = model.session(), {model.inputs[0].name: sketch}
    time.sleep(0.02)  # it asks when 10 ms have passed
    worker = Worker(session, inputs)
    worker.start()
    # That this goes on while the worker is in the library shows that Python is not stopped meanwhile.
    gate.entered.wait()
    for use in (lambda: session.run(inputs), session.close):
        with pytest.raises(weighbridge.StateError, match="open one for each thread") as caught:
            use()
        assert caught.value.code == "busy"
    session.cancel()
    gate.opened.set()
    worker.join()
    assert worker.error is not None and worker.error.code == "cancelled"
    assert session.run(inputs)
    session.close()


def test_closing_a_model_while_it_runs(model, sketch, gate):
    gate.opened.set()
    model.run(sketch)
    gate.entered.clear()
    gate.opened.clear()
    time.sleep(0.02)
    worker = Worker(model, sketch)
    worker.start()
    gate.entered.wait()
    with pytest.raises(weighbridge.StateError, match="wait for that"):
        model.close()
    gate.opened.set()
    worker.join()
    assert worker.error is None
    model.close()


class Presser(threading.Thread):
    """A thread that presses Ctrl-C again and again."""

    def __init__(self):
        super().__init__()
        self.ended = threading.Event()

    def run(self):
        while not self.ended.wait(0.002):
            os.kill(os.getpid(), signal.SIGINT)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.join()


@pytest.fixture
def handler():
    """Sets a handler of SIGINT."""
    before = signal.getsignal(signal.SIGINT)
    yield lambda handler: signal.signal(signal.SIGINT, handler)
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def slow(tmp_path):
    """A network whose layers take much longer than it takes until the library asks whether to stop."""
    layer = "[convolutional]\nfilters=32\nsize=3\nstride=1\npad=1\nactivation=leaky\n"
    path = tmp_path / "slow.cfg"
    path.write_text("[net]\nwidth=160\nheight=160\nchannels=3\n" + 4 * layer)
    with weighbridge.open(path, random_weights=1) as model:
        yield model


@pytest.fixture
def picture(slow):
    return {slow.inputs[0].name: numpy.zeros((1, 3, 160, 160), "float32")}


def test_control_c_stops_a_run(slow, picture, handler):
    session = slow.session(engine="reference")

    def handle(number, frame):
        # Where Python itself handles the signal there is a frame; here the library was stopped.
        if frame is None:
            signal.default_int_handler(number, frame)

    handler(handle)
    with Presser():
        with pytest.raises(KeyboardInterrupt):
            while True:
                session.run(picture)
    assert session.run(picture)


def test_control_c_stops_verifying(slow, handler):
    handler(lambda number, frame: frame is None and signal.default_int_handler(number, frame))
    with Presser():
        with pytest.raises(KeyboardInterrupt):
            while True:
                slow.verify()


def test_a_handler_that_returns(slow, picture, handler):
    session = slow.session(engine="reference")
    handler(lambda number, frame: None)
    with Presser():
        with pytest.raises(weighbridge.StateError) as caught:
            while True:
                session.run(picture)
    assert caught.value.code == "cancelled"


def test_fork_after_open(model, sketch):
    model.run(sketch)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            model.run(sketch)
            text = "it ran"
        except weighbridge.StateError as error:
            text = f"{error.code}: {error}"
        except BaseException as error:
            text = repr(error)
        os.write(writing, text.encode())
        os._exit(0)
    os.close(writing)
    text = os.fdopen(reading).read()
    assert os.waitpid(child, 0)[1] == 0
    assert text.startswith("forked: ") and "spawn and forkserver" in text


def test_a_fork_before_anything_is_opened(python):
    """What a pool of processes does that opens its models in the workers."""
    program = (
        "import os, weighbridge\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    weighbridge.open('sketch-classifier.h5').verify()\n"
        "    os._exit(0)\n"
        "raise SystemExit(os.waitpid(child, 0)[1])\n"
    )
    subprocess.run([python, "-c", program], check=True)


def test_ending_with_open_models(python):
    program = (
        "import numpy, weighbridge\n"
        "model = weighbridge.open('sketch-classifier.h5')\n"
        "model.run(numpy.load('input.npy'))\n"
        "session = model.session()\n"
    )
    done = subprocess.run([python, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_importing_does_not_import_numpy(python):
    program = "import sys, weighbridge; raise SystemExit('numpy' in sys.modules)"
    subprocess.run([python, "-c", program], check=True)


def test_a_library_that_is_not_there(python):
    program = (
        "import weighbridge\n"
        "try:\n"
        "    weighbridge.version()\n"
        "except weighbridge.ModelError as error:\n"
        "    assert 'WEIGHBRIDGE_LIBRARY' in str(error)\n"
        "else:\n"
        "    raise SystemExit(1)\n"
    )
    environment = {**os.environ, "WEIGHBRIDGE_LIBRARY": "/no/such/library.so"}
    subprocess.run([python, "-c", program], check=True, env=environment)
