import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// The largest elements of windows, their positions, and elements that are put back to such positions.
extension ONNXLayer {
  /// Adds the largest elements of windows and, if they are needed, their positions.
  mutating func maxPooling() throws(WeighbridgeError) -> [ONNXValue] {
    let input = try input()
    let isColumnMajor = try flag("storage_order")
    let (window, _) = try poolingWindow(type(input))
    let elementType = type(input).elementType
    let isWhole = !elementType.isFloat
    if isWhole {
      guard elementType.byteCount == 1, elementType != .bool, !window.mayLieInPadding else {
        throw unsupported(
          "takes the largest of \(type(input)), and only floating-point numbers, and integers of 8 bits in windows "
            + "that do not lie in the padding alone, can be read")
      }
    }
    let numbers = isWhole ? try apply(Cast(to: .float32), to: input, role: "numbers") : input
    let largest = try apply(
      MaxPooling(window: window, layout: .channelsFirst), to: numbers,
      role: isWhole ? "largest" : "")
    let output = isWhole ? try apply(Cast(to: elementType), to: largest) : largest
    guard node.outputs.count > 1, !node.outputs[1].isEmpty else { return [output] }
    return [output, try largestPositions(of: numbers, window, isColumnMajor: isColumnMajor)]
  }

  /// Adds the position, in the whole input in row-major order, of the largest element of each window; of
  /// equal ones the first.
  ///
  /// - Parameter isColumnMajor: Whether the positions in an image count the first spatial axis first.
  private mutating func largestPositions(
    of input: ONNXValue, _ window: Window, isColumnMajor: Bool
  ) throws(WeighbridgeError) -> ONNXValue {
    let inputType = type(input)
    guard let taps = try WindowTaps(window, inputType, isColumnMajor: isColumnMajor) else {
      throw unsupported(
        "gives the positions of the largest elements of \(inputType), and only of known sizes but the batch, in "
          + "windows that do not lie in the padding alone, these can be read")
    }
    try network.countConstant(
      TensorType(.int64, [.fixed(taps.padded.count)]), byteCount: 16 * taps.padded.count)
    // NaN is never the largest element.
    let isNumber = try apply(Comparison(.equal), to: input, input, role: "is_number")
    let least = number(-.infinity, like: input, "least")
    let known = try apply(Where(), to: isNumber, input, least, role: "without_nan")
    let padded = try apply(
      Pad(
        before: [0, 0] + taps.before, after: [0, 0] + taps.after, mode: .constant,
        value: -.infinity), to: known, role: "padded")
    let planes = try apply(
      ReshapeAxes(keptSizes(inputType, 0..<2) + [.rest]), to: padded, role: "planes")
    let places = newConstant(
      Tensor(.int64, shape: [taps.outputCount, taps.tapCount], taps.padded.map(Double.init)),
      "places")
    let elements = try apply(Gather(axis: 2), to: planes, places, role: "windows")
    let best = try apply(
      ArgMax(axis: 3, keepDims: false, elementType: .int64), to: elements, role: "best")
    let starts = newConstant(
      Tensor(
        .int64, shape: [1, 1, taps.outputCount],
        (0..<taps.outputCount).map { Double($0 * taps.tapCount) }), "starts")
    let entries = try apply(Add(), to: best, starts, role: "entries")
    let table = newConstant(
      Tensor(.int64, shape: [taps.positions.count], taps.positions.map(Double.init)), "positions")
    let positions = try apply(Gather(axis: 0), to: table, entries, role: "in_planes")
    // The positions of the planes' first elements.
    let channelCount = inputType.shape[1].value ?? 1
    let size = taps.sizes.reduce(1, *)
    _ = try Checked.product([channelCount, size, 8], of: "an image")
    let images = try indices(along: 0, of: input, role: "images")
    let column = try apply(ExpandDims(axes: [1, 2]), to: images, role: "images/column")
    let imageStarts = try apply(
      Multiply(), to: column, number(Double(channelCount * size), like: column, "image_size"),
      role: "image_starts")
    let channels = try numbers(.int64, shape: [1, channelCount, 1], "channels")
    let channelStarts = try apply(
      Multiply(), to: channels, number(Double(size), like: channels, "plane_size"),
      role: "channel_starts")
    let planeStarts = try apply(Add(), to: imageStarts, channelStarts, role: "plane_starts")
    let whole = try apply(Add(), to: positions, planeStarts, role: "whole")
    return try apply(
      ReshapeAxes(keptSizes(type(whole), 0..<2) + taps.outputSizes.map { .fixed($0) }), to: whole,
      role: "indices")
  }

