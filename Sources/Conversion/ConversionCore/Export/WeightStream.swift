package import Bytes
package import GraphIR

/// Writes weights to a file piece by piece, in row-major order.
package struct WeightStream {
  /// The approximate number of bytes that are written at once.
  private static let pieceSize = 1 << 20

  /// The memory of a source of at most this many bytes is not released, since releasing takes time.
  private static let releaseThreshold = 32 << 20

  private let cancellation: Cancellation?
  private var buffer: [UInt8] = []

  package init(_ cancellation: Cancellation?) { self.cancellation = cancellation }

  /// Calls `append` with the elements of a tensor, in order, and releases their memory.
  ///
  /// - Throws: ``WeighbridgeError/Code/cancelled``; ``WeighbridgeError/Code/damaged`` when the file
  ///   of the tensor has changed since it was opened; what `append` throws.
  package mutating func write(
    _ tensor: Tensor, to append: (RawSpan) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    let pieces = tensor.pieces(approximateSize: Self.pieceSize)
    if tensor.isContiguous {
      for piece in pieces {
        try cancellation.check()
        try piece.withBytes(&buffer, append)
      }
    } else {
      try appendPieces(pieces.count, append) { (index, buffer) throws(WeighbridgeError) in
        pieces[index].copyBytes(into: &buffer)
      }
    }
    try tensor.store.checkUnchanged()
    release(tensor)
  }

  /// Calls `append` with the elements of a tensor, converted to another number type.
  ///
  /// - Parameter name: The weight's name in errors.
  /// - Throws: What ``write(_:to:)`` throws; ``WeighbridgeError/Code/unsupported`` when a finite
  ///   number is too large for the type.
  package mutating func write(
    _ tensor: Tensor, as type: ElementType, named name: String,
    to append: (RawSpan) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    guard tensor.elementType != type else { return try write(tensor, to: append) }
    let flat = tensor.reshaped([tensor.count])
    let count = Self.pieceSize / MemoryLayout<Double>.size
    let starts = Array(stride(from: 0, to: flat.count, by: count))
    try appendPieces(starts.count, append) { (index, buffer) throws(WeighbridgeError) in
      let range = starts[index]..<min(starts[index] + count, flat.count)
      return try Self.rounded(flat.slice(range, along: 0), to: type, named: name)
        .copyBytes(into: &buffer)
    }
    try tensor.store.checkUnchanged()
    release(tensor)
  }

  private mutating func appendPieces(
    _ count: Int, _ append: (RawSpan) throws(WeighbridgeError) -> Void,
    _ produce: @escaping PrefetchedPieces.Producer
  ) throws(WeighbridgeError) {
    let cancellation = cancellation
    try PrefetchedPieces.run(count, &buffer, produce: produce) { (bytes) throws(WeighbridgeError) in
      try cancellation.check()
      try append(bytes)
    }
  }

  /// A number of which no smaller one becomes infinite in a type.
  private static func largest(of type: ElementType) -> Double {
    switch type {
    case .float16: Double(Float16.greatestFiniteMagnitude)
    case .float32: Double(Float.greatestFiniteMagnitude)
    default: 0
    }
  }

  private static func rounded(
    _ part: Tensor, to type: ElementType, named name: String
  ) throws(WeighbridgeError) -> Tensor {
    let result =
      part.elementType == .float32
      ? Tensor(type, shape: part.shape, floats: part.floats)
      : Tensor(type, shape: part.shape, part.doubles)
    // Numbers below the type's largest are not read again, which takes time.
    if part.isWithin(largest(of: type)) { return result }
    for (value, rounded) in zip(part.doubles, result.doubles)
    where value.isFinite && !rounded.isFinite {
      throw .unsupported(
        "the weight \(name) holds \(value), which is too large for \(type.rawValue)")
    }
    return result
  }

  /// Returns the memory of a tensor to the system if it is part of a large file.
  package func release(_ tensor: Tensor) {
    if tensor.store.count > Self.releaseThreshold { tensor.releaseMemory() }
  }
}
