#include "recurrent.h"

#include <string.h>

#include "cells.h"
#include "layouts.h"
#include "threads.h"

// A step multiplies the state by weights that are read once for all rows, 16 units with all their gates at a
// time. The cells of a thread's units follow.

typedef float vector __attribute__((ext_vector_type(16)));

/// How many units, and how many rows at most, are multiplied at once, and of how many units the cells are
/// computed side by side, where one would wait for its own functions.
enum { LANES = CHANNELS, ROWS = 4, SPAN = 4 * LANES };

/// The gates of one product of a step.
struct stage {
  int first_gate, gates;
  /// What is multiplied; NULL when the sums are there already.
  const float *source;
  const float *weights;
};

struct step {
  const struct kernels_recurrence *all;
  const struct kernels_recurrence_memory *memory;
  struct stage stage;
  /// All rows, and those that are computed here.
  int64_t rows, first_row, end_row, time;
  /// How many threads share the step.
  int64_t threads;
  bool is_first, is_reversed;
  /// The state h before and behind the step, the state c, and r * h of a GRU; the distance between rows.
  const float *before;
  float *after, *cell_state, *reset;
  ptrdiff_t state_step;
  /// The sums, `[rows, gates, units]` with these distances.
  float *sums;
  ptrdiff_t row_step, gate_step;
  /// What is to be added to them; NULL for nothing.
  const float *input;
  /// Whether activations take whole rows.
  bool takes_rows;
  /// Blocks of units, and into how many parts these and the rows are cut.
  int64_t blocks, cuts, row_cuts;
};

/// A part of a step: some blocks of units of some rows.
struct part {
  int64_t first_block, end_block, first_row, end_row;
};

// --- Products.

