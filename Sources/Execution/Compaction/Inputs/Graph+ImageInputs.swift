package import Bytes
package import GraphIR

extension Graph {
  /// How images become the inputs of a model, by the inputs' names; `nil` unless all inputs are
  /// images.
  ///
  /// An input without a description is taken for an image by its shape. Its numbers are those of
  /// the examples, or are tried in each of the usual ranges.
  ///
  /// - Parameters:
  ///   - described: The preprocessing of the inputs that have a description.
  ///   - examples: Examples of all inputs, if there are any.
  /// - Throws: As ``generatedInputs(_:)``.
  package func imageInputs(
    described: [String: ImageInput], examples: [[Tensor]]
  ) throws(WeighbridgeError) -> [String: [ImageInput]]? {
    let shapes = try shapes(of: examples)
    var images: [String: [ImageInput]] = [:]
    for (position, port) in inputs.enumerated() {
      let ranges = examples.isEmpty ? Self.usualRanges : [examples.range(of: position)]
      images[port.name] =
        described[port.name].map { [$0] }
        ?? ranges.compactMap { ImageInput(shape: shapes[position], range: $0) }
    }
    return inputs.isEmpty || images.values.contains(where: \.isEmpty) ? nil : images
  }

  private func shapes(of examples: [[Tensor]]) throws(WeighbridgeError) -> [[Int]] {
    if let example = examples.first { return example.map(\.shape) }
    return try generatedInputs(.random(seed: 1)).map(\.shape)
  }

  /// The ranges of numbers that networks are trained with.
  private static let usualRanges: [ClosedRange<Double>] = [0...1, -1...1, 0...255]
}

extension [[Tensor]] {
  /// The smallest and the largest finite number of an input.
  fileprivate func range(of position: Int) -> ClosedRange<Double> {
    var (low, high) = (Double.infinity, -Double.infinity)
    for inputs in self {
      for number in inputs[position].doubles where number.isFinite {
        (low, high) = (Swift.min(low, number), Swift.max(high, number))
      }
    }
    return low < high ? low...high : 0...1
  }
}

extension ImageInput {
  /// The shortest side of what is taken for an image.
  private static let shortestSide = 8

  /// A plain image with numbers of a range; `nil` for a shape that is not that of images.
  fileprivate init?(shape: [Int], range: ClosedRange<Double>) {
    guard shape.count == 4 else { return nil }
    let layout = [DataLayout.channelsLast, .channelsFirst].first { layout in
      guard let axes = layout.imageAxes(rank: 4) else { return false }
      return [1, 3].contains(shape[axes.channels])
        && min(shape[axes.height], shape[axes.width]) >= Self.shortestSide
    }
    guard let layout, let axes = layout.imageAxes(rank: 4) else { return nil }
    self.init(
      colorOrder: shape[axes.channels] == 1 ? .gray : .rgb,
      scale: (range.upperBound - range.lowerBound) / 255,
      bias: [Double](repeating: range.lowerBound, count: shape[axes.channels]), resize: nil,
      layout: layout)
  }
}
