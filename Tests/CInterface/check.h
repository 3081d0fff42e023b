// What the tests of the C interface share.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weighbridge.h>

/// Ends the program with a message unless something is so.
#define EXPECT(condition)                                                        \
  do {                                                                           \
    if (!(condition)) {                                                          \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);    \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

/// Ends the program unless a call, which is given `&error`, has a status.
#define EXPECT_STATUS(call, wanted)                                                             \
  do {                                                                                          \
    const weighbridge_status status_ = (call);                                                  \
    if (status_ != (wanted)) {                                                                  \
      fprintf(                                                                                  \
          stderr, "%s:%d: %s is %s, not %s: %s\n", __FILE__, __LINE__, #call,                   \
          weighbridge_status_name(status_), weighbridge_status_name(wanted),                    \
          error.message ? error.message : "");                                                  \
      exit(1);                                                                                  \
    }                                                                                           \
    EXPECT(status_ == WEIGHBRIDGE_OK || status_ == error.status);                               \
    EXPECT(status_ == WEIGHBRIDGE_OK || (error.message && error.reason && *error.reason));      \
  } while (0)

#define EXPECT_OK(call) EXPECT_STATUS(call, WEIGHBRIDGE_OK)

/// A file among the samples.
const char *sample(const char *name);

/// Opens a model among the samples.
weighbridge_model open_sample(const char *name);

/// The inputs of a model, filled with numbers, and structs for its outputs.
struct arrays {
  weighbridge_array inputs[4], outputs[4];
  size_t input_count, output_count;
};

struct arrays make_arrays(weighbridge_model model);
void free_arrays(struct arrays *arrays);

void test_arguments(void);
void test_errors(void);
void test_handles(void);
void test_models(const char *folder);
void test_commands(const char *folder);
void test_runs(void);
void test_threads(void);
void test_fork(void);
void test_cycles(int count);
