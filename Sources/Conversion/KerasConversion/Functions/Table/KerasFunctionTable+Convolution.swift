import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Convolutions with a constant kernel `[spatial..., in/groups, out]`.
extension KerasFunctionTable {
  static let convolutions: [Entry] = [
    Entry(["Conv"], tf: ["nn.conv1d", "nn.conv2d", "nn.conv3d", "nn.convolution"]) {
      (call) throws(WeighbridgeError) in try call.addConvolution()
    },
    Entry(["DepthwiseConv"], tf: ["nn.depthwise_conv2d"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("inputs", "input", at: 0)
      let kernel = try call.kernel("kernel", "filter", at: 1, for: value)
      return [try call.addDepthwise(value, kernel, try call.layout(), role: "")]
    },
    Entry(["SeparableConv"], tf: ["nn.separable_conv2d"]) { (call) throws(WeighbridgeError) in
      let (value, layout) = (try call.tensor("inputs", "input", at: 0), try call.layout())
      let depthwise = try call.kernel("depthwise_kernel", "depthwise_filter", at: 1, for: value)
      let pointwise = try call.kernel("pointwise_kernel", "pointwise_filter", at: 2, for: value)
      let intermediate = try call.addDepthwise(value, depthwise, layout, role: "depthwise")
      return try call.addPointwise(intermediate, pointwise, layout)
    },
    Entry(tf: ["nn.conv1d_transpose", "nn.conv2d_transpose", "nn.conv3d_transpose"]) {
      (call) throws(WeighbridgeError) in try call.addTransposedConvolution()
    },
  ]
}

extension KerasFunction {
  fileprivate mutating func addConvolution() throws(WeighbridgeError) -> [ValueID] {
    let (value, layout) = (try tensor("inputs", "input", at: 0), try layout())
    let kernel = try kernel("kernel", "filters", "filter", at: 1, for: value)
    let axes = kernel.shape.count - 2
    let channels = try layer.channels(of: [value], layout: layout)
    guard channels % kernel.shape[axes] == 0 else {
      throw .malformed("the kernel \(kernel.shape) does not fit \(channels.counted("channel"))")
    }
    let operation = Convolution(
      window: try window(Array(kernel.shape[..<axes]), layout),
      groups: channels / kernel.shape[axes], hasBias: false, layout: layout)
    return try add(operation, [value, try add(constant: kernel.outputsFirst)])
  }

  /// Adds a depthwise convolution, whose kernel is `[spatial..., in, multiplier]`.
  fileprivate mutating func addDepthwise(
    _ value: ValueID, _ kernel: Tensor, _ layout: DataLayout, role: String
  ) throws(WeighbridgeError) -> ValueID {
    let (axes, shape) = (kernel.shape.count - 2, kernel.shape)
    let window = try window(Array(shape[..<axes]), layout)
    if !isOfKeras(since: KerasVersion(3, 15)) { try layer.checkDepthwise(window) }
    let operation = Convolution(
      window: window, groups: shape[axes], hasBias: false, layout: layout)
    let canonical = kernel.permuted([axes, axes + 1] + Array(0..<axes))
      .reshaped([shape[axes] * shape[axes + 1], 1] + window.size)
    return try addOne(operation, [value, try add(constant: canonical)], role: role)
  }

  /// Whether Keras itself has the function, in a version from the given one on.
  private func isOfKeras(since version: KerasVersion) -> Bool {
    guard case .operation = name else { return false }
    return layer.version >= version
  }

  /// Adds a pointwise convolution, whose kernel is `[1..., in, out]`.
  fileprivate mutating func addPointwise(
    _ value: ValueID, _ kernel: Tensor, _ layout: DataLayout
  ) throws(WeighbridgeError) -> [ValueID] {
    let ones = [Int](repeating: 1, count: kernel.shape.count - 2)
    guard Array(kernel.shape.dropLast(2)) == ones else {
      throw .malformed(
        "the pointwise kernel has the shape \(kernel.shape), expected 1 "
          + "along each spatial axis")
    }
    let operation = Convolution(
      window: Window(size: ones, strides: ones, dilation: ones, padding: .valid), groups: 1,
      hasBias: false, layout: layout)
    return try add(operation, [value, try add(constant: kernel.outputsFirst)])
  }

  /// Adds a transposed convolution, whose kernel is `[spatial..., out, in]`.
  fileprivate mutating func addTransposedConvolution() throws(WeighbridgeError) -> [ValueID] {
    let (value, layout) = (try tensor("input", at: 0), try layout())
    let kernel = try kernel("filters", at: 1, for: value)
    let size = Array(kernel.shape.dropLast(2))
    let plainWindow = try window(size, layout, defaultPadding: .same)
    guard plainWindow.dilation.allSatisfy({ $0 == 1 }) else {
      throw .unsupported("dilates a transposed convolution, which can have only a dilation of 1")
    }
    let (window, outputPadding) = try plainWindow.croppingOutput(
      by: try borders(plainWindow, of: value, layout))
    let operation = TransposedConvolution(
      window: window, outputPadding: outputPadding, groups: 1, hasBias: false, layout: layout)
    return try add(operation, [value, try add(constant: kernel.outputsFirst)])
  }

  /// The borders that are cropped so that the output has TensorFlow's `output_shape`.
  private mutating func borders(
    _ window: Window, of value: ValueID, _ layout: DataLayout
  ) throws(WeighbridgeError) -> [TransposedConvolution.Border] {
    guard let operand = take("output_shape", at: 2) else { throw missing("output_shape") }
    let (requested, type) = (try dimensions(operand), type(of: value))
    guard requested.count == type.rank else {
      throw .unsupported(
        "output_shape has \(requested.count.counted("axis")), and the input \(type.rank)")
    }
    var borders: [TransposedConvolution.Border] = []
    for (axis, spatialAxis) in layout.spatialAxes(rank: type.rank).enumerated() {
      guard case .dimension(let dimension) = requested[spatialAxis], let length = dimension.value,
        let dimension = type.shape[spatialAxis].value, (1...1 << 32).contains(dimension),
        let border = TransposedConvolution.Border(
          from: dimension, to: length, window, axis: axis)
      else { throw .unsupported("output_shape cannot be made of \(type), or is not known") }
      borders.append(border)
    }
    return borders
  }
}

extension Tensor {
  /// A kernel `[spatial..., a, b]` as `[b, a, spatial...]`.
  fileprivate var outputsFirst: Tensor {
    let axes = shape.count - 2
    return permuted([axes + 1, axes] + Array(0..<axes))
  }
}
