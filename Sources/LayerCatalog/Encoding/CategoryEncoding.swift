package import Bytes
package import GraphIR
import JSON

/// Which indices an image of the batch holds, or how often.
///
/// - input: `[batch, indices]`, numbers of any type whose whole parts are indices
/// - output: `[batch, categories]`, float32: for each category 1 where it stands among the indices
///   and 0 elsewhere (one index makes this a one-hot encoding), or its count
///
/// An index outside of the categories is an error when the model runs.
package struct CategoryEncoding: CatalogOperator {
  /// The number of categories, 1 to 2^24.
  package let categories: Int
  /// Whether an index that stands several times counts as often.
  package let isCounting: Bool

  package static let kind = "category_encoding"
  package static let version = 1

  package var inputs: [InputSlot] { [.data("input")] }

  package var attributes: Attributes {
    ["categories": .integer(categories), "counting": .flag(isCounting)]
  }

  /// The possible numbers of categories.
  static let possibleCounts = 1...1 << 24

  /// Makes the operator.
  package init(categories: Int, isCounting: Bool) {
    self.categories = categories
    self.isCounting = isCounting
  }
}

extension CategoryEncoding {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    categories = try attributes.integer("categories")
    isCounting = try attributes.flag("counting")
    guard Self.possibleCounts.contains(categories) else {
      throw attributes.malformed("\(categories) categories")
    }
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].rank == 2 else {
      throw ShapeError("takes the indices of each image along one axis and has \(inputs[0])")
    }
    return [TensorType(.float32, [inputs[0].shape[0], .fixed(categories)])]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)
    let count = inputs[0].shape[1]
    var elements = [Double](repeating: 0, count: shape.reduce(1, *))
    for (position, index) in try inputs[0].indices(below: categories).enumerated() {
      let target = position / count * categories + index
      elements[target] = isCounting ? elements[target] + 1 : 1
    }
    return [Tensor(.float32, shape: shape, elements)]
  }

  package var tolerance: Tolerance { Tolerance(absolute: 0, relative: 0) }

  package func permutingAxes(_ axes: [Int]) -> CategoryEncoding? {
    axes == [0, 1] ? self : nil
  }

  package var decomposition: Decomposition { .primitive }

  /// Keras: `CategoryEncoding(num_tokens, output_mode="multi_hot")`; an older name of the mode
  /// `multi_hot` is `binary`.
  package static let keras = SourceMapping.mapped(
    KerasMapping(layers: [
      "CategoryEncoding": { (layer, inputs) throws(WeighbridgeError) in
        let count = try layer.integer("num_tokens")
        let mode = try layer.word("output_mode", default: Mode.multiHot)
        try layer.require("sparse", toBe: false, because: "sparse tensors cannot be had")
        return try layer.addEncoding(of: try layer.onlyInput(inputs), categories: count, mode)
      }
    ]))

  /// Keras' words for what is made of indices.
  enum Mode: String, CaseIterable {
    case count, binary
    case multiHot = "multi_hot"
    case oneHot = "one_hot"
  }
}

extension KerasLayer {
  /// Adds the encoding of indices.
  mutating func addEncoding(
    of indices: ValueID, categories: Int, _ mode: CategoryEncoding.Mode, role: String = ""
  ) throws(WeighbridgeError) -> [ValueID] {
    guard CategoryEncoding.possibleCounts.contains(categories) else {
      throw WeighbridgeError(.malformed, "a number of categories of \(categories)")
    }
    let type = graph.type(of: indices)
    guard mode != .oneHot || type.shape.last == 1 else {
      throw WeighbridgeError(
        .unsupported, "output_mode=one_hot takes one index for each image and has \(type)")
    }
    let operation = CategoryEncoding(categories: categories, isCounting: mode == .count)
    return try add(operation, [indices], role: role)
  }
}
