// NULL, structs of other sizes, words and numbers that are none.

#include "check.h"

static weighbridge_error error = WEIGHBRIDGE_INIT(weighbridge_error);

#define INVALID(call) EXPECT_STATUS(call, WEIGHBRIDGE_INVALID_ARGUMENT)

static void test_null(weighbridge_model model, weighbridge_session session) {
  weighbridge_model other;
  size_t count;
  char *text = NULL;
  const char *path = sample("WBM/Operators/dense.wbm");
  INVALID(weighbridge_model_open(NULL, NULL, &other, &error));
  INVALID(weighbridge_model_open("", NULL, &other, &error));
  INVALID(weighbridge_model_open(path, NULL, NULL, &error));
  INVALID(weighbridge_model_counts(model, NULL, &count, &error));
  INVALID(weighbridge_model_counts(model, &count, NULL, &error));
  INVALID(weighbridge_model_input(model, 0, NULL, &error));
  INVALID(weighbridge_model_output(model, 0, NULL, &error));
  INVALID(weighbridge_model_metadata(model, NULL, &error));
  INVALID(weighbridge_model_write(model, NULL, NULL, &error));
  INVALID(weighbridge_model_export(model, NULL, NULL, &text, &error));
  INVALID(weighbridge_model_verify(model, NULL, NULL, &error));
  INVALID(weighbridge_inspect(NULL, NULL, &text, &error));
  INVALID(weighbridge_inspect(path, NULL, NULL, &error));
  INVALID(weighbridge_convert(NULL, NULL, "out.wbm", NULL, &error));
  INVALID(weighbridge_convert(path, NULL, NULL, NULL, &error));
  INVALID(weighbridge_session_open(model, NULL, NULL, &error));
  INVALID(weighbridge_session_run(session, NULL, 2, NULL, 2, &error));
  INVALID(weighbridge_session_outputs(session, NULL, 2, NULL, 2, &error));
  INVALID(weighbridge_session_profile(session, NULL, 2, &text, &error));
  INVALID(weighbridge_session_profile(session, NULL, 0, NULL, &error));
  INVALID(weighbridge_detector_open(model, NULL, NULL, &error));
  INVALID(weighbridge_detector_file(session, NULL, NULL, &error));
  INVALID(weighbridge_detector_pixels(session, NULL, NULL, &error));
  INVALID(weighbridge_detector_draw(session, path, "boxes.png", NULL, &error));
  INVALID(weighbridge_analyzer_open(model, NULL, NULL, &error));
  INVALID(weighbridge_analyzer_identity(session, NULL, &error));
  INVALID(weighbridge_analyzer_image(session, "", 0, NULL, NULL, &error));
  EXPECT(text == NULL);
  // No place for an error, and nothing to free.
  EXPECT(weighbridge_model_open(NULL, NULL, NULL, NULL) == WEIGHBRIDGE_INVALID_ARGUMENT);
  weighbridge_error_clear(NULL);
  weighbridge_free(NULL);
}

static void test_sizes(void) {
  const char *path = sample("WBM/Operators/dense.wbm");
  weighbridge_model model;
  const size_t known = sizeof(weighbridge_read_options);
  // The struct of version 0.2 ended before the member that 0.3 added.
  const size_t oldest = offsetof(weighbridge_read_options, weight_names);
  const size_t wrong[] = {0, 1, 8, oldest - 8, known + 1, (size_t)-1, (size_t)1 << 40};
  for (size_t index = 0; index < sizeof wrong / sizeof *wrong; index++) {
    weighbridge_read_options options = WEIGHBRIDGE_INIT(weighbridge_read_options);
    options.struct_size = wrong[index];
    INVALID(weighbridge_model_open(path, &options, &model, &error));
  }
  weighbridge_read_options old = WEIGHBRIDGE_INIT(weighbridge_read_options);
  old.struct_size = oldest;
  EXPECT_OK(weighbridge_model_open(path, &old, &model, &error));
  EXPECT_OK(weighbridge_model_close(model, &error));
  // A later version of the struct: what is new in it may be 0 and nothing else.
  struct {
    weighbridge_read_options options;
    int64_t later;
  } larger = {.options = {.struct_size = sizeof larger}};
  EXPECT_OK(weighbridge_model_open(path, &larger.options, &model, &error));
  EXPECT_OK(weighbridge_model_close(model, &error));
  larger.later = 1;
  INVALID(weighbridge_model_open(path, &larger.options, &model, &error));
  // An error that nobody has initialized is not written to.
  weighbridge_error garbage;
  memset(&garbage, 0xA5, sizeof garbage);
  const weighbridge_error before = garbage;
  EXPECT(weighbridge_model_open(path, NULL, &model, &garbage) == WEIGHBRIDGE_INVALID_ARGUMENT);
  EXPECT(memcmp(&before, &garbage, sizeof garbage) == 0);
  weighbridge_error_clear(&garbage);
}

