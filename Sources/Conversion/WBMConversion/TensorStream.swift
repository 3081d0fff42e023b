import Bytes
import ConversionCore
import Digests
import Dispatch
import GraphIR
import Synchronization
import WBMFormat

/// Writes the tensors of a file piece by piece, with several threads: transposes them to row-major
/// order, counts non-finite elements, and writes them.
struct TensorStream {
  private let tensors: [Tensor]
  private let cancellation: Cancellation?
  /// The elements of each piece.
  private let parts: [Tensor]
  private let pieces: [WBMParallelTensorWriter.Piece]

  /// The number of bytes in a piece, which stay in a core's L2 cache while they are transposed,
  /// digested and written.
  private static let pieceSize = 1 << 19

  /// The maximum size in bytes of a source whose memory is not released, because that takes time.
  private static let unreleasedSize = 64 << 20

  init(_ tensors: [Tensor], _ cancellation: Cancellation?) {
    self.tensors = tensors
    self.cancellation = cancellation
    var (parts, pieces) = ([Tensor](), [WBMParallelTensorWriter.Piece]())
    for (index, tensor) in tensors.enumerated() {
      var start = 0
      for part in tensor.pieces(approximateSize: Self.pieceSize) {
        parts.append(part)
        pieces.append(.init(tensor: index, range: start..<start + part.byteCount))
        start += part.byteCount
      }
    }
    self.parts = parts
    self.pieces = pieces
  }

  /// Writes all tensors.
  ///
  /// - Parameter digests: Work of other threads, each of which needs a core: for each digest, one
  ///   thread waits until all are done before it begins.
  /// - Returns: The number of elements of each tensor that are NaN or infinite.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``; ``WeighbridgeError/Code/cancelled``.
  func write(
    to writer: inout WBMWriter, after digests: [PendingDigest]
  ) throws(WeighbridgeError) -> [Int] {
    let counts = Mutex([Int](repeating: 0, count: tensors.count))
    let threads = min(Workers.processorCount, max(1, pieces.count))
    try writer.writeTensors(pieces) { tensorWriter in
      DispatchQueue.concurrentPerform(iterations: threads) { thread in
        if thread > 0, thread >= threads - digests.count { for digest in digests { digest.wait() } }
        var buffer: [UInt8] = []
        while let index = tensorWriter.claim() {
          let count = write(index, to: tensorWriter, &buffer)
          if count > 0 { counts.withLock { $0[pieces[index].tensor] += count } }
        }
      }
    }
    return counts.withLock { $0 }
  }

  /// Writes one piece and returns the number of its elements that are NaN or infinite.
  private func write(
    _ index: Int, to tensorWriter: WBMParallelTensorWriter, _ buffer: inout [UInt8]
  ) -> Int {
    let tensor = tensors[pieces[index].tensor]
    var count = 0
    do throws(WeighbridgeError) {
      try cancellation.check()
      parts[index].withBytes(&buffer) { bytes in
        count = bytes.nonFiniteCount(tensor.elementType)
        tensorWriter.write(index, bytes)
      }
    } catch {
      tensorWriter.abandon(index, error)
    }
    let isLast = pieces[index].range.upperBound == tensor.byteCount
    if isLast, tensor.store.count > Self.unreleasedSize { tensor.releaseMemory() }
    return count
  }
}
