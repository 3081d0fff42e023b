// JPEG by libjpeg-turbo and PNG by libpng. Both report errors with longjmp, which must not cross Swift
// frames; these functions return false and describe the failure instead.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What kind of failure it was.
enum image_failure_kind {
  image_malformed,
  image_unsupported,
  image_out_of_memory,
};

/// Why a function returned false.
struct image_failure {
  enum image_failure_kind kind;
  /// The offset of the byte up to which the file was read.
  size_t offset;
  /// The library's words, with a NUL at the end.
  char reason[256];
};

/// The number of pixels along each axis, before any turning.
struct image_size {
  size_t width, height;
};

/// An encoded image, to be freed with `image_free`.
struct image_file {
  uint8_t *bytes;
  size_t count;
};

/// Reads the size from a JPEG file's header.
bool image_jpeg_size(
    const uint8_t *bytes, size_t count, struct image_size *size,
    struct image_failure *failure);

/// Decodes a JPEG file of a known size into `width * height` pixels of red, green and blue.
///
/// Fails if the size is no longer that of the file, or if any pixel would have no data of its own.
/// `memory_limit` is the maximum number of bytes that libjpeg may allocate.
bool image_jpeg_decode(
    const uint8_t *bytes, size_t count, size_t memory_limit, struct image_size size,
    uint8_t *pixels, struct image_failure *failure);

/// Encodes pixels of red, green and blue as baseline JPEG without chroma subsampling.
bool image_jpeg_encode(
    const uint8_t *pixels, struct image_size size, int quality, struct image_file *file,
    struct image_failure *failure);

/// Reads the size from a PNG file's header.
bool image_png_size(
    const uint8_t *bytes, size_t count, struct image_size *size,
    struct image_failure *failure);

/// Decodes a PNG file of a known size into `width * height` pixels of red, green and blue. Samples of 16 bits
/// are reduced to their upper byte, palette indices are looked up, gray is expanded to RGB, and transparency
/// is dropped.
///
/// Fails for an index outside of the palette, or if the size is no longer that of the file.
bool image_png_decode(
    const uint8_t *bytes, size_t count, struct image_size size, uint8_t *pixels,
    struct image_failure *failure);

/// Encodes pixels of red, green and blue as PNG.
bool image_png_encode(
    const uint8_t *pixels, struct image_size size, struct image_file *file,
    struct image_failure *failure);

/// Frees what an encoder made.
void image_free(struct image_file *file);
