import Bytes
import ConversionCore
import DarknetFormat

/// The number of parameters that the network of a `.cfg` takes, for each fork as which it may be
/// read.
struct DarknetParameterCount {
  private let counts: [(fork: DarknetFork, count: Int)]

  /// Counts the parameters.
  ///
  /// - Throws: What ``DarknetImporter`` throws when no fork can read the network.
  init(_ configuration: DarknetConfiguration, _ options: ReadOptions) throws(WeighbridgeError) {
    let choice = DarknetForkChoice(configuration, given: options.darknet)
    func count(_ fork: DarknetFork) throws(WeighbridgeError) -> Int {
      try DarknetImporter(
        configuration: configuration, fork: fork, isStrict: options.strict, trees: [:]
      ).parameterCount()
    }
    let otherCount = choice.isKnown ? nil : try? count(choice.fork.other)
    let others = otherCount.map { [(choice.fork.other, $0)] } ?? []
    do throws(WeighbridgeError) {
      counts = [(choice.fork, try count(choice.fork))] + others
    } catch {
      guard !others.isEmpty else { throw error }
      counts = others
    }
  }

  /// The number for the preferred fork.
  var count: Int { counts[0].count }

  /// Whether a `.weights` file contains that many parameters.
  func fits(_ store: ByteStore) -> Bool {
    counts.contains { fork, count in
      guard let header = try? DarknetWeightsHeader(store, fork: fork) else { return false }
      let (size, isTooLarge) = count.multipliedReportingOverflow(by: 4)
      return !isTooLarge && size == store.count - header.byteCount
    }
  }
}
