import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Convolutions.
enum ONNXConvolutions: ONNXFamily {
  static let rows: [ONNXRow] = [
    ONNXRow(Convolution.self) { (operation, builder) throws(WeighbridgeError) in
      let inputs = builder.allInputs()
      return builder.add(
        "Conv", inputs,
        window: operation.window.onnxAttributes(for: builder.spatialDimensions) + [
          ("group", .integer(operation.groups))
        ])
    },
    ONNXRow(TransposedConvolution.self) { (operation, builder) throws(WeighbridgeError) in
      let window = operation.window
      for (axis, extra) in operation.outputPadding.enumerated()
      where extra >= max(window.strides[axis], window.dilation[axis]) {
        throw .unsupported(
          "adds \(extra) elements after an axis, and ONNX can add less than one stride")
      }
      let inputs = builder.allInputs()
      return builder.add(
        "ConvTranspose", inputs,
        window: window.onnxAttributes(for: builder.spatialDimensions) + [
          ("group", .integer(operation.groups)),
          ("output_padding", .integers(operation.outputPadding)),
        ])
    },
    ONNXRow(LocallyConnected.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.locallyConnected(operation)
    },
  ]

  static let nodes: [String: ONNXLayer.Build] = [
    "Conv": { (layer) throws(WeighbridgeError) in
      [
        try layer.convolution(
          try layer.input(0), try layer.input(1), bias: try layer.optional(2), role: "")
      ]
    },
    "ConvTranspose": { (layer) throws(WeighbridgeError) in try layer.transposedConvolution() },
    "DeformConv": { (layer) throws(WeighbridgeError) in [try layer.deformableConvolution()] },
  ]
}

extension Window {
  /// Returns the window as attributes of a node; the padding is explicit if the sizes are known.
  func onnxAttributes(for dimensions: [Dimension]) -> [(name: String, value: ONNXAttribute)] {
    let attributes: [(name: String, value: ONNXAttribute)] = [
      ("kernel_shape", .integers(size)), ("strides", .integers(strides)),
      ("dilations", .integers(dilation)),
    ]
    if padding == .valid { return attributes }
    guard let borders = borders(of: dimensions) else {
      return attributes + [("auto_pad", .string("SAME_UPPER"))]
    }
    return attributes + [("pads", .integers(borders.before + borders.after))]
  }
}

extension ONNXGraphBuilder {
  /// The spatial sizes of the first input, which is in channels-first layout.
  var spatialDimensions: [Dimension] { Array(type().shape.dropFirst(2)) }

  /// Slices the input once for each tap of the windows, then multiplies two matrices for each
  /// position.
  fileprivate mutating func locallyConnected(
    _ operation: LocallyConnected
  ) throws(WeighbridgeError) -> String {
    let kernel = try tensor(1).shape
    let axes = operation.dimensions.count
    let (positions, window) = (Array(kernel[..<axes]), Array(kernel[(axes + 2)...]))
    let covered = (0..<axes).map { axis in
      (positions[axis] - 1) * operation.strides[axis] + window[axis]
    }
    let after = (0..<axes).map { axis in
      max(0, covered[axis] - operation.before[axis] - operation.dimensions[axis])
    }
    let padded = pad(
      input(), before: [0, 0] + operation.before, after: [0, 0] + after, mode: "constant",
      value: 0)
    var taps: [[Int]] = [[]]
    for dimension in window { taps = taps.flatMap { tap in (0..<dimension).map { tap + [$0] } } }
    let columns = taps.map { tap in
      let ends = (0..<axes).map {
        tap[$0] + (positions[$0] - 1) * operation.strides[$0] + 1
      }
      let elements = slice(
        padded, axes: Array(2..<axes + 2), from: tap, to: ends, steps: operation.strides)
      return unsqueeze(elements, [2])
    }
    let count = positions.reduce(1, *)
    let rows = kernel[axes + 1] * taps.count
    let patches = reshape(concatenate(columns, axis: 2), [0, rows, count])
    let transposed = transpose(patches, [2, 1, 0])
    let matrices = try weight(1, "matrices", shape: [count, kernel[axes], rows])
    var products = add("MatMul", [matrices, transposed])
    if operation.hasBias {
      let bias = try weight(2, "columns", shape: [count, kernel[axes], 1])
      products = add("Add", [products, bias])
    }
    return reshape(transpose(products, [2, 1, 0]), [-1, kernel[axes]] + positions)
  }

