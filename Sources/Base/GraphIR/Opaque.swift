package import Bytes

/// A layer that is not understood, kept as it is: its class, settings and weights. It has output
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

    /// Makes an output.
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

  /// More inputs than any layer has.
  private static let inputLimit = 1 << 16

  package var inputs: [InputSlot] {
    (0..<inputCount).map { .data(inputCount == 1 ? "input" : "input \($0)") }
      + weightNames.map { .weight($0) }
  }

  package var attributes: Attributes {
    [
      "class": .text(className), "settings": .text(settings), "inputs": .integer(inputCount),
      "weights": .texts(weightNames),
      "element_types": .texts(outputs.map(\.elementType.rawValue)),
      "ranks": .integers(outputs.map(\.dimensions.count)),
      "sizes": .integers(outputs.flatMap { $0.dimensions.map { $0 ?? -1 } }),
    ]
  }

  /// Makes the operator.
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
    className = try attributes.text("class")
    settings = try attributes.text("settings")
    inputCount = try attributes.integer("inputs")
    weightNames = try attributes.texts("weights")
    let elementTypes = try attributes.texts("element_types")
    let ranks = try attributes.integers("ranks")
    var dimensions = try attributes.integers("sizes")[...]
    guard (0...Self.inputLimit).contains(inputCount), !ranks.isEmpty,
      ranks.count == elementTypes.count, dimensions.allSatisfy({ $0 >= -1 })
    else { throw attributes.malformed("its inputs or outputs cannot be") }
    var outputs: [Output] = []
    for (rank, name) in zip(ranks, elementTypes) {
      guard let elementType = ElementType(rawValue: name), rank >= 0, rank <= dimensions.count
      else {
        throw attributes.malformed("an output of \(name) with \(rank) axes")
      }
      outputs.append(
        Output(
          elementType: elementType, dimensions: dimensions.prefix(rank).map { $0 < 0 ? nil : $0 }))
      dimensions = dimensions.dropFirst(rank)
    }
    guard dimensions.isEmpty else { throw attributes.malformed("more sizes than axes") }
    self.outputs = outputs
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    outputs.map { output in
      var shape = output.dimensions.map { $0.map(Dimension.fixed) ?? .unknown }
      let isOpen = output.dimensions.first.map { $0 == nil } ?? false
      if isOpen, inputCount > 0, let batch = inputs[0].shape.first { shape[0] = batch }
      return TensorType(output.elementType, shape)
    }
  }
}

extension Graph {
  /// The nodes that cannot run, by position.
  package var opaqueNodes: [(position: Int, node: Node)] {
    nodes.enumerated().filter { $0.element.operation is Opaque }.map { ($0.offset, $0.element) }
  }

  /// Refuses to run a graph with layers that are kept but not understood.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` with the first of them.
  package func checkRuns() throws(WeighbridgeError) {
    guard let (position, node) = opaqueNodes.first else { return }
    throw .unsupported(
      "is kept as it is because its computation is not described (\(APIName.customLayers) can, when the model "
        + "is converted), so the model cannot run"
    ).at(layer: node.source.place(position))
  }
}
