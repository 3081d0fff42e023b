import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Convolutions and matrix products.
enum CoreMLConvolutions: CoreMLFamily {
  static let rows: [CoreMLRow] = [
    CoreMLRow(Convolution.self) { (operation, builder) throws(WeighbridgeError) in
      let kernel = try builder.tensor(1)
      guard operation.window.size.count < 3 else { return try builder.convolution3D(operation) }
      return try builder.with2DWindow(try builder.input(), operation.window) {
        (builder, input, window) throws(WeighbridgeError) in
        var settings: ProtobufRecord = [
          "outputChannels": .integer(kernel.shape[0]),
          "kernelChannels": .integer(kernel.shape[1]),
          "nGroups": .integer(operation.groups), "kernelSize": .integers(window.size),
          "stride": .integers(window.strides), "dilationFactor": .integers(window.dilation),
          "hasBias": .boolean(operation.hasBias),
          "weights": builder.weights(kernel, hasChannels: true),
        ]
        settings.set(window.padding)
        if operation.hasBias { settings["bias"] = try builder.weights(2) }
        return try builder.add("convolution", [input], settings)
      }
    },
    CoreMLRow(TransposedConvolution.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.transposedConvolution(operation)
    },
    CoreMLRow(
      LocallyConnected.self,
      unsupported: "has a kernel for each position, and Core ML can have one for all positions only"
    ),
  ]

  static let nodes: [String: CoreMLLayerImport.Build] = [
    "convolution": { (layer) throws(WeighbridgeError) in [try layer.convolution()] },
    "convolution3d": { (layer) throws(WeighbridgeError) in [try layer.convolution3D()] },
    "innerProduct": { (layer) throws(WeighbridgeError) in [try layer.innerProduct()] },
    "batchedMatmul": { (layer) throws(WeighbridgeError) in [try layer.matrixProduct()] },
    "dot": { (layer) throws(WeighbridgeError) in [try layer.dotProduct()] },
  ]
}

extension CoreMLNetworkBuilder {
  /// Adds a layer with a 2D window; an input with one spatial axis gets a height of 1.
  mutating func with2DWindow(
    _ input: String, _ window: Window,
    _ build: (inout CoreMLNetworkBuilder, String, Window) throws(WeighbridgeError) -> String
  ) throws(WeighbridgeError) -> String {
    switch window.size.count {
    case 2: return try build(&self, input, window)
    case 1:
      try requireExactAxes("data of one spatial axis")
      let expanded = try expandDims(input, [2])
      return try squeeze(try build(&self, expanded, window.withHeight), [2])
    default:
      throw .unsupported(
        "has \(window.size.count.counted("spatial axis")), and Core ML can have this for one or two"
      )
    }
  }

  fileprivate mutating func convolution3D(
    _ operation: Convolution
  ) throws(WeighbridgeError) -> String {
    let (kernel, window) = (try tensor(1), operation.window)
    guard window.size.count == 3 else {
      throw .unsupported(
        "convolves over \(window.size.count.counted("axis")), and Core ML can over one to three")
    }
    var settings: ProtobufRecord = [
      "outputChannels": .integer(kernel.shape[0]),
      "inputChannels": .integer(kernel.shape[1] * operation.groups),
      "nGroups": .integer(operation.groups), "hasBias": .boolean(operation.hasBias),
      "weights": weights(kernel),
    ]
    settings.set(
      window,
      lists: [("kernel", window.size), ("stride", window.strides), ("dilation", window.dilation)])
    if operation.hasBias { settings["bias"] = try weights(2) }
    return try add("convolution3d", [try input()], settings)
  }

