import Bytes
import GraphIR
import LayerCatalog

extension ONNXNodes {
  /// Windows with weights.
  static let convolutions: [String: ONNXLayer.Build] = [
    "Conv": { (layer) throws(WeighbridgeError) in
      [
        try layer.convolution(
          try layer.input(0), try layer.input(1), bias: try layer.optional(2), role: "")
      ]
    },
    "ConvTranspose": { (layer) throws(WeighbridgeError) in
      let (input, kernel) = (try layer.input(0), try layer.input(1))
      let bias = try layer.optional(2)
      let groups = try layer.integer("group", default: 1)
      guard groups >= 1 else { throw layer.malformed("\(groups) groups") }
      guard !layer.has("output_shape") else {
        throw layer.unsupported("a ConvTranspose of a given output_shape")
      }
      let outputPadding = try layer.integers("output_padding")
      var window = try layer.window(kernel: layer.type(kernel), input: layer.type(input))
      let zeros = window.size.map { _ in 0 }
      switch window.padding {
      case .explicit: break
      case .valid:
        window = Window(
          size: window.size, strides: window.strides, dilation: window.dilation,
          padding: .explicit(before: zeros, after: zeros))
      case .same: throw layer.unsupported("a ConvTranspose whose padding is not said in numbers")
      }
      guard outputPadding == nil || outputPadding?.count == zeros.count else {
        throw layer.malformed("output_padding for other axes than the kernel's")
      }
      let operation = TransposedConvolution(
        window: window, outputPadding: outputPadding ?? zeros, groups: groups,
        hasBias: bias != nil, layout: .channelsFirst)
      return try layer.apply(operation, [input, kernel] + (bias.map { [$0] } ?? []))
    },
  ]
}

extension ONNXLayer {
  /// A convolution as the settings say.
  mutating func convolution(
    _ input: ONNXValue, _ kernel: ONNXValue, bias: ONNXValue?, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let groups = try integer("group", default: 1)
    guard groups >= 1 else { throw malformed("\(groups) groups") }
    let operation = Convolution(
      window: try window(kernel: type(kernel), input: type(input)), groups: groups,
      hasBias: bias != nil, layout: .channelsFirst)
    return try apply(operation, [input, kernel] + (bias.map { [$0] } ?? []), role: role)[0]
  }

  /// The window of a convolution, whose extents are the kernel's.
  fileprivate mutating func window(
    kernel: TensorType, input: TensorType
  ) throws(WeighbridgeError) -> Window {
    guard let shape = kernel.fixedShape, shape.count >= 3, shape.count == input.rank else {
      throw malformed("a kernel \(kernel) for the input \(input)")
    }
    let size = Array(shape.dropFirst(2))
    if let given = try integers("kernel_shape"), given != size {
      throw malformed("kernel_shape is \(given), and the kernel is \(shape)")
    }
    return try window(size: size, input: input)
  }

  /// A window with its steps, distances and padding as the settings say.
  mutating func window(size: [Int], input: TensorType) throws(WeighbridgeError) -> Window {
    let ones = size.map { _ in 1 }
    let strides = try integers("strides") ?? ones
    let dilation = try integers("dilations") ?? ones
    let pads = try integers("pads")
    let mode = try text("auto_pad", default: "NOTSET")
    let padding: WindowPadding
    switch mode {
    case "NOTSET":
      guard pads == nil || pads?.count == 2 * size.count else {
        throw malformed("\(pads?.count ?? 0) numbers of padding for \(size.count) axes")
      }
      let numbers = pads ?? ones.map { _ in 0 } + ones.map { _ in 0 }
      padding =
        numbers.allSatisfy { $0 == 0 }
        ? .valid
        : .explicit(
          before: Array(numbers[..<size.count]), after: Array(numbers[size.count...]))
    case "VALID": padding = .valid
    case "SAME_UPPER": padding = .same
    case "SAME_LOWER": padding = try lowerPadding(size, strides, dilation, input)
    default: throw unsupported("auto_pad=\(mode)")
    }
    let window = Window(size: size, strides: strides, dilation: dilation, padding: padding)
    if let problem = window.problem { throw malformed(problem) }
    guard input.rank == size.count + 2 else {
      throw malformed("a window of \(size.count) axes for the input \(input)")
    }
    return window
  }

  /// As much as `SAME` adds, of an odd amount the larger half in front.
  private func lowerPadding(
    _ size: [Int], _ strides: [Int], _ dilation: [Int], _ input: TensorType
  ) throws(WeighbridgeError) -> WindowPadding {
    let window = Window(size: size, strides: strides, dilation: dilation, padding: .same)
    if let problem = window.problem { throw malformed(problem) }
    let extents = input.shape.dropFirst(2).compactMap(\.value)
    let places = extents.enumerated().compactMap { try? window.placement($0, extent: $1) }
    guard places.count == size.count else {
      throw unsupported("auto_pad=SAME_LOWER where the input's extents are not known: \(input)")
    }
    return .explicit(before: places.map(\.after), after: places.map(\.before))
  }
}
