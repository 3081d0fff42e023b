"""What others may send to the studio."""

import concurrent.futures
import errno
import http.client
import json
import os
import pathlib
import select
import socket
import struct
import zlib

from server import Server

ROOT = pathlib.Path(__file__).resolve().parents[3]
MODELS = ["coreml", "coreml-syntax", "darknet", "foreign", "hdf5", "keras", "onnx", "safetensors", "wbm"]


def ask(server, method, path, body=None, headers=None, token=True):
    """Status, headers and content of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
    try:
        place = f"/{server.token}/{path}" if token else path
        connection.request(method, place, body=body, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def check_visitors(server):
    """Who has no token, another host or another page is refused, and told nothing."""
    for path in ["/", "/model", "/api/studio", "/" + "0" * 32 + "/model", "//", "/%2e%2e/"]:
        status, headers, content = ask(server, "GET", path, token=False)
        assert status == 403, (path, status)
        assert server.token not in content.decode()
    for headers in [{"Host": "evil.example"}, {"Host": f"evil.example:{server.port}"},
                    {"Origin": "http://evil.example"}, {"Origin": "null"}]:
        for method, path in [("GET", "model"), ("POST", "api/look?model=scene-detector.wbm")]:
            status, answer, _ = ask(server, method, path, headers=headers)
            assert status == 403, (headers, status)
            assert "Access-Control-Allow-Origin" not in answer
    status, headers, _ = ask(server, "OPTIONS", "api/studio", headers={
        "Origin": "http://evil.example", "Access-Control-Request-Method": "POST"})
    assert status == 403 and not any(name.startswith("Access-Control") for name in headers), headers
    status, headers, _ = ask(server, "GET", "model")
    assert status == 200
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy, policy
    assert headers["Referrer-Policy"] == "no-referrer" and headers["X-Content-Type-Options"] == "nosniff"
    for name in ["../../etc/passwd", "%2Fetc%2Fpasswd", "..%2F..%2Fmodels%2Fsoftening.wbm", "", "07.png%00"]:
        assert ask(server, "GET", f"api/photo?name={name}")[0] == 404, name
    listening = [line.split()[1] for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
                 if line.split()[3] == "0A"]
    own = [place for place in listening if int(place.split(":")[1], 16) == server.port]
    assert own == [f"0100007F:{server.port:04X}"], f"it listens on {own}"


def raw(server, head, timeout=600):
    """A connection with the first lines of a request sent."""
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=timeout)
    connection.sendall(head.replace("TOKEN", server.token).encode())
    return connection


def check_large_uploads(server):
    """1 GB is refused: at once where the length is said, at the limit where it is not. Whoever has the answer and
    goes on sending is cut off."""
    path = "POST /TOKEN/api/look?model=scene-detector.wbm HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    with raw(server, path + f"Content-Length: {1 << 30}\r\n\r\n") as connection:
        assert connection.recv(4096).startswith(b"HTTP/1.1 413 "), "a stated gigabyte is taken"
    with (raw(server, path + "Transfer-Encoding: chunked\r\n\r\n") as connection,
          concurrent.futures.ThreadPoolExecutor(1) as pool):
        sender = pool.submit(send_on, connection)
        assert connection.recv(4096).startswith(b"HTTP/1.1 413 "), "an upload without an end is taken"
        print(f"an upload without an end is cut off after {sender.result() >> 20} MiB")
    assert server.memory() < 400 << 20, "an upload without an end is kept"
    path = "POST /TOKEN/api/report?name=a.h5&size=1073741824 HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    with raw(server, path + f"Content-Length: {1 << 30}\r\n\r\n") as connection:
        assert connection.recv(4096).startswith(b"HTTP/1.1 413 ")
    for path, body in [("api/report?name=a.h5&size=5", b"1234"), ("api/report?name=a.h5&size=3", b"1234"),
                       ("api/report", b"1234"), ("api/search?model=scene-detector.wbm", b"{"),
                       ("api/sketch?model=sketch-classifier.wbm", b'{"strokes": [[1e999]]}')]:
        assert ask(server, "POST", path, body)[0] == 400, path
    print("1 GB is refused")


def send_on(connection):
    """Sends the parts of a body until the other end has had enough. Returns how many bytes it took."""
    part = b"10000\r\n" + bytes(65536) + b"\r\n"
    count = 0
    try:
        while True:
            connection.sendall(part)
            count += len(part)
    except (BrokenPipeError, ConnectionResetError):
        return count


def bomb(width, height, data=bytes(1 << 20)):
    """A PNG file of a few bytes that says that it is so large, and its data before they are packed."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b"")


