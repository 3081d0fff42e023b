#pragma once

#include "layouts.h"
#include "primitives.h"
#include "processor.h"

// The common base of all primitives: the first member of the struct of each.

enum { ROLES = kernels_role_scratchpad + 1 };

/// The addresses of a call's arguments.
struct call {
  float *arguments[ROLES];
  /// The sources of a concatenation.
  const struct kernels_argument *all;
  int count;
};

struct kernels_primitive {
  const char *name;
  void (*run)(const kernels_primitive *primitive, const struct call *call);
  /// Releases owned memory other than the primitive itself; may be NULL.
  void (*release)(kernels_primitive *primitive);
  /// The layouts of the arguments in use.
  bool has_role[ROLES];
  struct kernels_layout layouts[ROLES];
};

/// Sets the layout of an argument.
void primitive_set(
    kernels_primitive *primitive, enum kernels_role role, const struct kernels_layout *layout);

/// Sets the size of an argument in bytes, rounded up to floats.
void primitive_set_bytes(kernels_primitive *primitive, enum kernels_role role, int64_t bytes);

/// Requests working memory of `count` floats.
void primitive_request(kernels_primitive *primitive, int64_t count);

/// Clears the padding of an array that is blocked along one axis.
void clear_padding(const struct kernels_layout *layout, float *elements);
