#pragma once

#include <stdio.h>

#include "pictures.h"

/// What is said of a file whose header changes between two calls.
#define PICTURE_CHANGED "the file changed while it was read"

/// Fills in a failure.
static inline void picture_fail(
    struct picture_failure *failure, enum picture_failure_kind kind, size_t offset,
    const char *reason) {
  failure->kind = kind;
  failure->offset = offset;
  snprintf(failure->reason, sizeof failure->reason, "%s", reason);
}
