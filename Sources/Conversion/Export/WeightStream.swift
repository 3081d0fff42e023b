import Bytes
import GraphIR

/// Weights on their way into a file, brought into row-major order piece by piece.
struct WeightStream {
  /// About so many bytes go to the file at once.
  private static let pieceSize = 1 << 20

  /// Of a source of up to so many bytes nothing is given back: that takes time too.
  private static let keptSize = 64 << 20

  private let cancellation: Cancellation?
  private var buffer: [UInt8] = []

  init(_ cancellation: Cancellation?) { self.cancellation = cancellation }

  /// Calls `append` with the elements of a tensor, front to back, and gives their memory back.
  ///
  /// - Throws: ``WeighbridgeError/Code/cancelled``, and what `append` throws.
  mutating func write(
    _ tensor: Tensor, to append: (RawSpan) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    for piece in tensor.pieces(ofAbout: Self.pieceSize) {
      try TensorStream.check(cancellation)
      try piece.withBytes(&buffer, append)
    }
    release(tensor)
  }

  /// Gives the memory of a tensor back to the system where it is part of a large file.
  func release(_ tensor: Tensor) {
    if tensor.store.count > Self.keptSize { tensor.releaseMemory() }
  }
}
