#include "quantized.h"

#include <stdlib.h>

// Depthwise convolutions of integers, 16 channels at a time. A word holds the bytes of one channel in four rows,
// so that a dot product adds up four elements of the window. The words of the rows that some outputs read, with
// their padding, are made just before they are used, for as many outputs as the L1 cache has room for. Where the
// words hold more rows than a window has, they serve several rows of outputs, whose weights are moved down.

/// The size in bytes of the words of 16 channels, and how many of these there is room for: of the input, and of the
/// weights.
enum { WORDS = WORD * CHANNELS, CAPACITY = 256 };

// --- Running.

/// Four rows, and the distance in bytes of the columns of each.
struct rows {
  const uint8_t *starts[WORD];
  ptrdiff_t steps[WORD];
};

/// The elements of two vectors in turn.
#define INTERLEAVE(first, second)                                                              \
  __builtin_shufflevector(                                                                     \
      first, second, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10, \
      26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)

/// Makes the words of some columns.
static void make_words(const struct rows *rows, int64_t columns, uint8_t *words) {
  typedef uint8_t bytes32 __attribute__((ext_vector_type(32)));
  typedef uint16_t pairs16 __attribute__((ext_vector_type(16)));
  typedef uint16_t pairs32 __attribute__((ext_vector_type(32)));
  const struct rows own = *rows;
  for (int64_t column = 0; column < columns; column++) {
    bytes16 bytes[WORD];
    for (int row = 0; row < WORD; row++) {
      memcpy(&bytes[row], own.starts[row] + column * own.steps[row], sizeof bytes[row]);
    }
    const bytes32 two_rows[] = {INTERLEAVE(bytes[0], bytes[1]), INTERLEAVE(bytes[2], bytes[3])};
    pairs16 pairs[2];
    memcpy(pairs, two_rows, sizeof pairs);
    const pairs32 four_rows = INTERLEAVE(pairs[0], pairs[1]);
    memcpy(words + column * WORDS, &four_rows, sizeof four_rows);
  }
}

/// Makes the words of the weights: for each row of outputs, for each four rows, for each column.
static void make_weights(const struct depthwise_pass *pass, const int8_t *weights, uint8_t *words) {
  static const uint8_t zeros[CHANNELS];
  for (int64_t output = 0; output < pass->together; output++) {
    for (int64_t word = 0; word < pass->groups * pass->columns; word++, words += WORDS) {
      struct rows rows = {0};
      for (int part = 0; part < WORD; part++) {
        const int64_t row = word / pass->columns * WORD + part - output * pass->distance;
        const int64_t tap = row * pass->columns + word % pass->columns;
        rows.starts[part] = row < 0 || row >= pass->rows
            ? zeros : (const uint8_t *)weights + pass->plain->taps[tap].weights;
      }
      make_words(&rows, 1, words);
    }
  }
}

/// Makes the words that adjacent outputs read.
///
/// @param z, y, x The first output.
/// @param outputs, number How many outputs there are in a row, and how many rows.
static void make_source(
    const struct quantized_convolution *all, const struct depthwise_pass *pass, const uint8_t *image, int64_t z,
    int64_t y, int64_t x, int64_t outputs, int64_t number, uint8_t *words) {
  const struct padded_input *input = &all->input;
  const int64_t *sizes = input->sizes, pixel = input->pixel_size;
  const int64_t columns = (outputs - 1) * pass->strides[2] + pass->covered;
  const int64_t first = pass->first_column + x * pass->strides[2];
  // The numbers of columns before the image and in it. Without padding, all rows may be one long one.
  const int64_t before = input->is_copied ? smaller(columns, larger(0, -first)) : 0;
  const int64_t inside = input->is_copied ? larger(0, smaller(columns, sizes[2] - first) - before) : columns;
  uint8_t padding[CHANNELS];
  memset(padding, input->padding, sizeof padding);
  for (int64_t group = 0; group < pass->groups; group++, words += CAPACITY / pass->groups * WORDS) {
    struct rows rows = {0};
    for (int part = 0; part < WORD; part++) {
      const struct source_row *row = &pass->source_rows[group * WORD + part];
      const int64_t own_z = row->z + z * pass->strides[0], own_y = row->y + y * pass->strides[1];
      const bool is_inside = row->output < number && own_z >= 0 && own_z < sizes[0] && own_y >= 0
          && own_y < sizes[1] && inside > 0;
      rows.steps[part] = is_inside ? pixel : 0;
      rows.starts[part] =
          is_inside ? image + ((own_z * sizes[1] + own_y) * sizes[2] + first + before) * pixel : padding;
    }
    memset(words, input->padding, (size_t)(before * WORDS));
    make_words(&rows, inside, words + before * WORDS);
    memset(
        words + (before + inside) * WORDS, input->padding, (size_t)((columns - before - inside) * WORDS));
  }
}

