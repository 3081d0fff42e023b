// Threads that use or close one session at once, and forks.

#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static weighbridge_error error = WEIGHBRIDGE_INIT(weighbridge_error);

/// A run that stops in the caller's function until it may go on.
struct held_run {
  weighbridge_session session;
  struct arrays arrays;
  sem_t is_inside, may_go;
  int32_t answer;
  weighbridge_status status;
};

static int32_t hold(void *context) {
  struct held_run *held = context;
  sem_post(&held->is_inside);
  sem_wait(&held->may_go);
  return held->answer;
}

static void *run_held(void *context) {
  struct held_run *held = context;
  held->status = weighbridge_session_run(
      held->session, held->arrays.inputs, held->arrays.input_count, held->arrays.outputs,
      held->arrays.output_count, NULL);
  return NULL;
}

static void test_held(weighbridge_model model, int32_t answer, int cancels) {
  struct held_run held = {.arrays = make_arrays(model), .answer = answer};
  sem_init(&held.is_inside, 0, 0);
  sem_init(&held.may_go, 0, 0);
  weighbridge_run_options options = WEIGHBRIDGE_INIT(weighbridge_run_options);
  options.interrupt = hold;
  options.interrupt_context = &held;
  EXPECT_OK(weighbridge_session_open(model, &options, &held.session, &error));
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);  // it asks when 10 ms have passed
  pthread_t thread;
  pthread_create(&thread, NULL, run_held, &held);
  sem_wait(&held.is_inside);
  struct arrays own = make_arrays(model);
  EXPECT_STATUS(
      weighbridge_session_run(
          held.session, own.inputs, own.input_count, own.outputs, own.output_count, &error),
      WEIGHBRIDGE_BUSY);
  EXPECT_STATUS(
      weighbridge_session_outputs(
          held.session, own.inputs, own.input_count, own.outputs, own.output_count, &error),
      WEIGHBRIDGE_BUSY);
  EXPECT_STATUS(weighbridge_session_close(held.session, &error), WEIGHBRIDGE_BUSY);
  if (cancels) EXPECT_OK(weighbridge_session_cancel(held.session, &error));
  // It may ask once more before it ends.
  for (int time = 0; time < 1000; time++) sem_post(&held.may_go);
  pthread_join(thread, NULL);
  EXPECT(held.status == (answer || cancels ? WEIGHBRIDGE_CANCELLED : WEIGHBRIDGE_OK));
  // What was cancelled can run again.
  held.answer = 0;
  EXPECT_OK(weighbridge_session_run(
      held.session, own.inputs, own.input_count, own.outputs, own.output_count, &error));
  EXPECT_OK(weighbridge_session_close(held.session, &error));
  free_arrays(&held.arrays);
  free_arrays(&own);
}

struct closing {
  weighbridge_session session;
  pthread_barrier_t *barrier;
  weighbridge_status status;
};

static void *close_session(void *context) {
  struct closing *closing = context;
  pthread_barrier_wait(closing->barrier);
  closing->status = weighbridge_session_close(closing->session, NULL);
  return NULL;
}

static void test_closing(weighbridge_model model) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, 2);
  for (int time = 0; time < 200; time++) {
    struct closing closings[2] = {{.barrier = &barrier}, {.barrier = &barrier}};
    EXPECT_OK(weighbridge_session_open(model, NULL, &closings[0].session, &error));
    closings[1].session = closings[0].session;
    pthread_t threads[2];
    for (int index = 0; index < 2; index++) {
      pthread_create(&threads[index], NULL, close_session, &closings[index]);
    }
    for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
    const int first = closings[0].status == WEIGHBRIDGE_OK;
    EXPECT(closings[first].status == WEIGHBRIDGE_INVALID_HANDLE);
    EXPECT(closings[!first].status == WEIGHBRIDGE_OK);
  }
  pthread_barrier_destroy(&barrier);
}

/// A thread that runs a session while others close it and the model.
static void *run_until_gone(void *context) {
  struct held_run *held = context;
  do { run_held(held); } while (held->status == WEIGHBRIDGE_OK);
  return NULL;
}

static void test_closing_while_running(void) {
  weighbridge_model model = open_sample("WBM/Operators/dense.wbm");
  struct held_run held = {.arrays = make_arrays(model)};
  EXPECT_OK(weighbridge_session_open(model, NULL, &held.session, &error));
  pthread_t thread;
  pthread_create(&thread, NULL, run_until_gone, &held);
  EXPECT_OK(weighbridge_model_close(model, &error));
  weighbridge_status status;
  while ((status = weighbridge_session_close(held.session, &error)) == WEIGHBRIDGE_BUSY) continue;
  EXPECT(status == WEIGHBRIDGE_OK);
  pthread_join(thread, NULL);
  EXPECT(held.status == WEIGHBRIDGE_INVALID_HANDLE);
  free_arrays(&held.arrays);
}

void test_threads(void) {
  weighbridge_model model = open_sample("WBM/Operators/dense.wbm");
  test_held(model, 0, 0);
  test_held(model, 1, 0);
  test_held(model, 0, 1);
  test_closing(model);
  test_closing_while_running();
  EXPECT_OK(weighbridge_model_close(model, &error));
  weighbridge_error_clear(&error);
}

void test_fork(void) {
  weighbridge_model model = open_sample("WBM/Operators/dense.wbm"), other = 0;
  int ends[2];
  EXPECT(pipe(ends) == 0);
  fflush(NULL);
  const pid_t child = fork();
  EXPECT(child >= 0);
  if (child == 0) {
    size_t count;
    const char is_right =
        weighbridge_model_counts(model, &count, &count, &error) == WEIGHBRIDGE_FORKED
        && strstr(error.reason, "posix_spawn")
        && weighbridge_model_open("any", NULL, &other, NULL) == WEIGHBRIDGE_FORKED
        && weighbridge_model_close(model, NULL) == WEIGHBRIDGE_FORKED;
    // Not by its exit status, which tools that look for leaks change.
    _exit(write(ends[1], &is_right, 1) != 1);
  }
  char is_right = 0;
  EXPECT(read(ends[0], &is_right, 1) == 1 && is_right == 1);
  EXPECT(waitpid(child, NULL, 0) == child);
  close(ends[0]);
  close(ends[1]);
  EXPECT_OK(weighbridge_model_close(model, &error));
}
