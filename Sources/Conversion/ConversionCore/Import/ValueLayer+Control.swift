package import Bytes
import GraphIR
import LayerCatalog

/// Loops and branches, which become the nodes of their bodies.
extension ValueLayer {
  /// The largest number of steps that is unrolled; more would make an unreadable graph.
  package static var maximumStepCount: Int { 1024 }

  /// Checks the number of steps of a loop and returns it.
  ///
  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` when there are none or too many.
  package func checkedSteps(_ count: Int) throws(WeighbridgeError) -> Int {
    guard (1...Self.maximumStepCount).contains(count) else {
      throw .limitExceeded(
        "loops over \(count.counted("step")), and 1 to \(Self.maximumStepCount) can be read")
    }
    return count
  }

  /// Chooses between values by a condition of one element that is known only when the model runs.
  ///
  /// - Parameters:
  ///   - first: The values when the condition is met.
  ///   - second: The others, of the same types.
  package mutating func chosen(
    by condition: SourceValue, _ first: [SourceValue], _ second: [SourceValue]
  ) throws(WeighbridgeError) -> [SourceValue] {
    var outputs: [SourceValue] = []
    for (position, (one, other)) in zip(first, second).enumerated() {
      let ones = [ReshapeAxes.Size](repeating: .fixed(1), count: type(one).rank)
      let flag = try apply(ReshapeAxes(ones), to: condition, role: "condition_\(position)")
      outputs.append(
        try apply(
          Where(), to: flag, one, other, role: first.count == 1 ? "" : "output_\(position)"))
    }
    return outputs
  }
}
