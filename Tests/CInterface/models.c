// Reading, writing, exporting, verifying, looking for objects.

#include <unistd.h>

#include "check.h"

static weighbridge_error error = WEIGHBRIDGE_INIT(weighbridge_error);

static int32_t stop(void *context) {
  ++*(int *)context;
  return 1;
}

static void test_detector(weighbridge_model model, const char *folder) {
  weighbridge_detector detector;
  char *file = NULL, *pixels = NULL, *drawn = NULL, path[4096];
  EXPECT_OK(weighbridge_detector_open(model, NULL, &detector, &error));
  EXPECT_OK(weighbridge_detector_file(
      detector, sample("Models/shape-detector/picture.png"), &file, &error));
  EXPECT(strncmp(file, "[{\"label\":", 10) == 0);
  EXPECT_STATUS(weighbridge_detector_file(detector, "no.png", &file, &error), WEIGHBRIDGE_MISSING);
  snprintf(path, sizeof path, "%s/boxes.png", folder);
  EXPECT_OK(weighbridge_detector_draw(
      detector, sample("Models/shape-detector/picture.png"), path, &drawn, &error));
  EXPECT(strcmp(file, drawn) == 0 && access(path, R_OK) == 0);
  weighbridge_free(drawn);
  snprintf(path, sizeof path, "%s/boxes.txt", folder);
  EXPECT_STATUS(
      weighbridge_detector_draw(
          detector, sample("Models/shape-detector/picture.png"), path, &drawn, &error),
      WEIGHBRIDGE_MISMATCH);
  static uint8_t white[88 * 88 * 3];
  const int64_t shape[] = {88, 88, 3};
  weighbridge_array image = WEIGHBRIDGE_INIT(weighbridge_array);
  image.element_type = WEIGHBRIDGE_UINT8;
  image.rank = 3;
  image.shape = shape;
  image.data = white;
  image.byte_count = sizeof white;
  EXPECT_OK(weighbridge_detector_pixels(detector, &image, &pixels, &error));
  image.byte_count--;
  EXPECT_STATUS(
      weighbridge_detector_pixels(detector, &image, &pixels, &error), WEIGHBRIDGE_INVALID_ARGUMENT);
  image.element_type = WEIGHBRIDGE_FLOAT32;
  EXPECT_STATUS(
      weighbridge_detector_pixels(detector, &image, &pixels, &error), WEIGHBRIDGE_MISMATCH);
  weighbridge_free(file);
  weighbridge_free(pixels);
  EXPECT_OK(weighbridge_detector_close(detector, &error));
  EXPECT_STATUS(weighbridge_detector_close(detector, &error), WEIGHBRIDGE_INVALID_HANDLE);
}

/// The bytes of the picture that the detector is tested with.
static size_t read_picture(uint8_t *bytes, size_t room) {
  FILE *file = fopen(sample("Models/shape-detector/picture.png"), "rb");
  EXPECT(file);
  const size_t count = fread(bytes, 1, room, file);
  EXPECT(count > 0 && count < room);
  fclose(file);
  return count;
}

static void test_analyzer(weighbridge_model model) {
  static uint8_t bytes[1 << 16];
  const size_t count = read_picture(bytes, sizeof bytes);
  weighbridge_analyze_options options = WEIGHBRIDGE_INIT(weighbridge_analyze_options);
  weighbridge_array features = WEIGHBRIDGE_INIT(weighbridge_array);
  weighbridge_analyzer analyzer;
  char *text = NULL, *digest = NULL, *other = NULL;
  EXPECT_OK(weighbridge_analyzer_open(model, &options, &analyzer, &error));
  EXPECT_OK(weighbridge_analyzer_identity(analyzer, &digest, &error));
  EXPECT_OK(weighbridge_analyzer_image(analyzer, bytes, count, &text, &features, &error));
  EXPECT(strstr(text, "{\"width\":88,\"height\":88,\"detections\":[{\"label\":") == text);
  EXPECT(!features.data && features.byte_count == 0);
  weighbridge_free(text);
  EXPECT_OK(weighbridge_analyzer_close(analyzer, &error));

  options.features = "conv2d_6";
  EXPECT_OK(weighbridge_analyzer_open(model, &options, &analyzer, &error));
  EXPECT_OK(weighbridge_analyzer_identity(analyzer, &other, &error));
  EXPECT(strlen(digest) == 64 && strcmp(digest, other) != 0);
  EXPECT_OK(weighbridge_analyzer_image(analyzer, bytes, count, &text, NULL, &error));
  weighbridge_free(text);
  EXPECT_OK(weighbridge_analyzer_image(analyzer, bytes, count, &text, &features, &error));
  EXPECT(features.data && features.rank == 1 && features.element_type == WEIGHBRIDGE_FLOAT32);
  EXPECT(features.shape[0] > 0 && features.byte_count == 4 * (size_t)features.shape[0]);
  weighbridge_free(text);
  text = NULL;
  EXPECT(weighbridge_analyzer_image(analyzer, bytes, count / 2, &text, NULL, &error) != WEIGHBRIDGE_OK);
  EXPECT(weighbridge_analyzer_image(analyzer, bytes, 0, &text, NULL, &error) != WEIGHBRIDGE_OK);
  EXPECT(!text);
  EXPECT_OK(weighbridge_analyzer_close(analyzer, &error));
  options.features = "nobody";
  EXPECT_STATUS(
      weighbridge_analyzer_open(model, &options, &analyzer, &error), WEIGHBRIDGE_MISMATCH);
  weighbridge_free(digest);
  weighbridge_free(other);
}

