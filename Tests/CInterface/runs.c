// Sessions on memory of the caller's.

#include <math.h>

#include "check.h"

static weighbridge_error error = WEIGHBRIDGE_INIT(weighbridge_error);

static weighbridge_status run(weighbridge_session session, struct arrays *arrays) {
  return weighbridge_session_run(
      session, arrays->inputs, arrays->input_count, arrays->outputs, arrays->output_count, &error);
}

/// Runs into memory of the caller's, compares with what another engine gave, and frees the memory.
static void expect_same(
    weighbridge_session session, struct arrays *arrays, const struct arrays *want) {
  EXPECT_OK(weighbridge_session_outputs(
      session, arrays->inputs, arrays->input_count, arrays->outputs, arrays->output_count, &error));
  for (size_t index = 0; index < arrays->output_count; index++) {
    EXPECT(arrays->outputs[index].byte_count == want->outputs[index].byte_count);
    arrays->outputs[index].data = malloc(arrays->outputs[index].byte_count);
  }
  EXPECT_OK(run(session, arrays));
  for (size_t index = 0; index < arrays->output_count; index++) {
    weighbridge_array *output = &arrays->outputs[index];
    const float *got = output->data, *wanted = want->outputs[index].data;
    for (size_t place = 0; place < output->byte_count / sizeof *got; place++) {
      EXPECT(fabsf(got[place] - wanted[place]) <= 1e-4f * (1 + fabsf(wanted[place])));
    }
    free(output->data);
    *output = (weighbridge_array)WEIGHBRIDGE_INIT(weighbridge_array);
  }
}

static void test_engines(const char *name) {
  weighbridge_model model = open_sample(name);
  weighbridge_run_options options = WEIGHBRIDGE_INIT(weighbridge_run_options);
  options.engine = "reference";
  weighbridge_session reference, cpu;
  EXPECT_OK(weighbridge_session_open(model, &options, &reference, &error));
  EXPECT_OK(weighbridge_session_open(model, NULL, &cpu, &error));
  struct arrays arrays = make_arrays(model), want = make_arrays(model);
  // Before a run of the reference, nobody knows.
  EXPECT_OK(weighbridge_session_outputs(
      reference, want.inputs, want.input_count, want.outputs, want.output_count, &error));
  EXPECT(want.outputs[0].rank == -1 && want.outputs[0].shape == NULL && want.outputs[0].name);
  EXPECT_OK(run(reference, &want));
  EXPECT(want.outputs[0].rank >= 0 && want.outputs[0].data);
  for (int time = 0; time < 3; time++) expect_same(cpu, &arrays, &want);
  char *profile = NULL;
  EXPECT_OK(weighbridge_session_profile(cpu, arrays.inputs, arrays.input_count, &profile, &error));
  EXPECT(strncmp(profile, "{\"total_ms\":", 12) == 0 && strstr(profile, "\"kernel\":"));
  weighbridge_free(profile);
  EXPECT_OK(weighbridge_session_close(cpu, &error));
  EXPECT_OK(weighbridge_session_close(reference, &error));
  EXPECT_OK(weighbridge_model_close(model, &error));
  free_arrays(&arrays);
  free_arrays(&want);
}

