#include "recurrent.h"

#include <string.h>

#include "cells.h"
#include "layouts.h"
#include "threads.h"
#include "vector.h"

// A step multiplies the state by weights that are loaded once for all rows, 16 units with all their gates at
// a time. The cells of a thread's units follow.

/// The number of units, and the maximum number of rows, that are multiplied at once; and the number of units
/// whose cells are computed together, to hide the latency of their functions.
enum { LANES = CHANNELS, ROWS = 4, SPAN = 4 * LANES };

/// The gates of one product of a step.
struct stage {
  int first_gate, gates;
  /// The operands; NULL when the sums are already complete.
  const float *source;
  const float *weights;
};

struct step {
  const struct kernels_recurrence *all;
  const struct kernels_recurrence_memory *memory;
  struct stage stage;
  /// All rows, and the range of rows to compute.
  int64_t rows, first_row, end_row, time;
  /// How many threads share the step.
  int64_t threads;
  bool is_first, is_reversed;
  /// The state h before and after the step, the state c, and r * h of a GRU; and the stride of their rows.
  const float *before;
  float *after, *cell_state, *reset;
  ptrdiff_t state_step;
  /// The sums, `[rows, gates, units]` with these strides.
  float *sums;
  ptrdiff_t row_step, gate_step;
  /// What is added to the sums; NULL for nothing.
  const float *input;
  /// Whether activations are applied to full rows.
  bool takes_rows;
  /// The number of blocks of units, and of parts into which the blocks and the rows are divided.
  int64_t blocks, cuts, row_cuts;
};

/// A part of a step: some blocks of units of some rows.
struct part {
  int64_t first_block, end_block, first_row, end_row;
};

// --- Products.

/// The sums of 16 units, of some rows and gates. `rows`, `gates` and `most`, the number of sums that fit into
/// registers, are compile-time constants.
INLINE void sum_up(
    const struct step *step, int64_t block, int64_t row, int gate, const int rows, const int gates,
    const int most) {
  if (rows * gates > most) return;
  // Consecutive additions to one sum would each wait for the previous one, and lose more precision.
  const int capacity = most / (rows * gates), sets = capacity >= 4 ? 4 : capacity >= 2 ? 2 : 1;
  const int64_t units = step->all->units;
  const ptrdiff_t line = step->stage.gates * LANES;
  const float *source = step->stage.source + row * step->state_step;
  const float *weights = step->stage.weights + block * units * line + gate * LANES;
  vector sums[4][4][4];
#pragma clang loop unroll(full)
  for (int set = 0; set < sets; set++) {
#pragma clang loop unroll(full)
    for (int own = 0; own < rows * gates; own++) sums[set][own / gates][own % gates] = 0;
  }
  int64_t unit = 0;
#define ADD(set) \
  _Pragma("clang loop unroll(full)") for (int own = 0; own < gates; own++) { \
    const vector weight = load(weights + own * LANES); \
    _Pragma("clang loop unroll(full)") for (int other = 0; other < rows; other++) { \
      sums[set][other][own] += weight * source[other * step->state_step + unit + (set)]; \
    } \
  } \
  weights += line
#pragma clang loop unroll(disable)
  for (; unit + sets <= units; unit += sets) {
#pragma clang loop unroll(full)
    for (int set = 0; set < sets; set++) {
      ADD(set);
    }
  }
#pragma clang loop unroll(disable)
  for (; unit < units; unit++) {
    ADD(0);
  }
#undef ADD
  float *target = step->sums + row * step->row_step
      + (step->stage.first_gate + gate) * step->gate_step + block * LANES;
#pragma clang loop unroll(full)
  for (int own = 0; own < rows * gates; own++) {
    const int other = own / gates, index = own % gates;
#pragma clang loop unroll(full)
    for (int set = 1; set < sets; set++) sums[0][other][index] += sums[set][other][index];
    store(target + other * step->row_step + index * step->gate_step, sums[0][other][index]);
  }
}

