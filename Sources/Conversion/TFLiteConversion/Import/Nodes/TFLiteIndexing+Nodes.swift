import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

extension TFLiteIndexing {
  static let nodes: [String: TFLiteReading] = [
    "GATHER": TFLiteReading(options: 23) { (layer) throws(WeighbridgeError) in
      let (input, indices) = (try layer.carried(), try layer.input(1))
      let (number, batchAxes) = (try layer.integer(0), try layer.integer(1))
      if input.tensor == nil, let sizes = input.dimensions, let tensor = indices.tensor {
        let positions = tensor.wholeNumbers
        guard positions.allSatisfy(sizes.indices.contains), tensor.shape.count <= 1 else {
          throw layer.malformed("takes the sizes at \(positions), and there are \(sizes.count)")
        }
        return [
          .dimensions(
            positions.map { sizes[$0] }, isList: tensor.shape.count == 1,
            as: layer.type(input).elementType)
        ]
      }
      let axis = try layer.axis(number, rank: layer.type(input).rank)
      let shared = batchAxes < 0 ? batchAxes + layer.type(indices).rank : batchAxes
      if axis == 0, input.tensor != nil, indices.tensor == nil, layer.type(input).rank == 2,
        layer.type(input).elementType.isFloat
      {
        return try layer.apply(Embedding(), [indices, input])
      }
      let operation = Gather(axis: axis, batchAxes: shared)
      return try layer.apply(operation, [input, indices])
    },
    "GATHER_ND": TFLiteReading { (layer) throws(WeighbridgeError) in
      let (input, indices) = (try layer.carried(), try layer.input(1))
      let type = layer.type(indices)
      guard let last = type.shape.last, last.value == 1 else {
        throw layer.unsupported(
          "gathers by indices \(type), and only indices of one axis can be read")
      }
      let flat = try layer.apply(Squeeze(axes: [type.rank - 1]), to: indices, role: "indices")
      return try layer.apply(Gather(axis: 0), [input, flat])
    },
    "ONE_HOT": TFLiteReading(options: 61) { (layer) throws(WeighbridgeError) in
      let indices = try layer.input(0)
      guard let depth = try layer.constantIntegers(1).first, depth >= 0,
        let on = try layer.constant(2), let off = try layer.constant(3), on.count == 1,
        off.count == 1
      else {
        throw layer.malformed("has no depth or no two values, which are constant numbers")
      }
      let axis = try layer.axis(try layer.integer(0), rank: layer.type(indices).rank + 1)
      let operation = OneHot(
        axis: axis, depth: depth, on: on.doubles[0], off: off.doubles[0],
        elementType: try layer.outputElementType())
      return [try layer.apply(operation, to: indices)]
    },
    "TOPK_V2": TFLiteReading { (layer) throws(WeighbridgeError) in
      let input = try layer.carried()
      guard let count = try layer.constantIntegers(1).first, count >= 0 else {
        throw layer.malformed("has no number of elements, which is 0 or more")
      }
      let sort = Sort(axis: try layer.lastAxis(input), isDescending: true, count: count)
      return try layer.apply(sort, [input])
    },
  ]
}
