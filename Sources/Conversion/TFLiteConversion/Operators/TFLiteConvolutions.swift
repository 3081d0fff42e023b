import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Convolutions over one, two or three axes; one axis becomes the second of two.
enum TFLiteConvolutions {
  static let rows: [TFLiteRow] = [
    TFLiteRow(value: Convolution.self) { (operation, builder) throws(WeighbridgeError) in
      let kernel = try builder.tensor(1)
      // TFLite's kernels take no convolution without a bias.
      let bias = operation.hasBias ? builder[2] : builder.zeros(kernel.shape[0])
      return try builder.withPlanes(operation.window) {
        (builder, x, window) throws(WeighbridgeError) in
        try builder.convolution(x, kernel, bias, window, groups: operation.groups)
      }
    },
    TFLiteRow(value: TransposedConvolution.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.transposedConvolution(operation)
    },
  ]
}

extension Window {
  /// The window over two axes if it has one: a row of it.
  fileprivate var plane: Window {
    guard size.count == 1 else { return self }
    var padding = padding
    if case .explicit(let before, let after) = padding {
      padding = .explicit(before: [0] + before, after: [0] + after)
    }
    return Window(
      size: [1] + size, strides: [1] + strides, dilation: [1] + dilation, padding: padding)
  }
}

extension TFLiteBuilder {
  /// Applies an operator of images to the first input; a sequence becomes an image of one row.
  mutating func withPlanes(
    _ window: Window,
    _ add: (inout Self, ExportOperand, Window) throws(WeighbridgeError) -> ExportOperand
  ) throws(WeighbridgeError) -> ExportOperand {
    guard window.size.count == 1 else { return try add(&self, self[0], window) }
    let result = try add(&self, try expanded(self[0], 1), window.plane)
    return try squeezed(result, [1])
  }

  /// The padding of a window as TFLite states it. An input with other borders is padded first.
  ///
  /// - Parameter value: The number around the input; `nil` if `same` must not stand for it.
  mutating func placed(
    _ x: ExportOperand, _ window: Window, value: Double = 0, takesSame: Bool = true
  ) throws(WeighbridgeError) -> (input: ExportOperand, padding: TFLitePadding) {
    let sizes = Array(x.type.shape.dropFirst().dropLast())
    if window.padding == .valid { return (x, .valid) }
    if window.padding == .same, takesSame { return (x, .same) }
    guard let borders = window.borders(of: sizes) else {
      throw .unsupported("pads by the sizes of the image, which are not known")
    }
    let same = Window(
      size: window.size, strides: window.strides, dilation: window.dilation, padding: .same)
    if takesSame, let other = same.borders(of: sizes), other == borders,
      (try? same.outputDimensions(sizes)) == (try? window.outputDimensions(sizes))
    {
      return (x, .same)
    }
    return (
      try padded(x, [0] + borders.before + [0], [0] + borders.after + [0], value: value), .valid
    )
  }

  /// The type of an image after a window was placed.
  func windowType(
    _ x: ExportOperand, _ window: Window, channels: Dimension
  ) throws(WeighbridgeError) -> TensorType {
    let sizes = Array(x.type.shape.dropFirst().dropLast())
    do throws(ShapeError) {
      return x.type.with(
        shape: [x.type.shape[0]] + (try window.outputDimensions(sizes)) + [channels])
    } catch { throw .malformed(error.reason) }
  }

