import Synchronization

/// An object that a handle refers to.
protocol Handled: AnyObject, Sendable {
  /// Distinguishes the kinds of handles; from 1 to 15.
  static var kind: UInt64 { get }
  /// A name for messages: `a session`.
  static var title: String { get }
}

/// The objects that handles refer to.
///
/// A handle consists of the kind (4 bits), the use count of its slot in the table (28 bits) and the
/// index of the slot (32 bits), so a closed handle is never valid again.
final class HandleTable: Sendable {
  /// The table of this process.
  static let shared = HandleTable()

  private struct Slot {
    var use: UInt64 = 1
    var object: (any Handled)?
  }

  private struct State {
    var slots: [Slot] = []
    var free: [Int] = []
  }

  private let state = Mutex(State())
  private static let lastUse: UInt64 = 1 << 28 - 1

  /// Returns a handle for an object, which is kept until it is removed.
  func add<Object: Handled>(_ object: Object) -> UInt64 {
    state.withLock { state in
      let place = state.free.popLast() ?? state.slots.count
      if place == state.slots.count { state.slots.append(Slot()) }
      state.slots[place].object = object
      return Object.kind << 60 | state.slots[place].use << 32 | UInt64(place)
    }
  }

  /// Returns the object of a handle.
  func object<Object: Handled>(_ handle: UInt64, _: Object.Type) throws(Failure) -> Object {
    try state.withLock { (state) throws(Failure) in try Self.find(handle, in: state).object }
  }

  /// Removes a handle's object.
  ///
  /// - Parameter mayClose: Throws when the object cannot be closed now.
  func remove<Object: Handled>(
    _ handle: UInt64, _: Object.Type, _ mayClose: (Object) throws(Failure) -> Void = { _ in }
  ) throws(Failure) {
    // The object is kept until the lock is released, because freeing it may take long.
    var last: Object?
    try state.withLock { (state) throws(Failure) in
      let (place, object): (Int, Object) = try Self.find(handle, in: state)
      try mayClose(object)
      last = object
      state.slots[place].object = nil
      guard state.slots[place].use < Self.lastUse else { return }
      state.slots[place].use += 1
      state.free.append(place)
    }
    _ = last
  }

  private static func find<Object: Handled>(
    _ handle: UInt64, in state: borrowing State
  ) throws(Failure) -> (place: Int, object: Object) {
    let (place, use) = (Int(handle & 0xFFFF_FFFF), handle >> 32 & lastUse)
    guard handle >> 60 == Object.kind else {
      throw .invalidHandle("the handle is not that of \(Object.title)")
    }
    guard state.slots.indices.contains(place), state.slots[place].use == use,
      let object = state.slots[place].object as? Object
    else { throw .invalidHandle("\(Object.title) that is closed or was never opened") }
    return (place, object)
  }
}

/// Lets one thread at a time use something, and none once it is closed.
final class Turn: Sendable {
  private enum Phase { static let idle = 0, working = 1, closed = 2 }

  private let phase = Atomic(Phase.idle)

  /// Runs the body, unless another thread has the turn.
  func take(_ body: () throws -> Void) throws {
    try change(to: Phase.working)
    defer { phase.store(Phase.idle, ordering: .releasing) }
    try body()
  }

  /// Prevents any further turns.
  func close() throws(Failure) { try change(to: Phase.closed) }

  private func change(to next: Int) throws(Failure) {
    let (isChanged, current) = phase.compareExchange(
      expected: Phase.idle, desired: next, ordering: .acquiringAndReleasing)
    guard !isChanged else { return }
    throw current == Phase.closed ? .invalidHandle("it was closed just now") : .busy
  }
}