def check_pictures(server):
    """Picture bombs and broken pictures."""
    for width, height in [(30000, 30000), (2**31 - 1, 2**31 - 1), (2**31 - 1, 1)]:
        for path in ["api/look?model=scene-detector.wbm", "api/style?model=softening.wbm"]:
            status, _, content = ask(server, "POST", path, bomb(width, height))
            assert status == 413, (status, content)
    for file in sorted((ROOT / "Samples/Hostile/pictures").iterdir()):
        for model in ["scene-detector.wbm", "sketch-classifier.wbm"]:
            status, _, content = ask(server, "POST", f"api/look?model={model}", file.read_bytes())
            assert status in (200, 413, 422), (file, status, content)
    assert ask(server, "POST", "api/look?model=scene-detector.wbm", b"")[0] == 422
    assert ask(server, "POST", "api/look?model=nothing", b"")[0] == 404
    assert ask(server, "POST", "api/style?model=scene-detector.wbm", b"")[0] == 422


def check_models(server):
    """Every hostile model is reported or refused with words, and nothing of it stays."""
    counts = {}
    for folder in MODELS:
        for file in sorted((ROOT / "Samples/Hostile" / folder).iterdir()):
            if not file.is_file() or file.suffix in {".py", ".md", ".sh"}:
                continue
            content = file.read_bytes()
            status, _, answer = ask(
                server, "POST", f"api/report?name={file.name}&size={len(content)}", content)
            counts[status] = counts.get(status, 0) + 1
            assert status in (200, 422), (file, status, answer)
            assert status == 200 or json.loads(answer)["error"], (file, answer)
            assert not server.uploads(), server.uploads()
    server.check_alive()
    print(f"hostile models: {counts.get(200, 0)} reported, {counts.get(422, 0)} refused with words")


def report(**files):
    """What sends files to be reported on: the path and the body. Their names have an underline for the point."""
    names = [name.replace("_", ".") for name in files]
    query = [f"name={name}&size={len(content)}" for name, content in zip(names, files.values())]
    return f"api/report?{'&'.join(query)}", b"".join(files.values())


def network(side, filters, layers):
    """A darknet network of convolutions on pictures of a size, with weights that are zeros."""
    layer = f"[convolutional]\nbatch_normalize=1\nfilters={filters}\nsize=3\npad=1\nactivation=leaky\n"
    text = f"[net]\nwidth={side}\nheight={side}\nchannels=3\n" + layers * layer
    count = sum(filters * (4 + 9 * channels) for channels in [3] + [filters] * (layers - 1))
    return {"a_cfg": text.encode(), "a_weights": struct.pack("<iiiq", 0, 2, 5, 0) + bytes(4 * count)}


def check_limits(studio, samples, folder):
    """What asks for more than the helper may take is said, or ends the helper alone."""
    side = 5000
    small, picture = network(64, 8, 2), bomb(side, side, side * bytes(1 + 3 * side))
    with Server(studio, samples, folder, "--memory-limit", "64") as server:
        check_refusal(server, *report(**small, a_png=picture))
        # The library sees for itself that it cannot run this.
        status, _, answer = ask(server, "POST", *report(**network(1024, 64, 2)))
        page = ask(server, "GET", f"api/reports/{json.loads(answer)['id']}")[2].decode()
        assert "which the system does not have" in page
        assert ask(server, "POST", *report(**small))[0] == 200
    with Server(studio, samples, folder, "--time-limit", "1") as server:
        check_refusal(server, *report(**network(416, 256, 8)))
        assert ask(server, "POST", *report(**small))[0] == 200


