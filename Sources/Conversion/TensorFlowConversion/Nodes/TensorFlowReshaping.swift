import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Other shapes and orders of elements.
enum TensorFlowReshaping {
  static let nodes = TensorFlowOperators.Table(families: [shapes, blocks])

  private static let shapes: TensorFlowOperators.Table = [
    "BroadcastTo": { (layer) throws(WeighbridgeError) in
      [try layer.expanded(try layer.input(0), to: try layer.input(1))]
    },
    "ExpandDims": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      if input.tensor == nil, case .dimensions(let sizes, false, let type) = input {
        return [.dimensions(sizes, isList: true, as: type)]
      }
      let axis = try layer.axis(ofInput: 1, rank: layer.type(input).rank + 1)
      return [try layer.apply(ExpandDims(axes: [axis]), to: input)]
    },
    "Reshape": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      guard let target = try layer.input(1).dimensions else {
        throw layer.unsupported(
          "reshapes to a shape that is known only when the model runs, and only one that is made "
            + "of sizes of other values can be read")
      }
      if input.tensor == nil, case .dimensions(let sizes, _, let type) = input,
        target.isEmpty ? sizes.count == 1 : target.count == 1,
        target.allSatisfy({ [-1, sizes.count].contains($0.number) })
      {
        return [.dimensions(sizes, isList: !target.isEmpty, as: type)]
      }
      return [try layer.reshape(input, to: target, keepsZeros: true)]
    },
    "Squeeze": { (layer) throws(WeighbridgeError) in
      let (input, stored) = (try layer.input(), try layer.integers("squeeze_dims"))
      if input.tensor == nil, case .dimensions(let sizes, true, let type) = input,
        sizes.count == 1
      {
        return [.dimensions(sizes, isList: false, as: type)]
      }
      let shape = layer.type(input).shape
      guard !stored.isEmpty || shape.allSatisfy({ $0.value != nil }) else {
        throw layer.unsupported(
          "drops all axes of size 1 of \(layer.type(input)), expected known sizes")
      }
      let axes =
        stored.isEmpty
        ? shape.indices.filter { shape[$0].value == 1 }
        : try layer.axes(stored, rank: shape.count)
      return [axes.isEmpty ? input : try layer.apply(Squeeze(axes: axes), to: input)]
    },
    "Transpose": { (layer) throws(WeighbridgeError) in
      let (input, axes) = (try layer.input(), try layer.constantIntegers(1))
      guard axes.sorted() == Array(0..<layer.type(input).rank) else {
        throw layer.malformed(
          "has the order \(axes), and each axis of \(layer.type(input)) is expected once")
      }
      return [try layer.transposed(input, axes)]
    },
  ]

  private static let blocks: TensorFlowOperators.Table = [
    "BatchToSpaceND": { (layer) throws(WeighbridgeError) in
      [
        try layer.batchToSpace(
          try layer.input(), blocks: try layer.constantIntegers(1),
          borders: try layer.constantIntegers(2))
      ]
    },
    "DepthToSpace": { (layer) throws(WeighbridgeError) in
      let operation = DepthToSpace(block: try layer.block(), layout: try layer.layout())
      return [try layer.apply(operation, to: try layer.input())]
    },
    "SpaceToBatchND": { (layer) throws(WeighbridgeError) in
      [
        try layer.spaceToBatch(
          try layer.input(), blocks: try layer.constantIntegers(1),
          borders: try layer.constantIntegers(2))
      ]
    },
    "SpaceToDepth": { (layer) throws(WeighbridgeError) in
      let operation = SpaceToDepth(block: try layer.block(), layout: try layer.layout())
      return [try layer.apply(operation, to: try layer.input())]
    },
  ]
}

extension TensorFlowLayer {
  fileprivate mutating func block() throws(WeighbridgeError) -> Int {
    guard try layout() == .channelsLast else {
      throw unsupported("moves blocks of an image with the channels first, which cannot be read")
    }
    let block = try integer("block_size")
    guard block >= 1 else { throw malformed("has blocks of \(block), and 1 or more is expected") }
    return block
  }
}
