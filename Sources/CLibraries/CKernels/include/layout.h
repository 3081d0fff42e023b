#ifndef WEIGHBRIDGE_LAYOUT_H
#define WEIGHBRIDGE_LAYOUT_H

// Layouts: the sizes of a float32 array, and how its elements lie in memory. Functions that make one
// return NULL when there is no such layout; what they return is never changed afterwards and may be
// used by several threads.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The most axes that an array may have.
#define KERNELS_MAX_RANK 12

/// How many channels stand side by side in memory, where they are in blocks.
#define KERNELS_CHANNEL_BLOCK 16

typedef struct kernels_layout kernels_layout;

/// Elements at given distances.
kernels_layout *kernels_layout_strided(int rank, const int64_t *sizes, const int64_t *strides);

/// Sizes without an order; a primitive chooses one.
kernels_layout *kernels_layout_any(int rank, const int64_t *sizes);

/// The same elements; axis `axes[i]` of `layout` becomes axis i.
kernels_layout *kernels_layout_permuted(const kernels_layout *layout, const int *axes);

/// The same elements with other sizes; axes may be split, merged, and of size 1 come and go.
kernels_layout *kernels_layout_reshaped(
    const kernels_layout *layout, int rank, const int64_t *sizes);

/// A part of an array, in the array's own memory; blocks must begin and end at its ends.
kernels_layout *kernels_layout_part(
    const kernels_layout *layout, const int64_t *sizes, const int64_t *offsets);

void kernels_layout_free(kernels_layout *layout);

/// Whether elements lie in the same order; where an axis of size 1 lies does not count.
bool kernels_layout_equal(const kernels_layout *first, const kernels_layout *second);

/// Writes the size of each axis to `sizes`, which has room for the most axes, and returns how many
/// there are.
int kernels_layout_sizes(const kernels_layout *layout, int64_t *sizes);

/// How many bytes the array takes, its padding included.
size_t kernels_layout_byte_count(const kernels_layout *layout);

/// Whether the memory holds nothing but the array's elements and its padding.
bool kernels_layout_is_dense(const kernels_layout *layout);

/// Whether weights are stored in another form than as their own elements.
bool kernels_layout_is_opaque(const kernels_layout *layout);

/// The distances between neighbors (between blocks of them along a blocked axis), one for each axis.
void kernels_layout_strides(const kernels_layout *layout, int64_t *strides);

#endif
