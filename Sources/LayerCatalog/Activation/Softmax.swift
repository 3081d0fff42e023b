import Bytes
import GraphIR

/// e^x, divided by the sum of them along one or more axes (Bridle 1990).
///
/// Any shape in, the same out. The largest element is subtracted first, so that no e^x is too
/// large; this changes nothing else.
package struct Softmax: LanewiseOperator {
  /// The axes along which the outputs add up to 1, rising, at least one.
  package let axes: [Int]

  package static let kind = "softmax"
  package static let version = 1

  /// Makes the operator.
  package init(axes: [Int]) { self.axes = axes }
}

extension Softmax {
  package func apply(_ lane: ArraySlice<Double>) -> [Double] {
    // A NaN comes through the sum, whatever `max` makes of it.
    let largest = lane.max() ?? 0
    let powers = lane.map { ($0 - largest).exponential }
    let sum = powers.reduce(0, +)
    return powers.map { $0 / sum }
  }

  package var decomposition: Decomposition { .primitive }

  /// Keras: `Softmax(axis=-1)`, where `axis` may be a list; the function `softmax`, which works
  /// along the last axis.
  package static let keras = SourceMapping.mapped(
    KerasMapping(
      layers: [
        "Softmax": { (layer, inputs) throws(WeighbridgeError) in
          let type = layer.graph.type(of: try layer.onlyInput(inputs))
          return try layer.add(Softmax(axes: try kerasAxes(&layer, type)), inputs)
        }
      ],
      activations: [
        "softmax": { (_, type) throws(WeighbridgeError) in
          Softmax(axes: [try KerasLayer.lastAxis(of: type)])
        }
      ]))

  private static func kerasAxes(
    _ layer: inout KerasLayer, _ type: TensorType
  ) throws(WeighbridgeError) -> [Int] {
    let written = try layer.integerList("axis", default: [-1])
    var axes: Set<Int> = []
    for axis in written { axes.insert(try KerasLayer.axis(axis, of: type)) }
    guard axes.count == written.count, !axes.isEmpty else {
      throw WeighbridgeError(.malformed, "axis=\(written), and different axes are expected")
    }
    // Older versions take the last axis of two, whatever the setting says.
    if type.rank < 2 || (type.rank == 2 && axes != [1]) {
      throw WeighbridgeError(
        .unsupported, "axis=\(written) of \(type): versions of Keras do not agree on its meaning")
    }
    return axes.sorted()
  }
}