  fileprivate mutating func transposedConvolution(
    _ operation: TransposedConvolution
  ) throws(WeighbridgeError) -> String {
    let (kernel, window) = (try tensor(1), operation.window)
    guard window.dilation.allSatisfy({ $0 == 1 }) else {
      throw .unsupported(
        "dilates a transposed convolution, and Core ML can convolve so without dilation only")
    }
    guard case .explicit(let before, let after) = window.padding,
      zip(after, operation.outputPadding).allSatisfy({ $0 >= $1 })
    else {
      throw .unsupported(
        "pads the end of the output of a transposed convolution, and Core ML can only cut it")
    }
    let croppedWindow = Window(
      size: window.size, strides: window.strides, dilation: window.dilation,
      padding: .explicit(before: before, after: zip(after, operation.outputPadding).map { $0 - $1 })
    )
    return try with2DWindow(try input(), croppedWindow) {
      (builder, input, window) throws(WeighbridgeError) in
      var settings: ProtobufRecord = [
        "outputChannels": .integer(kernel.shape[1] * operation.groups),
        "kernelChannels": .integer(kernel.shape[0]), "nGroups": .integer(operation.groups),
        "kernelSize": .integers(window.size), "stride": .integers(window.strides),
        "dilationFactor": .integers([1, 1]), "isDeconvolution": .boolean(true),
        "hasBias": .boolean(operation.hasBias), "weights": builder.weights(kernel),
      ]
      settings.set(window.padding)
      if operation.hasBias { settings["bias"] = try builder.weights(2) }
      return try builder.add("convolution", [input], settings)
    }
  }
}

extension Window {
  /// The same window with a leading axis of size 1.
  fileprivate var withHeight: Window {
    var padding = padding
    if case .explicit(let before, let after) = padding {
      padding = .explicit(before: [0] + before, after: [0] + after)
    }
    return Window(
      size: [1] + size, strides: [1] + strides, dilation: [1] + dilation, padding: padding)
  }
}

extension ProtobufRecord {
  /// Returns a `BorderAmounts`: the amounts added or cut off at both ends of axes.
  static func borders(before: [Int], after: [Int]) -> ProtobufRecord {
    let edges = zip(before, after).map { start, end -> ProtobufRecord in
      ["startEdgeSize": .integer(start), "endEdgeSize": .integer(end)]
    }
    return ["borderAmounts": .records(edges)]
  }

  /// Sets the padding of a 2D window.
  mutating func set(_ padding: WindowPadding) {
    switch padding {
    case .same: self["same"] = .record([:])
    case .valid:
      self["valid"] = .record(["paddingAmounts": .record(.borders(before: [0, 0], after: [0, 0]))])
    case .explicit(let before, let after):
      self["valid"] = .record(["paddingAmounts": .record(.borders(before: before, after: after))])
    }
  }

  /// Sets the sizes and padding of a 3D window.
  mutating func set(_ window: Window, lists: [(name: String, numbers: [Int])]) {
    for (name, numbers) in lists {
      for (axis, number) in zip(["Depth", "Height", "Width"], numbers) {
        self["\(name)\(axis)"] = .integer(number)
      }
    }
    switch window.padding {
    case .same: self["paddingType"] = .choice("SAME")
    case .valid: self["paddingType"] = .choice("VALID")
    case .explicit(let before, let after):
      self["paddingType"] = .choice("CUSTOM")
      for (axis, edges) in [("Front", "Back"), ("Top", "Bottom"), ("Left", "Right")].enumerated() {
        self["customPadding\(edges.0)"] = .integer(before[axis])
        self["customPadding\(edges.1)"] = .integer(after[axis])
      }
    }
  }
}

extension CoreMLLayerImport {
  fileprivate mutating func convolution() throws(WeighbridgeError) -> CoreMLBlob {
    let images = try images(try input())
    let size = try integers("kernelSize", default: [3, 3])
    let strides = try integers("stride", default: [1, 1])
    if flag("isDeconvolution") { return try deconvolution(images, size: size, strides: strides) }
    let dilation = try integers("dilationFactor", default: [1, 1])
    let groups = max(1, integer("nGroups"))
    let outputs = integer("outputChannels")
    let padding = try windowPadding(
      size: size, strides: strides, dilation: dilation, of: images.value)
    let kernel = try weight(
      "kernel", "weights", shape: [outputs, integer("kernelChannels")] + size)
    let bias = try bias(outputs)
    ignore("outputShape")
    let operation = Convolution(
      window: Window(size: size, strides: strides, dilation: dilation, padding: padding),
      groups: groups, hasBias: !bias.isEmpty, layout: .channelsFirst)
    return try tensor(add(operation, [images.value, kernel] + bias), like: images)
  }

