import JSON
import Weighbridge

/// The times of repeated runs.
struct Timing {
  private let sorted: [Double]
  private let threads: Int

  /// - Parameter sorted: Milliseconds, at least one, ascending.
  init(_ sorted: [Double], threads: Int) {
    self.sorted = sorted
    self.threads = threads
  }

  private var median: Double {
    (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  var json: JSONValue {
    .object([
      "median_ms": .real(median), "min_ms": .real(sorted[0]),
      "max_ms": .real(sorted[sorted.count - 1]), "threads": .integer(threads),
    ])
  }

  var text: String {
    let shown = [median, sorted[0], sorted[sorted.count - 1]].map { value in
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