int64_t count_depthwise_parts(const struct depthwise_pass *pass) {
  const struct pass *own = &pass->words;
  return own->counts[0] * ceil_div(own->counts[1], pass->together) * ceil_div(own->tiles.count, pass->tiles);
}

void compute_depthwise_parts(
    const struct quantized_convolution *all, const struct depthwise_pass *pass, struct quantized_tile tile,
    const uint8_t *image, int64_t first, int64_t end) {
  quantized_tile_function *const *functions = quantized_tile_functions(all);
  const struct pass *own = &pass->words;
  const int32_t *starts = own->tiles.starts;
  const int64_t bands = ceil_div(own->counts[1], pass->together);
  const int64_t parts = ceil_div(own->tiles.count, pass->tiles);
  _Alignas(64) uint8_t words[CAPACITY * WORDS], weights[CAPACITY * WORDS];
  make_weights(pass, tile.weights, weights);
  tile.pass = own;
  for (int64_t index = first; index < end; index++) {
    const int64_t part = index % parts, y = index / parts % bands * pass->together, z = index / parts / bands;
    const int64_t number = smaller(pass->together, own->counts[1] - y);
    const int64_t first_tile = part * pass->tiles;
    const int64_t end_tile = smaller(own->tiles.count, first_tile + pass->tiles);
    const int64_t x = starts[first_tile];
    make_source(all, pass, image, z, y, x, starts[end_tile] - x, number, words);
    for (int64_t output = 0; output < number; output++) {
      tile.weights = (const int8_t *)weights + output * own->tap_count * WORDS;
      for (int64_t next = first_tile; next < end_tile; next++) {
        tile.count = (int)(starts[next + 1] - starts[next]);
        tile.first_output = own->target_offset + z * own->target_steps[0] + (y + output) * own->target_steps[1]
            + starts[next] * own->target_steps[2];
        tile.source = words + (starts[next] - x) * own->source_steps[2];
        functions[tile.count - 1](all, &tile);
      }
    }
  }
}

// --- Planning.

bool suits_words(const struct space *space) {
#if defined(__aarch64__)
  // Without that instruction, the elements are faster one by one.
  if (!kernels_has_byte_products) return false;
#endif
  const int64_t groups = ceil_div(space->window[0] * space->window[1], WORD);
  const int64_t covered = (space->window[2] - 1) * space->dilation[2] + 1;
  return groups * ((WIDEST_TILE - 1) * space->strides[2] + covered) <= CAPACITY
      && WORD * groups * space->window[2] <= CAPACITY;
}

/// Counts the rows and columns of a pass, and the rows of outputs that are computed together: as many as the words
/// have room for, if the rows of the window are at equal distances.
static void count_rows(struct depthwise_pass *pass, int64_t columns_of_window) {
  const struct tap *taps = pass->plain->taps;
  const int64_t row_of_weights = columns_of_window * CHANNELS;
  const int count = pass->plain->tap_count;
  while (pass->columns < count
         && taps[pass->columns].weights / row_of_weights == taps[0].weights / row_of_weights) {
    pass->columns++;
  }
  pass->together = pass->distance = 1;
  if (count == 0) return;
  pass->rows = count / pass->columns;
  pass->groups = ceil_div(pass->rows, WORD);
  const ptrdiff_t step = pass->plain->source_steps[1];
  const ptrdiff_t distance = pass->rows > 1 ? taps[pass->columns].source - taps[0].source : step;
  if (distance <= 0 || step % distance != 0) return;
  for (int64_t row = 0; row < pass->rows; row++) {
    if (taps[row * pass->columns].source != taps[0].source + row * distance) return;
  }
  pass->distance = step / distance;
  pass->together = 1 + (pass->groups * WORD - pass->rows) / pass->distance;
}