  /// Adds the bias if there is one.
  private mutating func bias(
    _ count: Int, flag name: String = "hasBias"
  ) throws(WeighbridgeError) -> [ValueID] {
    guard flag(name) else {
      ignore("bias")
      return []
    }
    return [try weight("bias", "bias", shape: [count])]
  }

  private mutating func deconvolution(
    _ images: CoreMLImages, size: [Int], strides: [Int]
  ) throws(WeighbridgeError) -> CoreMLBlob {
    ignore("dilationFactor")
    let (inputs, outputs) = (integer("kernelChannels"), integer("outputChannels"))
    let groups = max(1, integer("nGroups"))
    let kernel = try weight(
      "kernel", "weights", shape: [inputs, outputs / groups] + size, outputAxis: 1)
    let bias = try bias(outputs)
    let borders = try deconvolutionBorders(images.value, size: size, strides: strides)
    let operation = TransposedConvolution(
      window: Window(
        size: size, strides: strides, dilation: [1, 1],
        padding: .explicit(before: borders.before, after: borders.after.map { max(0, $0) })),
      outputPadding: borders.after.map { max(0, -$0) }, groups: groups, hasBias: !bias.isEmpty,
      layout: .channelsFirst)
    return try tensor(add(operation, [images.value, kernel] + bias), like: images)
  }

  /// Returns the amounts cut off before and after a deconvolution's output; negative amounts are
  /// added.
  private mutating func deconvolutionBorders(
    _ image: ValueID, size: [Int], strides: [Int]
  ) throws(WeighbridgeError) -> (before: [Int], after: [Int]) {
    try checkWindow(size + strides)
    let outputShape = integers("outputShape")
    let (valid, same) = (record("valid"), record("same"))
    guard outputShape.isEmpty else {
      guard outputShape.count == 2 else {
        throw malformed("has the output shape \(outputShape), expected a height and a width")
      }
      let dimensions = try spatialDimensions(image)
      var totals: [Int] = []
      for axis in 0..<2 {
        let span = try Checked.product([dimensions[axis] - 1, strides[axis]], of: "its output")
        guard (1...1 << 48).contains(outputShape[axis]), span < 1 << 48 else {
          throw malformed(
            "has the output shape \(outputShape), expected sizes from 1 to \(1 << 48)")
        }
        totals.append(span + size[axis] - outputShape[axis])
      }
      return Self.splitAmounts(totals)
    }
    if same != nil { return Self.splitAmounts(zip(size, strides).map { $0 - $1 }) }
    return try borders(valid?.record("paddingAmounts"))
  }

  /// Splits totals into amounts before and after, the larger half after.
  private static func splitAmounts(_ totals: [Int]) -> (before: [Int], after: [Int]) {
    let before = totals.map { max(0, $0) / 2 }
    return (before, zip(totals, before).map { $0 - $1 })
  }

  fileprivate mutating func convolution3D() throws(WeighbridgeError) -> CoreMLBlob {
    let volumes = try fullRank(try input())
    guard !flag("isDeconvolution") else {
      throw unsupported(
        "is a deconvolution in three dimensions, and those in two dimensions can be read")
    }
    let names = ["Depth", "Height", "Width"]
    let size = names.map { integer("kernel\($0)") }
    let strides = names.map { integer("stride\($0)") }
    let dilation = names.map { integer("dilation\($0)") }
    let groups = max(1, integer("nGroups"))
    let (inputs, outputs) = (integer("inputChannels"), integer("outputChannels"))
    let kernel = try weight("kernel", "weights", shape: [outputs, inputs / groups] + size)
    let bias = try bias(outputs)
    ignore("outputShape")
    let operation = Convolution(
      window: Window(
        size: size, strides: strides, dilation: dilation, padding: try volumePadding()),
      groups: groups, hasBias: !bias.isEmpty, layout: .channelsFirst)
    return try fullRankBlob(add(operation, [volumes, kernel] + bias))
  }

