// JPEG by libjpeg-turbo and PNG by libpng. Both leave through longjmp when something is wrong,
// which must not happen across Swift; here they return false and say what it was.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What kind of failure it was.
enum picture_failure_kind {
  picture_malformed,
  picture_unsupported,
  picture_out_of_memory,
};

/// Why a function returned false.
struct picture_failure {
  enum picture_failure_kind kind;
  /// The offset of the byte up to which the file was read.
  size_t offset;
  /// The library's words, with a NUL at the end.
  char reason[256];
};

/// The number of pixels along each axis, before any turning.
struct picture_size {
  size_t width, height;
};

/// An encoded picture, to be freed with `picture_free`.
struct picture_file {
  uint8_t *bytes;
  size_t count;
};

/// Reads the size from a JPEG file's header.
bool picture_jpeg_size(
    const uint8_t *bytes, size_t count, struct picture_size *size,
    struct picture_failure *failure);

/// Decodes a JPEG file of a known size into `width * height` pixels of red, green and blue.
///
/// A file that has another size meanwhile is a failure. Whatever leaves pixels without data of their own is a failure. `memory_limit` is the number of
/// bytes that libjpeg may take.
bool picture_jpeg_decode(
    const uint8_t *bytes, size_t count, size_t memory_limit, struct picture_size size,
    uint8_t *pixels, struct picture_failure *failure);

/// Encodes pixels of red, green and blue as baseline JPEG without chroma subsampling.
bool picture_jpeg_encode(
    const uint8_t *pixels, struct picture_size size, int quality, struct picture_file *file,
    struct picture_failure *failure);

/// Reads the size from a PNG file's header.
bool picture_png_size(
    const uint8_t *bytes, size_t count, struct picture_size *size,
    struct picture_failure *failure);

/// Decodes a PNG file of a known size into `width * height` pixels of red, green and blue: the
/// upper byte of 16-bit samples, palettes looked up, gray spread, transparency dropped.
///
/// An index that the palette does not have is a failure, and a file that has another size meanwhile.
bool picture_png_decode(
    const uint8_t *bytes, size_t count, struct picture_size size, uint8_t *pixels,
    struct picture_failure *failure);

/// Encodes pixels of red, green and blue as PNG.
bool picture_png_encode(
    const uint8_t *pixels, struct picture_size size, struct picture_file *file,
    struct picture_failure *failure);

/// Frees what an encoder made.
void picture_free(struct picture_file *file);