/// The sums of 16 units, of some rows and the stage's gates.
INLINE void multiply_block(
    const struct step *step, int64_t block, int64_t first_row, int64_t end_row, const int most) {
  const int gates = step->stage.gates;
  for (int64_t row = first_row, rows; row < end_row; row += rows) {
    const int64_t left = end_row - row;
    rows = left >= ROWS && most >= ROWS ? ROWS : left >= 2 ? 2 : 1;
    for (int gate = 0, count; gate < gates; gate += count) {
      count = (int)smaller(gates - gate, most / rows);
      switch (rows * 8 + count) {
#define CASE(rows, gates) \
  case (rows)*8 + (gates): sum_up(step, block, row, gate, rows, gates, most); break
        CASE(1, 1); CASE(1, 2); CASE(1, 3); CASE(1, 4);
        CASE(2, 1); CASE(2, 2); CASE(2, 3); CASE(2, 4);
        CASE(4, 1); CASE(4, 2); CASE(4, 3); CASE(4, 4);
#undef CASE
      }
    }
  }
}

// --- Cells.

/// Writes the output of a step for some units of a row.
INLINE void write_units(
    const struct step *step, int64_t row, int64_t first, int64_t count, bool is_skipped) {
  const struct kernels_recurrence *all = step->all;
  const size_t size = (size_t)count * sizeof(float);
  float *target = step->memory->output + row * all->units + first;
  const float *previous = target;
  if (all->returns_sequences) {
    const int64_t sample = row / all->positions, position = row % all->positions;
    const int64_t back = all->is_reversed ? 1 : -1;
    target = step->memory->output
        + ((sample * all->time + step->time) * all->positions + position) * all->units + first;
    previous = target + back * all->positions * all->units;
  }
  if (!is_skipped || all->skipped_step == kernels_skipped_step_state) {
    memcpy(target, step->after + row * step->state_step + first, size);
  } else if (all->skipped_step == kernels_skipped_step_zero || step->is_first) {
    memset(target, 0, size);
  } else if (previous != target) {
    memcpy(target, previous, size);
  }
}

/// Locates the units of a row from `first` on.
INLINE struct units locate_units(
    const struct step *step, int64_t row, int64_t first, const enum kernels_cell cell) {
  const struct kernels_recurrence *all = step->all;
  const struct kernels_recurrence_memory *memory = step->memory;
  const int64_t offset = row * step->state_step + first;
  const int gates = gate_count(cell);
  struct units own = {
    .before = step->before + offset, .after = step->after + offset,
    .cell_state = step->cell_state + offset,
    .reset = step->reset ? step->reset + offset : NULL,
    .bias = memory->candidate_bias ? memory->candidate_bias + first : NULL,
  };
#pragma clang loop unroll(full)
  for (int gate = 0; gate < gates; gate++) {
    own.sums[gate] = step->sums + row * step->row_step + gate * step->gate_step + first;
    own.input[gate] =
        step->input ? step->input + (row * gates + gate) * all->units + first : NULL;
  }
  return own;
}

/// Whether the mask skips the step; the state is then copied unchanged.
INLINE bool skips_step(const struct step *step, int64_t row, const struct units *own, int64_t count) {
  const uint8_t *mask = step->memory->mask;
  if (!mask || mask[row / step->all->positions * step->all->time + step->time]) return false;
  if (own->after != own->before) memcpy(own->after, own->before, (size_t)count * sizeof(float));
  return true;
}

/// Finishes all units of a row.
INLINE void finish_row(
    const struct step *step, int64_t row, const enum kernels_cell cell, const bool is_candidate) {
  const int64_t units = step->all->units;
  const struct units own = locate_units(step, row, 0, cell);
  const bool is_skipped = skips_step(step, row, &own, units);
  if (is_skipped || compute_units(step->all, &own, units, cell, is_candidate)) {
    write_units(step, row, 0, units, is_skipped);
  }
}

