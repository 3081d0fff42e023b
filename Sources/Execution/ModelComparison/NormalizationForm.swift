import GraphIR
import LayerCatalog

/// A batch normalization reduced to factor * x + offset for each channel.
///
/// Writers may fold its four weights into equivalent ones: Core ML's converters store a mean of 0
/// and a variance of 1 with the folded gamma and beta.
struct NormalizationForm {
  private let factors: [Double]
  private let offsets: [Double]
  /// The largest magnitude among the terms of each offset.
  private let magnitudes: [Double]
  /// The means, then the variances.
  private let statistics: [Double]

  /// Fails for any other operator, and when a weight is not a constant.
  init?(_ node: Node, in graph: Graph) {
    guard let operation = node.operation as? BatchNormalization else { return nil }
    var weights: [[Double]] = []
    for id in node.inputs.dropFirst() {
      guard let constant = graph[id].constant else { return nil }
      weights.append(constant.doubles)
    }
    let gamma = operation.hasScale ? weights.removeFirst() : nil
    let beta = operation.hasCenter ? weights.removeFirst() : nil
    let (mean, variance) = (weights[0], weights[1])
    let factors = variance.indices.map {
      (gamma?[$0] ?? 1) / (variance[$0] + operation.epsilon).squareRoot()
    }
    self.factors = factors
    offsets = mean.indices.map { (beta?[$0] ?? 0) - mean[$0] * factors[$0] }
    statistics = mean + variance
    magnitudes = mean.indices.map { max(abs(beta?[$0] ?? 0), abs(mean[$0] * factors[$0])) }
  }

  /// Whether the statistics differ by more than rounding.
  func hasDifferentStatistics(from other: NormalizationForm) -> Bool {
    Self.difference(statistics, other.statistics, scales: statistics) > 1e-3
  }

  /// Returns the largest difference between factors or offsets, relative to the numbers they were
  /// computed from or to 1; infinite if the numbers of channels differ.
  func difference(from other: NormalizationForm) -> Double {
    max(
      Self.difference(factors, other.factors, scales: factors),
      Self.difference(offsets, other.offsets, scales: magnitudes))
  }

  private static func difference(
    _ numbers: [Double], _ others: [Double], scales: [Double]
  ) -> Double {
    guard numbers.count == others.count else { return .infinity }
    let differences = numbers.indices.map {
      abs(numbers[$0] - others[$0]) / max(1, abs(scales[$0]))
    }
    return differences.allSatisfy { $0 < .infinity } ? differences.max() ?? 0 : .infinity
  }
}
