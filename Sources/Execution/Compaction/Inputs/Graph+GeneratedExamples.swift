package import Bytes
package import GraphIR

extension Graph {
  /// Generated examples for a model: images with the statistics of photos for image inputs, indices
  /// for index inputs, and noise of mean 0 and variance 1 for others.
  ///
  /// - Parameters:
  ///   - kinds: The kinds of the images, which take turns.
  ///   - images: The preprocessing of each image input, by its name. If it is not known, several
  ///     are given, each of which is used for all kinds in turn.
  ///   - seed: Different seeds give different examples.
  /// - Throws: As ``generatedInputs(_:)``.
  package func generatedExamples(
    _ count: Int, of kinds: [GeneratedImageKind] = [.photo], images: [String: [ImageInput]],
    seed: UInt64, workers: Workers
  ) throws(WeighbridgeError) -> [[Tensor]] {
    let base = try generatedInputs(.random(seed: seed))
    var results: [[Tensor]] = []
    for number in 0..<count {
      results.append(
        number == 0 ? base : try generatedInputs(.random(seed: seed &+ UInt64(number) << 16)))
    }
    for (position, port) in inputs.enumerated() {
      let seed = seed &+ UInt64(position) << 32
      let type = base[position].type
      let shape = base[position].shape
      let generators = (images[port.name] ?? []).compactMap { ImageInputGenerator($0, shape) }
      if !generators.isEmpty {
        let tensors = workers.map(count) {
          generators[$0 / kinds.count % generators.count].tensor(
            type.elementType, kinds[$0 % kinds.count], seed: seed &+ UInt64($0))
        }
        for number in 0..<count { results[number][position] = tensors[number] }
      } else if type.elementType.isFloat, !hasIndices(port.value) {
        for number in 0..<count {
          var generator = SplitMix64(seed: seed &+ UInt64(number))
          let size = shape.reduce(1, *)
          results[number][position] = Tensor(
            type.elementType, shape: shape,
            floats: (0..<size).map { _ in GeneratedImage.gaussian(&generator) })
        }
      }
    }
    return results
  }

  /// Whether a value is used as indices, directly or through operators with a single input.
  private func hasIndices(_ value: ValueID) -> Bool {
    var values: Set<ValueID> = [value]
    for node in nodes where node.inputs.contains(where: values.contains) {
      for (position, id) in node.inputs.enumerated() where values.contains(id) {
        if case .indices = node.operation.slot(position) { return true }
      }
      if node.inputs.count == 1 { values.formUnion(node.outputs) }
    }
    return false
  }
}

/// Generates inputs from images.
private struct ImageInputGenerator: Sendable {
  let image: ImageInput
  let shape: [Int]
  private let axes: (channels: Int, height: Int, width: Int)

  init?(_ image: ImageInput, _ shape: [Int]) {
    guard let axes = image.layout.imageAxes(rank: shape.count),
      shape[axes.channels] == image.colorOrder.componentCount,
      image.bias.count == shape[axes.channels]
    else { return nil }
    (self.image, self.shape, self.axes) = (image, shape, axes)
  }

  /// One image for each element of the batch.
  func tensor(_ elementType: ElementType, _ kind: GeneratedImageKind, seed: UInt64) -> Tensor {
    let (height, width) = (shape[axes.height], shape[axes.width])
    let batch = shape.count == 4 ? shape[0] : 1
    var elements: [Float] = []
    for number in 0..<batch {
      let generated = GeneratedImage(
        height: height, width: width, components: shape[axes.channels], kind: kind,
        seed: seed &+ UInt64(number) << 48)
      let planes = image.colorOrder == .bgr ? generated.planes.reversed() : generated.planes
      for (plane, bias) in zip(planes, image.bias) {
        elements += plane.map { $0 * Float(image.scale) + Float(bias) }
      }
    }
    let channelsFirst = Tensor(
      .float32, shape: [batch, shape[axes.channels], height, width], floats: elements)
    let order = image.layout.axesFromChannelsFirst(rank: 4)
    let transposed = channelsFirst.permuted(order).floats
    return Tensor(elementType, shape: shape, floats: transposed)
  }
}