  /// Adds a node with the attributes of a window, and others.
  mutating func add(
    _ operation: String, _ inputs: [String], window: [(name: String, value: ONNXAttribute)]
  ) -> String {
    add(operation, inputs, attributes: window, outputCount: 1)[0]
  }
}

extension ONNXLayer {
  /// Adds a convolution with the node's attributes.
  mutating func convolution(
    _ input: ONNXValue, _ kernel: ONNXValue, bias: ONNXValue?, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let groups = try integer("group", default: 1)
    guard groups >= 1 else {
      throw malformed("has \(groups.counted("group")), and 1 or more are expected")
    }
    let operation = Convolution(
      window: try window(kernel: type(kernel), input: type(input)), groups: groups,
      hasBias: bias != nil, layout: .channelsFirst)
    return try apply(operation, [input, kernel] + (bias.map { [$0] } ?? []), role: role)[0]
  }

  fileprivate mutating func transposedConvolution() throws(WeighbridgeError) -> [ONNXValue] {
    let (input, kernel) = (try input(0), try input(1))
    let bias = try optional(2)
    let groups = try integer("group", default: 1)
    guard groups >= 1 else {
      throw malformed("has \(groups.counted("group")), and 1 or more are expected")
    }
    let mode = try string("auto_pad", default: "NOTSET")
    guard ["NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"].contains(mode) else {
      throw unsupported(
        "has auto_pad=\(mode), and only NOTSET, VALID, SAME_UPPER and SAME_LOWER are known")
    }
    let window = try window(kernel: type(kernel), input: type(input))
    let zeros = window.size.map { _ in 0 }
    var outputPadding = try integers("output_padding") ?? zeros
    let outputShape = try integers("output_shape")
    guard outputPadding.count == zeros.count, outputShape?.count ?? zeros.count == zeros.count
    else {
      throw malformed(
        "has an output_shape or output_padding that is not as long as the kernel has axes, expected one number "
          + "for each")
    }

    var (before, after) = (zeros, zeros)
    if let surplus = try surplus(input, window, outputPadding, outputShape, mode) {
      for (axis, surplus) in surplus.enumerated() {
        let cropped = max(0, surplus)
        (before[axis], after[axis]) = (cropped / 2, cropped - cropped / 2)
        if mode != "SAME_UPPER" { swap(&before[axis], &after[axis]) }
        outputPadding[axis] += max(0, -surplus)
      }
    } else if case .explicit(let padBefore, let padAfter) = window.padding, mode == "NOTSET" {
      (before, after) = (padBefore, padAfter)
    }
    guard (outputPadding + before + after).allSatisfy({ (0...1 << 24).contains($0) }) else {
      throw malformed(
        "has output_padding=\(outputPadding), and 0 to less than the stride is expected")
    }
    let operation = TransposedConvolution(
      window: Window(
        size: window.size, strides: window.strides, dilation: window.dilation,
        padding: .explicit(before: before, after: after)),
      outputPadding: outputPadding, groups: groups, hasBias: bias != nil, layout: .channelsFirst)
    return try apply(operation, [input, kernel] + (bias.map { [$0] } ?? []))
  }

  /// By how many elements each spatial axis of a transposed convolution's output is too long without
  /// padding; negative if too short, and `nil` where the padding is given.
  private func surplus(
    _ input: ONNXValue, _ window: Window, _ outputPadding: [Int], _ outputShape: [Int]?,
    _ mode: String
  ) throws(WeighbridgeError) -> [Int]? {
    if let outputShape {
      let dimensions = type(input).shape.dropFirst(2).compactMap(\.value)
      guard dimensions.count == window.size.count,
        (dimensions + outputShape).allSatisfy({ (1...1 << 24).contains($0) })
      else {
        throw unsupported(
          "enlarges \(type(input)) to an output_shape of \(outputShape), and the sizes "
            + "must be known for it")
      }
      return window.surplus(outputPadding).enumerated().map { axis, surplus in
        dimensions[axis] * window.strides[axis] + surplus - outputShape[axis]
      }
    }
    guard ["SAME_UPPER", "SAME_LOWER"].contains(mode) else { return nil }
    // Where strides exceed windows, the output is not padded (as in onnxruntime).
    return window.surplus(outputPadding).map { max(0, $0) }
  }

