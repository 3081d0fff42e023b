import Bytes
import GraphIR
import LayerCatalog

extension ONNXNodes {
  /// Elements by their places, and places of elements.
  static let indexing: [String: ONNXLayer.Build] = [
    "GatherElements": { (layer) throws(WeighbridgeError) in
      let (input, indices) = (try layer.input(0), try layer.input(1))
      let axis = try layer.axis(
        try layer.integer("axis", default: 0), rank: layer.type(input).rank)
      return try layer.apply(GatherElements(axis: axis), [input, indices])
    },
    "GatherND": { (layer) throws(WeighbridgeError) in
      let (input, indices) = (try layer.input(0), try layer.input(1))
      let batchAxes = try layer.integer("batch_dims", default: 0)
      let type = layer.type(indices)
      guard let count = type.shape.last?.value, count == 1, batchAxes >= 0,
        batchAxes < layer.type(input).rank
      else { throw layer.unsupported("a GatherND of indices \(type)") }
      let places = try layer.apply(Squeeze(axes: [type.rank - 1]), to: indices, role: "indices")
      return try layer.apply(Gather(axis: batchAxes, batchAxes: batchAxes), [input, places])
    },
    "OneHot": { (layer) throws(WeighbridgeError) in
      let indices = try layer.input(0)
      guard let depth = try layer.constant(1)?.integers.first, depth >= 0,
        let values = try layer.constant(2), values.count == 2
      else { throw layer.malformed("a OneHot without depth and values") }
      let rank = layer.type(indices).rank + 1
      let axis = try layer.axis(try layer.integer("axis", default: -1), rank: rank)
      let numbers = values.doubles
      let operation = OneHot(
        axis: axis, depth: depth, on: numbers[1], off: numbers[0], elementType: values.elementType)
      return [try layer.apply(operation, to: indices)]
    },
    "TopK": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let axis = try layer.axis(
        try layer.integer("axis", default: -1), rank: layer.type(input).rank)
      let isDescending = try layer.flag("largest", default: true)
      layer.ignore("sorted")
      let count = try layer.count(ofTopKAlong: axis, of: input)
      let sort = Sort(axis: axis, isDescending: isDescending, count: count)
      let parts = try layer.apply(sort, [input])
      return [
        parts[0], try layer.apply(Cast(to: .int64), to: parts[1], role: "indices"),
      ]
    },
  ]
}

extension ONNXLayer {
  /// How many elements a `TopK` keeps; `nil` for all of an open axis.
  fileprivate mutating func count(
    ofTopKAlong axis: Int, of input: ONNXValue
  ) throws(WeighbridgeError) -> Int? {
    if case .computed(let id) = input, try optional(1)?.extents == [.axis(id, axis, times: 1)] {
      return nil
    }
    let count =
      has("k") ? try integer("k", default: 0) : try constant(1)?.integers.first ?? -1
    guard count >= 0 else { throw malformed("a TopK of \(count)") }
    return count
  }
}
