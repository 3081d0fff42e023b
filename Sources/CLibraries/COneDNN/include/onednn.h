// oneDNN 2.x, loaded when it is first needed: whoever only reads or writes models does not pay for a
// library of 40 MB. Built without its header, or run without the library, everything here says that
// it is not there.
//
// Numbers are float32. Functions that make something return NULL when the library cannot; what they
// return is never changed afterwards and may be used by several threads.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The most axes that an array may have.
#define ONEDNN_MAX_RANK 12

/// Loads the library. Returns NULL when it is there, else why it is not.
const char *onednn_load(void);

/// Sets how many threads work for the calling thread, for primitives made and run by it.
void onednn_set_threads(int count);

/// Calls `body` for 0 to `count` - 1 on the library's threads and waits for all of them.
void onednn_parallel(int count, void (*body)(void *context, int index), void *context);

// --- Layouts: the extents of an array, and how its elements lie in memory.

typedef struct onednn_layout onednn_layout;

/// Elements at given distances.
onednn_layout *onednn_layout_strided(int rank, const int64_t *extents, const int64_t *strides);

/// Extents without an order; a primitive chooses one.
onednn_layout *onednn_layout_any(int rank, const int64_t *extents);

/// `[batch, channels, spatial...]` with one to three spatial axes, the channels in blocks of 16.
onednn_layout *onednn_layout_blocked(int rank, const int64_t *extents);

/// `[outputs, inputs, rows, columns]` in blocks of 16 inputs by 32 outputs, the outputs innermost.
onednn_layout *onednn_layout_blocked_weights(const int64_t *extents);

/// The same elements; axis `axes[i]` of `layout` becomes axis i.
onednn_layout *onednn_layout_permuted(const onednn_layout *layout, const int *axes);

/// The same elements with other extents; axes may be split, merged, and of extent 1 come and go.
onednn_layout *onednn_layout_reshaped(
    const onednn_layout *layout, int rank, const int64_t *extents);

/// A part of an array, in the array's own memory.
onednn_layout *onednn_layout_part(
    const onednn_layout *layout, const int64_t *extents, const int64_t *offsets);

void onednn_layout_free(onednn_layout *layout);
bool onednn_layout_equal(const onednn_layout *first, const onednn_layout *second);

/// Writes the extent of each axis to `extents`, which has room for the most axes, and returns how many
/// there are.
int onednn_layout_extents(const onednn_layout *layout, int64_t *extents);

/// How many bytes the array takes, its padding included.
size_t onednn_layout_size(const onednn_layout *layout);

/// Whether the memory holds nothing but the array's elements and its padding.
bool onednn_layout_is_dense(const onednn_layout *layout);

/// Whether the memory holds something that is computed from the elements.
bool onednn_layout_is_opaque(const onednn_layout *layout);

/// The distances between neighbours (between blocks of them along a blocked axis), one for each axis.
void onednn_layout_strides(const onednn_layout *layout, int64_t *strides);

// --- Primitives: computations, ready to run.

typedef struct onednn_primitive onednn_primitive;

/// What an argument of a primitive is for.
enum onednn_role {
  onednn_role_source = 1,
  onednn_role_second_source = 2,
  onednn_role_third_source = 3,
  onednn_role_target = 17,
  onednn_role_second_target = 18,
  onednn_role_third_target = 19,
  onednn_role_weights = 33,
  onednn_role_second_weights = 34,
  onednn_role_bias = 41,
  onednn_role_mean = 49,
  onednn_role_variance = 50,
  onednn_role_scale = 51,
  onednn_role_shift = 52,
  onednn_role_scratchpad = 80,
  onednn_role_many_sources = 1024,
};

/// A function of each element.
enum onednn_function {
  onednn_function_abs,
  onednn_function_clip,
  onednn_function_elu,
  onednn_function_exp,
  onednn_function_gelu_erf,
  onednn_function_gelu_tanh,
  onednn_function_hardswish,
  onednn_function_linear,
  onednn_function_log,
  onednn_function_logistic,
  onednn_function_logsigmoid,
  onednn_function_mish,
  onednn_function_relu,
  onednn_function_round,
  onednn_function_soft_relu,
  onednn_function_sqrt,
  onednn_function_square,
  onednn_function_swish,
  onednn_function_tanh,
};

/// What is done to a primitive's result before it is stored: a function of it, or the sum with what
/// the target held before.
struct onednn_post_operation {
  bool is_sum;
  enum onednn_function function;
  float alpha, beta;
};

struct onednn_post_operations {
  const struct onednn_post_operation *operations;
  int count;
};

/// A window that slides over the spatial axes, one entry an axis.
struct onednn_window {
  const int64_t *size, *strides, *dilation, *before, *after;
};