  /// Reads the padding of a window over depth, height and width.
  mutating func volumePadding() throws(WeighbridgeError) -> WindowPadding {
    let before = ["Front", "Top", "Left"].map { integer("customPadding\($0)") }
    let after = ["Back", "Bottom", "Right"].map { integer("customPadding\($0)") }
    switch choice("paddingType", default: "CUSTOM") {
    case "VALID": return .valid
    case "SAME": return .same
    default: return .explicit(before: before, after: after)
    }
  }

  /// With four or five axes, all axes after the batch are flattened to a vector; with fewer, the
  /// last axis is the vector.
  fileprivate mutating func innerProduct() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let (inputs, outputs) = (integer("inputChannels"), integer("outputChannels"))
    let kernel = try weight("kernel", "weights", shape: [outputs, inputs])
    let bias = try bias(outputs)
    try requireFloats()
    let leading: [CoreMLAxis] =
      blob.axes.contains(.sequence) && blob.rank == 5 ? [.sequence, .batch] : [.batch]
    let features: CoreMLAxis = blob.rank >= 4 ? .channel : .width
    var vectors: ValueID
    if blob.rank < 4 {
      let axes = blob.rank == 1 ? [.height, .width] : blob.allAxes
      vectors = try value(blob, axes)
      vectors = try add(Dense(hasBias: !bias.isEmpty), [vectors, kernel] + bias)
      return CoreMLBlob(vectors, axes, rank: blob.rank)
    }
    if blob.axes.contains(where: { $0 == .height || $0 == .width }) {
      vectors = try value(blob, leading + [.channel, .height, .width])
      let leadingSizes = leading.indices.map { ReshapeAxes.Size.axis($0) }
      vectors = try add(ReshapeAxes(leadingSizes + [.rest]), [vectors], role: "flatten")
    } else {
      vectors = try value(blob, leading + [features])
    }
    vectors = try add(Dense(hasBias: !bias.isEmpty), [vectors, kernel] + bias)
    return CoreMLBlob(vectors, leading + [features], rank: blob.rank)
  }

  fileprivate mutating func matrixProduct() throws(WeighbridgeError) -> CoreMLBlob {
    guard inputs.count == 1 else { return try inputProduct() }
    ignore("transposeA", "transposeB")
    try requireFloats()
    let shape = [integer("weightMatrixSecondDimension"), integer("weightMatrixFirstDimension")]
    // Stored in column-major order, which is row-major order of [out, in].
    let kernel = try weight("kernel", "weights", shape: shape)
    let bias = try bias(shape[0])
    let blob = inputs[0]
    let axes = blob.rank == 1 ? [.height, .width] : blob.allAxes
    let result = try add(
      Dense(hasBias: !bias.isEmpty), [value(blob, axes), kernel] + bias)
    return CoreMLBlob(result, axes, rank: blob.rank)
  }

  /// Refuses a layer that quantizes its input when it runs.
  private mutating func requireFloats() throws(WeighbridgeError) {
    guard flag("int8DynamicQuantize") else { return }
    throw unsupported(
      "quantizes its input when it runs (int8DynamicQuantize), and products of floating-point numbers "
        + "can be read")
  }

  /// Adds the product of two inputs, neither of which is a weight.
  private mutating func inputProduct() throws(WeighbridgeError) -> CoreMLBlob {
    var (first, second) = try pair()
    ignore("weightMatrixFirstDimension", "weightMatrixSecondDimension", "hasBias", "weights")
    // A vector is a row on the left, and a column on the right.
    if second.rank == 1 { second = CoreMLBlob(try fullRank(second), [.height], rank: 2) }
    let axes = CoreMLAxis.axes(rank: max(2, first.rank, second.rank))
    let operation = MatMul(
      transposeA: flag("transposeA"), transposeB: flag("transposeB"))
    return try fullRankBlob(add(operation, [value(first, axes), value(second, axes)]))
  }

  fileprivate mutating func dotProduct() throws(WeighbridgeError) -> CoreMLBlob {
    let (first, second) = try pair()
    let axes: [CoreMLAxis] = [.batch, .channel]
    let operation = Dot(firstAxis: 1, secondAxis: 1, normalizes: flag("cosineSimilarity"))
    let result = try add(operation, [value(first, axes), value(second, axes)])
    return CoreMLBlob(result, axes, rank: first.rank)
  }
}
