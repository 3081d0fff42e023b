// Tests of the C interface: main SAMPLES FOLDER CYCLES
//
// SAMPLES is the repository's folder of them, FOLDER an empty one to write to, CYCLES how often a model is
// opened, run and closed.

#include "check.h"

static const char *samples;

const char *sample(const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", samples, name);
  return path;
}

weighbridge_model open_sample(const char *name) {
  weighbridge_error error = WEIGHBRIDGE_INIT(weighbridge_error);
  weighbridge_model model = 0;
  EXPECT_OK(weighbridge_model_open(sample(name), NULL, &model, &error));
  EXPECT(model != 0);
  return model;
}

struct arrays make_arrays(weighbridge_model model) {
  weighbridge_error error = WEIGHBRIDGE_INIT(weighbridge_error);
  struct arrays arrays = {0};
  EXPECT_OK(weighbridge_model_counts(model, &arrays.input_count, &arrays.output_count, &error));
  EXPECT(arrays.input_count > 0 && arrays.input_count <= 4);
  EXPECT(arrays.output_count > 0 && arrays.output_count <= 4);
  for (size_t index = 0; index < arrays.input_count; index++) {
    weighbridge_array *input = &arrays.inputs[index];
    *input = (weighbridge_array)WEIGHBRIDGE_INIT(weighbridge_array);
    EXPECT_OK(weighbridge_model_input(model, index, input, &error));
    EXPECT(input->element_type == WEIGHBRIDGE_FLOAT32);
    size_t count = 1;
    int64_t *shape = malloc((size_t)input->rank * sizeof *shape);
    for (int axis = 0; axis < input->rank; axis++) {
      shape[axis] = input->shape[axis] < 0 ? 1 : input->shape[axis];
      count *= (size_t)shape[axis];
    }
    float *numbers = malloc(count * sizeof *numbers);
    for (size_t place = 0; place < count; place++) numbers[place] = (float)(place % 17) / 16;
    input->shape = shape;
    input->data = numbers;
    input->byte_count = count * sizeof *numbers;
  }
  for (size_t index = 0; index < arrays.output_count; index++) {
    arrays.outputs[index] = (weighbridge_array)WEIGHBRIDGE_INIT(weighbridge_array);
  }
  return arrays;
}

void free_arrays(struct arrays *arrays) {
  for (size_t index = 0; index < arrays->input_count; index++) {
    free((void *)arrays->inputs[index].shape);
    free(arrays->inputs[index].data);
  }
}

int main(int count, char **arguments) {
  if (count != 4) {
    fprintf(stderr, "usage: %s SAMPLES FOLDER CYCLES\n", arguments[0]);
    return 2;
  }
  samples = arguments[1];
  test_arguments();
  test_errors();
  test_handles();
  test_models(arguments[2]);
  test_commands(arguments[2]);
  test_runs();
  test_threads();
  test_fork();
  test_cycles(atoi(arguments[3]));
  puts("C interface: passed");
}
