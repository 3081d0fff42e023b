"""Makes the hostile pictures and README.md from Samples/Pictures. Needs Python 3 only; writes
beside itself."""

import pathlib
import struct
import zlib

HERE = pathlib.Path(__file__).parent
SAMPLES = HERE.parent.parent / "Pictures"


def sample(name):
    return (SAMPLES / name).read_bytes()


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, data=b"", depth=8, color_type=2, before=b""):
    header = struct.pack(">IIBBBBB", width, height, depth, color_type, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + before
        + chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b"")
    )


def patched(data, offset, replacement):
    return data[:offset] + replacement + data[offset + len(replacement) :]


def jpeg_sized(name, width, height):
    """A JPEG file whose frame header says another size."""
    data = sample(name)
    start = max(data.rfind(b"\xff\xc0\0\x11"), data.rfind(b"\xff\xc2\0\x11"))
    return patched(data, start + 5, struct.pack(">HH", height, width))


def scans(count):
    """A progressive JPEG file that repeats an empty scan."""
    data = sample("progressive.jpg")
    # A table of one code, for a run of 2^14 blocks or more that hold nothing, and a scan with it.
    table = b"\xff\xc4" + struct.pack(">HB", 2 + 17 + 1, 0x13) + bytes([1] + [0] * 15) + b"\xe0"
    scan = b"\xff\xda" + struct.pack(">HBBBBBB", 8, 1, 1, 0x33, 1, 63, 0) + b"\0\1"
    return data[:-2] + table + scan * count + data[-2:]


def exif(directory, count):
    """A JPEG file whose Exif data points elsewhere."""
    data = b"Exif\0\0MM\0*" + struct.pack(">IH", directory, count)
    segment = b"\xff\xe1" + struct.pack(">H", 2 + len(data)) + data
    whole = sample("baseline.jpg")
    return whole[:2] + segment + whole[2:]


DRAWING = sample("drawing.png")
BASELINE = sample("baseline.jpg")
SCAN = BASELINE.rindex(b"\xff\xda")
ROW = b"\0" + bytes(30)

FILES = {
    "empty.png": (b"", "A file without a byte."),
    "text.jpg": (b"This is not a picture.\n", "A text under a picture's name."),
    "animation.gif": (b"GIF89a" + struct.pack("<HH", 10, 10) + b"\0\0\0;", "GIF, which is not read."),
    "bitmap.bmp": (b"BM" + struct.pack("<IHHI", 58, 0, 0, 54) + bytes(44), "BMP, which is not read."),
    "web.webp": (b"RIFF" + struct.pack("<I", 30) + b"WEBPVP8 " + bytes(22), "WebP, which is not read."),
    "scan.tiff": (b"II*\0" + struct.pack("<IH", 8, 0) + bytes(4), "TIFF, which is not read."),
    "noise.png": (bytes((i * 197 + 131) % 251 for i in range(300)), "No kind of file at all."),
    "one_pixel.png": (png(1, 1, b"\0\1\2\3"), "A single pixel, which shows nothing."),
    "one_row.png": (png(10, 1, ROW), "A single row."),
    "zero_width.png": (png(0, 10), "A picture without columns."),
    "huge.png": (png(20000, 20000), "A picture over the limit of pixels."),
    "largest.png": (png(2**31 - 1, 2**31 - 1), "The largest size PNG can name."),
    "large_and_empty.png": (png(9999, 9999, bytes(1000)), "A large picture without pixels."),
    "signature_only.png": (DRAWING[:8], "The signature, and nothing behind it."),
    "header_only.png": (DRAWING[:33], "The header, and nothing behind it."),
    "cut.png": (DRAWING[:300], "A file that is cut off within its pixels."),
    "no_end.png": (DRAWING[:-12], "A file without its last chunk."),
    "flipped_bit.png": (patched(DRAWING, 200, bytes([DRAWING[200] ^ 1])), "A bit that a checksum guards."),
    "header_checksum.png": (patched(DRAWING, 19, b"\x20"), "A size that the header's checksum does not fit."),
    "few_rows.png": (png(10, 10, ROW * 5), "Half of the rows."),
    "not_deflate.png": (DRAWING[:33] + chunk(b"IDAT", b"not zlib") + chunk(b"IEND", b""), "Pixels that are not compressed."),
    "no_palette.png": (png(10, 10, (b"\0" + bytes(10)) * 10, 8, 3), "Indices without a palette."),
    "palette_short.png": (png(10, 10, (b"\0" + bytes(range(10))) * 10, 8, 3, chunk(b"PLTE", bytes(9))), "Indices behind the palette's end, for which decoders take black."),
    "depth.png": (png(10, 10, ROW * 10, 7), "Seven bits for a sample."),
    "chunk_length.png": (DRAWING[:33] + struct.pack(">I", 2**31) + b"IDAT", "A chunk of two gigabytes."),
    "signature_only.jpg": (BASELINE[:4], "The signature, and nothing behind it."),
    "no_scan.jpg": (BASELINE[:SCAN] + b"\xff\xd9", "Headers, and no pixels."),
    "cut.jpg": (BASELINE[: SCAN + 300], "A file that is cut off within its pixels."),
    "cut_with_end.jpg": (BASELINE[: SCAN + 300] + b"\xff\xd9", "The same with an end that libjpeg fills up to with gray."),
    "cut_progressive.jpg": (sample("progressive.jpg")[:-200], "Scans that are missing."),
    "overwritten.jpg": (patched(BASELINE, SCAN + 200, b"\xff\xd0" * 4), "Markers within the pixels."),
    "huge.jpg": (jpeg_sized("baseline.jpg", 65000, 65000), "A picture over the limit of pixels."),
    "large_and_short.jpg": (jpeg_sized("baseline.jpg", 9999, 9999), "A size for which the bytes cannot do."),
    "large_progressive.jpg": (jpeg_sized("progressive.jpg", 9999, 9999), "The same, of which all coefficients would be kept in memory."),
    "zero_height.jpg": (jpeg_sized("baseline.jpg", 37, 0), "A picture without rows."),
    "many_scans.jpg": (scans(500), "Scan after scan that changes nothing."),
    "twelve_bits.jpg": (patched(BASELINE, BASELINE.rfind(b"\xff\xc0") + 4, b"\x0c"), "Samples of twelve bits."),
    "lossless.jpg": (patched(BASELINE, BASELINE.rfind(b"\xff\xc0"), b"\xff\xc3"), "Lossless coding."),
    "exif_outside.jpg": (exif(0xFFFFFFF0, 1), "Exif data that points behind the file; the picture reads, as it is stored."),
    "exif_endless.jpg": (exif(8, 0xFFFF), "A directory of 65,535 entries in a few bytes; the picture reads."),
}

TEXT = """# Hostile pictures

Files at which decoders crash, guess or take a lot of memory: one per attack. `make.py` makes them
and this text. `Tests/Execution/VisionTests/HostilePictureTests.swift` says what the reader must answer.

| file | what it tries |
|---|---|
"""

for name, (data, _) in FILES.items():
    (HERE / name).write_bytes(data)
rows = "".join(f"| `{name}` | {FILES[name][1]} |\n" for name in sorted(FILES))
(HERE / "README.md").write_text(TEXT + rows)
