import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

extension MILConvolutions {
  static let nodes: [String: MILLayer.Build] = [
    "conv": { (layer) throws(WeighbridgeError) in
      let (input, kernel) = (try layer.input(), try layer.input("weight"))
      let bias = try layer.optional("bias")
      let size = layer.type(kernel).shape.dropFirst(2).compactMap(\.value)
      let operation = Convolution(
        window: try layer.window(input, size), groups: try layer.integer("groups", default: 1),
        hasBias: bias != nil, layout: .channelsFirst)
      return try layer.apply(operation, [input, kernel] + (bias.map { [$0] } ?? []))
    },
    "conv_transpose": { (layer) throws(WeighbridgeError) in
      [try layer.transposedConvolution()]
    },
  ]
}

extension MILPooling {
  static let nodes: [String: MILLayer.Build] = [
    "max_pool": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let (window, _) = try layer.poolingWindow(input)
      return [try layer.apply(MaxPooling(window: window, layout: .channelsFirst), to: input)]
    },
    "avg_pool": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let (window, excess) = try layer.poolingWindow(input)
      let countsPadding = !(try layer.flag("exclude_padding_from_average"))
      if countsPadding, excess.contains(where: { $0 > 0 }) {
        return [try layer.averagePooling(input, window, excess)]
      }
      let operation = AveragePooling(
        window: window, countIncludePad: countsPadding, layout: .channelsFirst)
      return [try layer.apply(operation, to: input)]
    },
  ]
}

extension MILLayer {
  /// Reads the window of a pooling, and how much of its padding is there only because the number of
  /// windows is rounded up.
  fileprivate mutating func poolingWindow(
    _ input: SourceValue
  ) throws(WeighbridgeError) -> (window: Window, excess: [Int]) {
    guard let size = try integers("kernel_sizes") else {
      throw malformed("has no kernel_sizes, which are a size for each spatial axis")
    }
    let isRoundedUp = try flag("ceil_mode")
    let window = try window(input, size)
    guard isRoundedUp, window.padding != .same else { return (window, size.map { _ in 0 }) }
    guard let rounded = try roundedUp(window, type(input)) else {
      throw unsupported(
        "rounds up the number of windows (ceil_mode) of \(type(input)), and known sizes can be read"
      )
    }
    return rounded
  }

  /// Reads a window of a size.
  fileprivate mutating func window(
    _ input: SourceValue, _ size: [Int]
  ) throws(WeighbridgeError) -> Window {
    let ones = size.map { _ in 1 }
    let strides = try integers("strides") ?? ones
    let dilation = try integers("dilations") ?? ones
    let (type, pad) = (try text("pad_type", default: "valid"), try integers("pad"))
    guard strides.count == size.count, dilation.count == size.count,
      self.type(input).rank == size.count + 2
    else {
      throw malformed(
        "has a window of \(size) with strides \(strides) and dilations \(dilation) for "
          + "\(self.type(input)), expected a number for each spatial axis")
    }
    let window: Window
    switch type {
    case "valid":
      window = Window(size: size, strides: strides, dilation: dilation, padding: .valid)
    case "custom":
      guard let pad, pad.count == 2 * size.count else {
        throw malformed("has the pad \(pad ?? []), expected two numbers for each spatial axis")
      }
      let before = ones.indices.map { pad[2 * $0] }
      let after = ones.indices.map { pad[2 * $0 + 1] }
      window = Window(
        size: size, strides: strides, dilation: dilation,
        padding: .explicit(before: before, after: after))
    case "same", "same_lower":
      let same = Window(size: size, strides: strides, dilation: dilation, padding: .same)
      window = type == "same" ? same : try lower(same, input)
    default: throw malformed("has the pad_type \(type), expected valid, same or custom")
    }
    if let problem = window.problem { throw malformed(problem) }
    return window
  }

  /// The window with an odd element of padding at the beginning.
  private func lower(_ window: Window, _ input: SourceValue) throws(WeighbridgeError) -> Window {
    guard let borders = window.borders(of: Array(type(input).shape.dropFirst(2))) else {
      throw unsupported("pads images of an unknown size (same_lower)")
    }
    return Window(
      size: window.size, strides: window.strides, dilation: window.dilation,
      padding: .explicit(before: borders.after, after: borders.before))
  }

  fileprivate mutating func transposedConvolution() throws(WeighbridgeError) -> SourceValue {
    let (input, kernel) = (try input(), try input("weight"))
    let bias = try optional("bias")
    let size = type(kernel).shape.dropFirst(2).compactMap(\.value)
    let groups = try integer("groups", default: 1)
    let window = try window(input, size)
    var (before, after) = (size.map { _ in 0 }, size.map { _ in 0 })
    switch window.padding {
    case .valid: break
    case .explicit(let first, let last): (before, after) = (first, last)
    case .same:
      let sizes = type(input).shape.dropFirst(2).compactMap(\.value)
      let targets = try integers("output_shape").map { Array($0.dropFirst(2)) }
      return try transposedConvolution(
        [input, kernel] + (bias.map { [$0] } ?? []), window,
        to: targets ?? zip(sizes, window.strides).map { $0 * $1 }, groups: groups, .channelsFirst)
    }
    var extra = size.map { _ in 0 }
    if let shape = try integers("output_shape") {
      let sizes = type(input).shape.dropFirst(2).compactMap(\.value)
      guard shape.count == size.count + 2, sizes.count == size.count else {
        throw unsupported("has the output_shape \(shape) for \(type(input)) of unknown size")
      }
      for axis in size.indices {
        let full = (sizes[axis] - 1) * window.strides[axis] + window.effectiveSize(axis)
        let missing = shape[axis + 2] - (full - before[axis] - after[axis])
        extra[axis] = max(0, missing)
        after[axis] += max(0, -missing)
      }
    }
    let operation = TransposedConvolution(
      window: Window(
        size: size, strides: window.strides, dilation: window.dilation,
        padding: .explicit(before: before, after: after)),
      outputPadding: extra, groups: groups, hasBias: bias != nil, layout: .channelsFirst)
    return try apply(operation, [input, kernel] + (bias.map { [$0] } ?? []))[0]
  }
}
