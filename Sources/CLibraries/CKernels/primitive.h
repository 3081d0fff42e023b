#pragma once

#include "layouts.h"
#include "primitives.h"
#include "processor.h"

// What all primitives have in common. A primitive is the first member of a struct of its own.

enum { ROLES = kernels_role_scratchpad + 1 };

/// Where the arguments of a call lie.
struct call {
  float *arguments[ROLES];
  /// The sources of a concatenation.
  const struct kernels_argument *all;
  int count;
};

struct kernels_primitive {
  const char *name;
  void (*run)(const kernels_primitive *primitive, const struct call *call);
  /// Frees what it owns besides itself; may be NULL.
  void (*release)(kernels_primitive *primitive);
  /// The layouts of the arguments that there are.
  bool has_role[ROLES];
  struct kernels_layout layouts[ROLES];
};

/// Says which layout an argument has.
void primitive_set(
    kernels_primitive *primitive, enum kernels_role role, const struct kernels_layout *layout);

/// Asks for so many floats of working memory.
void primitive_ask(kernels_primitive *primitive, int64_t count);

/// Sets to 0 what only fills up the blocks of an array that is blocked along one axis.
void clear_padding(const struct kernels_layout *layout, float *elements);