/// Finds the rows of the image that the words are made of.
///
/// @param steps The strides of the padded image.
static void find_rows(struct depthwise_pass *pass, const ptrdiff_t steps[3], const int64_t before[3]) {
  const struct pass *plain = pass->plain;
  for (int64_t index = 0; index < pass->groups * WORD; index++) {
    struct source_row *row = &pass->source_rows[index];
    row->output = index < pass->rows ? 0 : ceil_div(index - pass->rows + 1, pass->distance);
    if (row->output >= pass->together) continue;
    const int64_t own = index - row->output * pass->distance;
    const ptrdiff_t offset = plain->source_offset + plain->taps[own * pass->columns].source
        + row->output * plain->source_steps[1];
    row->z = offset / steps[0] - before[0];
    row->y = offset % steps[0] / steps[1] - before[1];
  }
}

/// Finds the columns of the image, and sets the taps that read their words.
static void find_columns(struct depthwise_pass *pass, const ptrdiff_t steps[3], const int64_t before[3]) {
  const struct pass *plain = pass->plain;
  int64_t first = INT64_MAX, last = 0;
  for (int64_t column = 0; column < pass->columns; column++) {
    const int64_t own = (plain->source_offset + plain->taps[column].source) % steps[1] / steps[2];
    first = smaller(first, own);
    last = larger(last, own);
    for (int64_t group = 0; group < pass->groups; group++) {
      const int64_t word = group * pass->columns + column;
      pass->words.taps[word] = (struct tap){
        .source = (group * (CAPACITY / pass->groups) + own) * WORDS, .weights = word * WORDS};
    }
  }
  for (int64_t word = 0; word < pass->words.tap_count; word++) pass->words.taps[word].source -= first * WORDS;
  pass->first_column = first - before[2];
  pass->covered = last - first + 1;
}

static bool plan_pass(
    struct depthwise_pass *pass, const struct padded_input *input, const struct pass *plain,
    int64_t columns_of_window) {
  pass->plain = plain;
  count_rows(pass, columns_of_window);
  pass->words = *plain;
  pass->words.tap_count = (int)(pass->groups * pass->columns);
  pass->words.taps = calloc((size_t)pass->words.tap_count + 1, sizeof *plain->taps);
  pass->source_rows = calloc((size_t)(pass->groups * WORD) + 1, sizeof *pass->source_rows);
  if (!pass->words.taps || !pass->source_rows) return false;
  ptrdiff_t steps[3];
  padded_steps(input, input->pixel_size, steps);
  for (int axis = 0; axis < 3; axis++) pass->strides[axis] = plain->source_steps[axis] / steps[axis];
  pass->words.source_steps[2] = pass->strides[2] * WORDS;
  pass->tiles = larger(1, plain->tiles.count);
  if (pass->groups == 0) return true;
  static const int64_t none[3];
  const int64_t *before = input->is_copied ? input->before : none;
  find_rows(pass, steps, before);
  find_columns(pass, steps, before);
  const int64_t outputs = (CAPACITY / pass->groups - pass->covered) / pass->strides[2] + 1;
  pass->tiles = outputs / widest_quantized_tile(false, true);
  return true;
}

bool plan_depthwise(struct quantized_convolution *all, const struct space *space) {
  all->depthwise = calloc((size_t)all->passes.count, sizeof *all->depthwise);
  for (int index = 0; all->depthwise && index < all->passes.count; index++) {
    const struct pass *plain = &all->passes.list[index];
    if (!plan_pass(&all->depthwise[index], &all->input, plain, space->window[2])) return false;
  }
  return all->depthwise;
}

void free_depthwise(struct quantized_convolution *all) {
  for (int index = 0; all->depthwise && index < all->passes.count; index++) {
    free(all->depthwise[index].words.taps);
    free(all->depthwise[index].source_rows);
  }
  free(all->depthwise);
}