/// Finishes `lanes` units of a row, of which `count` are not padding; `lanes` is a compile-time constant.
INLINE void finish_lanes(
    const struct step *step, int64_t row, int64_t first, int64_t count, const int lanes,
    const enum kernels_cell cell, const bool is_candidate) {
  _Alignas(64) float sums[4][SPAN], input[4][SPAN], bias[SPAN], before[SPAN];
  _Alignas(64) float after[SPAN], cell_state[SPAN], reset[SPAN];
  const size_t size = (size_t)lanes * sizeof(float);
  const struct units far = locate_units(step, row, first, cell);
  struct units near = {
    .after = after, .cell_state = cell_state, .reset = reset, .bias = far.bias ? bias : NULL,
    .before = before,
  };
  const bool is_skipped = skips_step(step, row, &far, lanes);
  bool is_known = true;
  if (!is_skipped) {
#pragma clang loop unroll(full)
    for (int gate = 0; gate < gate_count(cell); gate++) {
      near.sums[gate] = memcpy(sums[gate], far.sums[gate], size);
      near.input[gate] = memcpy(input[gate], far.input[gate], size);
    }
    if (far.bias) memcpy(bias, far.bias, size);
    memcpy(before, far.before, size);
    if (cell == kernels_cell_lstm) memcpy(cell_state, far.cell_state, size);
    is_known = compute_units(step->all, &near, lanes, cell, is_candidate);
    if (is_known) {
      memcpy(far.after, after, size);
    } else {
      memcpy(far.sums[0], sums[0], size);
      memcpy(far.reset, reset, size);
    }
    if (cell == kernels_cell_lstm) memcpy(far.cell_state, cell_state, size);
  }
  if (is_known && count == lanes) write_units(step, row, first, lanes, is_skipped);
  if (is_known && count < lanes) write_units(step, row, first, count, is_skipped);
}

/// Calls a function with two compile-time constants: the kind of the cell, and whether this is the separate
/// candidate stage (n) of a GRU.
#define FOR_CELL(step, name, ...) \
  switch ((step)->all->cell) { \
  case kernels_cell_simple: name(__VA_ARGS__, kernels_cell_simple, false); break; \
  case kernels_cell_lstm: name(__VA_ARGS__, kernels_cell_lstm, false); break; \
  case kernels_cell_gru_resets_after: \
    name(__VA_ARGS__, kernels_cell_gru_resets_after, false); \
    break; \
  case kernels_cell_gru: \
    if ((step)->stage.first_gate == 2) name(__VA_ARGS__, kernels_cell_gru, true); \
    else name(__VA_ARGS__, kernels_cell_gru, false); \
  }

/// Computes some blocks of 16 units.
INLINE void compute_blocks(const struct step *step, const struct part *part, const int most) {
  for (int64_t index = part->first_block; index < part->end_block; index++) {
    // Every second step starts with the weights that were used last, which are still in the L1 cache.
    const int64_t block =
        step->is_reversed ? part->end_block - 1 - (index - part->first_block) : index;
    multiply_block(step, block, part->first_row, part->end_row, most);
  }
  if (step->takes_rows) return;
  const int64_t end = smaller(step->all->units, part->end_block * LANES);
  for (int64_t row = part->first_row; row < part->end_row; row++) {
    int64_t unit = part->first_block * LANES;
    for (; unit + SPAN <= end; unit += SPAN) {
      FOR_CELL(step, finish_lanes, step, row, unit, SPAN, SPAN);
    }
    for (; unit < end; unit += LANES) {
      FOR_CELL(step, finish_lanes, step, row, unit, smaller(LANES, end - unit), LANES);
    }
  }
}

