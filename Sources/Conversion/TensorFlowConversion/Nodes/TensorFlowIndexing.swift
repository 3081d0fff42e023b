import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Elements that are chosen by indices.
enum TensorFlowIndexing {
  static let nodes: TensorFlowOperators.Table = [
    "ArgMax": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let axis = try layer.axis(ofInput: 1, rank: layer.type(input).rank)
      let type = try layer.elementType("output_type", default: .int64)
      return [try layer.apply(ArgMax(axis: axis, keepDims: false, elementType: type), to: input)]
    },
    "ArgMin": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let axis = try layer.axis(ofInput: 1, rank: layer.type(input).rank)
      let type = try layer.elementType("output_type", default: .int64)
      return [try layer.apply(ArgMin(axis: axis, keepDims: false, elementType: type), to: input)]
    },
    "Gather": { (layer) throws(WeighbridgeError) in [try layer.gathered(axis: 0, batchAxes: 0)] },
    "GatherV2": { (layer) throws(WeighbridgeError) in
      let axis = try layer.axis(ofInput: 2, rank: layer.type(try layer.input()).rank)
      let batchAxes = try layer.integer("batch_dims", default: 0)
      return [try layer.gathered(axis: axis, batchAxes: batchAxes)]
    },
    "OneHot": { (layer) throws(WeighbridgeError) in
      let indices = try layer.input(0)
      guard let depth = try layer.constantIntegers(1).first, (0...1 << 24).contains(depth),
        let on = try layer.constant(2), let off = try layer.constant(3), on.count == 1,
        off.count == 1
      else { throw layer.malformed("has no depth from 0 to 2^24, or no two constant numbers") }
      let rank = layer.type(indices).rank + 1
      let axis = try layer.axis(try layer.integer("axis", default: -1), rank: rank)
      let operation = OneHot(
        axis: axis, depth: depth, on: on.doubles[0], off: off.doubles[0],
        elementType: on.elementType)
      return [try layer.apply(operation, to: indices)]
    },
    "ResourceGather": { (layer) throws(WeighbridgeError) in
      let batchAxes = try layer.integer("batch_dims", default: 0)
      return [try layer.gathered(axis: batchAxes, batchAxes: batchAxes)]
    },
    "TopKV2": { (layer) throws(WeighbridgeError) in
      layer.ignore("sorted")
      let input = try layer.input()
      guard let count = try layer.constantIntegers(1).first, count >= 0 else {
        throw layer.malformed("has no number of elements, which is 0 or more")
      }
      let sort = Sort(axis: try layer.lastAxis(input), isDescending: true, count: count)
      return try layer.apply(sort, [input])
    },
  ]
}

extension TensorFlowLayer {
  fileprivate mutating func gathered(
    axis: Int, batchAxes: Int
  ) throws(WeighbridgeError) -> SourceValue {
    let (input, indices) = (try input(0), try input(1))
    if let sizes = try chosenSizes(input, at: indices) { return sizes }
    let shared = batchAxes < 0 ? batchAxes + type(indices).rank : batchAxes
    if axis == 0, input.tensor != nil, indices.tensor == nil, type(input).rank == 2,
      type(input).elementType.isFloat
    {
      return try apply(Embedding(), [indices, input])[0]
    }
    return try apply(Gather(axis: axis, batchAxes: shared), [input, indices])[0]
  }
}
