// Handles that are closed, never were, or are another kind of thing; errors with their places.

#include "check.h"

static weighbridge_error error = WEIGHBRIDGE_INIT(weighbridge_error);

#define GONE(call) EXPECT_STATUS(call, WEIGHBRIDGE_INVALID_HANDLE)

/// Uses a handle that is none in every function that takes one.
static void use(uint64_t handle) {
  size_t count;
  char *text = NULL;
  uint64_t other;
  weighbridge_array array = WEIGHBRIDGE_INIT(weighbridge_array);
  GONE(weighbridge_model_close(handle, &error));
  GONE(weighbridge_model_counts(handle, &count, &count, &error));
  GONE(weighbridge_model_input(handle, 0, &array, &error));
  GONE(weighbridge_model_output(handle, 0, &array, &error));
  GONE(weighbridge_model_metadata(handle, &text, &error));
  GONE(weighbridge_model_write(handle, "never.wbm", NULL, &error));
  GONE(weighbridge_model_export(handle, "never.onnx", NULL, &text, &error));
  GONE(weighbridge_model_verify(handle, NULL, &text, &error));
  GONE(weighbridge_session_open(handle, NULL, &other, &error));
  GONE(weighbridge_session_close(handle, &error));
  GONE(weighbridge_session_outputs(handle, &array, 1, &array, 1, &error));
  GONE(weighbridge_session_run(handle, &array, 1, &array, 1, &error));
  GONE(weighbridge_session_profile(handle, &array, 1, &text, &error));
  GONE(weighbridge_session_cancel(handle, &error));
  GONE(weighbridge_detector_open(handle, NULL, &other, &error));
  GONE(weighbridge_detector_close(handle, &error));
  GONE(weighbridge_detector_file(handle, sample("Models/shape-detector/picture.png"), &text, &error));
  GONE(weighbridge_detector_draw(handle, "picture.png", "boxes.png", &text, &error));
  GONE(weighbridge_analyzer_open(handle, NULL, &other, &error));
  GONE(weighbridge_analyzer_close(handle, &error));
  GONE(weighbridge_analyzer_identity(handle, &text, &error));
  GONE(weighbridge_analyzer_image(handle, "", 0, &text, &array, &error));
  EXPECT(text == NULL);
}

void test_handles(void) {
  const uint64_t strange[] = {0, 1, (uint64_t)-1, 1ull << 60, 0x1000000100000000, 0x2FFFFFFFFFFFFFFF};
  for (size_t index = 0; index < sizeof strange / sizeof *strange; index++) use(strange[index]);

  weighbridge_model model = open_sample("WBM/Operators/dense.wbm");
  weighbridge_session session;
  EXPECT_OK(weighbridge_session_open(model, NULL, &session, &error));
  size_t count;
  GONE(weighbridge_model_counts(session, &count, &count, &error));
  GONE(weighbridge_session_close(model, &error));
  EXPECT_OK(weighbridge_model_close(model, &error));
  use(model);
  // The session stays, and a new model in the old one's place is another one.
  weighbridge_model second = open_sample("WBM/Operators/dense.wbm");
  EXPECT(second != model);
  use(model);
  struct arrays arrays = make_arrays(second);
  EXPECT_OK(weighbridge_session_run(
      session, arrays.inputs, arrays.input_count, arrays.outputs, arrays.output_count, &error));
  EXPECT(arrays.outputs[0].data != NULL);
  EXPECT_OK(weighbridge_session_close(session, &error));
  use(session);
  EXPECT_OK(weighbridge_model_close(second, &error));
  free_arrays(&arrays);
  weighbridge_error_clear(&error);
}

void test_errors(void) {
  weighbridge_model model = 7;
  EXPECT_STATUS(weighbridge_model_open("no/such.wbm", NULL, &model, &error), WEIGHBRIDGE_MISSING);
  EXPECT(model == 7);
  EXPECT(strcmp(error.file, "no/such.wbm") == 0 && strstr(error.message, "no/such.wbm: "));
  EXPECT(strstr(error.message, error.reason) && error.line == 0 && error.byte == -1);
  EXPECT(!error.path && !error.layer);
  // Names in a message are those of the options.
  weighbridge_read_options options = WEIGHBRIDGE_INIT(weighbridge_read_options);
  options.weights = "x.weights";
  EXPECT_STATUS(
      weighbridge_model_open(sample("Models/shape-detector/shape-detector.h5"), &options, &model, &error),
      WEIGHBRIDGE_MISMATCH);
  EXPECT(strstr(error.reason, "`weights`") && !strstr(error.reason, "ReadOptions"));
  EXPECT(weighbridge_model_open(
          sample("Models/shape-detector/input.npy"), NULL, &model, &error) != WEIGHBRIDGE_OK);
  // A call that is given an error clears it first.
  model = open_sample("WBM/Operators/dense.wbm");
  EXPECT_OK(weighbridge_model_close(model, &error));
  EXPECT(error.status == WEIGHBRIDGE_OK && !error.message && !error.storage);
  EXPECT(strcmp(weighbridge_status_name(WEIGHBRIDGE_BUSY), "busy") == 0);
  EXPECT(strcmp(weighbridge_status_name(-1), "unknown") == 0);
  EXPECT(strchr(weighbridge_version(), '.'));
}