/// A convolution of `[batch, channels, spatial...]`; weights `[out, in, spatial...]`, or
/// `[groups, out, in, spatial...]`. Without a bias, that is NULL. `is_winograd` asks for Winograd's
/// algorithm, which only some convolutions have.
onednn_primitive *onednn_convolution(
    const onednn_layout *source, const onednn_layout *weights, const onednn_layout *bias,
    const onednn_layout *target, struct onednn_window window,
    struct onednn_post_operations post, bool is_winograd);

/// The transpose of a convolution, with weights in the same order.
onednn_primitive *onednn_transposed_convolution(
    const onednn_layout *source, const onednn_layout *weights, const onednn_layout *bias,
    const onednn_layout *target, struct onednn_window window,
    struct onednn_post_operations post);

enum onednn_pooling { onednn_pooling_max, onednn_pooling_mean, onednn_pooling_mean_with_padding };

/// Pooling of `[batch, channels, spatial...]`.
onednn_primitive *onednn_pooling(
    enum onednn_pooling kind, const onednn_layout *source, const onednn_layout *target,
    struct onednn_window window);

/// `[rows, in]` times `[out, in]`, plus `[out]`.
onednn_primitive *onednn_dense(
    const onednn_layout *source, const onednn_layout *weights, const onednn_layout *bias,
    const onednn_layout *target, struct onednn_post_operations post);

/// `[batch..., m, k]` times `[batch..., k, n]`.
onednn_primitive *onednn_product(
    const onednn_layout *first, const onednn_layout *second, const onednn_layout *target);

/// A function of each element.
onednn_primitive *onednn_elementwise(
    enum onednn_function function, float alpha, float beta, const onednn_layout *layout);

enum onednn_combination {
  onednn_combination_add,
  onednn_combination_subtract,
  onednn_combination_multiply,
  onednn_combination_divide,
  onednn_combination_max,
  onednn_combination_min,
};

/// Two arrays, element by element; the second one may have extents of 1.
onednn_primitive *onednn_binary(
    enum onednn_combination combination, const onednn_layout *first,
    const onednn_layout *second, const onednn_layout *target);

/// Another order of the elements in memory.
///
/// @param scales Factors along axis 0 of the array (along axes 0 and 1 when `groups` is true);
///   none when `count` is 0.
onednn_primitive *onednn_reorder(
    const onednn_layout *source, const onednn_layout *target, bool groups, const float *scales,
    int count);

/// Arrays one behind the other.
onednn_primitive *onednn_concatenation(
    int axis, int count, const onednn_layout *const *sources, const onednn_layout *target);

/// e^x divided by its sum along an axis, or the logarithm of that.
onednn_primitive *onednn_softmax(const onednn_layout *layout, int axis, bool is_logarithm);

/// Normalisation per channel of `[batch, channels, ...]` by mean and variance, with a factor and a
/// summand.
onednn_primitive *onednn_batch_normalization(const onednn_layout *layout, float epsilon);

enum onednn_cell { onednn_cell_lstm, onednn_cell_gru };

/// What a recurrent layer takes and makes. Sequences are `[time, batch, features]`, states
/// `[1, 1, batch, units]`, weights `[1, 1, in, gates, units]`, the bias `[1, 1, gates, units]`. The
/// gates of an LSTM are i, f, g, o; those of a GRU, whose reset comes after the product, z, r, n, with
/// a fourth bias for the product with the state. Without a cell state, that is NULL.
struct onednn_recurrent_layouts {
  const onednn_layout *source, *state, *cell_state;
  const onednn_layout *weights, *state_weights, *bias;
  const onednn_layout *target, *last_state, *last_cell_state;
};

/// A recurrent layer with the logistic function and the hyperbolic tangent.
onednn_primitive *onednn_recurrent(
    enum onednn_cell cell, bool is_reversed, struct onednn_recurrent_layouts layouts);

void onednn_primitive_free(onednn_primitive *primitive);

/// The layout of an argument, for another owner; NULL when there is no such argument.
onednn_layout *onednn_primitive_layout(const onednn_primitive *primitive, int role);

/// The implementation, for example `jit:avx512_core`. Valid as long as the primitive.
const char *onednn_primitive_name(const onednn_primitive *primitive);

// --- Running.

/// Memory with a layout, as an argument of a primitive.
typedef struct onednn_memory onednn_memory;

/// Memory at an address, which it does not own.
onednn_memory *onednn_memory_make(const onednn_layout *layout, void *address);
void onednn_memory_free(onednn_memory *memory);

/// Lets the array lie at another address.
void onednn_memory_move(onednn_memory *memory, void *address);

/// An argument of a call.
struct onednn_argument {
  int role;
  onednn_memory *memory;
};

/// Runs a primitive and waits for it. Returns whether it could.
bool onednn_run(
    const onednn_primitive *primitive, const struct onednn_argument *arguments, int count);
