import Bytes

/// A place in memory of a plan.
struct Storage: Hashable, Sendable {
  /// What the place is part of.
  enum Memory: Hashable, Sendable {
    /// A region of the arena, by its number.
    case region(Int)
    /// Prepared weights and other constants, by their number.
    case constant(Int)
  }

  /// What the place is part of.
  let memory: Memory
  /// The distance from its start, in bytes.
  var offset = 0
}

/// A tensor as a plan holds it.
struct StoredTensor: Sendable {
  /// Where its elements are.
  let storage: Storage
  /// The type of its elements.
  let elementType: ElementType
  /// Its sizes in the graph's order.
  let shape: [Int]
  /// How float32 elements lie in memory, with the graph's order of axes; `nil` for row-major tensors
  /// that has no layout (other types, no elements, no axes).
  let layout: Layout?

  /// Whether the elements stand one behind the other in row-major order.
  var isRowMajor: Bool { layout?.isRowMajor ?? true }

  /// The size in memory in bytes, with padding.
  var byteCount: Int {
    layout?.byteCount ?? shape.reduce(elementType.byteCount, *)
  }
}
