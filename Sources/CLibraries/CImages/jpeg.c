#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>
#include <jerror.h>

#include "failure.h"

/// The maximum number of scans of a progressive file; encoders write about ten.
#define SCAN_LIMIT 100

/// The maximum number of blocks of 8 x 8 samples in all scans together: about a second of decoding.
#define BLOCK_LIMIT 100000000

/// The state that libjpeg's error functions need to leave the decoder.
struct exit_point {
  struct jpeg_error_mgr errors;  // first, so that its address is this struct's
  jmp_buf environment;
  struct image_failure *failure;
  const uint8_t *start;  // of the file that is read; NULL when one is written
  size_t count;
  uint64_t blocks;
};

static size_t offset_of(j_common_ptr info, const struct exit_point *exit_point) {
  if (!info->is_decompressor || !exit_point->start) return 0;
  const struct jpeg_source_mgr *source = ((j_decompress_ptr)info)->src;
  if (!source || !source->next_input_byte) return 0;
  // Past the end of the file, libjpeg reads a buffer of its own.
  if (source->next_input_byte < exit_point->start ||
      source->next_input_byte > exit_point->start + exit_point->count) {
    return exit_point->count;
  }
  return (size_t)(source->next_input_byte - exit_point->start);
}

static _Noreturn void leave(
    j_common_ptr info, enum image_failure_kind kind, const char *reason) {
  struct exit_point *exit_point = (struct exit_point *)info->err;
  image_fail(exit_point->failure, kind, offset_of(info, exit_point), reason);
  longjmp(exit_point->environment, 1);
}

static _Noreturn void leave_with_message(j_common_ptr info) {
  char reason[JMSG_LENGTH_MAX];
  info->err->format_message(info, reason);
  switch (info->err->msg_code) {
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED:
      leave(info, image_unsupported, reason);
    case JERR_NO_BACKING_STORE:
    case JERR_OUT_OF_MEMORY:
      leave(info, image_out_of_memory, reason);
    default:
      leave(info, image_malformed, reason);
  }
}

/// Treats warnings as errors, except those after which every pixel still has data of its own.
static void judge_message(j_common_ptr info, int level) {
  if (level >= 0) return;
  switch (info->err->msg_code) {
    case JWRN_ADOBE_XFORM:
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_JFIF_MAJOR:
    case JWRN_TOO_MUCH_DATA:
      return;
    default:
      leave_with_message(info);
  }
}

static void print_nothing(j_common_ptr info) { (void)info; }

static void limit_scans(j_common_ptr info) {
  const struct exit_point *exit_point = (struct exit_point *)info->err;
  const uint64_t scans = (uint64_t)((j_decompress_ptr)info)->input_scan_number;
  if (scans > SCAN_LIMIT || scans * exit_point->blocks > BLOCK_LIMIT) {
    leave(info, image_malformed, "more scans than an image of its size needs");
  }
}

static struct jpeg_error_mgr *errors_to(
    struct exit_point *exit_point, struct image_failure *failure) {
  jpeg_std_error(&exit_point->errors);
  exit_point->errors.error_exit = leave_with_message;
  exit_point->errors.emit_message = judge_message;
  exit_point->errors.output_message = print_nothing;
  exit_point->failure = failure;
  exit_point->start = NULL;
  exit_point->count = 0;
  exit_point->blocks = 0;
  return &exit_point->errors;
}

static void read_header(
    struct jpeg_decompress_struct *info, struct exit_point *exit_point, const uint8_t *bytes,
    size_t count) {
  exit_point->start = bytes;
  exit_point->count = count;
  jpeg_create_decompress(info);
  jpeg_mem_src(info, bytes, count);
  jpeg_read_header(info, TRUE);
}

/// Counts the blocks of 8 x 8 samples, and leaves when the file cannot hold them: each takes at
/// least one bit, except with arithmetic coding.
static void count_blocks(struct jpeg_decompress_struct *info, struct exit_point *exit_point) {
  for (int index = 0; index < info->num_components; index++) {
    const jpeg_component_info *component = &info->comp_info[index];
    exit_point->blocks += (uint64_t)component->width_in_blocks * component->height_in_blocks;
  }
  if (!info->arith_code && exit_point->blocks / 8 > exit_point->count) {
    leave((j_common_ptr)info, image_malformed, "the file is shorter than its image needs");
  }
}

