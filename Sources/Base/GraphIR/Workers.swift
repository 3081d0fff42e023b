import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The number of threads that a computation may use.
package struct Workers: Sendable {
  /// The number of threads that work at once, at least 1.
  package let count: Int

  /// The number of the machine's processors.
  package static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// - Parameter count: The number of threads that may work at once; values below 1 count as 1.
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

  /// Computes something for each of `0..<count` on several threads and hands the results to `body`
  /// on the calling thread, in order, while later ones are still being computed. At most two
  /// results per thread are computed ahead.
  ///
  /// - Throws: What `body` throws, after the results in progress are finished; no further ones are
  ///   started.
  package func forEach<Element: Sendable, Failure: Error>(
    _ count: Int, computing element: @escaping @Sendable (Int) -> Element,
    then body: (Int, Element) throws(Failure) -> Void
  ) throws(Failure) {
    let threads = min(self.count, count)
    guard threads > 1 else {
      for index in 0..<count { try body(index, element(index)) }
      return
    }
    let results = OrderedResults<Element>(count: count, capacity: 2 * threads)
    defer { results.stop() }
    for _ in 0..<threads {
      DispatchQueue.global().async(group: results.threads) { results.compute(element) }
    }
    for index in 0..<count { try body(index, results.next(index)) }
  }
}

/// Results passed from the threads that compute them to the one that takes them in order.
private final class OrderedResults<Element: Sendable>: Sendable {
  /// The threads that compute.
  let threads = DispatchGroup()
  private let count: Int
  private let capacity = DispatchSemaphore(value: 0)
  private let arrival = DispatchSemaphore(value: 0)
  private let state = Mutex(State())

  private struct State {
    var startedCount = 0
    var results: [Int: Element] = [:]
  }

  /// - Parameter capacity: The largest number of results that are computed but not yet taken.
  init(count: Int, capacity: Int) {
    self.count = count
    // Counts from 0, because a semaphore must not be freed below its initial value.
    for _ in 0..<capacity { self.capacity.signal() }
  }

  /// Computes results one after another until all are started.
  func compute(_ element: (Int) -> Element) {
    while true {
      capacity.wait()
      let index = state.withLock { state in
        defer { state.startedCount += 1 }
        return state.startedCount
      }
      guard index < count else {
        capacity.signal()  // for the next thread waiting
        return
      }
      let result = element(index)
      state.withLock { $0.results[index] = result }
      arrival.signal()
    }
  }

  /// Waits for a result and takes it.
  func next(_ index: Int) -> Element {
    while true {
      if let result = state.withLock({ $0.results.removeValue(forKey: index) }) {
        capacity.signal()
        return result
      }
      arrival.wait()
    }
  }

  /// Prevents further results from being started, and waits for those in progress.
  func stop() {
    state.withLock { $0.startedCount = max($0.startedCount, count) }
    capacity.signal()
    threads.wait()
  }
}

/// A request to stop, which one thread makes and others observe.
public final class Cancellation: Sendable {
  private let isRequested = Atomic(false)
  private let isCancelledOutside: (@Sendable () -> Bool)?

  /// Creates an object with nothing requested yet.
  public init() { isCancelledOutside = nil }

  /// Creates an object with nothing requested yet, which also asks a closure whether to stop.
  ///
  /// - Parameter ask: Called often, by any thread that works, for example between the layers of a
  ///   run.
  public init(asking ask: @escaping @Sendable () -> Bool) { isCancelledOutside = ask }

  /// What stops the work of the current task, besides the object in its options.
  @TaskLocal package static var ofTask: Cancellation?

  /// An object that stops work when one of two does.
  package static func either(_ first: Cancellation?, _ second: Cancellation?) -> Cancellation? {
    guard let first, let second else { return first ?? second }
    return Cancellation { first.isCancelled || second.isCancelled }
  }

  /// Requests that the work with this object stop soon.
  public func cancel() { isRequested.store(true, ordering: .relaxed) }

  /// Whether a stop was requested.
  public var isCancelled: Bool {
    isRequested.load(ordering: .relaxed) || isCancelledOutside?() == true
  }
}
