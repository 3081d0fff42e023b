import Synchronization

/// An object that a handle refers to.
protocol HandleTarget: AnyObject, Sendable {
  /// The number of the kind of handle, from 1 to 15.
  static var kind: UInt64 { get }
  /// A name for messages: `a session`.
  static var title: String { get }
}

/// The objects that handles refer to.
///
/// A handle consists of the kind (4 bits), the generation of its slot in the table (28 bits) and
/// the index of the slot (32 bits), so a closed handle is never valid again.
final class HandleTable: Sendable {
  /// The table of this process.
  static let shared = HandleTable()

  private struct Slot {
    /// The number of objects that the slot has had, including the current one.
    var generation: UInt64 = 1
    var object: (any HandleTarget)?
  }

  private struct State {
    var slots: [Slot] = []
    var free: [Int] = []
  }

  private let state = Mutex(State())
  private static let lastGeneration: UInt64 = 1 << 28 - 1

  /// Returns a handle for an object, which is kept until it is removed.
  func add<Object: HandleTarget>(_ object: Object) -> UInt64 {
    state.withLock { state in
      let index = state.free.popLast() ?? state.slots.count
      if index == state.slots.count { state.slots.append(Slot()) }
      state.slots[index].object = object
      return Object.kind << 60 | state.slots[index].generation << 32 | UInt64(index)
    }
  }

  /// Returns the object of a handle.
  func object<Object: HandleTarget>(_ handle: UInt64, _: Object.Type) throws(Failure) -> Object {
    try state.withLock { (state) throws(Failure) in try Self.find(handle, in: state).object }
  }

  /// Removes a handle's object.
  ///
  /// - Parameter mayClose: Throws when the object cannot be closed now.
  func remove<Object: HandleTarget>(
    _ handle: UInt64, _: Object.Type, _ mayClose: (Object) throws(Failure) -> Void = { _ in }
  ) throws(Failure) {
    // The object is kept until the lock is released, because freeing it may take a long time.
    var removed: Object?
    try state.withLock { (state) throws(Failure) in
      let (index, object): (Int, Object) = try Self.find(handle, in: state)
      try mayClose(object)
      removed = object
      state.slots[index].object = nil
      guard state.slots[index].generation < Self.lastGeneration else { return }
      state.slots[index].generation += 1
      state.free.append(index)
    }
    _ = removed
  }

  private static func find<Object: HandleTarget>(
    _ handle: UInt64, in state: borrowing State
  ) throws(Failure) -> (index: Int, object: Object) {
    let (index, generation) = (Int(handle & 0xFFFF_FFFF), handle >> 32 & lastGeneration)
    guard handle >> 60 == Object.kind else {
      throw .invalidHandle("the handle is not that of \(Object.title)")
    }
    guard state.slots.indices.contains(index), state.slots[index].generation == generation,
      let object = state.slots[index].object as? Object
    else { throw .invalidHandle("\(Object.title) that is closed or was never opened") }
    return (index, object)
  }
}

/// Lets one thread at a time use an object, and none once it is closed. No thread waits: a second
/// one gets an error.
final class ExclusiveAccess: Sendable {
  private enum State { static let idle = 0, inUse = 1, closed = 2 }

  private let state = Atomic(State.idle)

  /// Runs the body, unless another thread has access.
  func perform(_ body: () throws -> Void) throws {
    try change(to: State.inUse)
    defer { state.store(State.idle, ordering: .releasing) }
    try body()
  }

  /// Prevents any further access.
  func close() throws(Failure) { try change(to: State.closed) }

  private func change(to next: Int) throws(Failure) {
    let (hasChanged, current) = state.compareExchange(
      expected: State.idle, desired: next, ordering: .acquiringAndReleasing)
    guard !hasChanged else { return }
    throw current == State.closed ? .invalidHandle("it was closed just now") : .busy
  }
}
