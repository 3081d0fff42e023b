#pragma once

#include <stdio.h>

#include "images.h"

/// What is said of a file whose header changes between two calls.
#define IMAGE_CHANGED "the file changed while it was read"

/// Fills in a failure.
static inline void image_fail(
    struct image_failure *failure, enum image_failure_kind kind, size_t offset,
    const char *reason) {
  failure->kind = kind;
  failure->offset = offset;
  snprintf(failure->reason, sizeof failure->reason, "%s", reason);
}
