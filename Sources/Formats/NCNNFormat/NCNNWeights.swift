import Bytes

/// An array of weights of a layer in the `.bin` file.
struct NCNNWeightSlot: Hashable, Sendable {
  /// The number of elements.
  let count: Int
  /// Whether a tag of four bytes before the elements gives their encoding; otherwise it is float32.
  let isTagged: Bool
}

extension NCNNLayer {
  /// The arrays of weights of the layer, in file order, as determined by its type and settings.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for an unknown type;
  ///   ``WeighbridgeError/Code/malformed`` for impossible counts.
  func weightSlots() throws(WeighbridgeError) -> [NCNNWeightSlot] {
    let outputs = integer(0)
    let untagged = { (count: Int) in NCNNWeightSlot(count: count, isTagged: false) }
    let tagged = { (count: Int) in NCNNWeightSlot(count: count, isTagged: true) }
    switch type {
    case "InnerProduct": return [tagged(integer(2))] + (integer(1) == 0 ? [] : [untagged(outputs)])
    case "Embed": return [tagged(integer(3))] + (integer(2) == 0 ? [] : [untagged(outputs)])
    case "PReLU": return [untagged(outputs)]
    case "BatchNorm": return (0..<4).map { _ in untagged(outputs) }
    case "LayerNorm", "GroupNorm":
      let isGroupNorm = type == "GroupNorm"
      let count = integer(isGroupNorm ? 1 : 0)
      return integer(isGroupNorm ? 3 : 2, default: 1) == 0
        ? [] : [untagged(count), untagged(count)]
    case "LSTM", "GRU", "RNN":
      let (gates, biases) = type == "RNN" ? (1, 1) : (type == "GRU" ? 3 : 4, 4)
      let directions = integer(2) == 2 ? 2 : 1
      let bias = try Checked.product([directions, biases, outputs], of: "its bias")
      let state = try Checked.product(
        [directions, gates, outputs, outputs], of: "its recurrent kernel")
      return [tagged(integer(1)), tagged(bias), tagged(state)]
    case "MemoryData":
      let sizes = [0, 1, 11, 2].map { integer($0) }.filter { $0 != 0 }
      let count = try Checked.product(sizes, of: "its size")
      return [integer(21, default: 1) == 0 ? tagged(count) : untagged(count)]
    case _ where Self.typesWithoutWeights.contains(Substring(type)): return []
    case _ where Self.convolutions.contains(type):
      return [tagged(integer(6))] + (integer(5) == 0 ? [] : [untagged(outputs)])
    default: throw .unsupported("the weights of a layer \(type) are not known")
    }
  }

  private static let convolutions = Set(
    ["Convolution", "Deconvolution"].flatMap { kind in
      ["", "DepthWise"].flatMap { groups in ["1D", "", "3D"].map { kind + groups + $0 } }
    })

  private static let typesWithoutWeights = Set(
    """
    BinaryOp CELU Clip Concat Crop CumulativeSum ELU Erf Flip GELU HardSigmoid HardSwish Input Interp \
    MatMul Mish Padding Permute PixelShuffle Pooling Pooling1D Pooling3D ReLU Reduction Reorg \
    Reshape SELU Shrink Sigmoid Slice Softmax Split Swish TanH Threshold Tile UnaryOp \
    Yolov3DetectionOutput
    """.split(separator: " "))
}
