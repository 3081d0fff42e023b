import JSON
import Weighbridge

/// The times of repeated runs.
struct Timing {
  private let sortedTimes: [Double]
  private let threads: Int

  /// - Parameter sortedTimes: Milliseconds, at least one, ascending.
  init(_ sortedTimes: [Double], threads: Int) {
    self.sortedTimes = sortedTimes
    self.threads = threads
  }

  private var median: Double {
    (sortedTimes[(sortedTimes.count - 1) / 2] + sortedTimes[sortedTimes.count / 2]) / 2
  }

  var json: JSONValue {
    .object([
      "median_ms": .real(median), "min_ms": .real(sortedTimes[0]),
      "max_ms": .real(sortedTimes[sortedTimes.count - 1]), "threads": .integer(threads),
    ])
  }

  var text: String {
    let shown = [median, sortedTimes[0], sortedTimes[sortedTimes.count - 1]].map { value in
      "\((value * 10).rounded() / 10) ms"
    }
    return "median \(shown[0]), min \(shown[1]), max \(shown[2]), \(threads) threads"
  }
}

extension RunResult {
  /// The outputs' names and types.
  var json: JSONValue {
    .object([
      "outputs": .array(
        outputs.map { output in
          .object(["name": .string(output.name), "type": output.tensor.type.json])
        })
    ])
  }
}
