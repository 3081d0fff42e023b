import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The processors a computation may use.
package struct Workers: Sendable {
  /// How many threads work at once, at least 1.
  package let count: Int

  /// How many processors the machine has.
  package static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// - Parameter count: How many threads may work at once; values below 1 count as 1.
  package init(count: Int) { self.count = max(1, count) }

  /// The results of `body` for `0..<count`, computed by several threads, in order.
  ///
  /// A result does not depend on the number of threads.
  package func map<Result: Sendable>(
    _ count: Int, _ body: @Sendable (Int) -> Result
  ) -> [Result] {
    let threads = min(self.count, count)
    guard threads > 1 else { return (0..<count).map(body) }
    let next = Atomic(0)
    let results = Mutex([Result?](repeating: nil, count: count))
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      while true {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < count else { return }
        let result = body(index)
        results.withLock { $0[index] = result }
      }
    }
    return results.withLock { $0.compactMap { $0 } }
  }
}

/// A request to stop that one thread makes and others see.
public final class Cancellation: Sendable {
  private let requested = Atomic(false)
  private let ask: (@Sendable () -> Bool)?

  /// Nothing is requested yet.
  public init() { ask = nil }

  /// Nothing is requested yet, and those who work ask whether it is by now.
  ///
  /// - Parameter ask: Called by any thread that works, and often: between the layers of a run.
  public init(asking ask: @escaping @Sendable () -> Bool) { self.ask = ask }

  /// Asks whoever works with this object to stop soon.
  public func cancel() { requested.store(true, ordering: .relaxed) }

  /// Whether a stop was asked for.
  public var isCancelled: Bool { requested.load(ordering: .relaxed) || ask?() == true }
}
