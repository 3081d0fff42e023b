#pragma once

#include "operations.h"
#include "primitive.h"
#include "window.h"

// How a convolution is computed. A tile of some outputs of 16 or 32 channels stays in registers while the
// window passes over the input channels; each weight that is loaded serves all outputs of the tile. The
// weights of some input channels are used for many outputs before the next are loaded, so that they stay in
// the L1 cache, and are prefetched.
//
// The window reads a padded input: the part of the input that it covers, with zeros where it extends beyond
// the edges. So there is one inner loop, whatever the padding.

/// The offsets of a window element: in the input, relative to the origin of the window, and in the weights.
struct tap {
  ptrdiff_t source, weights;
};

/// Outputs at equal strides that read the input through the same taps. A convolution has one such pass; a
/// transposed one has a pass for each phase of its strides.
struct pass {
  int tap_count;
  struct tap *taps;
  /// The number of outputs along depth, height and width.
  int64_t counts[3];
  struct row_tiles tiles;
  /// The offsets of the first output and its input, and the strides to the next.
  ptrdiff_t source_offset, target_offset, source_steps[3], target_steps[3];
};

/// The passes of a convolution.
struct passes {
  int count;
  struct pass *list;
};

/// How the passes of a convolution are planned.
struct pass_plan {
  const struct space *space;
  bool is_transposed;
  /// The number of window elements along the width whose channels are contiguous and become one tap; 1 for a
  /// transposed convolution.
  int64_t joined;
  /// The size of a pixel of the padded input, and of the weights of a window element.
  ptrdiff_t pixel, weights_tap;
  /// The strides of the target's planes, rows and pixels.
  ptrdiff_t target_steps[3];
  /// The maximum number of outputs in a tile.
  int widest;
};

/// Plans the passes, and the padded input that they read, whose blocks and pixels are set. Returns false if
/// memory cannot be allocated; `free_passes` frees what there is in either case.
bool plan_passes(struct passes *passes, const struct pass_plan *plan, struct padded_input *input);

void free_passes(struct passes *passes);

/// Groups of channels: how many, and the number of outputs and inputs of each.
struct groups {
  int64_t count, outputs, inputs;
};

/// Whether blocks of channels cross groups, so that there are zero weights for channels of other groups.
static inline bool crosses_groups(const struct groups *groups) {
  return groups->count > 1 && (groups->outputs % CHANNELS || groups->inputs % CHANNELS);
}

struct convolution {
  kernels_primitive primitive;
  struct passes passes;
  int64_t images;
  struct padded_input input;
  /// The number of channel blocks that an output depends on.
  int64_t blocks;
  /// The number of contiguous elements that each tap covers, in a block and in the last one.
  int run, last_run;
  /// The number of channels in the last block that are not padding, if skipping the others saves products;
  /// otherwise 0.
  int last_filled;
  /// The strides of the channel blocks of the padded input; of the taps, input blocks and output blocks of
  /// the weights; and of the blocks of 16 channels of the target.
  ptrdiff_t source_block, weights_tap, weights_block, weights_outputs, target_block;
  /// The size of an image of the target in floats.
  int64_t target_image;
  int64_t out_channels;
  /// The number of blocks of 16 output channels in a tile, and the number of channels in these, or 8 if there are no
  /// more.
  int tile_blocks, width;
  struct groups groups;
  /// Whether the padding channels of the last block are stored.
  bool stores_padding;
  struct operations operations;
};

/// The number of blocks of 16 output channels in a tile: two with 32 registers of 16 elements.
static inline int output_blocks_per_tile(int64_t out_channels) {
  return kernels_level() == AVX512 && out_channels > CHANNELS ? 2 : 1;
}

