#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "failure.h"

/// The file that is being read, or the growing output.
struct stream {
  const uint8_t *source;
  struct image_file file;
  size_t position, capacity;
  struct image_failure *failure;
};

static void leave(png_structp png, png_const_charp reason) {
  struct stream *stream = png_get_error_ptr(png);
  image_fail(stream->failure, image_malformed, stream->position, reason);
  png_longjmp(png, 1);
}

/// Damaged chunks that the pixels do not need.
static void ignore(png_structp png, png_const_charp reason) { (void)png, (void)reason; }

static void read_bytes(png_structp png, png_bytep target, size_t count) {
  struct stream *stream = png_get_io_ptr(png);
  if (count > stream->file.count - stream->position) {
    stream->position = stream->file.count;
    png_error(png, "the file ends too early");
  }
  memcpy(target, stream->source + stream->position, count);
  stream->position += count;
}

static void write_bytes(png_structp png, png_bytep source, size_t count) {
  struct stream *stream = png_get_io_ptr(png);
  struct image_file *file = &stream->file;
  if (count > stream->capacity - file->count) {
    const size_t capacity = (file->count + count) * 2;
    uint8_t *bytes = realloc(file->bytes, capacity);
    if (!bytes) png_error(png, "not enough memory");
    file->bytes = bytes;
    stream->capacity = capacity;
  }
  memcpy(file->bytes + file->count, source, count);
  file->count += count;
}

static void flush_nothing(png_structp png) { (void)png; }

/// A reader that has read everything before the pixels, or NULL.
static png_structp open_reader(struct stream *stream, png_infop *info) {
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, stream, leave, ignore);
  *info = png ? png_create_info_struct(png) : NULL;
  if (!*info) {
    png_destroy_read_struct(&png, NULL, NULL);
    image_fail(stream->failure, image_out_of_memory, 0, "not enough memory");
    return NULL;
  }
  png_set_read_fn(png, stream, read_bytes);
  // The caller has its own limits, and needs no chunk but those of the pixels.
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  return png;
}

static void read_size(png_structp png, png_infop info, struct image_size *size) {
  png_read_info(png, info);
  size->width = png_get_image_width(png, info);
  size->height = png_get_image_height(png, info);
}

/// Asks libpng for whole bytes: indices of a palette, else red, green and blue.
static void set_transforms(png_structp png, bool is_indexed) {
  png_set_packing(png);
  if (is_indexed) return;
  png_set_expand_gray_1_2_4_to_8(png);
  png_set_gray_to_rgb(png);
  png_set_strip_16(png);
  png_set_strip_alpha(png);
}

/// Replaces the indices at the start of a row by their colors, from the row's end on. libpng could
/// do that, but takes black for indices that the palette does not have.
static void look_up(png_structp png, png_infop info, uint8_t *row, size_t width) {
  png_colorp palette = NULL;
  int count = 0;
  png_get_PLTE(png, info, &palette, &count);
  for (size_t x = width; x-- > 0;) {
    const int index = row[x];
    if (index >= count) png_error(png, "a pixel's index is outside of the palette");
    row[x * 3] = palette[index].red;
    row[x * 3 + 1] = palette[index].green;
    row[x * 3 + 2] = palette[index].blue;
  }
}

static void read_rows(
    png_structp png, png_infop info, struct image_size size, uint8_t *pixels) {
  struct image_size found;
  read_size(png, info, &found);
  if (found.width != size.width || found.height != size.height) png_error(png, IMAGE_CHANGED);
  const bool is_indexed = png_get_color_type(png, info) == PNG_COLOR_TYPE_PALETTE;
  const size_t stride = size.width * 3;
  set_transforms(png, is_indexed);
  const int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  if (png_get_rowbytes(png, info) != (is_indexed ? size.width : stride)) {
    png_error(png, "the rows have an unexpected length");
  }
  for (int pass = 0; pass < passes; pass++) {
    for (size_t y = 0; y < size.height; y++) png_read_row(png, pixels + y * stride, NULL);
  }
  png_read_end(png, NULL);
  for (size_t y = 0; is_indexed && y < size.height; y++) {
    look_up(png, info, pixels + y * stride, size.width);
  }
}

bool image_png_size(
    const uint8_t *bytes, size_t count, struct image_size *size,
    struct image_failure *failure) {
  struct stream stream = {.source = bytes, .file.count = count, .failure = failure};
  png_infop info;
  png_structp png = open_reader(&stream, &info);
  if (!png) return false;
  volatile bool done = false;
  if (setjmp(png_jmpbuf(png)) == 0) {
    read_size(png, info, size);
    done = true;
  }
  png_destroy_read_struct(&png, &info, NULL);
  return done;
}

bool image_png_decode(
    const uint8_t *bytes, size_t count, struct image_size size, uint8_t *pixels,
    struct image_failure *failure) {
  struct stream stream = {.source = bytes, .file.count = count, .failure = failure};
  png_infop info;
  png_structp png = open_reader(&stream, &info);
  if (!png) return false;
  volatile bool done = false;
  if (setjmp(png_jmpbuf(png)) == 0) {
    read_rows(png, info, size, pixels);
    done = true;
  }
  png_destroy_read_struct(&png, &info, NULL);
  return done;
}

static void write_rows(
    png_structp png, png_infop info, const uint8_t *pixels, struct image_size size) {
  png_set_IHDR(
      png, info, (png_uint_32)size.width, (png_uint_32)size.height, 8, PNG_COLOR_TYPE_RGB,
      PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (size_t y = 0; y < size.height; y++) png_write_row(png, pixels + y * size.width * 3);
  png_write_end(png, info);
}

bool image_png_encode(
    const uint8_t *pixels, struct image_size size, struct image_file *file,
    struct image_failure *failure) {
  struct stream stream = {.failure = failure};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &stream, leave, ignore);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) {
    png_destroy_write_struct(&png, NULL);
    image_fail(failure, image_out_of_memory, 0, "not enough memory");
    return false;
  }
  png_set_write_fn(png, &stream, write_bytes, flush_nothing);
  png_set_compression_level(png, 3);  // half the time of the default, for a few percent of size
  volatile bool done = false;
  if (setjmp(png_jmpbuf(png)) == 0) {
    write_rows(png, info, pixels, size);
    done = true;
  }
  png_destroy_write_struct(&png, &info);
  if (!done) image_free(&stream.file);
  *file = stream.file;
  return done;
}
