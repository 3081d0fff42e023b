import Synchronization

/// The plans that were used last, for inputs of different shapes, with memory to run in.
final class PlanCache: Sendable {
  /// What a plan was made for.
  struct Key: Hashable, Sendable {
    /// The shape of each input.
    let shapes: [[Int]]
    let options: Plan.Options
  }

  private struct Entry {
    let plan: Plan
    /// Memory that nobody runs in.
    var idle: [Execution] = []
    /// When it was used last, in uses of the whole cache.
    var lastUse = 0
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var uses = 0
  }

  private let state = Mutex(State())

  /// How many plans are kept.
  private static let capacity = 8

  /// The plan for a key, and memory of it that nobody uses, as far as they are there.
  func take(_ key: Key) -> (plan: Plan?, execution: Execution?) {
    state.withLock { state in
      state.uses += 1
      state.entries[key]?.lastUse = state.uses
      return (state.entries[key]?.plan, state.entries[key]?.idle.popLast())
    }
  }

  /// The plan for a key, as far as it is there.
  func plan(_ key: Key) -> Plan? { state.withLock { $0.entries[key]?.plan } }

  /// Keeps a plan; the one that was not used for longest goes when there are too many.
  func add(_ plan: Plan, for key: Key) {
    state.withLock { state in
      state.uses += 1
      state.entries[key] = Entry(plan: plan, lastUse: state.uses)
      guard state.entries.count > Self.capacity else { return }
      let oldest = state.entries.min { $0.value.lastUse < $1.value.lastUse }
      if let oldest { state.entries[oldest.key] = nil }
    }
  }

  /// Keeps the memory of a run that has ended, for the next one.
  func giveBack(_ execution: Execution, for key: Key) {
    state.withLock { state in state.entries[key]?.idle.append(execution) }
  }
}
