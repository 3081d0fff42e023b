import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

extension TFLiteConvolutions {
  static let nodes: [String: TFLiteReading] = [
    "CONV_2D": TFLiteReading(options: 1) { (layer) throws(WeighbridgeError) in
      layer.ignore(6)  // the type of the bias, which its tensor has too
      try layer.readActivation(3)
      let stored = try layer.kernel(rank: 4)
      let kernel = try layer.derived(stored, "") { $0.permuted([0, 3, 1, 2]) }
      let input = try layer.real(0)
      let window = try layer.window(kernel, strides: [2, 1], dilation: [5, 4])
      return [
        try layer.convolution(input, kernel, window, groups: try layer.groups(input, kernel))
      ]
    },
    "CONV_3D": TFLiteReading(options: 106) { (layer) throws(WeighbridgeError) in
      try layer.readActivation(4)
      let stored = try layer.kernel(rank: 5)
      let kernel = try layer.derived(stored, "") {
        $0.permuted([4, 3, 0, 1, 2])
      }
      let window = try layer.window(kernel, strides: [1, 3, 2], dilation: [5, 7, 6])
      return [try layer.convolution(try layer.real(0), kernel, window, groups: 1)]
    },
    "CONV_3D_TRANSPOSE": TFLiteReading(options: 106) { (layer) throws(WeighbridgeError) in
      try layer.readActivation(4)
      layer.ignore(5, 6, 7)
      let stored = try layer.kernel(rank: 5)
      let kernel = try layer.derived(stored, "") {
        $0.permuted([4, 3, 0, 1, 2])
      }
      return [try layer.transposedConvolution(kernel, strides: [1, 3, 2])]
    },
    "DEPTHWISE_CONV_2D": TFLiteReading(options: 2) { (layer) throws(WeighbridgeError) in
      layer.ignore(3)  // the multiplier, which follows from the shapes
      try layer.readActivation(4)
      let stored = try layer.kernel(rank: 4)
      let kernel = try layer.derived(stored, "") { $0.permuted([3, 0, 1, 2]) }
      let input = try layer.real(0)
      guard let channels = layer.type(input).shape.last?.value, channels > 0 else {
        throw layer.unsupported("has \(layer.type(input)), whose channels must be known")
      }
      let window = try layer.window(kernel, strides: [2, 1], dilation: [6, 5])
      return [try layer.convolution(input, kernel, window, groups: channels)]
    },
    "TRANSPOSE_CONV": TFLiteReading(options: 49) { (layer) throws(WeighbridgeError) in
      layer.ignore(4)  // the type of the bias, which its tensor has too
      try layer.readActivation(3)
      let stored = try layer.kernel(rank: 4)
      let kernel = try layer.derived(stored, "") { $0.permuted([3, 0, 1, 2]) }
      return [try layer.transposedConvolution(kernel, strides: [2, 1])]
    },
  ]
}

extension TFLiteLayer {
  /// The kernel as it is stored.
  fileprivate mutating func kernel(rank: Int) throws(WeighbridgeError) -> SourceValue {
    let kernel = try real(1)
    guard type(kernel).rank == rank else {
      throw malformed("has the kernel \(type(kernel)), and one of \(rank) axes is expected")
    }
    return kernel
  }

  /// Reads a window of the size of a kernel `[out, in, spatial...]` from the options with these
  /// numbers.
  fileprivate mutating func window(
    _ kernel: SourceValue, strides: [Int], dilation: [Int]
  ) throws(WeighbridgeError) -> Window {
    let size = type(kernel).shape.dropFirst(2).compactMap(\.value)
    return try window(size: size, strides: strides, dilation: dilation)
  }

  /// Reads a window from the options with these numbers.
  mutating func window(
    size: [Int], strides: [Int], dilation: [Int] = []
  ) throws(WeighbridgeError) -> Window {
    var (steps, gaps) = ([Int](), [Int]())
    for field in strides { steps.append(try integer(field)) }
    for field in dilation { gaps.append(try integer(field, default: 1)) }
    let window = Window(
      size: size, strides: steps, dilation: dilation.isEmpty ? size.map { _ in 1 } : gaps,
      padding: try choice(0) == 0 ? .same : .valid)
    if let problem = window.problem { throw malformed(problem) }
    return window
  }

  /// The number of groups into which a kernel `[out, in/groups, height, width]` divides the
  /// channels of an image.
  fileprivate func groups(
    _ input: SourceValue, _ kernel: SourceValue
  ) throws(WeighbridgeError) -> Int {
    let (channels, taken) = (type(input).shape.last?.value, type(kernel).shape[1].value)
    guard let channels, let taken, taken > 0, channels % taken == 0, channels > 0 else {
      throw malformed("has the kernel \(type(kernel)), which does not fit \(type(input))")
    }
    return channels / taken
  }

  fileprivate mutating func convolution(
    _ input: SourceValue, _ kernel: SourceValue, _ window: Window, groups: Int
  ) throws(WeighbridgeError) -> SourceValue {
    let bias = try optionalReal(2)
    let operation = Convolution(
      window: window, groups: groups, hasBias: bias != nil, layout: .channelsLast)
    return try apply(operation, [input, kernel] + (bias.map { [$0] } ?? []))[0]
  }

  /// Adds a transposed convolution, whose output's shape is the first input.
  ///
  /// - Parameters:
  ///   - kernel: `[in, out, spatial...]`
  ///   - strides: The numbers of the options.
  fileprivate mutating func transposedConvolution(
    _ kernel: SourceValue, strides: [Int]
  ) throws(WeighbridgeError) -> SourceValue {
    let (input, bias) = (try real(2), try optionalReal(3))
    let placed = try window(kernel, strides: strides, dilation: [])
    let sizes = try self.input(0).dimensions ?? []
    let targets = sizes.dropFirst().prefix(placed.size.count).compactMap(\.number)
    return try transposedConvolution(
      [input, kernel] + (bias.map { [$0] } ?? []), placed, to: targets, .channelsLast)
  }
}
