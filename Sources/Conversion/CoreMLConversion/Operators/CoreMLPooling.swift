import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Pooling over windows, and global pooling.
enum CoreMLPooling: CoreMLFamily {
  static let rows: [CoreMLRow] = [
    CoreMLRow(MaxPooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.pool("MAX", operation.window, countIncludePad: false)
    },
    CoreMLRow(AveragePooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.pool(
        "AVERAGE", operation.window, countIncludePad: operation.countIncludePad)
    },
    CoreMLRow(GlobalAveragePooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.globalPool(operation, "AVERAGE", "reduceMean")
    },
    CoreMLRow(GlobalMaxPooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.globalPool(operation, "MAX", "reduceMax")
    },
  ]

  static let nodes: [String: CoreMLLayerImport.Build] = [
    "pooling": { (layer) throws(WeighbridgeError) in [try layer.pooling()] },
    "pooling3d": { (layer) throws(WeighbridgeError) in [try layer.pooling3D()] },
    "globalPooling3d": { (layer) throws(WeighbridgeError) in [try layer.globalPooling3D()] },
  ]
}

extension CoreMLNetworkBuilder {
  fileprivate mutating func pool(
    _ kind: String, _ window: Window, countIncludePad: Bool
  ) throws(WeighbridgeError) -> String {
    guard window.dilation.allSatisfy({ $0 == 1 }) else {
      throw .unsupported(
        "dilates the window of a pooling, and Core ML can pool without dilation only")
    }
    guard !window.mayLieInPadding else {
      throw .unsupported(
        "has a window that may lie in the padding alone, and Core ML's result is known for smaller paddings only"
      )
    }
    let x = try input()
    guard window.size.count < 3 else {
      var settings: ProtobufRecord = [
        "type": .choice(kind), "countExcludePadding": .boolean(!countIncludePad),
      ]
      settings.set(window, lists: [("kernel", window.size), ("stride", window.strides)])
      return try add("pooling3d", [x], settings)
    }
    return try with2DWindow(x, window) { (builder, input, window) throws(WeighbridgeError) in
      var settings: ProtobufRecord = [
        "type": .choice(kind), "kernelSize": .integers(window.size),
        "stride": .integers(window.strides), "avgPoolExcludePadding": .boolean(!countIncludePad),
      ]
      settings.set(window.padding)
      return try builder.add("pooling", [input], settings)
    }
  }

  /// Without the spatial axes, a value with the axes of images is B, C in the file already.
  fileprivate mutating func globalPool(
    _ operation: some GlobalPoolingOperator, _ kind: String, _ reduction: String
  ) throws(WeighbridgeError) -> String {
    let rank = type().rank
    if rank == 4, operation.keepDims || axes == .images {
      return try add(
        "pooling", [try input()],
        [
          "type": .choice(kind), "globalPooling": .boolean(true),
          "valid": .record(["paddingAmounts": .record(.borders(before: [0, 0], after: [0, 0]))]),
        ])
    }
    return try reduce(reduction, try input(), Array(2..<rank), keepDims: operation.keepDims)
  }
}

extension CoreMLLayerImport {
  fileprivate mutating func pooling() throws(WeighbridgeError) -> CoreMLBlob {
    let images = try images(try input())
    let kind = choice("type", default: "MAX")
    let excludesPadding = flag("avgPoolExcludePadding")
    guard kind != "L2" else {
      throw unsupported("pools by the L2 norm (type L2), and MAX and AVERAGE can be read")
    }
    if flag("globalPooling") {
      ignore("kernelSize", "stride", "valid", "same", "includeLastPixel")
      return try tensor(globalPooling(isMaximum: kind == "MAX", images.value), like: images)
    }
    let size = try integers("kernelSize", default: [3, 3])
    let strides = try integers("stride", default: [1, 1])
    let padding = try poolingPadding(
      size: size, strides: strides, of: images.value,
      ignoresPadding: kind == "MAX" || excludesPadding)
    let window = Window(size: size, strides: strides, dilation: [1, 1], padding: padding)
    let value = try addPooling(
      window, isMaximum: kind == "MAX", countIncludePad: !excludesPadding, images.value)
    return try tensor(value, like: images)
  }

  private mutating func addPooling(
    _ window: Window, isMaximum: Bool, countIncludePad: Bool, _ value: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    if isMaximum { return try add(MaxPooling(window: window, layout: .channelsFirst), [value]) }
    // Without padding it makes no difference; `false` is what other sources use.
    let countIncludePad = window.padding != .valid && countIncludePad
    return try add(
      AveragePooling(
        window: window, countIncludePad: countIncludePad, layout: .channelsFirst), [value])
  }

  private mutating func globalPooling(
    isMaximum: Bool, _ value: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    isMaximum
      ? try add(GlobalMaxPooling(keepDims: true, layout: .channelsFirst), [value])
      : try add(GlobalAveragePooling(keepDims: true, layout: .channelsFirst), [value])
  }

  /// - Parameter ignoresPadding: Whether elements of the padding do not change the result, so that
  ///   any amounts are possible.
  private mutating func poolingPadding(
    size: [Int], strides: [Int], of image: ValueID, ignoresPadding: Bool
  ) throws(WeighbridgeError) -> WindowPadding {
    guard let includeLastPixel = record("includeLastPixel") else {
      return try windowPadding(size: size, strides: strides, dilation: [1, 1], of: image)
    }
    let amounts = includeLastPixel.integers("paddingAmounts")
    let before = amounts.isEmpty ? [0, 0] : amounts
    guard before.count == 2, before.allSatisfy({ (0...1 << 24).contains($0) }) else {
      throw malformed("has the paddingAmounts \(before), expected two from 0 to \(1 << 24)")
    }
    try checkWindow(size + strides)
    let dimensions = try spatialDimensions(image)
    let after = (0..<2).map { axis in
      let stride = strides[axis]
      var outputSize = (dimensions[axis] + 2 * before[axis] - size[axis] + stride - 1) / stride + 1
      let available = dimensions[axis] + before[axis]
      if before.contains(where: { $0 > 0 }), (outputSize - 1) * stride >= available {
        outputSize -= 1
      }
      return max(0, (outputSize - 1) * stride + size[axis] - available)
    }
    guard ignoresPadding || zip(before, after).allSatisfy({ $0 == $1 }) else {
      throw unsupported(
        "counts padding in its means (avgPoolExcludePadding is false) and adds more of it at one end "
          + "than at the other; only equal amounts can be counted")
    }
    return .explicit(before: before, after: after)
  }

  fileprivate mutating func pooling3D() throws(WeighbridgeError) -> CoreMLBlob {
    let volumes = try fullRank(try input())
    let names = ["Depth", "Height", "Width"]
    let window = Window(
      size: names.map { integer("kernel\($0)") }, strides: names.map { integer("stride\($0)") },
      dilation: [1, 1, 1], padding: try volumePadding())
    let isMaximum = choice("type", default: "MAX") == "MAX"
    let excludesPadding = flag("countExcludePadding")
    return try fullRankBlob(
      addPooling(window, isMaximum: isMaximum, countIncludePad: !excludesPadding, volumes))
  }

  fileprivate mutating func globalPooling3D() throws(WeighbridgeError) -> CoreMLBlob {
    let volumes = try fullRank(try input())
    let isMaximum = choice("type", default: "MAX") == "MAX"
    return try fullRankBlob(globalPooling(isMaximum: isMaximum, volumes))
  }
}