static void test_wrong_arrays(weighbridge_session session, struct arrays arrays) {
  weighbridge_array *input = &arrays.inputs[0], *output = &arrays.outputs[0];
  const weighbridge_array right = *input;
#define WRONG(change, status)                       \
  do {                                              \
    change;                                         \
    EXPECT_STATUS(run(session, &arrays), status);   \
    *input = right;                                 \
  } while (0)
  const int64_t transposed[] = {4, 3}, negative[] = {3, -4}, huge[] = {INT64_MAX, INT64_MAX};
  WRONG(input->element_type = WEIGHBRIDGE_FLOAT64, WEIGHBRIDGE_MISMATCH);
  WRONG(input->element_type = 77, WEIGHBRIDGE_MISMATCH);
  WRONG(input->shape = transposed, WEIGHBRIDGE_MISMATCH);
  WRONG(input->shape = negative, WEIGHBRIDGE_INVALID_ARGUMENT);
  WRONG(input->shape = huge, WEIGHBRIDGE_INVALID_ARGUMENT);
  WRONG(input->shape = NULL, WEIGHBRIDGE_INVALID_ARGUMENT);
  WRONG(input->rank = 1, WEIGHBRIDGE_MISMATCH);
  WRONG(input->rank = -1, WEIGHBRIDGE_INVALID_ARGUMENT);
  WRONG(input->rank = 1000, WEIGHBRIDGE_INVALID_ARGUMENT);
  WRONG(input->data = NULL, WEIGHBRIDGE_INVALID_ARGUMENT);
  WRONG(input->byte_count--, WEIGHBRIDGE_INVALID_ARGUMENT);
  WRONG(input->struct_size = 8, WEIGHBRIDGE_INVALID_ARGUMENT);
  WRONG(input->name = "nobody", WEIGHBRIDGE_MISMATCH);
  WRONG(input->name = arrays.inputs[1].name, WEIGHBRIDGE_MISMATCH);
#undef WRONG
  arrays.input_count = 1;
  EXPECT_STATUS(run(session, &arrays), WEIGHBRIDGE_MISMATCH);
  arrays.input_count = 2;
  // Outputs on top of inputs and of each other.
  EXPECT_OK(weighbridge_session_outputs(session, arrays.inputs, 2, arrays.outputs, 2, &error));
  float room[1024];
  output->data = (float *)input->data + 1;
  output->byte_count = 60;
  EXPECT_STATUS(run(session, &arrays), WEIGHBRIDGE_INVALID_ARGUMENT);
  output->data = room;
  arrays.outputs[1].data = room + 3;
  EXPECT_STATUS(run(session, &arrays), WEIGHBRIDGE_INVALID_ARGUMENT);
  arrays.outputs[1].data = NULL;
  output->byte_count--;
  EXPECT_STATUS(run(session, &arrays), WEIGHBRIDGE_INVALID_ARGUMENT);
  output->byte_count++;
  output->element_type = WEIGHBRIDGE_INT32;
  EXPECT_STATUS(run(session, &arrays), WEIGHBRIDGE_MISMATCH);
  output->element_type = WEIGHBRIDGE_FLOAT32;
  EXPECT_OK(run(session, &arrays));
}

/// The same arrays in another order, told by their names.
static void test_order(weighbridge_session session, const struct arrays *arrays) {
  struct arrays turned = *arrays;
  turned.inputs[0] = arrays->inputs[1];
  turned.inputs[1] = arrays->inputs[0];
  EXPECT_OK(run(session, &turned));
  EXPECT(turned.outputs[0].data && turned.outputs[0].shape[0] == 3);
}

/// Inputs with a default that are not given, beside the same inputs given.
static void test_defaults(void) {
  weighbridge_model model = open_sample("CoreML/remembering.mlmodel");
  weighbridge_session session, other;
  EXPECT_OK(weighbridge_session_open(model, NULL, &session, &error));
  EXPECT_OK(weighbridge_session_open(model, NULL, &other, &error));
  struct arrays arrays = make_arrays(model), given = make_arrays(model);
  EXPECT(arrays.input_count == 3);
  for (size_t index = 1; index < 3; index++) {
    memset(given.inputs[index].data, 0, given.inputs[index].byte_count);
    free(arrays.inputs[index].data);
    arrays.inputs[index].data = NULL;
    arrays.inputs[index].byte_count = 0;
  }
  EXPECT_OK(run(other, &given));
  expect_same(session, &arrays, &given);
  free(arrays.inputs[0].data);
  arrays.inputs[0].data = NULL;
  EXPECT_STATUS(run(session, &arrays), WEIGHBRIDGE_INVALID_ARGUMENT);
  free_arrays(&arrays);
  free_arrays(&given);
  EXPECT_OK(weighbridge_session_close(session, &error));
  EXPECT_OK(weighbridge_session_close(other, &error));
  EXPECT_OK(weighbridge_model_close(model, &error));
}

void test_runs(void) {
  test_defaults();
  test_engines("WBM/Operators/dense.wbm");
  test_engines("Models/shape-detector/shape-detector.h5");
  test_engines("WBM/Operators/softmax.wbm");
  weighbridge_model model = open_sample("WBM/Operators/dense.wbm");
  weighbridge_session session;
  EXPECT_OK(weighbridge_session_open(model, NULL, &session, &error));
  struct arrays arrays = make_arrays(model);
  test_wrong_arrays(session, arrays);
  test_order(session, &arrays);
  free_arrays(&arrays);
  EXPECT_OK(weighbridge_session_close(session, &error));
  EXPECT_OK(weighbridge_model_close(model, &error));
  weighbridge_error_clear(&error);
}