static void test_reports(weighbridge_model model, const char *source) {
  char *text = NULL;
  EXPECT_OK(weighbridge_model_metadata(model, &text, &error));
  EXPECT(strstr(text, "\"author\":\"A. Author\""));
  weighbridge_free(text);
  weighbridge_verify_options options = WEIGHBRIDGE_INIT(weighbridge_verify_options);
  options.against = source;
  EXPECT_OK(weighbridge_model_verify(model, &options, &text, &error));
  EXPECT(strncmp(text, "{\"passed\":true,\"checks\":[{", 26) == 0);
  weighbridge_free(text);
}

/// Exports whose options are of this version and of version 0.2, which had fewer members.
static void test_exports(weighbridge_model model, const char *folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/shapes.npz", folder);
  weighbridge_export_options export = WEIGHBRIDGE_INIT(weighbridge_export_options);
  export.keep_integers = 1;
  EXPECT_OK(weighbridge_model_export(model, path, &export, NULL, &error));
  export.no_clobber = 1;
  EXPECT_STATUS(
      weighbridge_model_export(model, path, &export, NULL, &error), WEIGHBRIDGE_OUTPUT_FAILED);
  snprintf(path, sizeof path, "%s/boxes.onnx", folder);
  EXPECT_STATUS(
      weighbridge_model_export(model, path, &export, NULL, &error), WEIGHBRIDGE_MISMATCH);
  EXPECT(strstr(error.reason, "`keep_integers` does not apply to the format onnx"));
  // What is behind the members of version 0.2 is not read.
  export.struct_size = offsetof(weighbridge_export_options, with_nms);
  EXPECT_OK(weighbridge_model_export(model, path, &export, NULL, &error));
  export.struct_size -= sizeof(void *);
  EXPECT_STATUS(
      weighbridge_model_export(model, path, &export, NULL, &error), WEIGHBRIDGE_INVALID_ARGUMENT);

  const int32_t yes = 1;
  weighbridge_export_options boxes = WEIGHBRIDGE_INIT(weighbridge_export_options);
  boxes.with_nms = &yes;
  EXPECT_OK(weighbridge_model_export(model, path, &boxes, NULL, &error));
  boxes.outputs = "boxes";
  EXPECT_STATUS(
      weighbridge_model_export(model, path, &boxes, NULL, &error), WEIGHBRIDGE_INVALID_ARGUMENT);
  EXPECT(strstr(error.reason, "both are given"));
  boxes.with_nms = NULL;
  EXPECT_OK(weighbridge_model_export(model, path, &boxes, NULL, &error));
}

void test_models(const char *folder) {
  char source[4096], path[4096];
  snprintf(source, sizeof source, "%s", sample("Models/shape-detector/shape-detector.h5"));
  snprintf(path, sizeof path, "%s/shapes.wbm", folder);
  weighbridge_read_options read = WEIGHBRIDGE_INIT(weighbridge_read_options);
  read.metadata =
      "{\"author\": \"A. Author\", \"labels\": [\"ellipse\", \"rectangle\", \"triangle\"],"
      " \"inputs\": [{\"name\": \"image\", \"image\": {\"scale\": 0.00392156862745098}}],"
      " \"detector\": {\"kind\": \"region\", \"anchors\": [2.5, 2.5, 4.4, 2.7, 2.8, 4.6]}}";
  weighbridge_write_options write = WEIGHBRIDGE_INIT(weighbridge_write_options);
  EXPECT_OK(weighbridge_convert(source, &read, path, &write, &error));
  write.no_clobber = 1;
  EXPECT(write.keep_existing == 1);  // the former name
  EXPECT_STATUS(
      weighbridge_convert(source, &read, path, &write, &error), WEIGHBRIDGE_OUTPUT_FAILED);
  EXPECT(strcmp(error.file, path) == 0);

  char *text = NULL;
  EXPECT_OK(weighbridge_inspect(path, NULL, &text, &error));
  EXPECT(strstr(text, "\"format\":\"wbm 1.0\"") && strstr(text, "\"name\":\"image\""));
  weighbridge_free(text);
  weighbridge_model model;
  EXPECT_OK(weighbridge_model_open(path, NULL, &model, &error));
  test_reports(model, source);
  test_detector(model, folder);
  test_analyzer(model);
  test_exports(model, folder);

  snprintf(path, sizeof path, "%s/shapes.onnx", folder);
  EXPECT_OK(weighbridge_model_export(model, path, NULL, &text, &error));
  EXPECT(strstr(text, "\"files\":[\"") && access(path, R_OK) == 0);
  weighbridge_free(text);
  weighbridge_export_options export = WEIGHBRIDGE_INIT(weighbridge_export_options);
  export.target = "ncnn";
  export.opset = 17;
  EXPECT_STATUS(
      weighbridge_model_export(model, path, &export, NULL, &error), WEIGHBRIDGE_MISMATCH);

  // Work that is stopped leaves nothing behind.
  int calls = 0;
  snprintf(path, sizeof path, "%s/stopped.wbm", folder);
  write.interrupt = stop;
  write.interrupt_context = &calls;
  const weighbridge_status status = weighbridge_model_write(model, path, &write, &error);
  // It may be done before anybody asks.
  EXPECT(status == (calls ? WEIGHBRIDGE_CANCELLED : WEIGHBRIDGE_OK));
  EXPECT((access(path, F_OK) == 0) == (status == WEIGHBRIDGE_OK));
  EXPECT_OK(weighbridge_model_close(model, &error));
  weighbridge_error_clear(&error);
}
