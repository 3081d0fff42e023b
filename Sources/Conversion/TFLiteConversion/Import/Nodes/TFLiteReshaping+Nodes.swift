import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

extension TFLiteReshaping {
  static let nodes = [String: TFLiteReading](families: [shapeNodes, blocks])

  private static let shapeNodes: [String: TFLiteReading] = [
    "BROADCAST_TO": TFLiteReading { (layer) throws(WeighbridgeError) in
      [try layer.expanded(try layer.carried(), to: try layer.input(1))]
    },
    "EXPAND_DIMS": TFLiteReading { (layer) throws(WeighbridgeError) in
      let input = try layer.carried()
      if input.tensor == nil, case .dimensions(let sizes, false, let type) = input {
        return [.dimensions(sizes, isList: true, as: type)]
      }
      let axis = try layer.axis(ofInput: 1, rank: layer.type(input).rank + 1)
      return [try layer.apply(ExpandDims(axes: [axis]), to: input)]
    },
    "RESHAPE": TFLiteReading(options: 17) { (layer) throws(WeighbridgeError) in
      let (input, stored) = (try layer.carried(), try layer.integers(0))
      var target = stored.map { SourceDimension.known($0) }
      // TensorFlow 1 also writes matrices, which the interpreter takes no sizes from.
      if let shape = try layer.optional(1), layer.type(shape).rank == 1 {
        guard let sizes = shape.dimensions else {
          throw layer.unsupported(
            "reshapes to a shape that is known only when the model runs, and only one that is "
              + "made of sizes of other values can be read")
        }
        target = sizes
      }
      if input.tensor == nil, case .dimensions(let sizes, _, let type) = input,
        target.isEmpty ? sizes.count == 1 : target.count == 1,
        target.allSatisfy({ [-1, sizes.count].contains($0.number) })
      {
        return [.dimensions(sizes, isList: !target.isEmpty, as: type)]
      }
      // Old converters write the shape of a scalar as [0].
      if target == [.known(0)], layer.type(input).fixedShape?.reduce(1, *) == 1 { target = [] }
      return [try layer.reshape(input, to: target, keepsZeros: true)]
    },
    "SQUEEZE": TFLiteReading(options: 30) { (layer) throws(WeighbridgeError) in
      let (input, stored) = (try layer.carried(), try layer.integers(0))
      if input.tensor == nil, case .dimensions(let sizes, true, let type) = input,
        sizes.count == 1
      {
        return [.dimensions(sizes, isList: false, as: type)]
      }
      let shape = layer.type(input).shape
      let axes =
        stored.isEmpty
        ? shape.indices.filter { shape[$0].value == 1 }
        : try layer.axes(stored, rank: shape.count)
      return [axes.isEmpty ? input : try layer.apply(Squeeze(axes: axes), to: input)]
    },
    "TRANSPOSE": TFLiteReading { (layer) throws(WeighbridgeError) in
      let (input, axes) = (try layer.carried(), try layer.constantIntegers(1))
      let rank = layer.type(input).rank
      guard axes.sorted() == Array(0..<rank) else {
        throw layer.malformed(
          "has the order \(axes), and each axis of \(layer.type(input)) is expected once")
      }
      return [try layer.transposed(input, axes)]
    },
  ]

  private static let blocks: [String: TFLiteReading] = [
    "BATCH_TO_SPACE_ND": TFLiteReading { (layer) throws(WeighbridgeError) in
      let input = try layer.carried()
      return [
        try layer.batchToSpace(
          input, blocks: try layer.constantIntegers(1), borders: try layer.constantIntegers(2))
      ]
    },
    "DEPTH_TO_SPACE": TFLiteReading(options: 94) { (layer) throws(WeighbridgeError) in
      let operation = DepthToSpace(block: try layer.block(), layout: .channelsLast)
      return [try layer.apply(operation, to: try layer.carried())]
    },
    "SPACE_TO_BATCH_ND": TFLiteReading { (layer) throws(WeighbridgeError) in
      let input = try layer.carried()
      let isStored = layer.isQuantized(layer.node.inputs[0]) && !layer.computesReals
      return [
        try layer.spaceToBatch(
          input, blocks: try layer.constantIntegers(1), borders: try layer.constantIntegers(2),
          padding: isStored ? try layer.zeroPoint(0) : 0)
      ]
    },
    "SPACE_TO_DEPTH": TFLiteReading(options: 19) { (layer) throws(WeighbridgeError) in
      let operation = SpaceToDepth(block: try layer.block(), layout: .channelsLast)
      return [try layer.apply(operation, to: try layer.carried())]
    },
  ]
}

extension TFLiteLayer {
  fileprivate mutating func block() throws(WeighbridgeError) -> Int {
    let block = try integer(0)
    guard block >= 1 else { throw malformed("has blocks of \(block), and 1 or more is expected") }
    return block
  }
}
