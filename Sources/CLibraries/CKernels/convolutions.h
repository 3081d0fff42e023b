#pragma once

#include "primitive.h"

// How a convolution is computed. Some outputs of 16 or 32 channels, a tile, stay in registers while the
// window passes over the input channels; each weight that is read serves all outputs of the tile. The
// weights of some channels are used for many outputs before the next are read, so that they stay in the
// nearest cache, and are asked for before they are needed.
//
// The input is seen as a frame: what the window sees, with zeros around it where it looks beyond the
// edges. So there is one inner loop, whatever the padding.

/// Where the window's elements lie: in the input from where the window begins, and in the weights.
struct tap {
  ptrdiff_t source, weights;
};

/// Outputs at equal distances that see the input through the same taps. A convolution has one such
/// pass; a transposed one has one for each place between two steps.
struct pass {
  int tap_count;
  struct tap *taps;
  /// How many outputs there are along depth, height and width.
  int64_t counts[3];
  /// Into how many tiles a row is cut, and where each begins; the end stands last.
  int64_t row_tiles;
  int32_t *starts;
  /// Where the first begins, and the distances to the next.
  ptrdiff_t source_offset, target_offset, source_steps[3], target_steps[3];
};

/// Groups of channels: how many, and how many outputs and inputs each has.
struct groups {
  int64_t count, outputs, inputs;
};

/// Functions that follow a relu.
enum { MOST_FUNCTIONS = 4 };

struct convolution {
  kernels_primitive primitive;
  int pass_count;
  struct pass *passes;

  int64_t images;
  /// The input's sizes along depth, height and width.
  int64_t sizes[3];
  /// The frame's, and where it begins, seen from the input.
  int64_t frame[3], before[3];
  /// Whether the frame is a copy.
  bool is_copied;
  /// How many blocks of channels the input has, and how many channels stand side by side in it: those
  /// of a block, or all.
  int64_t source_blocks, lane;
  /// How many blocks of channels an output sees.
  int64_t blocks;
  /// How many elements side by side each tap takes, in a block and in the last one.
  int run, last_run;
  /// How many of a block there are in the last one, whose others are 0, as far as that saves products.
  int last_filled;
  /// The distances between the frame's blocks of channels, the weights' taps, blocks of inputs and
  /// blocks of outputs, and the target's blocks of 16 channels.
  ptrdiff_t source_block, weights_tap, weights_block, weights_outputs, target_block;
  /// The sizes of an image.
  int64_t source_image, target_image;
  int64_t out_channels;
  /// How many blocks of 16 output channels are computed at once, and how many channels that is.
  int halves, width;
  struct groups groups;
  /// Whether channels that fill up the last block are stored.
  bool stores_padding;
  /// Whether the sum with the target comes first or last.
  bool adds_first, adds_last;
  /// What is below 0 is multiplied by this, and nothing stays above the limit.
  float slope, limit;
  int function_count;
  struct kernels_post_operation functions[MOST_FUNCTIONS];
};

/// How many blocks of 16 output channels are computed at once: with 32 registers of 16 elements, two.
static inline int output_halves(int64_t out_channels) {
  return kernels_level() == AVX512 && out_channels > CHANNELS ? 2 : 1;
}

/// Some outputs, and what of the input they see.
struct tile {
  int count;
  /// How many blocks of 16 channels there are.
  int halves;
  const struct pass *pass;
  const float *source, *weights;
  /// How many blocks of inputs.
  int64_t blocks;
  float *low, *high;
  /// The distance between two outputs.
  ptrdiff_t target_step;
  /// NULL when sums that were begun are continued.
  const float *bias;
  bool adds_first, is_last, adds_last;
  /// How many elements side by side a tap takes, and how many of the last block.
  int run, last_run;
  /// What is needed soon, and how many lines of it are asked for with each tap.
  const char *next;
  int lines;
};

/// The most outputs of a tile, on any processor and by kind: as many as registers hold.
enum {
  WIDEST_TILE = 14,
  TILE_AVX512 = WIDEST_TILE,
  TILE_AVX2 = 6,
#if defined(__aarch64__)
  TILE_PORTABLE = 6,
#else
  TILE_PORTABLE = 2,
#endif
};

/// The most outputs of a tile here.
int widest_tile(void);

/// Computes a tile.
typedef void tile_function(const struct convolution *all, const struct tile *tile);

/// The functions for tiles of 1, 2, ... outputs and so many blocks of 16 channels, so many entries apart.
enum { TILE_KINDS = 4 };
tile_function *const *tile_functions(const struct pass *pass, int run, int halves);

/// How many blocks of inputs a block of outputs sees at most.
int64_t group_span(const struct groups *groups);

/// The first block of inputs that a block of outputs sees.
int64_t first_block(const struct groups *groups, int64_t block);

/// The layout of the weights of a convolution, with outputs in blocks, and of blocks of inputs or all of them.
struct kernels_layout layout_weights(
    const struct kernels_layout *weights, bool is_blocked, bool has_groups, int width);

/// The layout of weights `[groups, out, in, spatial...]` for outputs in blocks that cross groups.
struct kernels_layout layout_groups(const struct kernels_layout *weights);

/// Weights of groups in that layout, from a row-major order.
kernels_primitive *kernels_reorder_groups(
    const kernels_layout *source, const kernels_layout *target);

/// A convolution in which each output channel sees one input channel, the one of its number.
kernels_primitive *depthwise_convolution(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_window window,
    struct kernels_post_operations post);

/// A convolution with a window of 3 x 3 by Winograd's algorithm; NULL where that is not known or does not
/// pay.
kernels_primitive *winograd_convolution(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_window window,
    struct kernels_post_operations post);

/// Weights `[out, in, 3, 3]` in the form that it takes.
kernels_primitive *winograd_reorder(
    const kernels_layout *source, const kernels_layout *target, const float *scales, int count);

/// Takes over what is done to the result; false when that is not computed here.
bool set_operations(struct convolution *all, struct kernels_post_operations post);

/// Runs what was planned.
void run_convolution(const kernels_primitive *primitive, const struct call *call);

/// What the window sees of an image: the image in the input, or a copy with zeros around it.
const float *convolution_frame(
    const struct convolution *all, const struct call *call, int64_t image);

/// Computes a row of a block of outputs, of a convolution of one pass.
///
/// @param source What `convolution_frame` returned.
/// @param target The row's first output; the block's other 16 channels lie `target_block` behind.
void compute_convolution_row(
    const struct convolution *all, const float *source, const float *weights, const float *bias,
    int64_t block, int64_t row, float *target);

/// Cuts a pass's rows into tiles. Returns whether there was memory for it.
bool cut_into_tiles(struct pass *pass);

/// Applies the functions that follow to blocks of 16 channels of which so many are outputs.
void apply_operations(
    const struct convolution *all, float *elements, int64_t count, int64_t valid);

/// Parts of an output that each thread gets: when one loses its core, others take what is left.
enum { PARTS_OF_A_THREAD = 4 };

/// Whether threads share the rows of an output rather than its channels: where reading all weights costs
/// less than reading the whole input. The same for all kinds of convolutions, so that a thread finds in
/// its own cache what it made of the layer before.
bool shares_rows(int64_t places, int64_t channels);

/// A window and an input along depth, height and width; axes that are not there have size 1.
struct space {
  int64_t sizes[3], targets[3], window[3], strides[3], dilation[3], before[3];
};

struct space make_space(
    const kernels_layout *source, const kernels_layout *target, struct kernels_window window,
    int64_t first_axis);