/// The sums of 16 units, of some rows and gates. How many of both, and how many sums there is room for in
/// registers, is known when this is compiled.
INLINE void sum_up(
    const struct step *step, int64_t block, int64_t row, int gate, const int rows, const int gates,
    const int most) {
  if (rows * gates > most) return;
  // One product after the other would wait for the sum, and loses more digits.
  const int room = most / (rows * gates), sets = room >= 4 ? 4 : room >= 2 ? 2 : 1;
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
  int64_t place = 0;
#define ADD(set) \
  _Pragma("clang loop unroll(full)") for (int own = 0; own < gates; own++) { \
    vector weight; \
    memcpy(&weight, weights + own * LANES, sizeof weight); \
    _Pragma("clang loop unroll(full)") for (int other = 0; other < rows; other++) { \
      sums[set][other][own] += weight * source[other * step->state_step + place + (set)]; \
    } \
  } \
  weights += line
#pragma clang loop unroll(disable)
  for (; place + sets <= units; place += sets) {
#pragma clang loop unroll(full)
    for (int set = 0; set < sets; set++) {
      ADD(set);
    }
  }
#pragma clang loop unroll(disable)
  for (; place < units; place++) {
    ADD(0);
  }
#undef ADD
  float *target = step->sums + row * step->row_step
      + (step->stage.first_gate + gate) * step->gate_step + block * LANES;
#pragma clang loop unroll(full)
  for (int own = 0; own < rows * gates; own++) {
    const int other = own / gates, number = own % gates;
#pragma clang loop unroll(full)
    for (int set = 1; set < sets; set++) sums[0][other][number] += sums[set][other][number];
    memcpy(
        target + other * step->row_step + number * step->gate_step, &sums[0][other][number],
        sizeof(vector));
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

/// Writes what a step gives for some units of a row.
INLINE void write_units(
    const struct step *step, int64_t row, int64_t first, int64_t count, bool is_left_out) {
  const struct kernels_recurrence *all = step->all;
  const size_t size = (size_t)count * sizeof(float);
  float *target = step->memory->output + row * all->units + first;
  const float *previous = target;
  if (all->returns_sequences) {
    const int64_t sample = row / all->places, place = row % all->places;
    const int64_t back = all->is_reversed ? 1 : -1;
    target = step->memory->output
        + ((sample * all->time + step->time) * all->places + place) * all->units + first;
    previous = target + back * all->places * all->units;
  }
  if (!is_left_out || all->left_out == kernels_left_out_state) {
    memcpy(target, step->after + row * step->state_step + first, size);
  } else if (all->left_out == kernels_left_out_zero || step->is_first) {
    memset(target, 0, size);
  } else if (previous != target) {
    memcpy(target, previous, size);
  }
}

/// Where the units of a row from this one on lie.
INLINE struct units place_units(
    const struct step *step, int64_t row, int64_t first, const enum kernels_cell cell) {
  const struct kernels_recurrence *all = step->all;
  const struct kernels_recurrence_memory *memory = step->memory;
  const int64_t place = row * step->state_step + first;
  const int gates = gate_count(cell);
  struct units own = {
    .before = step->before + place, .after = step->after + place,
    .cell_state = step->cell_state + place,
    .reset = step->reset ? step->reset + place : NULL,
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

/// Whether the mask leaves the step out; the state stays as it is then.
INLINE bool leaves_out(const struct step *step, int64_t row, const struct units *own, int64_t count) {
  const uint8_t *mask = step->memory->mask;
  if (!mask || mask[row / step->all->places * step->all->time + step->time]) return false;
  if (own->after != own->before) memcpy(own->after, own->before, (size_t)count * sizeof(float));
  return true;
}

/// Finishes all units of a row.
INLINE void finish_row(
    const struct step *step, int64_t row, const enum kernels_cell cell, const bool is_candidate) {
  const int64_t units = step->all->units;
  const struct units own = place_units(step, row, 0, cell);
  const bool is_left_out = leaves_out(step, row, &own, units);
  if (is_left_out || compute_units(step->all, &own, units, cell, is_candidate)) {
    write_units(step, row, 0, units, is_left_out);
  }
}

/// Finishes `lanes` units of a row, of which so many are there; `lanes` is known when this is compiled.
INLINE void finish_lanes(
    const struct step *step, int64_t row, int64_t first, int64_t count, const int lanes,
    const enum kernels_cell cell, const bool is_candidate) {
  _Alignas(64) float sums[4][SPAN], input[4][SPAN], bias[SPAN], before[SPAN];
  _Alignas(64) float after[SPAN], cell_state[SPAN], reset[SPAN];
  const size_t size = (size_t)lanes * sizeof(float);
  const struct units far = place_units(step, row, first, cell);
  struct units near = {
    .after = after, .cell_state = cell_state, .reset = reset, .bias = far.bias ? bias : NULL,
    .before = before,
  };
  const bool is_left_out = leaves_out(step, row, &far, lanes);
  bool is_known = true;
  if (!is_left_out) {
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
  if (is_known && count == lanes) write_units(step, row, first, lanes, is_left_out);
  if (is_known && count < lanes) write_units(step, row, first, count, is_left_out);
}

/// Calls a function with the cell's kind, and whether n of a GRU comes by itself, known when this is compiled.
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
  for (int64_t number = part->first_block; number < part->end_block; number++) {
    // Every second step begins with the weights that were used last, which are still in the nearest cache.
    const int64_t block =
        step->is_reversed ? part->end_block - 1 - (number - part->first_block) : number;
    multiply_block(step, block, part->first_row, part->end_row, most);
  }
  if (step->takes_rows) return;
  const int64_t end = smaller(step->all->units, part->end_block * LANES);
  for (int64_t row = part->first_row; row < part->end_row; row++) {
    int64_t place = part->first_block * LANES;
    for (; place + SPAN <= end; place += SPAN) {
      FOR_CELL(step, finish_lanes, step, row, place, SPAN, SPAN);
    }
    for (; place < end; place += LANES) {
      FOR_CELL(step, finish_lanes, step, row, place, smaller(LANES, end - place), LANES);
    }
  }
}

/// As many sums of 16 units as fit into 32 registers of 16 elements or of 4, or into 16 of 8 or of 4, beside
/// what is multiplied.
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

/// The rows of one of so many cuts. Rows that are computed at once stay together, so that the sums do not
/// depend on the cuts.
static void cut_rows(
    int64_t first, int64_t end, int64_t cut, int64_t cuts, int64_t *cut_first, int64_t *cut_end) {
  const int64_t groups = ceiling(end - first, ROWS);
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

/// Units that a thread finishes at once.
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
  kernels_parallel((int)ceiling(step->end_row - step->first_row, rows), finish_part, step);
}

// --- Steps.

/// With fewer products than this, threads wait for each other longer than one computes.
enum { FEWEST_SHARED_PRODUCTS = 1 << 15 };

static void run_stage(struct step *step, struct stage stage) {
  const int64_t rows = step->end_row - step->first_row;
  const int64_t products = rows * stage.gates * step->all->units * step->all->units;
  const int64_t threads = products < FEWEST_SHARED_PRODUCTS ? 1 : step->threads;
  step->stage = stage;
  step->cuts = smaller(step->blocks, threads);
  step->row_cuts = smaller(ceiling(rows, ROWS), threads / step->cuts);
  kernels_parallel((int)(step->cuts * step->row_cuts), compute_part, step);
  if (step->takes_rows) finish_all(step);
}

/// The step of this number, whose states lie where the caller has them.
static struct step make_step(
    const struct kernels_recurrence *all, const struct kernels_recurrence_memory *memory,
    int64_t number) {
  const int64_t rows = all->batch * all->places;
  const int64_t time = all->is_reversed ? all->time - 1 - number : number;
  return (struct step){
    .all = all, .memory = memory, .rows = rows, .end_row = rows, .time = time,
    .is_first = number == 0, .is_reversed = number % 2, .blocks = ceiling(all->units, LANES),
    .before = memory->state, .after = memory->state, .cell_state = memory->cell_state,
    .state_step = all->units,
  };
}

/// The sums that the input adds at a step.
static float *sums_of(const struct step *step) {
  return step->memory->sums
      + step->time * step->rows * gate_count(step->all->cell) * step->all->units;
}

static int64_t padded_units(const struct kernels_recurrence *all) {
  return ceiling(all->units, LANES) * LANES;
}

int64_t kernels_recurrence_work(const struct kernels_recurrence *all) {
  return all->batch * all->places * (gate_count(all->cell) + 4) * padded_units(all);
}

kernels_layout *kernels_recurrence_weights(int64_t gates, int64_t units) {
  const struct kernels_layout layout = layout_make(
      3, (int64_t[]){gates, units, units}, (int[]){1, 2, 0}, 1, &(struct block){1, LANES});
  return layout_copy(&layout);
}

/// Copies rows of states, which are so far apart.
static void copy_states(
    const struct kernels_recurrence *all, float *target, ptrdiff_t target_step, const float *source,
    ptrdiff_t source_step) {
  for (int64_t row = 0; row < all->batch * all->places; row++) {
    memcpy(
        target + row * target_step, source + row * source_step, (size_t)all->units * sizeof(float));
  }
}

/// All steps of some rows.
struct run {
  const struct kernels_recurrence *all;
  const struct kernels_recurrence_memory *memory;
  /// Into how many parts the rows are cut, and how many threads share a step of one.
  int64_t row_cuts, threads;
};

static void run_rows(void *context, int index) {
  const struct run *run = context;
  const struct kernels_recurrence *all = run->all;
  float *work = run->memory->work;
  const int gates = gate_count(all->cell);
  const int64_t rows = all->batch * all->places, padded = padded_units(all), size = rows * padded;
  int64_t first_row, end_row;
  cut_rows(0, rows, index, run->row_cuts, &first_row, &end_row);
  for (int64_t number = 0; number < all->time; number++) {
    struct step step = make_step(all, run->memory, number);
    step.first_row = first_row;
    step.end_row = end_row;
    step.threads = run->threads;
    step.before = work + number % 2 * size;
    step.after = work + (number + 1) % 2 * size;
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
  const int64_t rows = all->batch * all->places, padded = padded_units(all), size = rows * padded;
  float *const cell_state = memory->work + 2 * size;
  memset(memory->work, 0, (size_t)(3 * size) * sizeof(float));
  copy_states(all, memory->work, padded, memory->state, all->units);
  if (has_cell_state) copy_states(all, cell_state, padded, memory->cell_state, all->units);
  // Rows do not need each other: with enough of them, threads need not wait for each other after each step.
  const int64_t threads = kernels_thread_count(), groups = ceiling(rows, ROWS);
  const bool shares_rows = groups % threads == 0 || groups >= 4 * threads;
  struct run run = {all, memory, shares_rows ? threads : 1, shares_rows ? 1 : threads};
  kernels_parallel((int)run.row_cuts, run_rows, &run);
  copy_states(all, memory->state, all->units, memory->work + all->time % 2 * size, padded);
  if (has_cell_state) copy_states(all, memory->cell_state, all->units, cell_state, padded);
}

void kernels_recurrence_step(
    const struct kernels_recurrence *all, const struct kernels_recurrence_memory *memory,
    int64_t number) {
  struct step step = make_step(all, memory, number);
  step.stage = (struct stage){.gates = gate_count(all->cell)};
  step.sums = sums_of(&step);
  step.gate_step = all->units;
  step.row_step = gate_count(all->cell) * all->units;
  finish_all(&step);
}
