#pragma once

#include "layouts.h"
#include "primitives.h"
#include "processor.h"

// Windows, the padded input that they read, and how their outputs are divided.

/// A window and an input along depth, height and width; missing axes have size 1.
struct space {
  int64_t sizes[3], targets[3], window[3], strides[3], dilation[3], before[3];
};

struct space make_space(
    const kernels_layout *source, const kernels_layout *target, struct kernels_window window);

/// The coordinates of a window element with this index.
void window_position(const struct space *space, int64_t index, int64_t position[3]);

/// The part of an input that the windows of all outputs cover, with padding where it extends beyond the
/// edges.
struct padded_input {
  /// The sizes of the input and of the padded input along depth, height and width, and the padding before the
  /// input.
  int64_t sizes[3], padded_sizes[3], before[3];
  /// The number of blocks of channels, and the size in bytes of a pixel of one.
  int64_t blocks, pixel_size;
  /// The value of each padding byte: 0, or the zero point of integers.
  int padding;
  /// Whether it is a copy. Otherwise it is a part of the input, and `padded_sizes` are those of the input.
  bool is_copied;
};

/// The sizes that the windows of all outputs cover.
void covered_sizes(const struct space *space, int64_t sizes[3]);

/// The range of input coordinates along an axis that an output's window covers, inside of the input.
INLINE void covered_range(
    const struct space *space, int axis, int64_t output, int64_t *first, int64_t *end) {
  const int64_t start = output * space->strides[axis] - space->before[axis];
  const int64_t step = space->dilation[axis];
  *first = start < 0 ? start + ceil_div(-start, step) * step : start;
  *end = smaller(space->sizes[axis], start + (space->window[axis] - 1) * step + 1);
}

/// Sets the sizes of an input whose blocks and pixels are set.
///
/// @param before, padded_sizes The padding before the input, and the sizes with all padding.
void set_padding(
    struct padded_input *input, const int64_t sizes[3], const int64_t before[3],
    const int64_t padded_sizes[3]);

/// The size in bytes of an image of the input, or with its padding.
int64_t input_bytes(const struct padded_input *input);
int64_t padded_bytes(const struct padded_input *input);

/// Sets the strides of planes, rows and pixels in the array that is read, in units of which a pixel takes
/// `pixel`. Returns the offset of the first covered element, in the same units.
ptrdiff_t padded_steps(const struct padded_input *input, ptrdiff_t pixel, ptrdiff_t steps[3]);

/// Returns the padded input of an image: the image itself, or a copy in `scratch`.
const void *pad_input(const struct padded_input *input, const void *source, void *scratch);

/// Sets the number of outputs along depth, height and width. Where each output depends only on the input
/// pixel at its own position, all outputs are computed as one long row.
void count_outputs(const struct space *space, const struct padded_input *input, int64_t counts[3]);

/// The number of tiles in a row of outputs, and where each begins, followed by the end of the row.
struct row_tiles {
  int64_t count;
  int32_t *starts;
};

/// Divides a row into tiles of at most `widest` outputs, as equal as possible. Returns false if the row is
/// too long or memory cannot be allocated. The caller frees `starts` in either case.
bool cut_row(struct row_tiles *tiles, int64_t width, int64_t widest);

/// The number of parts of an output per thread: when a thread is preempted, others take over its remaining
/// parts.
enum { PARTS_PER_THREAD = 4 };

/// Whether threads divide the rows of an output rather than its channels: where loading all weights costs
/// less than loading the whole input. The criterion is the same for all kinds of convolutions, so that a
/// thread finds its part of the previous layer's result in its own cache.
bool shares_rows(int64_t pixels, int64_t channels);

/// What a convolution of an image reads and writes.
struct traffic {
  /// The outputs of a channel, the channels, and the blocks of channels that are computed together.
  int64_t pixels, channels, blocks;
  /// The sizes in bytes of the weights, of the input, and of the output where it takes room in the cache.
  int64_t weights, source, target;
  /// The bytes of input and output that stay in a thread's cache.
  int64_t cache;
};

/// The number of parts into which the outputs of each block are divided: 1 if the threads divide the channels
/// and there are equally many blocks for each; otherwise enough for each thread to have several, and for the
/// input of a part to stay in the cache while all channels use it, unless rereading the weights costs more.
int64_t count_cuts(const struct traffic *traffic, int64_t threads);
