import Bytes
import GraphIR
import LayerCatalog

/// The resizing of TensorFlow 1, which no Keras layer computes.
extension WellKnownLayers {
  /// The layers that only a mapping can name.
  static let mappingOnlyLayers: [String: KerasMapping.Build] = [
    "tf.image.resize_images": olderResize
  ]

  private enum Method: String, CaseIterable, Sendable {
    case bilinear, nearest, area
  }

  /// `tf.image.resize_images(images, size, method, align_corners)`: output coordinates are scaled
  /// by the ratio of the sizes, or with `align_corners` by the ratio of the distances between the
  /// first and the last elements.
  static let olderResize: KerasMapping.Build = {
    (layer, inputs) throws(WeighbridgeError) in
    let input = try layer.onlyInput(inputs)
    let size = try layer.integers("size", count: 2)
    let method = try layer.choice("method", default: Method.bilinear)
    let alignsCorners = try layer.flag("align_corners", default: false)
    let type = layer.graph.type(of: input)
    if let problem = Resizing.problem(size) { throw .malformed(problem) }
    guard type.rank == 4, type.elementType.isFloat else {
      throw .unsupported("takes [batch, height, width, channels] and has \(type)")
    }
    if method == .area {
      guard !alignsCorners else {
        throw .unsupported("method=area with align_corners=true is not supported")
      }
      return try layer.add(
        Resizing(
          dimensions: size, interpolation: .area, antialiases: false, fit: .stretch,
          layout: .channelsLast), [input])
    }
    let dimensions = try layer.dimensions([1, 2], of: type)
    guard (dimensions + size).allSatisfy({ (1...Resampling.largestDimension).contains($0) }) else {
      throw .unsupported(
        "resizes \(type) to \(size), expected sizes of 1 to "
          + "\(Resampling.largestDimension)")
    }
    let hasIntegerFactors = zip(size, dimensions).allSatisfy { $0 % $1 == 0 }
    if hasIntegerFactors, !alignsCorners {
      let operation = Upsampling(
        factors: zip(size, dimensions).map { $0 / $1 },
        interpolation: method == .nearest ? .nearest : .linearAsymmetric, layout: .channelsLast)
      return try layer.add(operation, [input])
    }
    var result = input
    let resizedAxes = [0, 1].filter { dimensions[$0] != size[$0] }
    for axis in resizedAxes {
      let taps = taps(from: dimensions[axis], to: size[axis], method, alignsCorners: alignsCorners)
      result = try layer.addTaps(
        taps, to: result, along: axis + 1, role: axis == resizedAxes.last ? "" : "axis_\(axis + 1)")
    }
    return resizedAxes.isEmpty ? try layer.add(Identity(), [input]) : [result]
  }

  private static func taps(
    from old: Int, to new: Int, _ method: Method, alignsCorners: Bool
  ) -> Resampling.Taps {
    guard method == .nearest else {
      let resampling = Resampling(
        mode: .linear, transformation: alignsCorners ? .alignCorners : .asymmetric,
        rounding: .floor)
      return resampling.taps(Resampling.Axis(old: old, new: new, scale: nil))
    }
    // In TensorFlow's order of operations, since rounding determines which element is nearest.
    let isAligned = alignsCorners && new > 1
    let scale = isAligned ? Float(old - 1) / Float(new - 1) : Float(old) / Float(new)
    let indices = (0..<new).map { output in
      let coordinate = Float(output) * scale
      let rounded = alignsCorners ? coordinate.rounded() : coordinate.rounded(.down)
      return min(Int(rounded), old - 1)
    }
    return Resampling.Taps(indices: [indices], weights: [[Double](repeating: 1, count: new)])
  }
}

extension KerasLayer {
  /// Adds the weighted sums of elements along an axis that the taps define.
  fileprivate mutating func addTaps(
    _ taps: Resampling.Taps, to input: ValueID, along axis: Int, role: String
  ) throws(WeighbridgeError) -> ValueID {
    let type = graph.type(of: input)
    var shape = [Int](repeating: 1, count: type.rank)
    var sum: [ValueID] = []
    for (tap, (indices, weights)) in zip(taps.indices, taps.weights).enumerated() {
      shape[axis] = indices.count
      let name = "axis_\(axis)_\(tap)"
      let indexTensor = try constant(
        "\(name)/indices", Tensor(.int64, shape: [indices.count], indices.map(Double.init)))
      let isOnly = taps.indices.count == 1
      let elements = try add(
        Gather(axis: axis), [input, indexTensor], role: isOnly ? role : "\(name)/elements")
      if isOnly { return elements[0] }
      let factors = try constant(
        "\(name)/weights", Tensor(type.elementType, shape: shape, weights))
      let weighted = try add(Multiply(), elements + [factors], role: "\(name)/weighted")
      let isLast = tap == taps.indices.count - 1
      sum =
        sum.isEmpty
        ? weighted : try add(Add(), sum + weighted, role: isLast ? role : "\(name)/sum")
    }
    return sum.first ?? input
  }
}
