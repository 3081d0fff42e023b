import Bytes

/// A location in the memory of a plan.
struct Storage: Hashable, Sendable {
  /// The memory that contains the location.
  enum Memory: Hashable, Sendable {
    /// A region of the arena, by its number.
    case region(Int)
    /// Prepared weights and other constants, by their number.
    case constant(Int)
  }

  /// The memory that contains the location.
  let memory: Memory
  /// The distance from its start, in bytes.
  var offset = 0
}

/// A tensor as a plan holds it.
struct StoredTensor: Sendable {
  /// The location of its elements.
  let storage: Storage
  /// The type of its elements.
  let elementType: ElementType
  /// Its sizes in the graph's order.
  let shape: [Int]
  /// How float32 elements lie in memory, with the graph's order of axes; `nil` for row-major
  /// tensors that have no layout (other types, no elements, no axes).
  let layout: Layout?

  /// Whether the elements are contiguous in row-major order.
  var isRowMajor: Bool { layout?.isRowMajor ?? true }

  /// The size in memory in bytes, with padding.
  var byteCount: Int {
    layout?.byteCount ?? shape.reduce(elementType.byteCount, *)
  }
}