static void test_options(weighbridge_model model) {
  weighbridge_session session;
  char *text = NULL;
  weighbridge_run_options run = WEIGHBRIDGE_INIT(weighbridge_run_options);
  run.engine = "gpu";
  INVALID(weighbridge_session_open(model, &run, &session, &error));
  EXPECT(strstr(error.reason, "reference, cpu"));
  run.engine = "\xFF";
  INVALID(weighbridge_session_open(model, &run, &session, &error));
  run.engine = NULL;
  run.threads = -1;
  INVALID(weighbridge_session_open(model, &run, &session, &error));
  weighbridge_read_options read = WEIGHBRIDGE_INIT(weighbridge_read_options);
  const char *texts[] = {"8,x", NULL};
  read.input_shapes = texts;
  read.input_shape_count = 1;
  INVALID(weighbridge_inspect(sample("WBM/Operators/dense.wbm"), &read, &text, &error));
  read.input_shapes = texts + 1;
  INVALID(weighbridge_inspect(sample("WBM/Operators/dense.wbm"), &read, &text, &error));
  read.input_shapes = NULL;
  INVALID(weighbridge_inspect(sample("WBM/Operators/dense.wbm"), &read, &text, &error));
  weighbridge_export_options export = WEIGHBRIDGE_INIT(weighbridge_export_options);
  export.target = "caffe";
  INVALID(weighbridge_model_export(model, "never", &export, NULL, &error));
  weighbridge_verify_options verify = WEIGHBRIDGE_INIT(weighbridge_verify_options);
  const double tolerance[] = {-1, 0};
  verify.tolerance = tolerance;
  INVALID(weighbridge_model_verify(model, &verify, &text, &error));
  verify.tolerance = NULL;
  verify.reference_inputs = "x.npy";
  INVALID(weighbridge_model_verify(model, &verify, &text, &error));
  EXPECT(strstr(error.reason, "reference_inputs and reference_outputs go together"));
  const char *twice[] = {"sr=1", "sr=2"};
  read.fixed_inputs = twice;
  read.fixed_input_count = 2;
  read.input_shape_count = 0;
  INVALID(weighbridge_inspect(sample("WBM/Operators/dense.wbm"), &read, &text, &error));
  EXPECT(strstr(error.reason, "fixed_inputs gives sr twice"));
  weighbridge_detect_options detect = WEIGHBRIDGE_INIT(weighbridge_detect_options);
  weighbridge_detector detector;
  detect.resize = "crop";
  INVALID(weighbridge_detector_open(model, &detect, &detector, &error));
  EXPECT(strstr(error.reason, "letterbox, stretch, center-crop"));
  weighbridge_array port = WEIGHBRIDGE_INIT(weighbridge_array);
  INVALID(weighbridge_model_input(model, 2, &port, &error));
  INVALID(weighbridge_model_output(model, (size_t)-1, &port, &error));
}

void test_arguments(void) {
  weighbridge_model model = open_sample("WBM/Operators/dense.wbm");
  weighbridge_session session;
  EXPECT_OK(weighbridge_session_open(model, NULL, &session, &error));
  test_null(model, session);
  test_sizes();
  test_options(model);
  EXPECT_OK(weighbridge_session_close(session, &error));
  EXPECT_OK(weighbridge_model_close(model, &error));
  weighbridge_error_clear(&error);
}
