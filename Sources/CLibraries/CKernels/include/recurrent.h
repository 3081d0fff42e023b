#ifndef WEIGHBRIDGE_RECURRENT_H
#define WEIGHBRIDGE_RECURRENT_H

// Recurrent layers, step by step. Rows are the vectors of a step: those of all samples, or of all places of
// all samples. The results depend on the processor's instructions, not on the number of threads.

#include "primitives.h"

/// A function of the units of one gate.
struct kernels_activation {
  enum kernels_function function;
  float alpha, beta;
  /// Called instead of the function, for all units of a row in place, unless NULL.
  void (*body)(const void *context, float *elements, int64_t count);
  const void *context;
};

/// A cell, with its gates in their order.
enum kernels_cell {
  /// One gate.
  kernels_cell_simple,
  /// i, f, g, o
  kernels_cell_lstm,
  /// z, r, n, where r is applied before n's product with the state
  kernels_cell_gru,
  /// z, r, n, where r is applied behind it
  kernels_cell_gru_resets_after,
};

/// What a step gives that the mask leaves out.
enum kernels_left_out { kernels_left_out_state, kernels_left_out_zero, kernels_left_out_previous };

struct kernels_recurrence {
  enum kernels_cell cell;
  int64_t batch, time, places, units;
  bool is_reversed, returns_sequences;
  enum kernels_left_out left_out;
  struct kernels_activation activation, gates;
};

/// The memory of a recurrent layer.
struct kernels_recurrence_memory {
  /// What the input adds to the sums of all gates, `[time, batch, places, gates * units]`, with 16 more that
  /// may be read.
  float *sums;
  /// The weights of the state, of all gates, or of a GRU's z and r and of its n.
  const float *weights, *candidate_weights;
  /// The bias of n's product with the state, where r is applied behind it, for whole blocks of 16 units; or
  /// NULL.
  const float *candidate_bias;
  /// `[batch, time]`, 0 for a step that is left out; NULL for none.
  const uint8_t *mask;
  /// The states h and c, `[batch, places, units]`, before the first step; replaced.
  float *state, *cell_state;
  /// `[batch, time, places, units]` or `[batch, places, units]`.
  float *output;
  /// So many floats as kernels_recurrence_work says.
  float *work;
};

/// The layout of the state's weights `[gates, units, units]`.
kernels_layout *kernels_recurrence_weights(int64_t gates, int64_t units);

/// How many floats of working memory all steps need.
int64_t kernels_recurrence_work(const struct kernels_recurrence *all);

/// Computes all steps.
void kernels_recurrence_run(
    const struct kernels_recurrence *all, const struct kernels_recurrence_memory *memory);

/// Computes the step of this number, in the order of computation, of an LSTM whose sums have both parts
/// already.
void kernels_recurrence_step(
    const struct kernels_recurrence *all, const struct kernels_recurrence_memory *memory,
    int64_t number);

#endif
