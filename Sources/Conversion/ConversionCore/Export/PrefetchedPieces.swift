package import Bytes
import Dispatch
import GraphIR
import Synchronization

/// Pieces of bytes that other threads produce ahead of the thread that uses them in order, so
/// that transposing and writing weights together take only as long as the slower of the two.
package final class PrefetchedPieces: Sendable {
  /// Writes the piece at an index to the start of a buffer and returns its number of bytes.
  package typealias Producer = @Sendable (Int, inout [UInt8]) throws(WeighbridgeError) -> Int

  private struct Piece {
    var bytes: [UInt8]
    var result: Result<Int, WeighbridgeError>
  }

  private struct State {
    /// The index of the next piece to produce.
    var next = 0
    var isStopped = false
    /// The pieces that are ready, each at its index modulo the number of slots.
    var slots: [Piece?]
    /// Buffers of used pieces, for reuse.
    var spareBuffers: [[UInt8]] = []
  }

  /// Each thread produces one piece while another is ready.
  private static let producerCount = max(1, min(4, Workers.processorCount - 1))
  private static let slotCount = 2 * producerCount

  private let count: Int
  private let produce: Producer
  private let state = Mutex(State(slots: [Piece?](repeating: nil, count: slotCount)))
  /// Counts the free slots. It starts at 0, because a semaphore may not be released below its
  /// initial value, as would happen when not all pieces are used.
  private let freeSlots = DispatchSemaphore(value: 0)
  /// Signals for each slot that its piece is ready.
  private let ready = (0..<slotCount).map { _ in DispatchSemaphore(value: 0) }

  private init(_ count: Int, _ produce: @escaping Producer) {
    (self.count, self.produce) = (count, produce)
    for _ in 0..<Self.slotCount { freeSlots.signal() }
  }

  /// Calls `use` with each of `count` pieces in order, on the caller's thread.
  ///
  /// - Parameter buffer: The buffer for a single piece, which the caller's thread produces.
  /// - Throws: What `produce` and `use` throw; no piece is used after that.
  package static func run(
    _ count: Int, _ buffer: inout [UInt8], produce: @escaping Producer,
    use: (RawSpan) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    guard count > 1 else {
      for index in 0..<count {
        let size = try produce(index, &buffer)
        try unsafe use(buffer.span.bytes.extracting(first: size))
      }
      return
    }
    let pieces = PrefetchedPieces(count, produce)
    for _ in 0..<min(producerCount, count) {
      DispatchQueue.global().async { pieces.producePieces() }
    }
    defer { pieces.stop() }
    for index in 0..<count {
      let piece = pieces.take(index)
      try unsafe use(piece.bytes.span.bytes.extracting(first: try piece.result.get()))
      pieces.recycle(piece.bytes)
    }
  }

  private func producePieces() {
    while let index = nextIndex() {
      var bytes = state.withLock { $0.spareBuffers.popLast() } ?? []
      let result: Result<Int, WeighbridgeError>
      do throws(WeighbridgeError) {
        result = .success(try produce(index, &bytes))
      } catch {
        result = .failure(error)
      }
      let slot = index % Self.slotCount
      let piece = Piece(bytes: bytes, result: result)
      state.withLock { $0.slots[slot] = piece }
      ready[slot].signal()
    }
  }

  /// Waits for a free slot and returns the index of the next piece to produce; `nil` when there is
  /// none.
  private func nextIndex() -> Int? {
    freeSlots.wait()
    let index = state.withLock { state -> Int? in
      guard !state.isStopped, state.next < count else { return nil }
      defer { state.next += 1 }
      return state.next
    }
    // Wakes the next producer, so that it stops too.
    if index == nil { freeSlots.signal() }
    return index
  }

  private func take(_ index: Int) -> Piece {
    let slot = index % Self.slotCount
    ready[slot].wait()
    return state.withLock { state in
      guard let piece = state.slots[slot].take() else {
        preconditionFailure("a slot was signaled as ready and is empty")
      }
      return piece
    }
  }

  private func recycle(_ bytes: [UInt8]) {
    state.withLock { $0.spareBuffers.append(bytes) }
    freeSlots.signal()
  }

  private func stop() {
    state.withLock { $0.isStopped = true }
    freeSlots.signal()
  }
}