  /// Reads the window of a convolution, whose size is that of the kernel.
  fileprivate mutating func window(
    kernel: TensorType, input: TensorType
  ) throws(WeighbridgeError) -> Window {
    guard let shape = kernel.fixedShape, shape.count >= 3, shape.count == input.rank else {
      throw malformed(
        "has a kernel of \(kernel.shape.count.counted("axis")) for the input \(input), and a kernel has "
          + "as many"
      )
    }
    let size = Array(shape.dropFirst(2))
    if let kernelShape = try integers("kernel_shape"), kernelShape != size {
      throw malformed(
        "has kernel_shape=\(kernelShape), expected the last sizes of the kernel \(shape)")
    }
    return try window(size: size, input: input)
  }

  /// Reads a window with the strides, dilations and padding of the attributes.
  mutating func window(size: [Int], input: TensorType) throws(WeighbridgeError) -> Window {
    guard input.rank == size.count + 2 else {
      throw malformed(
        "has a window of \(size.count.counted("axis")) for the input \(input), expected one for each "
          + "spatial axis"
      )
    }
    let ones = size.map { _ in 1 }
    let strides = try integers("strides") ?? ones
    let dilation = try integers("dilations") ?? ones
    let pads = try integers("pads")
    let mode = try string("auto_pad", default: "NOTSET")
    let padding: WindowPadding
    switch mode {
    case "NOTSET":
      guard pads == nil || pads?.count == 2 * size.count else {
        throw malformed(
          "has \((pads?.count ?? 0).counted("number")) of padding for \(size.count.counted("axis")), and two "
            + "for each axis are expected")
      }
      let numbers = pads ?? ones.map { _ in 0 } + ones.map { _ in 0 }
      padding =
        numbers.allSatisfy { $0 == 0 }
        ? .valid
        : .explicit(
          before: Array(numbers[..<size.count]), after: Array(numbers[size.count...]))
    case "VALID": padding = .valid
    case "SAME_UPPER": padding = .same
    case "SAME_LOWER": padding = try sameLowerPadding(size, strides, dilation, input)
    default:
      throw unsupported(
        "has auto_pad=\(mode), and only NOTSET, VALID, SAME_UPPER and SAME_LOWER are known")
    }
    let window = Window(size: size, strides: strides, dilation: dilation, padding: padding)
    if let problem = window.problem { throw malformed(problem) }
    return window
  }

  /// Returns the padding of `SAME_LOWER`: the amount of `SAME`, with the larger half of an odd
  /// amount before the first element.
  private func sameLowerPadding(
    _ size: [Int], _ strides: [Int], _ dilation: [Int], _ input: TensorType
  ) throws(WeighbridgeError) -> WindowPadding {
    let window = Window(size: size, strides: strides, dilation: dilation, padding: .same)
    if let problem = window.problem { throw malformed(problem) }
    let dimensions = input.shape.dropFirst(2).compactMap(\.value)
    let placements = dimensions.enumerated().compactMap { try? window.placement($0, dimension: $1) }
    guard placements.count == size.count else {
      throw unsupported("has auto_pad=SAME_LOWER for \(input), and the sizes must be known for it")
    }
    return .explicit(before: placements.map(\.after), after: placements.map(\.before))
  }
}

extension Window {
  /// Returns by how many elements a transposed convolution makes each axis longer than the input's
  /// size times the stride.
  fileprivate func surplus(_ outputPadding: [Int]) -> [Int] {
    size.indices.map { (size[$0] - 1) * dilation[$0] + 1 + outputPadding[$0] - strides[$0] }
  }
}
