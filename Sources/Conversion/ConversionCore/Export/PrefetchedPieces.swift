package import Bytes
import Dispatch
import GraphIR
import Synchronization

/// Pieces of bytes that other threads prepare a few ahead of the thread that uses them in order, so
/// that transposing and writing weights take only the time of the slower of the two.
package final class PrefetchedPieces: Sendable {
  /// Fills a buffer with the piece at an index, front to back, and returns its number of bytes.
  package typealias Maker = @Sendable (Int, inout [UInt8]) throws(WeighbridgeError) -> Int

  private struct Piece {
    var bytes: [UInt8]
    var result: Result<Int, WeighbridgeError>
  }

  private struct State {
    var next = 0
    var isStopped = false
    /// The pieces that are ready, each at its index modulo the number of slots.
    var places: [Piece?]
    /// Buffers of used pieces.
    var spare: [[UInt8]] = []
  }

  /// Each maker works on one piece while another waits to be used.
  private static let makers = max(1, min(4, Workers.processorCount - 1))
  private static let places = 2 * makers

  private let count: Int
  private let make: Maker
  private let state = Mutex(State(places: [Piece?](repeating: nil, count: places)))
  /// Counts the free slots. It starts at 0, because a semaphore may not be released below its
  /// initial value, as would happen when pieces are left over.
  private let room = DispatchSemaphore(value: 0)
  private let ready = (0..<places).map { _ in DispatchSemaphore(value: 0) }

  private init(_ count: Int, _ make: @escaping Maker) {
    (self.count, self.make) = (count, make)
    for _ in 0..<Self.places { room.signal() }
  }

  /// Calls `use` with each of `count` pieces in order, on the caller's thread.
  ///
  /// - Parameter buffer: The buffer for the pieces when one thread does everything.
  /// - Throws: What `make` and `use` throw; nothing is used after that.
  package static func run(
    _ count: Int, _ buffer: inout [UInt8], make: @escaping Maker,
    use: (RawSpan) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    guard count > 1 else {
      for index in 0..<count {
        let size = try make(index, &buffer)
        try use(buffer.span.bytes.extracting(first: size))
      }
      return
    }
    let line = PrefetchedPieces(count, make)
    for _ in 0..<min(makers, count) { DispatchQueue.global().async { line.work() } }
    defer { line.stop() }
    for index in 0..<count {
      let piece = line.take(index)
      try use(piece.bytes.span.bytes.extracting(first: try piece.result.get()))
      line.giveBack(piece.bytes)
    }
  }

  private func work() {
    while let index = begin() {
      var bytes = state.withLock { $0.spare.popLast() } ?? []
      let result: Result<Int, WeighbridgeError>
      do throws(WeighbridgeError) {
        result = .success(try make(index, &bytes))
      } catch {
        result = .failure(error)
      }
      let place = index % Self.places
      let piece = Piece(bytes: bytes, result: result)
      state.withLock { $0.places[place] = piece }
      ready[place].signal()
    }
  }

  /// Waits for room and returns the index of the next piece to make, while there is one.
  private func begin() -> Int? {
    room.wait()
    let index = state.withLock { state -> Int? in
      guard !state.isStopped, state.next < count else { return nil }
      defer { state.next += 1 }
      return state.next
    }
    // Wakes the next maker, so that it stops too.
    if index == nil { room.signal() }
    return index
  }

  private func take(_ index: Int) -> Piece {
    let place = index % Self.places
    ready[place].wait()
    return state.withLock { state in
      guard let piece = state.places[place].take() else {
        preconditionFailure("a place was said to be ready and is empty")
      }
      return piece
    }
  }

  private func giveBack(_ bytes: [UInt8]) {
    state.withLock { $0.spare.append(bytes) }
    room.signal()
  }

  private func stop() {
    state.withLock { $0.isStopped = true }
    room.signal()
  }
}