/// As many sums of 16 units as fit, next to the operands, into 32 registers of 16 or 4 elements, or 16
/// registers of 8 or 4.
#if defined(__x86_64__)
TARGET_AVX512 static void compute_avx512(const struct step *step, const struct part *part) {
  compute_blocks(step, part, 16);
}
TARGET_AVX2 static void compute_avx2(const struct step *step, const struct part *part) {
  compute_blocks(step, part, 4);
}
#endif
static void compute_portable(const struct step *step, const struct part *part) {
#if defined(__aarch64__)
  compute_blocks(step, part, 6);
#else
  compute_blocks(step, part, 2);
#endif
}

/// The range of rows of one cut. Rows that are computed together stay together, so that the sums do not
/// depend on the number of cuts.
static void cut_rows(
    int64_t first, int64_t end, int64_t cut, int64_t cuts, int64_t *cut_first, int64_t *cut_end) {
  const int64_t groups = ceil_div(end - first, ROWS);
  *cut_first = first + groups * cut / cuts * ROWS;
  *cut_end = smaller(end, first + groups * (cut + 1) / cuts * ROWS);
}

static void compute_part(void *context, int index) {
  const struct step *step = context;
  const int64_t cut = index % step->cuts, row_cut = index / step->cuts;
  struct part part = {
    .first_block = step->blocks * cut / step->cuts,
    .end_block = step->blocks * (cut + 1) / step->cuts,
  };
  cut_rows(step->first_row, step->end_row, row_cut, step->row_cuts, &part.first_row, &part.end_row);
#if defined(__x86_64__)
  if (kernels_level() == AVX512) return compute_avx512(step, &part);
  if (kernels_level() == AVX2) return compute_avx2(step, &part);
#endif
  compute_portable(step, &part);
}

/// The number of units that a thread finishes at once.
enum { SHARE = 1 << 12 };

static void finish_part(void *context, int index) {
  const struct step *step = context;
  const int64_t rows = larger(1, SHARE / step->all->units), first = step->first_row + index * rows;
  for (int64_t row = first; row < smaller(step->end_row, first + rows); row++) {
    FOR_CELL(step, finish_row, step, row);
  }
}

static void finish_all(struct step *step) {
  const int64_t rows = larger(1, SHARE / step->all->units);
  kernels_parallel((int)ceil_div(step->end_row - step->first_row, rows), finish_part, step);
}

// --- Steps.

/// With fewer products than this, synchronizing threads costs more than it saves.
enum { MIN_SHARED_PRODUCTS = 1 << 15 };

static void run_stage(struct step *step, struct stage stage) {
  const int64_t rows = step->end_row - step->first_row;
  const int64_t products = rows * stage.gates * step->all->units * step->all->units;
  const int64_t threads = products < MIN_SHARED_PRODUCTS ? 1 : step->threads;
  step->stage = stage;
  step->cuts = smaller(step->blocks, threads);
  step->row_cuts = smaller(ceil_div(rows, ROWS), threads / step->cuts);
  kernels_parallel((int)(step->cuts * step->row_cuts), compute_part, step);
  if (step->takes_rows) finish_all(step);
}

/// A step by its index, with the states in the memory of the caller.
static struct step make_step(
    const struct kernels_recurrence *all, const struct kernels_recurrence_memory *memory,
    int64_t index) {
  const int64_t rows = all->batch * all->positions;
  const int64_t time = all->is_reversed ? all->time - 1 - index : index;
  return (struct step){
    .all = all, .memory = memory, .rows = rows, .end_row = rows, .time = time,
    .is_first = index == 0, .is_reversed = index % 2, .blocks = ceil_div(all->units, LANES),
    .before = memory->state, .after = memory->state, .cell_state = memory->cell_state,
    .state_step = all->units,
  };
}

/// The input's contribution to the sums of a step.
static float *sums_of(const struct step *step) {
  return step->memory->sums
      + step->time * step->rows * gate_count(step->all->cell) * step->all->units;
}

static int64_t padded_units(const struct kernels_recurrence *all) {
  return ceil_div(all->units, LANES) * LANES;
}

int64_t kernels_recurrence_work(const struct kernels_recurrence *all) {
  return all->batch * all->positions * (gate_count(all->cell) + 4) * padded_units(all);
}

