"""Makes the archives of this folder with Python's zipfile. Run it here: python3 make.py

Members are called a, b, ...; the contents are what `contents` says, which the tests rely on.
"""
import io
import zipfile

DATE = (1980, 1, 1, 0, 0, 0)


def contents(count):
    """0, 0, 0, 1, 1, 1, 2, ..., modulo 256."""
    return bytes(index // 3 % 256 for index in range(count))


def entry(name, method=zipfile.ZIP_STORED):
    info = zipfile.ZipInfo(name, DATE)
    info.compress_type = method
    return info


def make(name, *members, comment=b""):
    with zipfile.ZipFile(name, "w") as archive:
        for info, data in members:
            archive.writestr(info, data)
        archive.comment = comment


class Unseekable(io.RawIOBase):
    """A file that can only be appended to, for which zipfile puts sizes behind the contents."""

    def __init__(self, path):
        self.file = open(path, "wb")

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


STORED, DEFLATED = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
make("empty.zip")
make("stored.zip", (entry("a"), contents(10)), (entry("b/c"), b""), (entry("d"), contents(500)))
make("deflated.zip", (entry("a", DEFLATED), contents(3000)), (entry("b", DEFLATED), b""))
make("commented.zip", (entry("a"), contents(4)), comment=b"PK and a comment")
make("names.zip", (entry("größe/é"), contents(4)), (entry("a b"), contents(5)))
with zipfile.ZipFile("large.zip", "w") as archive:
    with archive.open(entry("a"), "w", force_zip64=True) as file:
        file.write(contents(100))
with zipfile.ZipFile(Unseekable("streamed.zip"), "w") as archive:
    archive.writestr(entry("a", DEFLATED), contents(1000))
make("bzip2.zip", (entry("a", zipfile.ZIP_BZIP2), contents(1000)))
