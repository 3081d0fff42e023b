/* Prints what darknet detects in given numbers, as JSON: every detection before and after its
   suppression. Compiled by record.py against either fork (-DPJREDDIE for the original).

   record CFG NUMBERS WIDTH HEIGHT LETTERBOX THRESHOLD OVERLAP AGNOSTIC */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "darknet.h"

#ifdef PJREDDIE
typedef network *net_type;
#define LAYER(net, i) ((net)->layers[i])
#define COUNT(net) ((net)->n)
#else
typedef network net_type;
#define LAYER(net, i) ((net).layers[i])
#define COUNT(net) ((net).n)
void diounms_sort(detection *dets, int total, int classes, float thresh, NMS_KIND kind, float beta);
network parse_network_cfg_custom(char *filename, int batch, int time_steps);
#endif
void do_nms_obj(detection *dets, int total, int classes, float thresh);

static void print(const char *name, detection *dets, int count, int classes, float threshold,
                  float width, float height) {
  const char *comma = "";
  printf("\"%s\": [", name);
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < classes; ++j)
      if (dets[i].prob[j] > threshold) {
        box b = dets[i].bbox;
        printf("%s\n  {\"class\": %d, \"confidence\": %.7g, \"center\": [%.7g, %.7g], "
               "\"extent\": [%.7g, %.7g]}",
               comma, j, dets[i].prob[j], b.x / width, b.y / height, b.w / width, b.h / height);
        comma = ",";
      }
  printf("\n]");
}

/* What pjreddie's darknet means for a tree (the logistic function, and a softmax for each group) and
   does not reach without a GPU: it writes the softmax over other numbers. */
static void fill_tree(layer l, const float *input) {
#ifdef PJREDDIE
  int cells = l.w * l.h, entries = l.coords + 1 + l.classes;
  for (int n = 0; n < l.n; ++n)
    for (int cell = 0; cell < cells; ++cell) {
      for (int k = 0; k <= l.coords; ++k) {
        int at = (n * entries + k) * cells + cell;
        l.output[at] = k < 2 || k == l.coords ? 1 / (1 + exp(-input[at])) : input[at];
      }
      for (int g = 0; g < l.softmax_tree->groups; ++g) {
        int first = l.softmax_tree->group_offset[g], size = l.softmax_tree->group_size[g];
        double sum = 0;
        for (int k = 0; k < size; ++k)
          sum += exp(input[(n * entries + l.coords + 1 + first + k) * cells + cell]);
        for (int k = 0; k < size; ++k) {
          int at = (n * entries + l.coords + 1 + first + k) * cells + cell;
          l.output[at] = exp(input[at]) / sum;
        }
      }
    }
#endif
}

int main(int argc, char **argv) {
  int width = atoi(argv[3]), height = atoi(argv[4]), letterbox = atoi(argv[5]), count = 0;
  float threshold = atof(argv[6]), overlap = atof(argv[7]);
  int is_agnostic = atoi(argv[8]);
#ifdef PJREDDIE
  net_type net = load_network(argv[1], 0, 0);
  set_batch_network(net, 1);
  int inputs = net->inputs;
#else
  net_type net = parse_network_cfg_custom(argv[1], 1, 1);
  int inputs = net.inputs;
#endif
  float *numbers = calloc(inputs, sizeof(float));
  FILE *file = fopen(argv[2], "rb");
  if (!file || fread(numbers, sizeof(float), inputs, file) != (size_t)inputs) return 1;
  network_predict(net, numbers);
  layer l = LAYER(net, COUNT(net) - 1);
#ifdef PJREDDIE
  if (l.softmax_tree) fill_tree(l, numbers);
  detection *dets = get_network_boxes(net, width, height, threshold, .5, 0, 1, &count);
#else
  detection *dets = get_network_boxes(&net, width, height, threshold, .5, 0, 1, &count, letterbox);
#endif
  /* The boxes of [detection] are in pixels. */
  float unit_x = l.type == DETECTION ? width : 1, unit_y = l.type == DETECTION ? height : 1;
  printf("\n@@@{");
  print("before", dets, count, l.classes, threshold, unit_x, unit_y);
  if (is_agnostic) do_nms_obj(dets, count, l.classes, overlap);
#ifndef PJREDDIE
  else if (l.nms_kind != DEFAULT_NMS)
    diounms_sort(dets, count, l.classes, overlap, l.nms_kind, l.beta_nms);
#endif
  else do_nms_sort(dets, count, l.classes, overlap);
  printf(",\n");
  print("after", dets, count, l.classes, threshold, unit_x, unit_y);
  printf("}\n");
  return 0;
}
