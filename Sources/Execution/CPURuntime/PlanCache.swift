import Synchronization

/// A least-recently-used cache of plans for inputs of different shapes, with memory to run in.
final class PlanCache: Sendable {
  /// The inputs and options of a plan.
  struct Key: Hashable, Sendable {
    /// The shape of each input.
    let shapes: [[Int]]
    let options: Plan.Options
  }

  private struct Entry {
    let plan: Plan
    /// Executions that are not in use.
    var idle: [Execution] = []
    /// The cache's use count at the last use.
    var lastUse = 0
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var uses = 0
  }

  private let state = Mutex(State())

  /// The maximum number of plans.
  private static let capacity = 8

  /// An idle execution of the plan for a key, if available.
  func checkOut(_ key: Key) -> Execution? {
    state.withLock { state in
      state.uses += 1
      state.entries[key]?.lastUse = state.uses
      return state.entries[key]?.idle.popLast()
    }
  }

  /// The plan for a key, if available.
  func plan(_ key: Key) -> Plan? { state.withLock { $0.entries[key]?.plan } }

  /// Whether there is a plan for a key.
  func contains(_ key: Key) -> Bool { state.withLock { $0.entries.index(forKey: key) != nil } }

  /// Adds a plan, evicting the least recently used one if there are too many.
  func add(_ plan: Plan, for key: Key) {
    state.withLock { state in
      state.uses += 1
      state.entries[key] = Entry(plan: plan, lastUse: state.uses)
      guard state.entries.count > Self.capacity else { return }
      let oldest = state.entries.min { $0.value.lastUse < $1.value.lastUse }
      if let oldest { state.entries[oldest.key] = nil }
    }
  }

  /// Returns an execution after a run, for reuse.
  func checkIn(_ execution: Execution, for key: Key) {
    state.withLock { state in state.entries[key]?.idle.append(execution) }
  }
}
