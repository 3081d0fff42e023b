#pragma once

#include "functions.h"
#include "recurrent.h"

// The cells of recurrent layers, computed from the sums of their gates.

INLINE int gate_count(enum kernels_cell cell) {
  switch (cell) {
  case kernels_cell_simple: return 1;
  case kernels_cell_lstm: return 4;
  default: return 3;
  }
}

/// With a compile-time number of units, the usual functions are computed in registers.
INLINE void activate(const struct kernels_activation *own, float *elements, int64_t count) {
  const bool is_known = __builtin_constant_p(count);
  if (own->body) {
    own->body(own->context, elements, count);
  } else if (is_known && own->function == kernels_function_logistic) {
    for (int64_t unit = 0; unit < count; unit++) elements[unit] = logistic(elements[unit]);
  } else if (is_known && own->function == kernels_function_tanh) {
    for (int64_t unit = 0; unit < count; unit++) {
      elements[unit] = hyperbolic_tangent(elements[unit]);
    }
  } else {
    kernels_apply(own->function, own->alpha, own->beta, elements, count);
  }
}

/// Some units of a row: their sums, the input's contributions to these, and their states.
struct units {
  float *sums[4], *after, *cell_state, *reset;
  /// NULL for nothing.
  const float *input[4], *bias;
  const float *before;
};

INLINE void compute_lstm(
    const struct kernels_recurrence *all, const struct units *own, int64_t count) {
  float *const *gates = own->sums;
  activate(&all->gates, gates[0], count);
  activate(&all->gates, gates[1], count);
  activate(&all->activation, gates[2], count);
  activate(&all->gates, gates[3], count);
  for (int64_t unit = 0; unit < count; unit++) {
    own->cell_state[unit] = gates[1][unit] * own->cell_state[unit] + gates[0][unit] * gates[2][unit];
    gates[2][unit] = own->cell_state[unit];
  }
  activate(&all->activation, gates[2], count);
  for (int64_t unit = 0; unit < count; unit++) own->after[unit] = gates[3][unit] * gates[2][unit];
}

/// Computes the state from z and the sum of n.
INLINE void compute_candidate(
    const struct kernels_recurrence *all, const struct units *own, int64_t count) {
  float *update = own->sums[0], *candidate = own->sums[2];
  activate(&all->activation, candidate, count);
  for (int64_t unit = 0; unit < count; unit++) {
    own->after[unit] = update[unit] * own->before[unit] + (1 - update[unit]) * candidate[unit];
  }
}

/// Adds summands to sums, if there are any.
INLINE void add(float *sums, const float *summands, int64_t count) {
  for (int64_t unit = 0; summands && unit < count; unit++) sums[unit] += summands[unit];
}

/// Computes some units of a cell. The kind of the cell, and whether this is the separate candidate stage (n)
/// of a GRU, are known at compile time. Returns whether the new state is complete.
INLINE bool compute_units(
    const struct kernels_recurrence *all, const struct units *own, int64_t count,
    const enum kernels_cell cell, const bool is_candidate) {
  float *const *sums = own->sums;
  const bool resets_after = cell == kernels_cell_gru_resets_after;
  const int first = is_candidate ? 2 : 0;
  const int end = resets_after || (cell == kernels_cell_gru && !is_candidate) ? 2 : gate_count(cell);
#pragma clang loop unroll(full)
  for (int gate = first; gate < end; gate++) add(sums[gate], own->input[gate], count);
  switch (cell) {
  case kernels_cell_simple:
    activate(&all->activation, sums[0], count);
    memcpy(own->after, sums[0], (size_t)count * sizeof(float));
    return true;
  case kernels_cell_lstm: compute_lstm(all, own, count); return true;
  default: break;
  }
  if (is_candidate) {
    compute_candidate(all, own, count);
    return true;
  }
  activate(&all->gates, sums[0], count);
  activate(&all->gates, sums[1], count);
  if (!resets_after) {
    for (int64_t unit = 0; unit < count; unit++) own->reset[unit] = sums[1][unit] * own->before[unit];
    return false;
  }
  add(sums[2], own->bias, count);
  for (int64_t unit = 0; unit < count; unit++) {
    sums[2][unit] = own->input[2][unit] + sums[1][unit] * sums[2][unit];
  }
  compute_candidate(all, own, count);
  return true;
}
