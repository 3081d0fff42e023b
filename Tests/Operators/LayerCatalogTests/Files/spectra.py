"""Records the Fourier transforms of real signals by NumPy: `python spectra.py` writes spectra.json next to it.

The samples of a signal of any length are ((7 j^2 + 3 j) mod 31 - 15) / 8, which doubles represent exactly. Of a long
spectrum some frequencies are recorded.
"""

import json
from pathlib import Path

import numpy

# Powers of 2, products of small factors, large primes alone and with other factors, and the shortest.
LENGTHS = [
    *range(1, 33), 49, 60, 64, 97, 121, 128, 169, 202, 211, 243, 256, 400, 500, 509, 1000, 1009, 1024, 2018, 2048, 2187,
    3125, 4096, 4099, 10007,
]


def spectrum(length):
    index = numpy.arange(length)
    numbers = numpy.fft.rfft(((7 * index * index + 3 * index) % 31 - 15) / 8)
    step = max(1, len(numbers) // 12)
    frequencies = sorted({*range(0, len(numbers), step), len(numbers) - 1})
    return {
        "length": length, "frequencies": frequencies, "real": [numbers[k].real for k in frequencies],
        "imaginary": [numbers[k].imag for k in frequencies],
    }


def main():
    lines = ",\n".join(json.dumps(spectrum(length)) for length in LENGTHS)
    Path(__file__).with_suffix(".json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
