package import Bytes
import Digests
import Dispatch
import Synchronization

/// Writes the tensors of a file in pieces, which several threads produce. Consecutive small pieces
/// form a batch, which is written at its offset immediately, and digested once all batches before
/// it have been digested.
///
/// Every claimed batch must be written or abandoned; otherwise the threads with later batches would
/// wait forever.
package final class WBMParallelTensorWriter: Sendable {
  /// A part of a tensor's bytes.
  package struct Piece: Sendable {
    /// The index of the tensor in the header.
    package let tensor: Int
    /// The part of the tensor's bytes.
    package let range: Range<Int>

    /// Creates a piece.
    package init(tensor: Int, range: Range<Int>) {
      self.tensor = tensor
      self.range = range
    }
  }

  /// Consecutive pieces that are written together: a single one of any size, or several small ones
  /// with the zero padding between their tensors.
  package struct Batch: Sendable {
    fileprivate let index: Int
    /// The indices of the pieces.
    package fileprivate(set) var pieces: Range<Int>
    /// The bytes of the file from the first piece to the last.
    fileprivate var range: Range<Int>
  }

  /// The number of finished bytes after which the system is told to write them.
  private static let writebackSize = 1 << 22

  private struct State {
    /// The next batch to be claimed.
    var next = 0
    /// The next batch to be digested.
    var turn = 0
    /// The threads that wait for their turn, by batch.
    var waiting: [Int: DispatchSemaphore] = [:]
    var writebackStart: Int
    var error: WeighbridgeError?
  }

  private let pieces: [Piece]
  private let batches: [Batch]
  /// The offset of each tensor in the file.
  private let starts: [Int]
  private let file: PositionalWriter
  private let state: Mutex<State>
  /// The digest of the current tensor, used only by the thread whose turn it is.
  private let stream: Mutex<XXH3Stream>
  private let digests: Mutex<[XXH3Digest]>

  /// - Parameters:
  ///   - pieces: All bytes of all tensors, in the order of the file.
  ///   - batchSize: The maximum size in bytes of a batch of several pieces.
  ///   - starts: The offset of each tensor in the file.
  init(
    _ pieces: [Piece], batchSize: Int, starts: [Int], file: PositionalWriter
  ) throws(WeighbridgeError) {
    let stream = try XXH3Stream()
    digests = Mutex([XXH3Digest](repeating: stream.digest(), count: starts.count))
    self.stream = Mutex(stream)
    state = Mutex(State(writebackStart: starts.first ?? 0))
    batches = Self.batches(of: pieces, batchSize, starts)
    self.pieces = pieces
    self.starts = starts
    self.file = file
  }

  private static func batches(
    of pieces: [Piece], _ batchSize: Int, _ starts: [Int]
  ) -> [Batch] {
    var batches: [Batch] = []
    for (index, piece) in pieces.enumerated() {
      let start = starts[piece.tensor]
      let range = start + piece.range.lowerBound..<start + piece.range.upperBound
      if let last = batches.last, range.upperBound - last.range.lowerBound <= batchSize {
        batches[batches.count - 1].pieces = last.pieces.lowerBound..<index + 1
        batches[batches.count - 1].range = last.range.lowerBound..<range.upperBound
      } else {
        batches.append(Batch(index: batches.count, pieces: index..<index + 1, range: range))
      }
    }
    return batches
  }

  /// Returns the next batch to produce; `nil` if there is none, or one was abandoned.
  package func claim() -> Batch? {
    state.withLock { state in
      guard state.error == nil, state.next < batches.count else { return nil }
      defer { state.next += 1 }
      return batches[state.next]
    }
  }

  /// The offset of a piece in the bytes of its batch.
  package func offset(ofPiece index: Int, in batch: Batch) -> Int {
    starts[pieces[index].tensor] + pieces[index].range.lowerBound - batch.range.lowerBound
  }

  /// Writes and digests a claimed batch. Waits for the batches before it.
  ///
  /// - Parameter bytes: The pieces at their offsets, and zeros between them.
  package func write(_ batch: Batch, _ bytes: RawSpan) {
    precondition(bytes.byteCount == batch.range.count, "a batch of another size")
    do throws(WeighbridgeError) {
      try file.write(bytes, at: batch.range.lowerBound)
    } catch {
      return abandon(batch, error)
    }
    waitForTurn(batch)
    digest(batch, bytes)
    passTurn()
    writeBack(batch.range.upperBound)
  }

  /// Reports that a claimed batch cannot be produced, which ends the work.
  package func abandon(_ batch: Batch, _ error: WeighbridgeError) {
    waitForTurn(batch)
    state.withLock { $0.error = $0.error ?? error }
    passTurn()
  }

  /// Returns the tensors' digests after all batches have been written.
  ///
  /// - Throws: The error with which a batch was abandoned; ``WeighbridgeError/Code/outputFailed``.
  func finish() throws(WeighbridgeError) -> [XXH3Digest] {
    if let error = state.withLock({ $0.error }) { throw error }
    return digests.withLock { $0 }
  }

  private func digest(_ batch: Batch, _ bytes: RawSpan) {
    stream.withLock { stream in
      for index in batch.pieces {
        let (piece, start) = (pieces[index], offset(ofPiece: index, in: batch))
        stream.update(bytes.extracting(start..<start + piece.range.count))
        let isLast = index + 1 == pieces.count || pieces[index + 1].tensor != piece.tensor
        guard isLast else { continue }
        let digest = stream.digest()
        digests.withLock { $0[piece.tensor] = digest }
        stream.reset()
      }
    }
  }

  /// Tells the system to write finished bytes to disk during the computation, which shortens the
  /// commit.
  ///
  /// - Parameter end: The offset up to which all bytes are finished.
  private func writeBack(_ end: Int) {
    let range = state.withLock { state -> Range<Int>? in
      guard end - state.writebackStart >= Self.writebackSize else { return nil }
      defer { state.writebackStart = end }
      return state.writebackStart..<end
    }
    if let range { file.startWriting(range) }
  }

  private func waitForTurn(_ batch: Batch) {
    let semaphore = state.withLock { state -> DispatchSemaphore? in
      guard state.turn != batch.index else { return nil }
      let semaphore = DispatchSemaphore(value: 0)
      state.waiting[batch.index] = semaphore
      return semaphore
    }
    semaphore?.wait()
  }

  private func passTurn() {
    state.withLock { state in
      state.turn += 1
      state.waiting.removeValue(forKey: state.turn)?.signal()
    }
  }
}
