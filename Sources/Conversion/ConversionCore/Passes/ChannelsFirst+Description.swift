package import GraphIR

extension ChannelsFirst {
  /// A message for each input and output whose axis order differs from the source's.
  package var losses: [String] {
    [(graph.inputs, transposedInputs), (graph.outputs, transposedOutputs)].flatMap {
      ports, positions in
      positions.sorted().map { "\(ports[$0].name) has its channels first" }
    }
  }

  /// Adapts the description of the original to the converted graph: the axes of images, and the
  /// order of the values of heads.
  package func adapting(_ description: ModelDescription) -> ModelDescription {
    var result = description
    let layout = description.inputs.first { $0.image != nil }?.image?.layout
    for position in transposedInputs where position < result.inputs.count {
      result.inputs[position].image?.layout = .channelsFirst
    }
    guard let detector = description.detector, detector.hasGrid, let layout else { return result }
    guard !transposedInputs.isEmpty || !transposedOutputs.isEmpty else { return result }
    let transposedNames = Set(transposedOutputs.map { graph.outputs[$0].name })
    let order = detector.order(in: layout)
    result.detector?.order =
      detector.heads.allSatisfy { transposedNames.contains($0.output) } ? .channelsFirst : order
    return result
  }
}

extension ModelDescription {
  /// The outputs that are a detector's heads.
  package var headNames: [String] { detector?.heads.map(\.output) ?? [] }
}
