package import Bytes

/// A layer whose computation is unknown, kept with its class, settings and weights. It has output
/// types, but cannot run.
///
/// - inputs: the layer's inputs, then its weights in the order of the source
/// - outputs: as given by the source; a dynamic first axis is that of the first input
package struct Opaque: Operator {
  /// An output of the layer, as far as it is known.
  package struct Output: Hashable, Sendable {
    /// The type of the elements.
    package let elementType: ElementType
    /// The sizes, `nil` where they are dynamic.
    package let dimensions: [Int?]

    /// Creates an output.
    package init(elementType: ElementType, dimensions: [Int?]) {
      self.elementType = elementType
      self.dimensions = dimensions
    }
  }

  /// The layer's class in the source.
  package let className: String
  /// The layer's settings as JSON, without code.
  package let settings: String
  /// The number of the layer's inputs, not counting its weights.
  package let inputCount: Int
  /// The names of the layer's weights.
  package let weightNames: [String]
  /// The outputs; at least one.
  package let outputs: [Output]

  package static let kind = "opaque"
  package static let version = 1

  /// The largest number of inputs, more than any layer has.
  private static let inputLimit = 1 << 16

  package var inputs: [InputSlot] {
    (0..<inputCount).map { .data(inputCount == 1 ? "input" : "input \($0)") }
      + weightNames.map { .weight($0) }
  }

  package var attributes: Attributes {
    [
      "class": .string(className), "settings": .string(settings), "inputs": .integer(inputCount),
      "weights": .strings(weightNames),
      "element_types": .strings(outputs.map(\.elementType.rawValue)),
      "ranks": .integers(outputs.map(\.dimensions.count)),
      "sizes": .integers(outputs.flatMap { $0.dimensions.map { $0 ?? -1 } }),
    ]
  }

  /// Creates the operator.
  package init(
    className: String, settings: String, inputCount: Int, weightNames: [String], outputs: [Output]
  ) {
    self.className = className
    self.settings = settings
    self.inputCount = inputCount
    self.weightNames = weightNames
    self.outputs = outputs
  }

  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    className = try attributes.string("class")
    settings = try attributes.string("settings")
    inputCount = try attributes.integer("inputs")
    weightNames = try attributes.strings("weights")
    let elementTypes = try attributes.strings("element_types")
    let ranks = try attributes.integers("ranks")
    var dimensions = try attributes.integers("sizes")[...]
    guard (0...Self.inputLimit).contains(inputCount), !ranks.isEmpty,
      ranks.count == elementTypes.count, dimensions.allSatisfy({ $0 >= -1 })
    else { throw attributes.malformed("its inputs or outputs are invalid") }
    var outputs: [Output] = []
    for (rank, name) in zip(ranks, elementTypes) {
      guard let elementType = ElementType(rawValue: name), rank >= 0, rank <= dimensions.count
      else {
        throw attributes.malformed(
          "has an output of \(name) with \(rank.counted("axis")), expected an element type and a size for "
            + "each axis")
      }
      outputs.append(
        Output(
          elementType: elementType, dimensions: dimensions.prefix(rank).map { $0 < 0 ? nil : $0 }))
      dimensions = dimensions.dropFirst(rank)
    }
    guard dimensions.isEmpty else {
      throw attributes.malformed(
        "has more sizes than its "
          + "outputs have axes")
    }
    self.outputs = outputs
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    outputs.map { output in
      var shape = output.dimensions.map { $0.map(Dimension.fixed) ?? .unknown }
      let hasDynamicBatch = output.dimensions.first.map { $0 == nil } ?? false
      if hasDynamicBatch, inputCount > 0, let batch = inputs[0].shape.first { shape[0] = batch }
      return TensorType(output.elementType, shape)
    }
  }
}

extension Graph {
  /// The nodes that cannot run, with their positions.
  package var opaqueNodes: [(position: Int, node: Node)] {
    nodes.enumerated().filter { $0.element.operation is Opaque }.map { ($0.offset, $0.element) }
  }

  /// Checks that no layer of the graph is opaque, so that it can run.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` with the first of them.
  package func checkRuns() throws(WeighbridgeError) {
    guard let (position, node) = opaqueNodes.first else { return }
    throw .unsupported(
      "has no known computation, so the model cannot run; describe the layer with "
        + "\(APIName.customLayers) when the model is converted"
    ).at(layer: node.source.place(position))
  }
}
