import Bytes
package import GraphIR
import LayerCatalog

/// A graph whose image operators have one layout.
package protocol ConvertedLayout: Sendable {
  /// The layout.
  static var layout: DataLayout { get }
  /// The converted graph.
  var graph: Graph { get }
  /// The positions of the inputs whose axes are in another order than before.
  var transposedInputs: Set<Int> { get }
  /// The positions of the outputs whose axes are in another order than before.
  var transposedOutputs: Set<Int> { get }
}

extension ConvertedLayout {
  /// A message for each input and output whose axis order differs from the source's.
  package var losses: [String] {
    let place = Self.layout == .channelsFirst ? "first" : "last"
    return [(graph.inputs, transposedInputs), (graph.outputs, transposedOutputs)].flatMap {
      ports, positions in
      positions.sorted().map { "\(ports[$0].name) has its channels \(place)" }
    }
  }

  /// Adapts the description of the original to the converted graph: the axes of images, and the
  /// order of the values of heads.
  package func adapting(_ description: ModelDescription) -> ModelDescription {
    var result = description
    let layout = description.inputs.first { $0.image != nil }?.image?.layout
    for position in transposedInputs where position < result.inputs.count {
      result.inputs[position].image?.layout = Self.layout
    }
    guard let detector = description.detector, let grid = detector.grid, let layout else {
      return result
    }
    guard !transposedInputs.isEmpty || !transposedOutputs.isEmpty else { return result }
    let transposedNames = Set(transposedOutputs.map { graph.outputs[$0].name })
    let isTransposed = grid.heads.allSatisfy { transposedNames.contains($0.output) }
    let order: DetectorDescription.Order =
      Self.layout == .channelsFirst ? .channelsFirst : .channelsLast
    result.detector?.grid?.order = isTransposed ? order : detector.order(in: layout)
    return result
  }
}

extension ModelDescription {
  /// The outputs that are a detector's heads.
  package var headNames: [String] { detector?.outputs ?? [] }
}

/// The outcome of a conversion, with the positions of the ports that were transposed.
struct ConvertedPorts {
  let graph: Graph
  let inputs, outputs: Set<Int>

  /// Converts all nodes of a graph.
  ///
  /// Operators that need it get the layout, and so do the operators after them whose layout rule
  /// allows it. All others get their inputs in the source's axis order. A value is transposed at
  /// most once, constants are transposed without a node, and a transpose of the source that does the
  /// same is left out.
  ///
  /// - Parameters:
  ///   - transposesPorts: Whether the model's input and output images are transposed too; otherwise
  ///     they keep their axes.
  ///   - outputGroup: Outputs of which either all or none are transposed, such as a detector's
  ///     heads, whose values must have one order.
  ///   - needsLayout: Whether the target has an operator for data in its own layout only.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a graph that could not be built anew.
  /// - Complexity: Linear in the number of values and inputs.
  init(
    _ original: Graph, to layout: DataLayout, transposesPorts: Bool, outputGroup: [String],
    needsLayout: (any CatalogOperator) -> Bool
  ) throws(WeighbridgeError) {
    var conversion = LayoutConversion(original, to: layout)
    let images = transposesPorts ? conversion.images(needsLayout) : []
    var inputs: Set<Int> = []
    for (position, port) in original.inputs.enumerated() {
      let isTransposed = images.contains(port.value)
      try conversion.addInput(port, isTransposed: isTransposed)
      if isTransposed { inputs.insert(position) }
    }
    for (position, node) in original.nodes.enumerated() {
      do throws(WeighbridgeError) {
        try conversion.add(node, needsLayout)
      } catch { throw error.at(layer: node.source.place(position)) }
    }
    var outputs = Set(
      original.outputs.indices.filter { position in
        let value = original.outputs[position].value
        return transposesPorts && conversion.isTransposed(value) && original[value].type.rank >= 4
      })
    let group = original.outputs.indices.filter {
      outputGroup.contains(original.outputs[$0].name)
    }
    if !outputs.isSuperset(of: group) { outputs.subtract(group) }
    var ports: [Port] = []
    for (position, port) in original.outputs.enumerated() {
      let isTransposed = outputs.contains(position)
      ports.append(
        Port(
          name: port.name,
          value: isTransposed
            ? try conversion.transposed(port.value) : try conversion.untransposed(port.value)))
    }
    graph = try conversion.builder.finish(outputs: ports)
    (self.inputs, self.outputs) = (inputs, outputs)
  }
}
