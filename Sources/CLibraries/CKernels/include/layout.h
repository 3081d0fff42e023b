#ifndef WEIGHBRIDGE_LAYOUT_H
#define WEIGHBRIDGE_LAYOUT_H

// Layouts: the sizes of a float32 array, and the order of its elements in memory. Functions that create a
// layout return NULL when there is no such layout. A layout is immutable and may be shared between threads.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The maximum rank of an array.
#define KERNELS_MAX_RANK 12

/// The number of contiguous channels in a block of a channel-blocked layout.
#define KERNELS_CHANNEL_BLOCK 16

typedef struct kernels_layout kernels_layout;

/// A layout with the given strides.
kernels_layout *kernels_layout_strided(int rank, const int64_t *sizes, const int64_t *strides);

/// Sizes with the order left open; the primitive chooses one.
kernels_layout *kernels_layout_any(int rank, const int64_t *sizes);

/// The same elements; axis `axes[i]` of `layout` becomes axis i.
kernels_layout *kernels_layout_permuted(const kernels_layout *layout, const int *axes);

/// The same elements with other sizes: axes may be split or merged, and axes of size 1 added or removed.
kernels_layout *kernels_layout_reshaped(
    const kernels_layout *layout, int rank, const int64_t *sizes);

/// A view of a part of an array; it must begin and end at block boundaries or at the ends of the array.
kernels_layout *kernels_layout_part(
    const kernels_layout *layout, const int64_t *sizes, const int64_t *offsets);

void kernels_layout_free(kernels_layout *layout);

/// Whether elements are in the same order; the strides of axes of size 1 are ignored.
bool kernels_layout_equal(const kernels_layout *first, const kernels_layout *second);

/// Writes the size of each axis to `sizes`, which must have capacity for KERNELS_MAX_RANK values, and returns
/// the rank.
int kernels_layout_sizes(const kernels_layout *layout, int64_t *sizes);

/// The size of the array in bytes, including padding.
size_t kernels_layout_byte_count(const kernels_layout *layout);

/// Whether the memory contains only the array's elements and its padding, without gaps.
bool kernels_layout_is_dense(const kernels_layout *layout);

/// Whether weights are stored in an opaque (transformed) form.
bool kernels_layout_is_opaque(const kernels_layout *layout);

/// The stride of each axis; along a blocked axis, the stride between blocks.
void kernels_layout_strides(const kernels_layout *layout, int64_t *strides);

#endif
