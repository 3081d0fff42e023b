// predict CFG WEIGHTS INPUT OUTPUT: runs a network of pjreddie's darknet on numbers in a file (float32),
// and writes the numbers of its last layer.
#include <stdio.h>
#include <stdlib.h>

#include "darknet.h"

int main(int count, char **arguments) {
  if (count != 5) return 2;
  network *net = load_network(arguments[1], arguments[2], 0);
  set_batch_network(net, 1);
  float *input = calloc(net->inputs, sizeof(float));
  FILE *file = fopen(arguments[3], "rb");
  if (!file || fread(input, sizeof(float), net->inputs, file) != (size_t)net->inputs) return 3;
  fclose(file);
  float *output = network_predict(net, input);
  file = fopen(arguments[4], "wb");
  if (!file || fwrite(output, sizeof(float), net->outputs, file) != (size_t)net->outputs) return 4;
  return fclose(file) ? 4 : 0;
}
