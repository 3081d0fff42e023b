package import Bytes

/// The time that each layer of a run took, the slowest first.
package struct RunProfile: Sendable {
  package struct Line: Sendable {
    package let layer: RunResult.Layer
    /// The floating-point operations of the layer and of those that were fused with it.
    package let operationCount: Int

    package var milliseconds: Double { Double(layer.nanoseconds) / 1e6 }

    /// The speed in 10^9 operations per second; `nil` for a layer that took no time.
    package var speed: Double? {
      layer.nanoseconds > 0 ? Double(operationCount) / Double(layer.nanoseconds) : nil
    }
  }

  package let lines: [Line]
  /// The total time of all layers.
  package let milliseconds: Double
  /// The bytes that activations take, and their lower bound; `nil` where no plan is made.
  package let memory: (byteCount: Int, lowerBound: Int)?

  /// - Parameter operationCounts: The operations of each layer, by its name.
  init(
    _ profile: [RunResult.Layer], operationCounts: [String: Int],
    memory: (byteCount: Int, lowerBound: Int)?
  ) {
    self.memory = memory
    lines = profile.sorted { $0.nanoseconds > $1.nanoseconds }.map { layer in
      let count = ([layer.name] + layer.fused).reduce(0) { $0 + (operationCounts[$1] ?? 0) }
      return Line(layer: layer, operationCount: count)
    }
    milliseconds = lines.reduce(0) { $0 + $1.milliseconds }
  }

  /// Returns a layer's fraction of the total time, 0...1.
  package func share(_ line: Line) -> Double {
    milliseconds > 0 ? line.milliseconds / milliseconds : 0
  }
}

extension Session {
  /// Computes the outputs once and returns the time of each layer. The first run of a session also
  /// prepares weights and touches memory for the first time.
  ///
  /// - Throws: The errors of ``run(_:)-([NamedTensor])``.
  package func profile(_ arrays: [NamedTensor]) throws(WeighbridgeError) -> RunProfile {
    RunProfile(
      try run(arrays).profile, operationCounts: try model.operationCounts(for: arrays),
      memory: try activationMemory(for: arrays))
  }
}
