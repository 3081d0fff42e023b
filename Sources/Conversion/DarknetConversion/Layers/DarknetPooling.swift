import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// `[maxpool]`, `[local_avgpool]`, `[avgpool]`.
enum DarknetPooling {
  static let sections: [String: DarknetSectionForm] = [
    "maxpool": DarknetSectionForm(build: maxpool) { (layer, section) throws(WeighbridgeError) in
      guard !layer.has("group") else {
        section.set("maxpool_depth", 1)
        section.set("out_channels", try layer.operation(Reshape.self, "group").target[1])
        return
      }
      let window = try layer.operation(MaxPooling.self).window
      let blur = layer.has("blur") ? try layer.operation(Convolution.self, "blur") : nil
      section.set(pooling: window, strides: blur?.window.strides)
      if let blur { section.set("antialiasing", blur.window.size[0] == 3 ? 1 : 2) }
    },
    "local_avgpool": DarknetSectionForm(
      build: { (layer) throws(WeighbridgeError) in
        let window = try layer.poolingWindow().window
        guard !window.mayLieInPadding else {
          throw layer.unsupported(
            "has a window that lies in the padding alone and so has no mean; the padding must be below "
              + "the size")
        }
        return try layer.add(
          AveragePooling(window: window, countIncludePad: false, layout: .channelsFirst),
          [layer.input])
      },
      describe: { (layer, section) throws(WeighbridgeError) in
        section.set(pooling: try layer.operation(AveragePooling.self).window)
      }),
    "avgpool": DarknetSectionForm(
      build: { (layer) throws(WeighbridgeError) in
        try layer.add(
          GlobalAveragePooling(keepDims: true, layout: .channelsFirst), [layer.input])
      }),
  ]

  private static let maxpool: DarknetLayer.Build = { (layer) throws(WeighbridgeError) in
    let isAlongChannels = try layer.flag("maxpool_depth")
    let outChannels = try layer.integer("out_channels", default: 1, in: 1...1 << 24)
    let antialiasing = try layer.integer("antialiasing", default: 0)
    let (window, strides) = try layer.poolingWindow(isAntialiased: antialiasing != 0)
    if isAlongChannels { return try layer.channelMaximum(outChannels) }
    let output = try layer.add(
      MaxPooling(window: window, layout: .channelsFirst), [layer.input])
    guard antialiasing != 0 else { return output }
    return try layer.blurred(output, strides: strides, isWide: antialiasing != 2)
  }
}

extension DarknetLayer {
  /// Reads the window of a pooling.
  ///
  /// `padding` is the total of both sides, of which the smaller half comes before; by default it is
  /// one less than the size, and the size is the stride.
  mutating func poolingWindow(
    isAntialiased: Bool = false
  ) throws(WeighbridgeError) -> (window: Window, strides: (x: Int, y: Int)) {
    let stride = try integer("stride", default: 1, in: 1...1 << 16)
    let strides = try strides(default: stride)
    let size = try integer("size", default: stride, in: 1...1 << 16)
    let padding = try integer("padding", default: size - 1, in: 0...1 << 16)
    let (before, after) = (padding / 2, padding - padding / 2)
    let window = Window(
      size: [size, size], strides: isAntialiased ? [1, 1] : [strides.y, strides.x],
      dilation: [1, 1], padding: .explicit(before: [before, before], after: [after, after]))
    return (window, strides)
  }

  /// Adds the maximum of the channels k, k + count, k + 2 count, ... for each k below `count`.
  mutating func channelMaximum(_ count: Int) throws(WeighbridgeError) -> ValueID {
    let dimensions = try image(input)
    guard dimensions.channels % count == 0 else {
      throw unsupported(
        "has out_channels=\(count), which does not divide the \(dimensions.channels) channels")
    }
    let grouped = try add(
      Reshape(target: [dimensions.channels / count, count, dimensions.height, dimensions.width]),
      [input],
      role: "group")
    return try add(Reduce(.maximum, axes: [1], keepDims: false), [grouped])
  }
}

extension DarknetSectionText {
  /// Adds the settings of a pooling: `padding` is the total of both sides.
  mutating func set(pooling window: Window, strides: [Int]? = nil) {
    set("size", window.size[0])
    set(strides: strides ?? window.strides)
    guard case .explicit(let before, let after) = window.padding else { return }
    set("padding", before[0] + after[0], unless: window.size[0] - 1)
  }
}