kernels_layout *kernels_recurrence_weights(int64_t gates, int64_t units) {
  const struct kernels_layout layout = layout_make(
      3, (int64_t[]){gates, units, units}, (int[]){1, 2, 0}, 1, &(struct block){1, LANES});
  return layout_copy(&layout);
}

/// Copies rows of states between memory with different strides.
static void copy_states(
    const struct kernels_recurrence *all, float *target, ptrdiff_t target_step, const float *source,
    ptrdiff_t source_step) {
  for (int64_t row = 0; row < all->batch * all->positions; row++) {
    memcpy(
        target + row * target_step, source + row * source_step, (size_t)all->units * sizeof(float));
  }
}

/// All steps of some rows.
struct run {
  const struct kernels_recurrence *all;
  const struct kernels_recurrence_memory *memory;
  /// The number of parts into which the rows are divided, and of threads that share a step of each part.
  int64_t row_cuts, threads;
};

static void run_rows(void *context, int index) {
  const struct run *run = context;
  const struct kernels_recurrence *all = run->all;
  float *work = run->memory->work;
  const int gates = gate_count(all->cell);
  const int64_t rows = all->batch * all->positions, padded = padded_units(all), size = rows * padded;
  int64_t first_row, end_row;
  cut_rows(0, rows, index, run->row_cuts, &first_row, &end_row);
  for (int64_t index = 0; index < all->time; index++) {
    struct step step = make_step(all, run->memory, index);
    step.first_row = first_row;
    step.end_row = end_row;
    step.threads = run->threads;
    step.before = work + index % 2 * size;
    step.after = work + (index + 1) % 2 * size;
    step.cell_state = work + 2 * size;
    step.reset = work + 3 * size;
    step.state_step = padded;
    step.sums = work + 4 * size;
    step.gate_step = padded;
    step.row_step = gates * padded;
    step.input = sums_of(&step);
    step.takes_rows = all->activation.body || all->gates.body;
    if (all->cell == kernels_cell_gru) {
      run_stage(&step, (struct stage){0, 2, step.before, run->memory->weights});
      run_stage(&step, (struct stage){2, 1, step.reset, run->memory->candidate_weights});
    } else {
      run_stage(&step, (struct stage){0, gates, step.before, run->memory->weights});
    }
  }
}

void kernels_recurrence_run(
    const struct kernels_recurrence *all, const struct kernels_recurrence_memory *memory) {
  const bool has_cell_state = all->cell == kernels_cell_lstm;
  const int64_t rows = all->batch * all->positions, padded = padded_units(all), size = rows * padded;
  float *const cell_state = memory->work + 2 * size;
  memset(memory->work, 0, (size_t)(3 * size) * sizeof(float));
  copy_states(all, memory->work, padded, memory->state, all->units);
  if (has_cell_state) copy_states(all, cell_state, padded, memory->cell_state, all->units);
  // Rows are independent: with enough of them, threads need not synchronize after each step.
  const int64_t threads = kernels_thread_count(), groups = ceil_div(rows, ROWS);
  const bool shares_rows = groups % threads == 0 || groups >= 4 * threads;
  struct run run = {all, memory, shares_rows ? threads : 1, shares_rows ? 1 : threads};
  kernels_parallel((int)run.row_cuts, run_rows, &run);
  copy_states(all, memory->state, all->units, memory->work + all->time % 2 * size, padded);
  if (has_cell_state) copy_states(all, memory->cell_state, all->units, cell_state, padded);
}

void kernels_recurrence_step(
    const struct kernels_recurrence *all, const struct kernels_recurrence_memory *memory,
    int64_t index) {
  struct step step = make_step(all, memory, index);
  step.stage = (struct stage){.gates = gate_count(all->cell)};
  step.sums = sums_of(&step);
  step.gate_step = all->units;
  step.row_step = gate_count(all->cell) * all->units;
  finish_all(&step);
}
