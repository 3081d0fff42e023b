package import Bytes
import Digests
import Dispatch
import Synchronization

/// Receives the tensors of a file in pieces from several threads. Each piece is written to its
/// position immediately, and digested once all pieces before it are.
///
/// Every piece that was taken must be put or given up; otherwise the others would wait for it
/// forever.
package final class WBMTensorLine: Sendable {
  /// A part of a tensor's bytes.
  package struct Piece: Sendable {
    /// The position of the tensor in the header.
    package let tensor: Int
    /// The part of the tensor's bytes.
    package let range: Range<Int>

    /// Makes a piece.
    package init(tensor: Int, range: Range<Int>) {
      self.tensor = tensor
      self.range = range
    }
  }

  private static let writebackSize = 1 << 22

  private struct State {
    var next = 0
    var turn = 0
    var waiting: [Int: DispatchSemaphore] = [:]
    var writebackStart: Int
    var error: WeighbridgeError?
  }

  private let pieces: [Piece]
  /// The offset of each tensor in the file.
  private let starts: [Int]
  private let file: PlacedWriter
  private let state: Mutex<State>
  /// Used only by the thread whose turn it is.
  private let stream: Mutex<XXH3Stream>
  private let digests: Mutex<[XXH3Digest]>

  /// - Parameters:
  ///   - pieces: All bytes of all tensors, in the order of the file.
  ///   - starts: The offset of each tensor in the file.
  init(_ pieces: [Piece], starts: [Int], file: PlacedWriter) throws(WeighbridgeError) {
    let stream = try XXH3Stream()
    digests = Mutex([XXH3Digest](repeating: stream.digest(), count: starts.count))
    self.stream = Mutex(stream)
    state = Mutex(State(writebackStart: starts.first ?? 0))
    self.pieces = pieces
    self.starts = starts
    self.file = file
  }

  /// Returns the position of the next piece to make; `nil` when there is none, or one could not be
  /// made.
  package func take() -> Int? {
    state.withLock { state in
      guard state.error == nil, state.next < pieces.count else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }

  /// Writes and digests a piece that was taken. Waits for the pieces before it.
  package func put(_ index: Int, _ bytes: RawSpan) {
    do throws(WeighbridgeError) {
      let piece = pieces[index]
      precondition(bytes.byteCount == piece.range.count, "a piece of another size")
      try file.write(bytes, at: starts[piece.tensor] + piece.range.lowerBound)
    } catch {
      return giveUp(index, error)
    }
    waitForTurn(index)
    digest(index, bytes)
    passTurn()
    writeBack(starts[pieces[index].tensor] + pieces[index].range.upperBound)
  }

  /// Reports that a piece that was taken cannot be made, which ends the work.
  package func giveUp(_ index: Int, _ error: WeighbridgeError) {
    waitForTurn(index)
    state.withLock { $0.error = $0.error ?? error }
    passTurn()
  }

  /// Returns the tensors' digests, when all pieces have been put.
  ///
  /// - Throws: The error that a piece was given up with; ``WeighbridgeError/Code/outputFailed``.
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

  /// Tells the system to write finished parts during the computation, so that the commit has less
  /// to wait for.
  ///
  /// - Parameter end: The offset up to which everything is finished.
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
