extension Model {
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/mismatch`` when no input is an image; the error
  ///   says what the model takes and returns.
  func checkTakesImage() throws(WeighbridgeError) {
    guard !metadata.inputs.contains(where: { $0.image != nil }) else { return }
    let (inputList, outputList) = (
      inputs.map { "\($0.name) \($0.type)" }, outputs.map { "\($0.name) \($0.type)" }
    )
    throw .mismatch(
      "the model takes \(inputList.joined(separator: ", ")) and gives "
        + "\(outputList.joined(separator: ", ")); no input is described as "
        + "an image. If one is, describe it: the scale, the bias and the color order of its pixels")
  }

  /// Changes how images are resized to the inputs' sizes.
  mutating func setResizePolicy(_ policy: ImageInput.ResizePolicy) {
    for index in content.description.inputs.indices {
      content.description.inputs[index].image?.resize = policy
    }
  }

  /// Adds the output of a layer to the model's outputs, unless it is one.
  ///
  /// - Returns: The name of the output.
  mutating func expose(layerOrOutput name: String) throws(WeighbridgeError) -> String {
    guard !outputs.contains(where: { $0.name == name }) else { return name }
    let (graph, output) = try content.graph.exposing(layer: name)
    if graph.outputs.count > content.graph.outputs.count {
      content.description.outputs.append(.init(name: output))
    }
    content.graph = graph
    return output
  }

  /// Returns the name of the only output.
  ///
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/mismatch`` when there are several.
  func onlyOutput() throws(WeighbridgeError) -> String {
    guard outputs.count == 1 else {
      let names = outputs.map(\.name).joined(separator: ", ")
      throw .mismatch(
        "the model has \(outputs.count) outputs (\(names)); name the one with the features")
    }
    return outputs[0].name
  }
}
