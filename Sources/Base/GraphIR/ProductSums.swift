import CKernels

/// Sums of products in `Double` for the reference kernels, with the processor's vector instructions.
package enum ProductSums {
  /// Adds the products of the elements of vectors to sums, for each pair of vectors one after the other, in
  /// order. The result has the same bits on every processor.
  ///
  /// - Parameters:
  ///   - rows: Equally long vectors, of which eight are side by side, `[rows / 8, length]`; traps if the
  ///     sizes do not fit together.
  ///   - columns: Others, `[columns / 8, length]`.
  ///   - length: The number of elements of each, at least 1.
  ///   - sums: `[rows, columns]`
  package static func add(
    _ rows: Span<SIMD8<Double>>, _ columns: Span<SIMD8<Double>>, length: Int,
    to sums: inout [Double]
  ) {
    let (rowGroups, columnGroups) = (rows.count / length, columns.count / length)
    precondition(
      rows.count == rowGroups * length && columns.count == columnGroups * length
        && sums.count == 64 * rowGroups * columnGroups)
    // As many numbers as the kernel reads and writes: eight in each element.
    unsafe rows.withUnsafeBytes { rows in
      unsafe columns.withUnsafeBytes { columns in
        unsafe sums.withUnsafeMutableBufferPointer { sums in
          unsafe kernels_add_products(
            rowGroups, columnGroups, length, rows.baseAddress?.assumingMemoryBound(to: Double.self),
            columns.baseAddress?.assumingMemoryBound(to: Double.self), sums.baseAddress)
        }
      }
    }
  }
}
