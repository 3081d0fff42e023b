import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Windows that compute sums of products, and full connections.
extension CoreMLNodes {
  static let convolutions: [String: CoreMLCall.Build] = [
    "convolution": { (call) throws(WeighbridgeError) in [try call.convolution()] },
    "convolution3d": { (call) throws(WeighbridgeError) in [try call.convolution3D()] },
    "innerProduct": { (call) throws(WeighbridgeError) in [try call.innerProduct()] },
    "batchedMatmul": { (call) throws(WeighbridgeError) in [try call.matrixProduct()] },
    "dot": { (call) throws(WeighbridgeError) in [try call.dotProduct()] },
  ]
}

extension CoreMLCall {
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

  /// The bias, where there is one.
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
    let cut = try deconvolutionBorders(images.value, size: size, strides: strides)
    let operation = TransposedConvolution(
      window: Window(
        size: size, strides: strides, dilation: [1, 1],
        padding: .explicit(before: cut.before, after: cut.after.map { max(0, $0) })),
      outputPadding: cut.after.map { max(0, -$0) }, groups: groups, hasBias: !bias.isEmpty,
      layout: .channelsFirst)
    return try tensor(add(operation, [images.value, kernel] + bias), like: images)
  }

  /// What is cut off a deconvolution's output in front and behind; less than nothing is added.
  private mutating func deconvolutionBorders(
    _ image: ValueID, size: [Int], strides: [Int]
  ) throws(WeighbridgeError) -> (before: [Int], after: [Int]) {
    try checkWindow(size + strides)
    let wanted = integers("outputShape")
    let (valid, same) = (record("valid"), record("same"))
    guard wanted.isEmpty else {
      guard wanted.count == 2 else { throw malformed("an output shape of \(wanted)") }
      let dimensions = try spatialDimensions(image)
      var totals: [Int] = []
      for axis in 0..<2 {
        let spread = try Checked.product([dimensions[axis] - 1, strides[axis]], of: "its output")
        guard (1...1 << 48).contains(wanted[axis]), spread < 1 << 48 else {
          throw malformed("has the output shape \(wanted)")
        }
        totals.append(spread + size[axis] - wanted[axis])
      }
      return Self.halves(totals)
    }
    if same != nil { return Self.halves(zip(size, strides).map { $0 - $1 }) }
    return try borders(valid?.record("paddingAmounts"))
  }

  /// Totals as what goes in front and what goes behind, the larger half behind.
  private static func halves(_ totals: [Int]) -> (before: [Int], after: [Int]) {
    let before = totals.map { max(0, $0) / 2 }
    return (before, zip(totals, before).map { $0 - $1 })
  }

  fileprivate mutating func convolution3D() throws(WeighbridgeError) -> CoreMLBlob {
    let volumes = try whole(try input())
    guard !flag("isDeconvolution") else { throw unsupported("spreads in three dimensions") }
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
    return try exact(add(operation, [volumes, kernel] + bias))
  }

  /// The padding of a window over depth, height and width.
  mutating func volumePadding() throws(WeighbridgeError) -> WindowPadding {
    let before = ["Front", "Top", "Left"].map { integer("customPadding\($0)") }
    let after = ["Back", "Bottom", "Right"].map { integer("customPadding\($0)") }
    switch choice("paddingType", default: "CUSTOM") {
    case "VALID": return .valid
    case "SAME": return .same
    default: return .explicit(before: before, after: after)
    }
  }

  /// Of four axes or five, all behind the batch are one vector; of fewer, the last is.
  fileprivate mutating func innerProduct() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let (inputs, outputs) = (integer("inputChannels"), integer("outputChannels"))
    let kernel = try weight("kernel", "weights", shape: [outputs, inputs])
    let bias = try bias(outputs)
    guard !flag("int8DynamicQuantize") else { throw unsupported("computes with whole numbers") }
    let leading: [CoreMLAxis] =
      blob.axes.contains(.sequence) && blob.rank == 5 ? [.sequence, .batch] : [.batch]
    let last: CoreMLAxis = blob.rank >= 4 ? .channel : .width
    var vectors: ValueID
    if blob.rank < 4 {
      let axes = blob.rank == 1 ? [.height, .width] : blob.allAxes
      vectors = try value(blob, axes)
      vectors = try add(Dense(hasBias: !bias.isEmpty), [vectors, kernel] + bias)
      return CoreMLBlob(vectors, axes, rank: blob.rank)
    }
    if blob.axes.contains(where: { $0 == .height || $0 == .width }) {
      vectors = try value(blob, leading + [.channel, .height, .width])
      let kept = leading.indices.map { ReshapeAxes.Size.axis($0) }
      vectors = try add(ReshapeAxes(kept + [.rest]), [vectors], role: "flatten")
    } else {
      vectors = try value(blob, leading + [last])
    }
    vectors = try add(Dense(hasBias: !bias.isEmpty), [vectors, kernel] + bias)
    return CoreMLBlob(vectors, leading + [last], rank: blob.rank)
  }

  fileprivate mutating func matrixProduct() throws(WeighbridgeError) -> CoreMLBlob {
    guard inputs.count == 1 else { return try productOfTwo() }
    ignore("transposeA", "transposeB")
    guard !flag("int8DynamicQuantize") else { throw unsupported("computes with whole numbers") }
    let shape = [integer("weightMatrixSecondDimension"), integer("weightMatrixFirstDimension")]
    // Stored by columns, which is the order of [out, in].
    let kernel = try weight("kernel", "weights", shape: shape)
    let bias = try bias(shape[0])
    let blob = inputs[0]
    let axes = blob.rank == 1 ? [.height, .width] : blob.allAxes
    let result = try add(
      Dense(hasBias: !bias.isEmpty), [value(blob, axes), kernel] + bias)
    return CoreMLBlob(result, axes, rank: blob.rank)
  }

  private mutating func productOfTwo() throws(WeighbridgeError) -> CoreMLBlob {
    let (first, second) = try pair()
    ignore("weightMatrixFirstDimension", "weightMatrixSecondDimension", "hasBias", "weights")
    guard min(first.rank, second.rank) >= 2 else {
      throw unsupported("multiplies a vector without a second axis")
    }
    let axes = CoreMLAxis.last(max(first.rank, second.rank))
    let operation = MatMul(
      transposeA: flag("transposeA"), transposeB: flag("transposeB"))
    return try exact(add(operation, [value(first, axes), value(second, axes)]))
  }

  fileprivate mutating func dotProduct() throws(WeighbridgeError) -> CoreMLBlob {
    let (first, second) = try pair()
    let axes: [CoreMLAxis] = [.batch, .channel]
    let operation = Dot(firstAxis: 1, secondAxis: 1, normalizes: flag("cosineSimilarity"))
    let result = try add(operation, [value(first, axes), value(second, axes)])
    return CoreMLBlob(result, axes, rank: first.rank)
  }
}
