import GraphIR

extension OperatorDefinition {
  /// The definition of ``Opaque``, which is not in the catalog since it cannot run.
  package static let opaque: OperatorDefinition = {
    var (inputs, weights) = (
      InputDefinition.data("input", .any), InputDefinition.data("weights", .any)
    )
    inputs.countedBy = "inputs"
    weights.countedBy = "weights"
    return OperatorDefinition(
      "It cannot be computed. Its outputs have the given element types and sizes.",
      inputs: [inputs, weights],
      outputs: [.ofElementTypes],
      attributes: [
        AttributeDefinition("class", .string, "The class of the layer in the source."),
        AttributeDefinition(
          "settings", .string, "The settings of the layer as JSON, without code."),
        AttributeDefinition(
          "inputs", .integer, "The number of inputs that are not weights.",
          [.atLeast(0), .countLimit]),
        AttributeDefinition("weights", .strings, "The names of the weights."),
        AttributeDefinition(
          "element_types", .strings, "The element type of each output.", [.minimumCount(1)]),
        AttributeDefinition(
          "ranks", .integers, "The number of axes of each output.",
          [.atLeast(0), .countOf("element_types")]),
        AttributeDefinition(
          "sizes", .integers,
          """
          The sizes of the axes of all outputs, concatenated; -1 if unknown. An unknown first axis \
          has the size of the first input's first axis.
          """, [.atLeast(-1), .rule("as many entries as the sum of ranks")]),
      ])
  }()
}