  /// Adds a convolution.
  ///
  /// - Parameters:
  ///   - kernel: `[out, in/groups, spatial...]`, without the axis that a sequence gets.
  fileprivate mutating func convolution(
    _ x: ExportOperand, _ kernel: Tensor, _ bias: ExportOperand, _ window: Window, groups: Int
  ) throws(WeighbridgeError) -> ExportOperand {
    let type = try windowType(x, window, channels: .fixed(kernel.shape[0]))
    let (input, padding) = try placed(x, window)
    let weights = Tensor.planes(kernel)
    let (strides, dilation) = (window.strides, window.dilation)
    if window.size.count == 3 {
      return try inGroups(groups, input, weights, bias, as: type) {
        (builder, input, weights, bias, type) throws(WeighbridgeError) in
        try builder.add(
          .conv3D, input, builder.weight(weights.permuted([2, 3, 4, 1, 0])), bias,
          options: .convolution3D(padding, strides: strides, dilation: dilation), as: type)
      }
    }
    guard window.size.count == 2 else {
      throw .unsupported("TFLite convolves three axes at most, and these are \(window.size.count)")
    }
    if groups > 1, kernel.shape[1] == 1 {
      return try add(
        .depthwiseConv2D, input, weight(weights.permuted([1, 2, 3, 0])), bias,
        options: .depthwise(
          padding, strides: strides, dilation: dilation, multiplier: kernel.shape[0] / groups),
        version: dilation == [1, 1] ? 1 : 2, as: type)
    }
    return try add(
      .conv2D, input, weight(weights.permuted([0, 2, 3, 1])), bias,
      options: .convolution(padding, strides: strides, dilation: dilation),
      version: groups > 1 ? 6 : 1, as: type)
  }

  /// A bias of zeros.
  fileprivate func zeros(_ count: Int) -> ExportOperand {
    .constant(Tensor(.float32, shape: [count], floats: .init(repeating: 0, count: count)))
  }

  /// The kernel of the operator that is being translated, in TFLite's order.
  private func weight(_ tensor: Tensor) -> ExportOperand {
    .weight(tensor, named: self[1].name)
  }

  /// Adds a convolution for each group of channels where TFLite has no groups, and joins the results.
  ///
  /// - Parameters:
  ///   - kernel: Along the first axis, the groups follow each other.
  ///   - type: That of all results together.
  private mutating func inGroups(
    _ count: Int, _ x: ExportOperand, _ kernel: Tensor, _ bias: ExportOperand, as type: TensorType,
    _ add: (
      inout Self, ExportOperand, Tensor, ExportOperand, TensorType
    ) throws(WeighbridgeError) -> ExportOperand
  ) throws(WeighbridgeError) -> ExportOperand {
    let last = type.rank - 1
    guard count > 1 else { return try add(&self, x, kernel, bias, type) }
    guard let taken = x.type.shape[last].value, let given = type.shape[last].value else {
      throw .unsupported("has \(count) groups of channels, whose number must be known in TFLite")
    }
    func part(_ group: Int, of size: Int) -> Range<Int> {
      group * size / count..<(group + 1) * size / count
    }
    let biases = try tensor(of: bias)
    var results: [ExportOperand] = []
    for group in 0..<count {
      let outputs = part(group, of: given)
      results.append(
        try add(
          &self, try sliced(x, axis: last, part(group, of: taken)),
          kernel.slice(part(group, of: kernel.shape[0]), along: 0),
          .constant(biases.slice(outputs, along: 0)),
          type.with(shape: type.shape.dropLast() + [.fixed(outputs.count)])))
    }
    return try concatenated(results, axis: last, as: type)
  }

  /// Adds a transposed convolution without its padding, then crops.
  fileprivate mutating func transposedConvolution(
    _ operation: TransposedConvolution
  ) throws(WeighbridgeError) -> ExportOperand {
    let (kernel, outputPadding) = (try tensor(1), operation.outputPadding)
    let channels = kernel.shape[1] * operation.groups
    let bias = operation.hasBias ? self[2] : zeros(channels)
    return try withPlanes(operation.window) { (builder, x, window) throws(WeighbridgeError) in
      let extra = window.size.count > outputPadding.count ? [0] + outputPadding : outputPadding
      let full = try builder.transposedSizes(x, window, extra)
      var type = x.type
      type.shape.replaceSubrange(1..., with: full.map { .fixed($0) } + [.fixed(channels)])
      let result = try builder.inGroups(
        operation.groups, x, Tensor.planes(kernel).dilated(window.dilation), bias, as: type
      ) { (builder, x, kernel, bias, type) throws(WeighbridgeError) in
        try builder.transposed(
          x, kernel, operation.hasBias ? bias : nil, strides: window.strides, as: type)
      }
      return try builder.cropped(result, window)
    }
  }