  /// Adds zeros with elements at the positions that a `MaxPool` gives.
  mutating func maxUnpooling() throws(WeighbridgeError) -> ONNXValue {
    let (input, positions) = (try input(0), try input(1))
    let shape = type(input).shape
    let sizes = shape.dropFirst().compactMap(\.value)
    let axes = max(0, shape.count - 2)
    let strides = try integers("strides") ?? [Int](repeating: 1, count: axes)
    let pads = try integers("pads") ?? [Int](repeating: 0, count: 2 * axes)
    guard let kernel = try integers("kernel_shape"), axes >= 1, kernel.count == axes,
      strides.count == axes, pads.count == 2 * axes,
      sizes.count == axes + 1, type(positions).elementType == .int64,
      type(positions).rank == shape.count,
      (kernel + strides).allSatisfy({ (1...1 << 24).contains($0) }),
      pads.allSatisfy({ (0...1 << 24).contains($0) })
    else {
      throw malformed(
        "puts \(type(input)) back to \(type(positions)), expected known sizes but the batch, a position for each "
          + "element, and a kernel_shape, strides and pads of each spatial axis")
    }
    var outputs: [Int] = []
    for axis in 0..<axes {
      let span = try Checked.product([max(0, sizes[axis + 1] - 1), strides[axis]], of: "a size")
      outputs.append(span + kernel[axis] - pads[axis] - pads[axes + axis])
    }
    guard outputs.allSatisfy({ (1...1 << 32).contains($0) }) else {
      throw malformed("makes an image of the sizes \(outputs), and 1 or more is expected")
    }
    if let stated = try constant(2)?.integers, Array(stated.dropFirst(2)) != outputs {
      throw unsupported(
        "has an output_shape of \(stated), where its window gives the spatial sizes \(outputs): runtimes "
          + "understand its positions in one or the other, and only equal sizes can be read")
    }
    let imageSize = try Checked.product([sizes[0]] + outputs + [8], of: "an image") / 8
    let elementCount = sizes.reduce(1, *)
    let zero = Tensor(type(input).elementType, shape: [1], [0])
    // With a known batch the positions are those in the whole output.
    guard let batch = shape[0].value else {
      let images = try indices(along: 0, of: input, role: "images")
      let column = try apply(ExpandDims(axes: [1]), to: images, role: "images/column")
      let starts = try apply(
        Multiply(), to: column, number(Double(imageSize), like: column, "image_size"),
        role: "starts")
      let rows = ReshapeAxes([.rest, .fixed(elementCount)])
      let flat = try apply(rows, to: positions, role: "positions")
      let places = try apply(Subtract(), to: flat, starts, role: "places")
      let elements = try apply(rows, to: input, role: "elements")
      let ids = sizesOfRows(elements, imageSize)
      let zeros = try filled(with: zero, ids, role: "zeros")
      let scattered = try apply(
        ScatterElements(axis: 1, reduction: .none), to: zeros, places, elements, role: "scattered")
      return try apply(
        ReshapeAxes([.axis(0)] + ([sizes[0]] + outputs).map { .fixed($0) }), to: scattered)
    }
    let total = try Checked.product([batch, imageSize, 8], of: "an image") / 8
    let flat = ReshapeAxes([.fixed(try Checked.product([batch, elementCount], of: "a size"))])
    let zeros = try filled(
      with: zero, newConstant(Tensor(.int64, shape: [1], [Double(total)]), "size"), role: "zeros")
    let scattered = try apply(
      ScatterElements(axis: 0, reduction: .none), to: zeros,
      try apply(flat, to: positions, role: "positions"),
      try apply(flat, to: input, role: "elements"), role: "scattered")
    return try apply(
      ReshapeAxes(([batch, sizes[0]] + outputs).map { .fixed($0) }), to: scattered)
  }

