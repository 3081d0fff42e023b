package import Bytes
package import GraphIR
import JSON

/// Normalisation by stored statistics of the data: y = (x - mean) / d, or the inverse of it,
/// y = mean + x d, where d = max(sqrt(variance), smallest deviation).
///
/// - input: any shape with these axes; numbers of any type
/// - mean, variance: the input's sizes along `axes`, in their order; no axes stand for one number
/// - output: the input's shape, in the type of the weights
package struct Normalization: CatalogOperator {
  /// The axes along which the statistics differ, rising; may be empty.
  package let axes: [Int]
  /// Whether normalised numbers are turned back into those of the data.
  package let isInverse: Bool
  /// The least standard deviation that is divided by; more than 0.
  package let minimumDeviation: Double

  package static let kind = "normalization"
  package static let version = 1

  package var inputs: [InputSlot] { [.data("input"), .weight("mean"), .weight("variance")] }

  package var attributes: Attributes {
    [
      "axes": .integers(axes), "invert": .flag(isInverse),
      "epsilon": .real(minimumDeviation),
    ]
  }

  /// Makes the operator.
  package init(axes: [Int], isInverse: Bool, minimumDeviation: Double) {
    self.axes = axes
    self.isInverse = isInverse
    self.minimumDeviation = minimumDeviation
  }
}

extension Normalization {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    axes = try attributes.axes("axes")
    isInverse = try attributes.flag("invert")
    minimumDeviation = try attributes.real("epsilon")
    guard minimumDeviation > 0, minimumDeviation.isFinite else {
      throw attributes.malformed("a smallest deviation of \(minimumDeviation)")
    }
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (input, mean, variance) = (inputs[0], inputs[1], inputs[2])
    guard axes.allSatisfy(input.shape.indices.contains) else {
      throw ShapeError("has statistics for the axes \(axes), and the input is \(input)")
    }
    guard mean == variance, mean.elementType.isFloat, mean.rank == axes.count,
      zip(mean.shape, axes).allSatisfy({ $0.agrees(with: input.shape[$1]) })
    else {
      throw ShapeError(
        "the mean \(mean) and the variance \(variance) do not fit the axes \(axes) of \(input)")
    }
    return [TensorType(mean.elementType, input.shape)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = inputs[0].shape
    let dimensions = shape.indices.map { axes.contains($0) ? shape[$0] : 1 }
    let statistics = inputs.dropFirst().map {
      $0.reshaped(dimensions).broadcast(to: shape).doubles
    }
    var elements = inputs[0].doubles
    for index in elements.indices {
      let mean = statistics[0][index]
      let deviation = max(statistics[1][index].squareRoot(), minimumDeviation)
      elements[index] =
        isInverse ? mean + elements[index] * deviation : (elements[index] - mean) / deviation
    }
    return [Tensor(inputs[1].elementType, shape: shape, elements)]
  }

  package var tolerance: Tolerance { .standard(for: .float32) }

  /// The statistics have an order of axes too, which must stay.
  package func permutingAxes(_ order: [Int]) -> Normalization? {
    let places = axes.compactMap { order.firstIndex(of: $0) }
    guard places.count == axes.count, zip(places, places.dropFirst()).allSatisfy(<) else {
      return nil
    }
    return Normalization(axes: places, isInverse: isInverse, minimumDeviation: minimumDeviation)
  }

  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      let (input, rank) = (make.inputs[0], make.type(make.inputs[0]).rank)
      let elementType = make.type(make.inputs[1]).elementType
      let isCast = make.type(input).elementType != elementType
      let x = isCast ? try make(Cast(to: elementType), input) : input
      let mean = try make.along(axes, make.inputs[1], rank: rank)
      let root = try make.squareRoot(try make.along(axes, make.inputs[2], rank: rank))
      let least = try make.number(minimumDeviation, like: root)
      let deviation = try make(Maximum(), root, least)
      return isInverse
        ? try make.sum(try make.product(x, deviation), mean)
        : try make.quotient(try make.difference(x, mean), deviation)
    }
  }

  /// Keras: `Normalization(axis, mean=None, variance=None, invert=False)`. The statistics are
  /// settings, or weights with a count behind them when the layer was adapted to data. The smallest
  /// deviation is `keras.backend.epsilon()`, which no file holds.
  package static let keras = SourceMapping.mapped(
    KerasMapping(layers: [
      "Normalization": { (layer, inputs) throws(WeighbridgeError) in
        let type = layer.graph.type(of: try layer.onlyInput(inputs))
        let operation = Normalization(
          axes: try keptAxes(&layer, type), isInverse: try layer.flag("invert", default: false),
          minimumDeviation: 1e-7)
        let statistics = try statistics(
          &layer, shape: try layer.dimensions(operation.axes, of: type))
        return try layer.add(operation, inputs + statistics)
      }
    ]))

  /// Keras writes `axis=None` as an empty list, and always writes the setting.
  private static func keptAxes(
    _ layer: inout KerasLayer, _ type: TensorType
  ) throws(WeighbridgeError) -> [Int] {
    let written = try layer.integerList("axis")
    var axes: Set<Int> = []
    for axis in written { axes.insert(try KerasLayer.axis(axis, of: type)) }
    guard axes.count == written.count else {
      throw WeighbridgeError(.malformed, "axis=\(written), and different axes are expected")
    }
    return axes.sorted()
  }

  private static func statistics(
    _ layer: inout KerasLayer, shape: [Int]
  ) throws(WeighbridgeError) -> [ValueID] {
    switch (layer.take("mean"), layer.take("variance")) {
    case (let mean?, let variance?):
      return [
        try constant(&layer, "mean", mean, shape: shape),
        try constant(&layer, "variance", variance, shape: shape),
      ]
    case (nil, nil):
      let mean = try layer.weight("mean", shape: shape, isTrained: false)
      let variance = try layer.weight("variance", shape: shape, isTrained: false)
      try layer.ignoreWeight("count", shape: [])
      return [mean, variance]
    default: throw WeighbridgeError(.malformed, "has one of mean and variance without the other")
    }
  }

  private static func constant(
    _ layer: inout KerasLayer, _ role: String, _ setting: JSONValue, shape: [Int]
  ) throws(WeighbridgeError) -> ValueID {
    let count = try Checked.product(shape, of: "the number of statistics")
    guard let numbers = numbers(setting), numbers.count == count || numbers.count == 1,
      numbers.allSatisfy(\.isFinite)
    else {
      throw layer.wrong(role, setting, "one number, or \(count) numbers in nested lists")
    }
    let all = numbers.count == count ? numbers : [Double](repeating: numbers[0], count: count)
    return try layer.constant(role, Tensor(.float32, shape: shape, all))
  }

  /// The numbers of nested lists, in their order; `nil` when there is something else among them.
  private static func numbers(_ value: JSONValue) -> [Double]? {
    if let number = value.real { return [number] }
    // Each list is replaced by what it holds, so that no nesting is too deep.
    var (open, result): ([JSONValue], [Double]) = ([value], [])
    while let next = open.popLast() {
      if let list = next.array {
        open += list.reversed()
      } else if let number = next.real {
        result.append(number)
      } else {
        return nil
      }
    }
    return result
  }
}
