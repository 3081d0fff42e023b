import Bytes
import GraphIR
import JSON
import LayerCatalog

/// `Deconvolution2D` of Keras 1, whose settings state the size of the output. Its kernel, once its
/// spatial axes come first, is `[spatial..., in, out]`.
extension TransposedConvolution {
  static let deconvolution: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    try layer.requireSpatialAxes(2, of: inputs)
    return try add(&layer, inputs, takesInputsFirst: true) {
      (layer, layout) throws(WeighbridgeError) in
      try deconvolutionWindow(&layer, try layer.onlyInput(inputs), layout)
    }
  }

  private static func deconvolutionWindow(
    _ layer: inout KerasLayer, _ input: ValueID, _ layout: DataLayout
  ) throws(WeighbridgeError) -> (Window, outputPadding: [Int]) {
    let size = try layer.integers("kernel_size", count: 2)
    let strides = try layer.integers("strides", count: 2, default: [1, 1])
    let padding = try layer.choice("padding", default: KerasPadding.valid)
    let shape = layer.take("output_shape") ?? .null
    let dimensions = shape.array ?? []
    guard dimensions.count == 4 else {
      throw layer.unexpected("output_shape", shape, "a shape of 4 axes")
    }
    if padding == .same { try layer.requireTransposedPadding(size, strides) }
    let plain = Window(size: size, strides: strides, dilation: [1, 1], padding: .valid)
    if let problem = plain.problem { throw .malformed(problem) }
    let type = layer.graph.type(of: input)
    var borders: [Border] = []
    for (index, axis) in layout.spatialAxes(rank: 4).enumerated() {
      guard let dimension = type.shape[axis].value, let output = dimensions[axis].integer,
        (1...1 << 24).contains(output), dimension <= 1 << 24
      else {
        throw .unsupported(
          "the sizes of its input \(type) and its output \(shape.text()) must be known")
      }
      let fullLength = (dimension - 1) * strides[index] + size[index]
      let surplus = fullLength - output
      let remainder = padding == .valid ? -surplus : size[index] - 1 - surplus
      guard (0..<strides[index]).contains(remainder) else {
        throw .malformed("output_shape=\(shape.text()) does not fit the input \(type)")
      }
      borders.append(
        Border(
          surplus: surplus, effectiveSize: size[index], isSame: padding == .same, layer.backend))
    }
    return try plain.croppingOutput(by: borders)
  }
}

extension KerasLayer {
  /// Refuses kernels and strides that the backend's transposed convolution does not have with the
  /// padding `same`.
  func requireTransposedPadding(_ size: [Int], _ strides: [Int]) throws(WeighbridgeError) {
    if backend == .theano, size.contains(where: { $0 % 2 == 0 }) {
      throw .unsupported(
        "kernel_size=\(size) with padding=same, which Theano has only for odd sizes")
    }
    if backend == .cntk, strides.contains(where: { $0 > 2 }) {
      throw .unsupported(
        "strides=\(strides) with padding=same, which CNTK places by the input's size")
    }
  }
}
