#include <stdlib.h>

#include "convolutions.h"

// Planning of the passes of convolutions and transposed convolutions.

/// Adds a pass without taps. Returns NULL if memory cannot be allocated.
static struct pass *add_pass(struct passes *passes, int64_t most_taps) {
  struct pass *pass = &passes->list[passes->count];
  pass->taps = calloc((size_t)larger(1, most_taps), sizeof *pass->taps);
  if (!pass->taps) return NULL;
  passes->count++;
  return pass;
}

static int64_t count_elements(const struct space *space) {
  return space->window[0] * space->window[1] * space->window[2];
}

/// Adds a tap for each window element, or for adjacent ones.
static bool plan_convolution(
    struct passes *passes, const struct pass_plan *plan, struct padded_input *input) {
  const struct space *space = plan->space;
  int64_t padded_sizes[3], position[3];
  ptrdiff_t steps[3];
  covered_sizes(space, padded_sizes);
  set_padding(input, space->sizes, space->before, padded_sizes);
  passes->list = calloc(1, sizeof *passes->list);
  struct pass *pass = passes->list ? add_pass(passes, count_elements(space)) : NULL;
  if (!pass) return false;
  pass->source_offset = padded_steps(input, plan->pixel, steps);
  for (int64_t index = 0; index < count_elements(space); index += plan->joined) {
    window_position(space, index, position);
    struct tap tap = {.weights = (ptrdiff_t)index * plan->weights_tap};
    for (int axis = 0; axis < 3; axis++) {
      tap.source += position[axis] * space->dilation[axis] * steps[axis];
    }
    pass->taps[pass->tap_count++] = tap;
  }
  count_outputs(space, input, pass->counts);
  for (int axis = 0; axis < 3; axis++) {
    pass->source_steps[axis] = space->strides[axis] * steps[axis];
    pass->target_steps[axis] = plan->target_steps[axis];
  }
  return cut_row(&pass->tiles, pass->counts[2], plan->widest);
}

/// The offset of a window element's input for the outputs `phase`, `phase` + `stride`, ... of a transposed
/// convolution; false when the element does not contribute to them.
static bool transposed_offset(
    const struct space *space, int axis, int64_t phase, int64_t position, int64_t *offset) {
  const int64_t distance = phase + space->before[axis] - position * space->dilation[axis];
  *offset = distance / space->strides[axis];
  return distance % space->strides[axis] == 0;
}

/// Sets the input of a transposed convolution: what the windows of all phases cover. Returns their number.
static int64_t set_transposed_input(
    const struct space *space, struct padded_input *input, int64_t before[3]) {
  int64_t padded_sizes[3], phases = 1;
  for (int axis = 0; axis < 3; axis++) {
    int64_t last = 0;
    before[axis] = 0;
    for (int64_t phase = 0; phase < space->strides[axis]; phase++) {
      const int64_t count = ceil_div(space->targets[axis] - phase, space->strides[axis]);
      for (int64_t position = 0; position < space->window[axis] && count > 0; position++) {
        int64_t offset;
        if (!transposed_offset(space, axis, phase, position, &offset)) continue;
        before[axis] = larger(before[axis], -offset);
        last = larger(last, offset + count - 1);
      }
    }
    padded_sizes[axis] = before[axis] + last + 1;
    phases *= space->strides[axis];
  }
  set_padding(input, space->sizes, before, padded_sizes);
  return phases;
}

/// Adds a pass for each phase of the strides, with the taps that contribute to it.
static bool plan_transposed(
    struct passes *passes, const struct pass_plan *plan, struct padded_input *input) {
  const struct space *space = plan->space;
  int64_t before[3];
  ptrdiff_t steps[3];
  const int64_t phases = set_transposed_input(space, input, before), elements = count_elements(space);
  padded_steps(input, plan->pixel, steps);
  passes->list = calloc((size_t)phases, sizeof *passes->list);
  for (int64_t index = 0; passes->list && index < phases; index++) {
    struct pass *pass = add_pass(passes, elements);
    if (!pass) return false;
    const int64_t phase[] = {
      index / space->strides[2] / space->strides[1], index / space->strides[2] % space->strides[1],
      index % space->strides[2]};
    for (int axis = 0; axis < 3; axis++) {
      pass->counts[axis] =
          larger(0, ceil_div(space->targets[axis] - phase[axis], space->strides[axis]));
      pass->source_steps[axis] = steps[axis];
      pass->target_steps[axis] = plan->target_steps[axis] * space->strides[axis];
      pass->target_offset += phase[axis] * plan->target_steps[axis];
    }
    for (int64_t element = 0; element < elements; element++) {
      int64_t position[3], offset;
      window_position(space, element, position);
      struct tap tap = {.weights = (ptrdiff_t)element * plan->weights_tap};
      bool contributes = true;
      for (int axis = 0; axis < 3; axis++) {
        contributes &= transposed_offset(space, axis, phase[axis], position[axis], &offset);
        tap.source += (offset + before[axis]) * steps[axis];
      }
      if (contributes) pass->taps[pass->tap_count++] = tap;
    }
    if (!cut_row(&pass->tiles, pass->counts[2], plan->widest)) return false;
  }
  return passes->list;
}

bool plan_passes(
    struct passes *passes, const struct pass_plan *plan, struct padded_input *input) {
  return plan->is_transposed ? plan_transposed(passes, plan, input)
                             : plan_convolution(passes, plan, input);
}

void free_passes(struct passes *passes) {
  for (int index = 0; index < passes->count; index++) {
    free(passes->list[index].taps);
    free(passes->list[index].tiles.starts);
  }
  free(passes->list);
}
