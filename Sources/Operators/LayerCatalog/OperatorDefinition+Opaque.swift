import GraphIR

extension OperatorDefinition {
  /// The definition of ``Opaque``, which is no operator of the catalogue since it cannot run.
  package static var opaque: OperatorDefinition {
    var (inputs, weights) = (
      InputDefinition.data("input", .any), InputDefinition.data("weights", .any)
    )
    inputs.countedBy = "inputs"
    weights.countedBy = "weights"
    return OperatorDefinition(
      "It cannot be computed. Its outputs have the given element types and sizes.",
      inputs: [inputs, weights],
      outputs: [
        OutputDefinition(
          name: "output", elements: .attribute("element_types"), presence: .always,
          countedBy: "element_types")
      ],
      attributes: [
        .string("class", "The class of the layer in the source."),
        .string("settings", "The settings of the layer as JSON, without code."),
        .integer("inputs", "How many inputs are not weights.", .atLeast(0), .atMost(65536)),
        .strings("weights", "The names of the weights."),
        .strings("element_types", "The element type of each output.", .minimumCount(1)),
        .integers(
          "ranks", "The number of axes of each output.", .atLeast(0), .countOf("element_types")),
        .integers(
          "extents",
          """
          The sizes of all axes of all outputs, one after the other; -1 for an unknown one. An \
          unknown first axis is as long as that of the first input.
          """, .atLeast(-1), .rule("as many entries as the sum of ranks")),
      ])
  }
}
