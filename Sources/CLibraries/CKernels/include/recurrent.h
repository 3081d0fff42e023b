#ifndef WEIGHBRIDGE_RECURRENT_H
#define WEIGHBRIDGE_RECURRENT_H

// Recurrent layers, step by step. The rows of a step are the vectors of all samples, or of all spatial
// positions of all samples. The results depend on the instruction set of the processor, but not on the number
// of threads.

#include "primitives.h"

/// The activation function of a gate.
struct kernels_activation {
  enum kernels_function function;
  float alpha, beta;
  /// If not NULL, called in place of the function on all units of a row, in place.
  void (*body)(const void *context, float *elements, int64_t count);
  const void *context;
};

/// The kind of a cell, with its gates in order.
enum kernels_cell {
  /// One gate.
  kernels_cell_simple,
  /// i, f, g, o
  kernels_cell_lstm,
  /// z, r, n, where r is applied before the product of n's weights and the state
  kernels_cell_gru,
  /// z, r, n, where r is applied after that product
  kernels_cell_gru_resets_after,
};

/// The output of a step that the mask skips.
enum kernels_skipped_step {
  kernels_skipped_step_state,
  kernels_skipped_step_zero,
  kernels_skipped_step_previous
};

struct kernels_recurrence {
  enum kernels_cell cell;
  int64_t batch, time, positions, units;
  bool is_reversed, returns_sequences;
  enum kernels_skipped_step skipped_step;
  struct kernels_activation activation, gates;
};

/// The memory of a recurrent layer.
struct kernels_recurrence_memory {
  /// The input's contribution to the sums of all gates, `[time, batch, positions, gates * units]`, followed
  /// by 16 more floats that may be read.
  float *sums;
  /// The recurrent weights of all gates; of a GRU, those of z and r, and those of n.
  const float *weights, *candidate_weights;
  /// The bias of n's product with the state, where r is applied after it, padded to full blocks of 16 units;
  /// or NULL.
  const float *candidate_bias;
  /// `[batch, time]`, 0 for a step that is skipped; NULL if no steps are.
  const uint8_t *mask;
  /// The states h and c, `[batch, positions, units]`: initial on entry, final on return.
  float *state, *cell_state;
  /// `[batch, time, positions, units]` or `[batch, positions, units]`.
  float *output;
  /// Working memory of kernels_recurrence_work floats.
  float *work;
};

/// The layout of the recurrent weights `[gates, units, units]`.
kernels_layout *kernels_recurrence_weights(int64_t gates, int64_t units);

/// The size of the working memory for all steps, in floats.
int64_t kernels_recurrence_work(const struct kernels_recurrence *all);

/// Computes all steps.
void kernels_recurrence_run(
    const struct kernels_recurrence *all, const struct kernels_recurrence_memory *memory);

/// Computes one step, counted in the order of computation, of an LSTM whose sums already include both the
/// input's and the state's products.
void kernels_recurrence_step(
    const struct kernels_recurrence *all, const struct kernels_recurrence_memory *memory,
    int64_t index);

#endif
