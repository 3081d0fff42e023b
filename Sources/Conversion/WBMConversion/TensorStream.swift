import Bytes
import ConversionCore
import Digests
import Dispatch
import GraphIR
import Synchronization
import WBMFormat

/// Writes the tensors of a file in batches of pieces, with several threads: transposes them to
/// row-major order, counts non-finite elements, and writes them.
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
        var buffers = (piece: [UInt8](), batch: [UInt8]())
        while let batch = tensorWriter.claim() {
          let nonFinite = write(batch, to: tensorWriter, &buffers)
          guard !nonFinite.isEmpty else { continue }
          counts.withLock { for (tensor, count) in nonFinite { $0[tensor] += count } }
        }
      }
    }
    return counts.withLock { $0 }
  }

  /// Writes one batch and returns the number of elements that are NaN or infinite of each tensor
  /// that has any.
  private func write(
    _ batch: WBMParallelTensorWriter.Batch, to tensorWriter: WBMParallelTensorWriter,
    _ buffers: inout (piece: [UInt8], batch: [UInt8])
  ) -> [(tensor: Int, count: Int)] {
    var nonFinite: [(tensor: Int, count: Int)] = []
    do throws(WeighbridgeError) {
      try cancellation.check()
      if batch.pieces.count == 1 {
        withBytes(batch.pieces.lowerBound, &buffers.piece, &nonFinite) { bytes in
          tensorWriter.write(batch, bytes)
        }
      } else {
        buffers.batch.removeAll(keepingCapacity: true)
        for index in batch.pieces {
          let offset = tensorWriter.offset(ofPiece: index, in: batch)
          buffers.batch += repeatElement(0, count: offset - buffers.batch.count)
          withBytes(index, &buffers.piece, &nonFinite) { bytes in
            unsafe bytes.withUnsafeBytes { unsafe buffers.batch.append(contentsOf: $0) }
          }
        }
        unsafe tensorWriter.write(batch, buffers.batch.span.bytes)
      }
    } catch {
      tensorWriter.abandon(batch, error)
    }
    return nonFinite
  }

  /// Calls `body` with the bytes of a piece in row-major order, and counts its elements that are
  /// NaN or infinite.
  private func withBytes(
    _ index: Int, _ buffer: inout [UInt8], _ nonFinite: inout [(tensor: Int, count: Int)],
    _ body: (RawSpan) -> Void
  ) {
    let piece = pieces[index]
    let tensor = tensors[piece.tensor]
    parts[index].withBytes(&buffer) { bytes in
      let count = bytes.nonFiniteCount(tensor.elementType)
      if count > 0 { nonFinite.append((piece.tensor, count)) }
      body(bytes)
    }
    let isLast = piece.range.upperBound == tensor.byteCount
    if isLast, tensor.store.count > Self.unreleasedSize { tensor.releaseMemory() }
  }
}
