import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension Normalization: KerasMapped {
  /// Keras: `Normalization(axis, mean=None, variance=None, invert=False)`. The statistics are
  /// settings, or weights followed by a count when the layer was adapted to data. The smallest
  /// standard deviation is `keras.backend.epsilon()`, which is not in the file.
  static let keras = KerasMapping([
    KerasLayerClass(
      "Normalization", masks: .passedSinceKeras3, casts: .allButKeras24, shape: .same,
      parts: KerasLayerParts(trainable: .none)
    ) { (layer, inputs) throws(WeighbridgeError) in
      let type = try layer.typedInput(inputs).type
      let operation = Normalization(
        axes: try keptAxes(&layer, type), isInverse: try layer.flag("invert", default: false),
        minimumDeviation: 1e-7)
      // TensorFlow 2.3 and 2.4 (both Keras 2.4) compute in the type of the statistics.
      let isWide = layer.version >= KerasVersion(2, 4) && layer.version < KerasVersion(2, 5)
      let statistics = try statistics(
        &layer, shape: try layer.dimensions(operation.axes, of: type), keepsType: isWide)
      if layer.version < KerasVersion(2, 5),
        layer.graph.constant(of: statistics[1])?.doubles.contains(where: { $0 < 1e-14 }) == true
      {
        layer.decideOnce(
          "a standard deviation below 1e-7 counts as 1e-7, as from TensorFlow 2.4 on; 2.3, which states the same "
            + "version, divides by it")
      }
      return try layer.add(operation, inputs + statistics)
    }
  ])
  static let kerasRow: KerasRow? = nil

  /// Keras writes `axis=None` as an empty list, and always writes the setting.
  private static func keptAxes(
    _ layer: inout KerasLayer, _ type: TensorType
  ) throws(WeighbridgeError) -> [Int] {
    let written = try layer.integerList("axis")
    var axes: Set<Int> = []
    for axis in written { axes.insert(try KerasLayer.axis(axis, of: type)) }
    guard axes.count == written.count else {
      throw .malformed("axis=\(written), and different axes are expected")
    }
    return axes.sorted()
  }

  private static func statistics(
    _ layer: inout KerasLayer, shape: [Int], keepsType: Bool
  ) throws(WeighbridgeError) -> [ValueID] {
    switch (layer.take("mean"), layer.take("variance")) {
    case (let mean?, let variance?):
      return [
        try constant(&layer, "mean", mean, shape: shape),
        try constant(&layer, "variance", variance, shape: shape),
      ]
    case (nil, nil):
      let mean = try layer.weight("mean", shape: shape, isTrainable: false, keepsType: keepsType)
      let variance = try layer.weight(
        "variance", shape: shape, isTrainable: false, keepsType: keepsType)
      try layer.ignoreWeight("count", shape: [])
      return [mean, variance]
    default: throw .malformed("has one of mean and variance without the other")
    }
  }

  private static func constant(
    _ layer: inout KerasLayer, _ role: String, _ setting: JSONValue, shape: [Int]
  ) throws(WeighbridgeError) -> ValueID {
    let count = try Checked.product(shape, of: "the number of statistics")
    guard let numbers = numbers(setting), numbers.count == count || numbers.count == 1,
      numbers.allSatisfy(\.isFinite)
    else {
      throw layer.unexpected(
        role, setting, "one number, or \(count.counted("number")) in nested lists")
    }
    let all = numbers.count == count ? numbers : [Double](repeating: numbers[0], count: count)
    let type = layer.types?.compute ?? .float32
    return try layer.constant(role, Tensor(type, shape: shape, all.map(layer.constant)))
  }

  /// The numbers of nested lists, in order; `nil` when there is anything else among them.
  private static func numbers(_ value: JSONValue) -> [Double]? {
    if let number = value.real { return [number] }
    // Iterative, so that no nesting is too deep.
    var (pending, result): ([JSONValue], [Double]) = ([value], [])
    while let next = pending.popLast() {
      if let list = next.array {
        pending += list.reversed()
      } else if let number = next.real {
        result.append(number)
      } else {
        return nil
      }
    }
    return result
  }
}
