import Synchronization

/// What a handle stands for.
protocol Handled: AnyObject, Sendable {
  /// Tells handles of one kind from those of others; from 1 to 15.
  static var kind: UInt64 { get }
  /// What it is, in words: `a session`.
  static var title: String { get }
}

/// The things that handles stand for.
///
/// A handle is made of the kind (4 bits), how often its place in the table was used (28 bits) and the
/// place (32 bits), so that none is ever valid again once it was closed.
final class HandleTable: Sendable {
  /// The process's.
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

  /// A handle for an object, which stays until it is removed.
  func add<Object: Handled>(_ object: Object) -> UInt64 {
    state.withLock { state in
      let place = state.free.popLast() ?? state.slots.count
      if place == state.slots.count { state.slots.append(Slot()) }
      state.slots[place].object = object
      return Object.kind << 60 | state.slots[place].use << 32 | UInt64(place)
    }
  }

  /// The object of a handle.
  func object<Object: Handled>(_ handle: UInt64, _: Object.Type) throws(Failure) -> Object {
    try state.withLock { (state) throws(Failure) in try Self.find(handle, in: state).object }
  }

  /// Takes a handle's object away.
  ///
  /// - Parameter mayClose: Whether the object can be closed now.
  func remove<Object: Handled>(
    _ handle: UInt64, _: Object.Type, _ mayClose: (Object) throws(Failure) -> Void = { _ in }
  ) throws(Failure) {
    // The object is kept until the lock is open again: freeing it may take long.
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
    else { throw .invalidHandle("\(Object.title) that is closed, or never was") }
    return (place, object)
  }
}

/// Lets one thread at a time work with something, and nobody once it is closed.
final class Turn: Sendable {
  private enum Phase { static let idle = 0, working = 1, closed = 2 }

  private let phase = Atomic(Phase.idle)

  /// Works, unless another thread does so.
  func take(_ body: () throws -> Void) throws {
    try change(to: Phase.working)
    defer { phase.store(Phase.idle, ordering: .releasing) }
    try body()
  }

  /// Ends all turns.
  func close() throws(Failure) { try change(to: Phase.closed) }

  private func change(to next: Int) throws(Failure) {
    let (isChanged, current) = phase.compareExchange(
      expected: Phase.idle, desired: next, ordering: .acquiringAndReleasing)
    guard !isChanged else { return }
    throw current == Phase.closed ? .invalidHandle("it was closed just now") : .busy
  }
}
