import GraphIR

/// Normalization with the statistics of the input itself.
enum NormalizedLanes {
  /// (x - mean) / sqrt(variance + epsilon), with the mean and the variance (the population
  /// variance) of each lane of `size` consecutive elements.
  static func compute(
    _ elements: [Double], size: Int, epsilon: Double, workers: Workers
  ) -> [Double] {
    let lanes = workers.map(size == 0 ? 0 : elements.count / size) { index in
      let lane = elements[index * size..<(index + 1) * size]
      let mean = lane.reduce(0, +) / Double(size)
      let variance = lane.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(size)
      let factor = 1 / (variance + epsilon).squareRoot()
      return lane.map { ($0 - mean) * factor }
    }
    return lanes.flatMap { $0 }
  }
}
