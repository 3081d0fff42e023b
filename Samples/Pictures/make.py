"""Draws the sample pictures and records what Pillow reads from them. Writes beside itself.

Needs Python 3, numpy and Pillow (recorded with 2.2.6 and 10.4.0).
"""

import io
import pathlib
import struct
import zlib

import numpy as np
from PIL import Image, ImageDraw, ImageOps

HERE = pathlib.Path(__file__).parent
WIDTH, HEIGHT = 37, 26
EXIF_ORIENTATION = 0x0112


def drawing():
    """A drawing of our own: a gradient, a house, a sun and a thin diagonal."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    sky = np.stack([x * 3 + 20, 250 - y * 5, 120 + (x + y) * 2], axis=-1).astype(np.uint8)
    picture = Image.fromarray(sky, "RGB")
    draw = ImageDraw.Draw(picture)
    draw.rectangle([5, 12, 17, 23], fill=(180, 60, 40), outline=(20, 10, 0))
    draw.polygon([(3, 12), (11, 4), (19, 12)], fill=(90, 20, 110))
    draw.ellipse([25, 2, 33, 10], fill=(255, 230, 0))
    draw.line([(20, 25), (36, 13)], fill=(255, 255, 255))
    return picture


def png(samples, depth, color_type, interlaced=False, extra=b""):
    """A PNG file of whole bytes or pairs of them, which Pillow writes only in part."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    def rows(part):
        return b"".join(b"\0" + row.astype(">u2" if depth == 16 else "u1").tobytes() for row in part)

    adam7 = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
    parts = [samples[y::dy, x::dx] for y, x, dy, dx in adam7] if interlaced else [samples]
    data = b"".join(rows(part) for part in parts if part.size)
    header = struct.pack(">IIBBBBB", samples.shape[1], samples.shape[0], depth, color_type, 0, 0, interlaced)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra
        + chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b"")
    )


def jpeg(picture, **options):
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=88, **options)
    return file.getvalue()


def saved_png(picture, **options):
    file = io.BytesIO()
    picture.save(file, "PNG", **options)
    return file.getvalue()


def exif(orientation, order):
    """Exif data of another entry and the orientation, in either byte order."""
    start = b"II*\0" if order == "<" else b"MM\0*"
    entry = struct.pack(order + "HHIHH", EXIF_ORIENTATION, 3, 1, orientation, 0)
    other = struct.pack(order + "HHII", 0x0100, 4, 1, WIDTH)
    return b"Exif\0\0" + start + struct.pack(order + "IH", 8, 2) + other + entry + struct.pack(order + "I", 0)


def files():
    picture = drawing()
    array = np.asarray(picture)
    cmyk = jpeg(picture.convert("CMYK"))
    adobe = cmyk.index(b"Adobe")
    wide = array.astype(np.uint16) * 257 - (array > 0) * 100  # the lower byte differs from the upper
    fade = np.linspace(0, 255, WIDTH * HEIGHT).astype(np.uint8).reshape(HEIGHT, WIDTH)
    transparent = picture.copy()
    transparent.putalpha(Image.fromarray(fade, "L"))
    palette = picture.quantize(12)
    result = {
        "drawing.png": saved_png(picture),
        "gray.png": saved_png(picture.convert("L")),
        "gray_1bit.png": saved_png(picture.convert("1")),
        "gray_16bit.png": png(wide[:, :, 1], 16, 0),
        "gray_alpha.png": saved_png(transparent.convert("LA")),
        "palette.png": saved_png(palette),
        "palette_transparent.png": saved_png(palette, transparency=bytes(range(0, 240, 20))),
        "transparent.png": saved_png(transparent),
        "transparent_color.png": saved_png(picture, transparency=(255, 255, 255)),
        "rgb_16bit.png": png(wide, 16, 2),
        "rgba_16bit.png": png(np.dstack([wide, fade.astype(np.uint16) * 257]), 16, 6),
        "interlaced.png": png(array, 8, 2, interlaced=True),
        "turned.png": saved_png(picture, exif=exif(6, ">")),
        "baseline.jpg": jpeg(picture, subsampling=0),
        "subsampled.jpg": jpeg(picture, subsampling=2),
        "progressive.jpg": jpeg(picture, progressive=True),
        "gray.jpg": jpeg(picture.convert("L")),
        "cmyk.jpg": cmyk,
        "ycck.jpg": cmyk[: adobe + 11] + b"\2" + cmyk[adobe + 12 :],
    }
    for orientation in range(1, 9):
        order = "<" if orientation % 2 else ">"
        result[f"orientation_{orientation}.jpg"] = jpeg(picture, subsampling=0, exif=exif(orientation, order))
    return result


def pixels(name, data):
    """What Pillow reads, turned upright. Of 16-bit gray the upper bytes, which Pillow clips."""
    picture = Image.open(io.BytesIO(data))
    if picture.mode == "I;16":
        return np.repeat((np.asarray(picture) >> 8).astype(np.uint8)[..., None], 3, axis=-1)
    return np.asarray(ImageOps.exif_transpose(picture).convert("RGB"))


def resized():
    """Sizes by Pillow, as a model's input takes them: stretched, cut and with bars."""
    picture = drawing()
    ways = {"nearest": Image.NEAREST, "pillow-bilinear": Image.BILINEAR, "pillow-bicubic": Image.BICUBIC}
    result = {}
    for name, way in ways.items():
        for width, height in [(16, 16), (64, 48), (11, 60), (90, 9), (WIDTH, 13)]:
            result[f"{name} stretch {width}x{height}"] = np.asarray(picture.resize((width, height), way))
    bilinear = ways["pillow-bilinear"]
    result["pillow-bilinear gray 20x20"] = np.asarray(picture.convert("L").resize((20, 20), bilinear))
    # Scaled to cover the input and cut, as torchvision's Resize and CenterCrop of squares.
    for name, way in ways.items():
        for width, height in [(16, 16), (33, 11), (9, 60)]:
            by_width = width * HEIGHT >= height * WIDTH
            size = (width, HEIGHT * width // WIDTH) if by_width else (WIDTH * height // HEIGHT, height)
            left, top = (size[0] - width) // 2, (size[1] - height) // 2
            cut = picture.resize(size, way).crop((left, top, left + width, top + height))
            result[f"{name} center-crop {width}x{height}"] = np.asarray(cut)
    # As keras-yolo3's letterbox_image: the scaled picture in the middle of gray.
    for width, height in [(32, 32), (50, 20)]:
        scale = min(width / WIDTH, height / HEIGHT)
        inner = (int(WIDTH * scale), int(HEIGHT * scale))
        frame = Image.new("RGB", (width, height), (128, 128, 128))
        frame.paste(
            picture.resize(inner, ways["pillow-bicubic"]),
            ((width - inner[0]) // 2, (height - inner[1]) // 2))
        result[f"pillow-bicubic letterbox {width}x{height}"] = np.asarray(frame)
    return result


def main():
    expected = {}
    for name, data in files().items():
        (HERE / name).write_bytes(data)
        expected[name] = pixels(name, data)
    np.savez_compressed(HERE / "pixels.npz", **expected)
    np.savez_compressed(HERE / "resized_by_pillow.npz", **resized())


main()