  /// Adds a transposed convolution.
  ///
  /// - Parameters:
  ///   - kernel: `[in, out, spatial...]`
  ///   - bias: `nil` for none.
  private mutating func transposed(
    _ x: ExportOperand, _ kernel: Tensor, _ bias: ExportOperand?, strides: [Int],
    as type: TensorType
  ) throws(WeighbridgeError) -> ExportOperand {
    let shape = try shape(type.shape, from: [0: (x, 0)])
    if strides.count == 3 {
      return try add(
        .conv3DTranspose, shape, weight(kernel.permuted([2, 3, 4, 1, 0])), x,
        bias ?? zeros(kernel.shape[1]),
        options: .convolution3D(.valid, strides: strides, dilation: [1, 1, 1]), as: type)
    }
    return try add(
      .transposeConv,
      [shape, weight(kernel.permuted([1, 2, 3, 0])), x] + (bias.map { [$0] } ?? []),
      .transposedConvolution(.valid, strides: strides), version: bias == nil ? 1 : 3,
      types: [type])[0]
  }

  /// The sizes of a transposed convolution's output before cropping.
  private func transposedSizes(
    _ x: ExportOperand, _ window: Window, _ outputPadding: [Int]
  ) throws(WeighbridgeError) -> [Int] {
    let sizes = x.type.shape.dropFirst().dropLast().compactMap(\.value)
    guard sizes.count == window.size.count else {
      throw .unsupported("TFLite enlarges images of known sizes only, and this is \(x.type)")
    }
    return sizes.enumerated().map { axis, size in
      (size - 1) * window.strides[axis] + window.effectiveSize(axis) + outputPadding[axis]
    }
  }

  /// Removes the borders that are a window's padding.
  private mutating func cropped(
    _ x: ExportOperand, _ window: Window
  ) throws(WeighbridgeError) -> ExportOperand {
    guard case .explicit(let before, let after) = window.padding,
      (before + after).contains(where: { $0 > 0 })
    else { return x }
    var (type, ranges) = (x.type, [Slice.Range]())
    for axis in before.indices {
      guard let size = type.shape[axis + 1].value else { continue }
      type.shape[axis + 1] = .fixed(size - before[axis] - after[axis])
      ranges.append(
        Slice.Range(axis: axis + 1, start: before[axis], stop: size - after[axis], step: 1))
    }
    return try sliced(x, ranges, as: type)
  }
}

extension Tensor {
  /// A kernel with two or more spatial axes.
  fileprivate static func planes(_ kernel: Tensor) -> Tensor {
    kernel.shape.count > 3
      ? kernel : kernel.reshaped(kernel.shape[..<2] + [1] + kernel.shape[2...])
  }

  /// A kernel with zeros between its elements.
  fileprivate func dilated(_ dilation: [Int]) -> Tensor {
    guard dilation.contains(where: { $0 > 1 }) else { return self }
    let sizes = zip(shape.dropFirst(2), dilation).map { ($0 - 1) * $1 + 1 }
    let strides = Tensor.rowMajorStrides(Array(shape[..<2]) + sizes)
    var elements = [Double](repeating: 0, count: (shape[..<2] + sizes).reduce(1, *))
    for (index, element) in doubles.enumerated() {
      var (rest, place) = (index, 0)
      for axis in shape.indices.reversed() {
        place += rest % shape[axis] * (axis < 2 ? 1 : dilation[axis - 2]) * strides[axis]
        rest /= shape[axis]
      }
      elements[place] = element
    }
    return Tensor(elementType, shape: shape[..<2] + sizes, elements)
  }
}
