import Bytes
import ConversionCore
import Digests
import Dispatch
import GraphIR
import Synchronization
import WBMFormat

/// The tensors of a file on their way into it: brought into row-major order, looked at and written
/// piece by piece, by several threads.
struct TensorStream {
  private let tensors: [Tensor]
  private let cancellation: Cancellation?
  private let parts: [Tensor]
  private let pieces: [WBMTensorLine.Piece]

  /// So many bytes stay in a core's second cache while they are turned, digested and written.
  private static let pieceSize = 1 << 19

  /// Of a source of up to so many bytes nothing is given back: that takes time too.
  private static let keptSize = 64 << 20

  init(_ tensors: [Tensor], _ cancellation: Cancellation?) {
    self.tensors = tensors
    self.cancellation = cancellation
    var (parts, pieces) = ([Tensor](), [WBMTensorLine.Piece]())
    for (index, tensor) in tensors.enumerated() {
      var start = 0
      for part in tensor.pieces(ofAbout: Self.pieceSize) {
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
  /// - Parameter digests: Work of other threads that wants a core of its own; for each, one thread
  ///   less begins at once, and joins when it is done.
  /// - Returns: How many elements of each tensor are NaN or infinite.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``; ``WeighbridgeError/Code/cancelled``.
  func write(
    to writer: inout WBMWriter, after digests: [PendingDigest]
  ) throws(WeighbridgeError) -> [Int] {
    let counts = Mutex([Int](repeating: 0, count: tensors.count))
    let threads = min(Workers.processorCount, max(1, pieces.count))
    try writer.writeTensors(pieces) { line in
      DispatchQueue.concurrentPerform(iterations: threads) { thread in
        if thread > 0, thread >= threads - digests.count { for digest in digests { digest.wait() } }
        var buffer: [UInt8] = []
        while let index = line.take() {
          let count = write(index, to: line, &buffer)
          if count > 0 { counts.withLock { $0[pieces[index].tensor] += count } }
        }
      }
    }
    return counts.withLock { $0 }
  }

  /// Writes one piece and returns how many of its elements are NaN or infinite.
  private func write(_ index: Int, to line: WBMTensorLine, _ buffer: inout [UInt8]) -> Int {
    let tensor = tensors[pieces[index].tensor]
    var count = 0
    do throws(WeighbridgeError) {
      try cancellation.check()
      parts[index].withBytes(&buffer) { bytes in
        count = bytes.nonFiniteCount(tensor.elementType)
        line.put(index, bytes)
      }
    } catch {
      line.giveUp(index, error)
    }
    let isLast = pieces[index].range.upperBound == tensor.byteCount
    if isLast, tensor.store.count > Self.keptSize { tensor.releaseMemory() }
    return count
  }
}