/// Converts pixels of cyan, magenta, yellow and black, stored inverted as Adobe does, to RGB.
static void convert_cmyk(const JSAMPLE *cmyk, size_t width, uint8_t *rgb) {
  for (size_t x = 0; x < width; x++, cmyk += 4, rgb += 3) {
    for (int component = 0; component < 3; component++) {
      unsigned product = (255u - cmyk[component]) * cmyk[3] + 128;
      rgb[component] = (uint8_t)(cmyk[3] - ((product + (product >> 8)) >> 8));
    }
  }
}

static void read_rows(struct jpeg_decompress_struct *info, uint8_t *pixels) {
  const size_t stride = (size_t)info->output_width * 3;
  JSAMPARRAY inks = NULL;
  if (info->out_color_space == JCS_CMYK) {
    inks = info->mem->alloc_sarray(
        (j_common_ptr)info, JPOOL_IMAGE, info->output_width * 4, 1);
  }
  while (info->output_scanline < info->output_height) {
    JSAMPROW row = pixels + info->output_scanline * stride;
    jpeg_read_scanlines(info, inks ? inks : &row, 1);
    if (inks) convert_cmyk(inks[0], info->output_width, row);
  }
}

bool image_jpeg_size(
    const uint8_t *bytes, size_t count, struct image_size *size,
    struct image_failure *failure) {
  struct jpeg_decompress_struct info = {0};
  struct exit_point exit_point;
  info.err = errors_to(&exit_point, failure);
  volatile bool done = false;
  if (setjmp(exit_point.environment) == 0) {
    read_header(&info, &exit_point, bytes, count);
    size->width = info.image_width;
    size->height = info.image_height;
    done = true;
  }
  jpeg_destroy_decompress(&info);
  return done;
}

bool image_jpeg_decode(
    const uint8_t *bytes, size_t count, size_t memory_limit, struct image_size size,
    uint8_t *pixels, struct image_failure *failure) {
  struct jpeg_decompress_struct info = {0};
  struct exit_point exit_point;
  struct jpeg_progress_mgr progress = {.progress_monitor = limit_scans};
  info.err = errors_to(&exit_point, failure);
  volatile bool done = false;
  if (setjmp(exit_point.environment) == 0) {
    read_header(&info, &exit_point, bytes, count);
    if (info.image_width != size.width || info.image_height != size.height) {
      leave((j_common_ptr)&info, image_malformed, IMAGE_CHANGED);
    }
    count_blocks(&info, &exit_point);
    info.progress = &progress;
    info.mem->max_memory_to_use = (long)memory_limit;
    info.out_color_space = info.num_components == 4 ? JCS_CMYK : JCS_RGB;
    info.dct_method = JDCT_ISLOW;
    info.do_fancy_upsampling = TRUE;
    jpeg_start_decompress(&info);
    read_rows(&info, pixels);
    jpeg_finish_decompress(&info);
    done = true;
  }
  jpeg_destroy_decompress(&info);
  return done;
}

static void write_rows(
    struct jpeg_compress_struct *info, const uint8_t *pixels, struct image_size size,
    int quality) {
  info->image_width = (JDIMENSION)size.width;
  info->image_height = (JDIMENSION)size.height;
  info->input_components = 3;
  info->in_color_space = JCS_RGB;
  jpeg_set_defaults(info);
  jpeg_set_quality(info, quality, TRUE);
  info->comp_info[0].h_samp_factor = info->comp_info[0].v_samp_factor = 1;
  info->dct_method = JDCT_ISLOW;
  jpeg_start_compress(info, TRUE);
  while (info->next_scanline < info->image_height) {
    JSAMPROW row = (JSAMPROW)pixels + info->next_scanline * size.width * 3;
    jpeg_write_scanlines(info, &row, 1);
  }
  jpeg_finish_compress(info);
}

bool image_jpeg_encode(
    const uint8_t *pixels, struct image_size size, int quality, struct image_file *file,
    struct image_failure *failure) {
  struct jpeg_compress_struct info = {0};
  struct exit_point exit_point;
  unsigned char *written = NULL;
  unsigned long count = 0;
  info.err = errors_to(&exit_point, failure);
  volatile bool done = false;
  if (setjmp(exit_point.environment) == 0) {
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &written, &count);
    write_rows(&info, pixels, size, quality);
    done = true;
  }
  jpeg_destroy_compress(&info);
  file->bytes = written;
  file->count = count;
  if (!done) image_free(file);
  return done;
}

void image_free(struct image_file *file) {
  free(file->bytes);
  *file = (struct image_file){0};
}