  /// The sizes of a matrix with as many rows as a value.
  private func sizesOfRows(_ value: ONNXValue, _ columns: Int) -> ONNXValue {
    let rows: ONNXDimension =
      if case .computed(let id) = value { .axis(id, 0, times: 1) } else {
        .known(type(value).shape[0].value ?? 0)
      }
    return .dimensions([rows, .known(columns)], isList: true)
  }
}

/// The elements of a window at each place, as positions in an image.
private struct WindowTaps {
  /// The elements that are added before and after each spatial axis.
  let before: [Int]
  let after: [Int]
  /// The spatial sizes of the input and of the output.
  let sizes: [Int]
  let outputSizes: [Int]
  /// For each place of the window, the positions of its elements in an image with padding.
  private(set) var padded: [Int] = []
  /// The positions of the same elements in the image itself; of padding, those of the nearest elements.
  private(set) var positions: [Int] = []

  var outputCount: Int { outputSizes.reduce(1, *) }
  var tapCount: Int { outputCount == 0 ? 0 : padded.count / outputCount }

  /// - Returns: `nil` if a size but that of the batch is unknown, an axis has no elements, or a window
  ///   may lie in the padding alone.
  init?(_ window: Window, _ input: TensorType, isColumnMajor: Bool) throws(WeighbridgeError) {
    let spatial = Array(input.shape.dropFirst(2))
    let sizes = spatial.compactMap(\.value)
    guard input.rank == window.size.count + 2, sizes.count == spatial.count,
      input.shape[1].value != nil, sizes.allSatisfy({ $0 >= 1 }), !window.mayLieInPadding
    else { return nil }
    guard let borders = window.borders(of: spatial),
      let outputs = try? window.outputDimensions(spatial)
    else { return nil }
    (before, after, self.sizes) = (borders.before, borders.after, sizes)
    outputSizes = outputs.compactMap(\.value)
    let paddedSizes = sizes.indices.map { sizes[$0] + borders.before[$0] + borders.after[$0] }
    _ = try Checked.product(paddedSizes, of: "an image")
    _ = try Checked.product(outputSizes + window.size + [16], of: "the elements of all windows")
    let (count, taps) = (outputSizes.reduce(1, *), window.size.reduce(1, *))
    guard count * taps <= 1 << 26 else {
      throw .limitExceeded(
        "has \(count * taps) elements in all windows, and 67108864 are the limit with positions")
    }
    let strides = Tensor.rowMajorStrides(isColumnMajor ? sizes.reversed() : sizes)
    let paddedStrides = Tensor.rowMajorStrides(paddedSizes)
    for place in 0..<count {
      for tap in 0..<taps {
        var (place, tap, inPadded, inImage) = (place, tap, 0, 0)
        for axis in sizes.indices.reversed() {
          let start = place % outputSizes[axis] * window.strides[axis]
          let element = start + tap % window.size[axis] * window.dilation[axis]
          place /= outputSizes[axis]
          tap /= window.size[axis]
          inPadded += element * paddedStrides[axis]
          let nearest = min(max(element - borders.before[axis], 0), sizes[axis] - 1)
          inImage += nearest * strides[isColumnMajor ? sizes.count - 1 - axis : axis]
        }
        padded.append(inPadded)
        positions.append(inImage)
      }
    }
  }
}
