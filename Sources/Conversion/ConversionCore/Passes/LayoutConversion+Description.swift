package import GraphIR

extension LayoutConversion {
  /// A message for each input and output whose axis order differs from the source's.
  package var losses: [String] {
    [(graph.inputs, transposedInputs), (graph.outputs, transposedOutputs)].flatMap {
      ports, positions in
      positions.sorted().map {
        "\(ports[$0].name) has its channels "
          + "\(layout == .channelsFirst ? "first" : "last")"
      }
    }
  }

  /// Adapts the description of the original to the converted graph: the axes of images, and the
  /// order of the values of heads.
  package func adapting(_ description: ModelDescription) -> ModelDescription {
    var result = description
    let oldLayout = description.inputs.first { $0.image != nil }?.image?.layout
    for position in transposedInputs where position < result.inputs.count {
      result.inputs[position].image?.layout = layout
    }
    guard let detector = description.detector, let grid = detector.grid, let oldLayout else {
      return result
    }
    guard !transposedInputs.isEmpty || !transposedOutputs.isEmpty else { return result }
    let transposedNames = Set(transposedOutputs.map { graph.outputs[$0].name })
    let isTransposed = grid.heads.allSatisfy { transposedNames.contains($0.output) }
    let order: DetectorDescription.Order = layout == .channelsFirst ? .channelsFirst : .channelsLast
    result.detector?.grid?.order = isTransposed ? order : detector.order(in: oldLayout)
    return result
  }
}

extension ModelDescription {
  /// The outputs that are a detector's heads.
  package var headNames: [String] { detector?.outputs ?? [] }
}