/// A tile of outputs, and where its operands are.
struct tile {
  int count;
  /// The number of blocks of 16 output channels.
  int tile_blocks;
  /// The number of channels in the last of these that are not stored as padding.
  int64_t valid;
  /// Whether there are zero weights for channels of other groups; then also the first output and input channel.
  bool crosses_groups;
  int64_t first_output, first_input;
  const struct pass *pass;
  const float *source, *weights;
  /// The number of input blocks.
  int64_t blocks;
  float *low, *high;
  /// The stride between outputs.
  ptrdiff_t target_step;
  /// NULL to continue the partial sums in the target.
  const float *bias;
  bool adds_first, is_last, adds_last;
  /// The number of contiguous elements that a tap covers, and the number in the last block.
  int run, last_run;
  /// The data to prefetch, and how many cache lines of it with each tap.
  const char *next;
  int lines;
};

/// The maximum number of outputs in a tile, on any processor and by level: as many as the registers hold.
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

/// With fewer products than this, synchronizing threads costs more than it saves.
enum { MIN_SHARED_PRODUCTS = 1 << 19 };

/// The maximum number of outputs in a tile on this processor.
int widest_tile(void);

/// Computes a tile.
typedef void tile_function(const struct convolution *all, const struct tile *tile);

/// The number of channels that tiles for blocks of 16 channels read at a time.
enum { UNROLLED = 4 };

/// The functions for tiles of 1, 2, ... outputs with this many blocks of 16 channels, TILE_KINDS entries
/// apart.
///
/// @param valid The number of channels in the last block that are not padding.
enum { TILE_KINDS = 4 };
tile_function *const *tile_functions(const struct pass *pass, int run, int tile_blocks, int64_t valid);

/// The maximum number of input blocks that an output block depends on.
int64_t group_span(const struct groups *groups);

/// The first input block that an output block depends on.
int64_t first_block(const struct groups *groups, int64_t block);

/// The layout of convolution weights, with blocked outputs and, if `is_blocked`, blocked inputs.
struct kernels_layout layout_weights(
    const struct kernels_layout *weights, bool is_blocked, bool has_groups, int width);

/// The layout of weights `[groups, out, in, spatial...]` with output blocks that cross groups.
struct kernels_layout layout_groups(const struct kernels_layout *weights);

/// Reorders grouped weights to that layout, from row-major order.
kernels_primitive *kernels_reorder_groups(
    const kernels_layout *source, const kernels_layout *target);

/// A depthwise convolution: each output channel depends only on the input channel of the same index.
kernels_primitive *depthwise_convolution(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_window window,
    struct kernels_post_operations post);

/// A convolution with a 3 x 3 window by Winograd's algorithm; NULL where that does not apply or is not
/// worthwhile.
kernels_primitive *winograd_convolution(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_window window,
    struct kernels_post_operations post);

/// Transforms weights `[out, in, 3, 3]` to the form of that algorithm.
kernels_primitive *winograd_reorder(
    const kernels_layout *source, const kernels_layout *target, const float *scales, int count);

/// A convolution of few outputs with pixels in the elements of vectors; NULL where that does not apply or is not
/// worthwhile.
kernels_primitive *planar_convolution(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct kernels_window window,
    struct kernels_post_operations post);

/// A convolution or transposed convolution of blocks of channels.
kernels_primitive *blocked_convolution(
    const kernels_layout *source, const kernels_layout *weights, const kernels_layout *bias,
    const kernels_layout *target, struct space space, struct kernels_post_operations post,
    bool is_transposed);

/// Runs a planned convolution.
void run_convolution(const kernels_primitive *primitive, const struct call *call);

/// The padded input of an image.
const float *convolution_input(
    const struct convolution *all, const struct call *call, int64_t image);

/// Computes a row of a block of outputs, of a convolution with one pass.
///
/// @param source The result of `convolution_input`.
/// @param target The row's first output; the block's other 16 channels are `target_block` floats later.
void compute_convolution_row(
    const struct convolution *all, const float *source, const float *weights, const float *bias,
    int64_t block, int64_t row, float *target);
