// What the program's commands do, one after the other: cutting, compacting, comparing, classifying, transforming, metadata,
// Swift, reports and indexes.

#include "check.h"

static weighbridge_error error = WEIGHBRIDGE_INIT(weighbridge_error);

static const char sketches[] =
    "{\"labels\":[\"line\",\"cross\",\"circle\",\"square\",\"triangle\",\"zigzag\",\"spiral\",\"star\"],"
    "\"inputs\":[{\"name\":\"sketch\",\"image\":{\"scale\":0.00392156862745098}}]}";

/// A file in the folder that is written to.
static const char *in(const char *folder, const char *name) {
  static char paths[4][4096];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

/// The sketch classifier with its labels and its preprocessing.
static weighbridge_model open_sketches(void) {
  weighbridge_read_options options = WEIGHBRIDGE_INIT(weighbridge_read_options);
  weighbridge_model model = 0;
  options.metadata = sketches;
  EXPECT_OK(weighbridge_model_open(
      sample("Models/sketch-classifier/sketch-classifier.h5"), &options, &model, &error));
  return model;
}

static void test_cut(weighbridge_model model) {
  const char *outputs[] = {"dense_1"}, *wrong[] = {"dense_9"};
  weighbridge_model part = 0;
  weighbridge_array output = WEIGHBRIDGE_INIT(weighbridge_array);
  EXPECT_OK(weighbridge_model_cut(model, outputs, 1, NULL, 0, NULL, &part, &error));
  EXPECT_OK(weighbridge_model_output(part, 0, &output, &error));
  EXPECT(strcmp(output.name, "dense_1") == 0 && output.rank == 2 && output.shape[1] == 64);
  EXPECT_OK(weighbridge_model_close(part, &error));
  EXPECT_STATUS(
      weighbridge_model_cut(model, wrong, 1, NULL, 0, NULL, &part, &error), WEIGHBRIDGE_MISMATCH);
  EXPECT_STATUS(
      weighbridge_model_cut(model, NULL, 0, NULL, 0, NULL, &part, &error), WEIGHBRIDGE_MISMATCH);
}

static void test_compact_and_compare(weighbridge_model model) {
  weighbridge_compact_options options = WEIGHBRIDGE_INIT(weighbridge_compact_options);
  weighbridge_compare_options compare = WEIGHBRIDGE_INIT(weighbridge_compare_options);
  weighbridge_model small = 0;
  char *text = NULL;
  options.encoding = "int8";
  EXPECT_OK(weighbridge_model_compact(model, &options, &small, &error));
  EXPECT_OK(weighbridge_model_compare(model, small, NULL, &text, &error));
  EXPECT(strncmp(text, "{\"same\":false,", 14) == 0);
  weighbridge_free(text);
  EXPECT_OK(weighbridge_model_close(small, &error));
  const double share = 0.99;
  options.keep_answers = &share;
  EXPECT_STATUS(
      weighbridge_model_compact(model, &options, &small, &error), WEIGHBRIDGE_INVALID_ARGUMENT);
  EXPECT_OK(weighbridge_model_compact(model, NULL, &small, &error));
  compare.inputs = sample("Models/sketch-classifier/input.npy");
  EXPECT_OK(weighbridge_model_compare(model, small, &compare, &text, &error));
  EXPECT(strncmp(text, "{\"same\":true,", 13) == 0 && strstr(text, "the output"));
  weighbridge_free(text);
  EXPECT_OK(weighbridge_model_close(small, &error));
}

static void test_classifier(weighbridge_model model) {
  weighbridge_classify_options options = WEIGHBRIDGE_INIT(weighbridge_classify_options);
  weighbridge_classifier classifier = 0;
  char *text = NULL;
  options.top = 1;
  EXPECT_OK(weighbridge_classifier_open(model, &options, &classifier, &error));
  EXPECT_OK(weighbridge_classifier_file(
      classifier, sample("Models/sketch-classifier/sketches/007-star.png"), &text, &error));
  EXPECT(strncmp(text, "[{\"label\":\"star\",\"class\":7,\"probability\":0.99", 45) == 0);
  EXPECT(!strstr(text + 1, "label\":\"zigzag"));
  weighbridge_free(text);
  static uint8_t white[64 * 64 * 3];
  const int64_t shape[] = {64, 64, 3};
  weighbridge_array image = WEIGHBRIDGE_INIT(weighbridge_array);
  image.element_type = WEIGHBRIDGE_UINT8;
  image.rank = 3;
  image.shape = shape;
  image.data = white;
  image.byte_count = sizeof white;
  EXPECT_OK(weighbridge_classifier_pixels(classifier, &image, &text, &error));
  weighbridge_free(text);
  EXPECT_STATUS(weighbridge_detector_close(classifier, &error), WEIGHBRIDGE_INVALID_HANDLE);
  EXPECT_OK(weighbridge_classifier_close(classifier, &error));
  options.scores = "marks";
  EXPECT_STATUS(
      weighbridge_classifier_open(model, &options, &classifier, &error),
      WEIGHBRIDGE_INVALID_ARGUMENT);
}

static void test_files(weighbridge_model model, const char *folder) {
  const char *path = in(folder, "sketches.wbm"), *page = in(folder, "sketches.html");
  char *text = NULL;
  EXPECT_OK(weighbridge_model_write(model, path, NULL, &error));
  EXPECT_OK(weighbridge_metadata_edit(path, "{\"author\":\"A\",\"mine\":\"B\"}", NULL, &error));
  EXPECT_OK(weighbridge_metadata_edit(path, "{\"mine\":null}", NULL, &error));
  EXPECT_STATUS(
      weighbridge_metadata_edit(path, "{\"mine\":1}", NULL, &error), WEIGHBRIDGE_INVALID_ARGUMENT);
  EXPECT_STATUS(
      weighbridge_metadata_edit(path, "{\"mine\":null}", NULL, &error), WEIGHBRIDGE_MISMATCH);
  weighbridge_model edited = 0;
  EXPECT_OK(weighbridge_model_open(path, NULL, &edited, &error));
  EXPECT_OK(weighbridge_model_metadata(edited, &text, &error));
  EXPECT(strstr(text, "\"author\":\"A\"") && !strstr(text, "mine"));
  weighbridge_free(text);
  EXPECT_OK(weighbridge_model_close(edited, &error));
  EXPECT_OK(weighbridge_model_swift(model, "Sketches", NULL, &text, &error));
  EXPECT(strstr(text, "class Sketches"));
  weighbridge_free(text);
  weighbridge_report_options options = WEIGHBRIDGE_INIT(weighbridge_report_options);
  options.no_verify = options.no_profile = options.no_clobber = 1;
  EXPECT_OK(weighbridge_report(&path, 1, NULL, page, &options, &error));
  EXPECT_STATUS(
      weighbridge_report(&path, 1, NULL, page, &options, &error), WEIGHBRIDGE_OUTPUT_FAILED);
  EXPECT_STATUS(weighbridge_report(NULL, 0, NULL, page, NULL, &error), WEIGHBRIDGE_MISMATCH);
}

static void test_stylize(const char *folder) {
  weighbridge_read_options options = WEIGHBRIDGE_INIT(weighbridge_read_options);
  weighbridge_stylize_options style = WEIGHBRIDGE_INIT(weighbridge_stylize_options);
  weighbridge_model model = 0;
  options.metadata = "{\"inputs\":[{\"name\":\"photo\",\"image\":{\"scale\":0.00392156862745098}}]}";
  EXPECT_OK(weighbridge_model_open(sample("Models/softening/softening.h5"), &options, &model, &error));
  const char *output = in(folder, "soft.png");
  char wide[4096];
  snprintf(wide, sizeof wide, "%s", sample("Models/softening/wide.png"));
  EXPECT_OK(weighbridge_model_stylize(model, wide, output, NULL, &error));
  const double bias = 1;
  style.output_bias = &bias;
  EXPECT_STATUS(
      weighbridge_model_stylize(model, wide, output, &style, &error), WEIGHBRIDGE_INVALID_ARGUMENT);
  EXPECT_OK(weighbridge_model_close(model, &error));
}

static void test_index(weighbridge_model model, const char *folder) {
  const char *index = in(folder, "sketches.db"), *outputs[] = {"dense_1"};
  char sketches_folder[4096], star[4096];
  snprintf(sketches_folder, sizeof star, "%s", sample("Models/sketch-classifier/sketches"));
  snprintf(star, sizeof star, "%s", sample("Models/sketch-classifier/sketches/007-star.png"));
  const char *query = star;
  weighbridge_model features = 0;
  char *text = NULL;
  EXPECT_OK(weighbridge_model_cut(model, outputs, 1, NULL, 0, NULL, &features, &error));
  EXPECT_OK(weighbridge_index_update(index, sketches_folder, features, NULL, &text, &error));
  EXPECT(strstr(text, "\"images\":200,\"analyzed\":200,"));
  weighbridge_free(text);
  weighbridge_similar_options options = WEIGHBRIDGE_INIT(weighbridge_similar_options);
  options.top = 3;
  char plots[4096];
  snprintf(plots, sizeof plots, "%s/plots", folder);
  options.plot = plots;
  EXPECT_OK(weighbridge_index_similar(index, 0, &query, 1, &options, &text, &error));
  // An image is not compared with itself; the nearest are stars, too.
  EXPECT(!strstr(strstr(text, "matches"), "007-star.png") && strstr(text, "-star.png\",\"distance\":"));
  weighbridge_free(text);
  snprintf(plots, sizeof plots, "%s/plots/distances.svg", folder);
  EXPECT(access(plots, R_OK) == 0);
  weighbridge_search_options search = WEIGHBRIDGE_INIT(weighbridge_search_options);
  search.layout = "[{\"label\":\"star\",\"x\":0,\"y\":0,\"width\":1,\"height\":1}]";
  EXPECT_STATUS(
      weighbridge_index_search(index, 0, &search, &text, &error), WEIGHBRIDGE_MISMATCH);
  EXPECT_STATUS(
      weighbridge_index_search(index, 0, NULL, &text, &error), WEIGHBRIDGE_MISMATCH);
  EXPECT_OK(weighbridge_model_close(features, &error));
}

void test_commands(const char *folder) {
  weighbridge_model model = open_sketches();
  test_cut(model);
  test_compact_and_compare(model);
  test_classifier(model);
  test_files(model, folder);
  test_stylize(folder);
  test_index(model, folder);
  EXPECT_OK(weighbridge_model_close(model, &error));
}