def check_refusal(server, path, body):
    """The helper ends, with words, and nothing of what was sent stays."""
    status, _, answer = ask(server, "POST", path, body)
    assert status == 422, (status, answer)
    print(json.loads(answer)["error"])
    server.check_alive()
    assert not server.uploads()


def check_crowd(server, samples):
    """50 requests at once: each is answered, or told to come back."""
    picture = (samples / "photos/00.png").read_bytes()
    model = (samples / "models/scene-detector.wbm").read_bytes()
    for path, body in [("api/look?model=scene-detector.wbm", picture), report(a_wbm=model)]:
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            answers = list(pool.map(lambda _: ask(server, "POST", path, body), range(50)))
        counts = {}
        for status, headers, _ in answers:
            counts[status] = counts.get(status, 0) + 1
            assert status in (200, 503), status
            assert status == 200 or headers["Retry-After"] == "2", headers
        assert counts.get(200), counts
        print(f"50 at once to {path.split('?')[0]}: {counts}")
    server.check_alive()
    assert ask(server, "POST", "api/look?model=scene-detector.wbm", picture)[0] == 200


def check_stalled(studio, samples, folder):
    """A client that stops reading, one that stops sending and one that says nothing are let go."""
    large = samples / "photos/large.png"
    with open(large, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.truncate(256 << 20)
    try:
        with Server(studio, samples, folder, "--patience", "1") as server:
            stalled = socket.socket()
            stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            stalled.settimeout(600)
            stalled.connect(("127.0.0.1", server.port))
            stalled.sendall(
                f"GET /{server.token}/api/photo?name=large.png HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            waiting = raw(server, "POST /TOKEN/api/look?model=scene-detector.wbm HTTP/1.1\r\n"
                          "Host: 127.0.0.1\r\nContent-Length: 100\r\n\r\nabc")
            silent = raw(server, "GET /TOK")
            for name, connection in [("sending", waiting), ("saying", silent)]:
                assert not connection.recv(1), f"a client that stops {name} is kept"
            wait_for_reset(stalled)
            print("a client that stops reading, one that stops sending and a silent one are let go")
            assert ask(server, "GET", "api/studio")[0] == 200
            server.check_alive()
            for connection in [stalled, waiting, silent]:
                connection.close()
    finally:
        large.unlink()


def wait_for_reset(connection):
    """Waits until the other end has given a connection up, without reading what came before that."""
    events = select.poll()
    events.register(connection, 0)  # errors alone, which are always told
    assert events.poll(600_000), "a client that stops reading is kept"
    error = connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    assert error == errno.ECONNRESET, os.strerror(error)


def check_interruption(studio, samples, folder):
    """Ctrl-C while a helper works: both end, and nothing stays."""
    with Server(studio, samples, folder) as server:
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            answer = pool.submit(ask_until_closed, server, *report(**network(416, 256, 8)))
            while not (helpers := [pid for pid in server.children() if is_report(pid)]):
                assert not answer.done(), "the report is there too early"
            server.end()
            print(f"Ctrl-C while a helper works: {answer.result()}")
        for pid in helpers:
            assert not is_report(pid), "the helper is still there"


def ask_until_closed(server, path, body):
    """The status of an answer, or that there is none."""
    try:
        return ask(server, "POST", path, body)[0]
    except (OSError, http.client.HTTPException) as error:
        return type(error).__name__


def is_report(pid):
    """Whether a process is a helper that makes a report."""
    try:
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"report" in words


def check(studio, samples, folder):
    """All attacks."""
    with Server(studio, samples, folder) as server:
        check_visitors(server)
        check_large_uploads(server)
        check_pictures(server)
        check_models(server)
        check_crowd(server, samples)
        print(f"the studio has taken {server.memory() >> 20} MiB at most")
        assert server.memory() < 1 << 30
    check_stalled(studio, samples, folder)
    check_limits(studio, samples, folder)
    check_interruption(studio, samples, folder)
