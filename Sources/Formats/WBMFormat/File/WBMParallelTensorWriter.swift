package import Bytes
import Digests
import Dispatch
import Synchronization

/// Writes the tensors of a file in pieces, which several threads produce. Each piece is written at
/// its offset immediately, and digested once all pieces before it have been digested.
///
/// Every claimed piece must be written or abandoned; otherwise the threads with later pieces would
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

  /// The number of finished bytes after which the system is told to write them.
  private static let writebackSize = 1 << 22

  private struct State {
    /// The next piece to be claimed.
    var next = 0
    /// The next piece to be digested.
    var turn = 0
    /// The threads that wait for their turn, by piece.
    var waiting: [Int: DispatchSemaphore] = [:]
    var writebackStart: Int
    var error: WeighbridgeError?
  }

  private let pieces: [Piece]
  /// The offset of each tensor in the file.
  private let starts: [Int]
  private let file: PositionalWriter
  private let state: Mutex<State>
  /// The digest of the current tensor, used only by the thread whose turn it is.
  private let stream: Mutex<XXH3Stream>
  private let digests: Mutex<[XXH3Digest]>

  /// - Parameters:
  ///   - pieces: All bytes of all tensors, in the order of the file.
  ///   - starts: The offset of each tensor in the file.
  init(_ pieces: [Piece], starts: [Int], file: PositionalWriter) throws(WeighbridgeError) {
    let stream = try XXH3Stream()
    digests = Mutex([XXH3Digest](repeating: stream.digest(), count: starts.count))
    self.stream = Mutex(stream)
    state = Mutex(State(writebackStart: starts.first ?? 0))
    self.pieces = pieces
    self.starts = starts
    self.file = file
  }

  /// Returns the index of the next piece to produce; `nil` if there is none, or one was abandoned.
  package func claim() -> Int? {
    state.withLock { state in
      guard state.error == nil, state.next < pieces.count else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }

  /// Writes and digests a claimed piece. Waits for the pieces before it.
  package func write(_ index: Int, _ bytes: RawSpan) {
    do throws(WeighbridgeError) {
      let piece = pieces[index]
      precondition(bytes.byteCount == piece.range.count, "a piece of another size")
      try file.write(bytes, at: starts[piece.tensor] + piece.range.lowerBound)
    } catch {
      return abandon(index, error)
    }
    waitForTurn(index)
    digest(index, bytes)
    passTurn()
    writeBack(starts[pieces[index].tensor] + pieces[index].range.upperBound)
  }

  /// Reports that a claimed piece cannot be produced, which ends the work.
  package func abandon(_ index: Int, _ error: WeighbridgeError) {
    waitForTurn(index)
    state.withLock { $0.error = $0.error ?? error }
    passTurn()
  }

  /// Returns the tensors' digests after all pieces have been written.
  ///
  /// - Throws: The error with which a piece was abandoned; ``WeighbridgeError/Code/outputFailed``.
  func finish() throws(WeighbridgeError) -> [XXH3Digest] {
    if let error = state.withLock({ $0.error }) { throw error }
    return digests.withLock { $0 }
  }

  private func digest(_ index: Int, _ bytes: RawSpan) {
    let tensor = pieces[index].tensor
    let isLast = index + 1 == pieces.count || pieces[index + 1].tensor != tensor
    stream.withLock { stream in
      stream.update(bytes)
      guard isLast else { return }
      let digest = stream.digest()
      digests.withLock { $0[tensor] = digest }
      stream.reset()
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

  private func waitForTurn(_ index: Int) {
    let semaphore = state.withLock { state -> DispatchSemaphore? in
      guard state.turn != index else { return nil }
      let semaphore = DispatchSemaphore(value: 0)
      state.waiting[index] = semaphore
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
