import Bytes
import GraphIR
import LayerCatalog

extension ONNXNodes {
  /// What files do with extents to make shapes of them. Where it is not about extents, these are
  /// operators as all others.
  static let extents: [String: ONNXLayer.Build] = [
    "Concat": { (layer) throws(WeighbridgeError) in
      let values = try layer.allInputs()
      let lists = values.compactMap(\.extents)
      if lists.count == values.count, values.contains(where: { $0.tensor == nil }) {
        _ = try layer.integer("axis")
        return [.extents(lists.flatMap { $0 }, isList: true, as: layer.type(values[0]).elementType)]
      }
      guard let given = try layer.integer("axis"), let first = values.first else {
        throw layer.malformed("a Concat without an axis or inputs")
      }
      let axis = try layer.axis(given, rank: layer.type(first).rank)
      return values.count == 1 ? values : try layer.apply(Concatenate(axis: axis), values)
    },
    "Gather": { (layer) throws(WeighbridgeError) in
      let (input, indices) = (try layer.input(0), try layer.input(1))
      let given = try layer.integer("axis", default: 0)
      if input.tensor == nil, let extents = input.extents, let tensor = indices.tensor {
        let places = tensor.integers.map { $0 < 0 ? $0 + extents.count : $0 }
        guard places.allSatisfy(extents.indices.contains), tensor.shape.count <= 1 else {
          throw layer.malformed("the extents \(tensor.integers) of \(extents.count)")
        }
        return [
          .extents(
            places.map { extents[$0] }, isList: tensor.shape.count == 1,
            as: layer.type(input).elementType)
        ]
      }
      let axis = try layer.axis(given, rank: layer.type(input).rank)
      if axis == 0, input.tensor != nil, indices.tensor == nil, layer.type(input).rank == 2 {
        return try layer.apply(Embedding(), [indices, input])
      }
      return try layer.apply(Gather(axis: axis), [input, indices])
    },
    "Shape": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let shape = layer.type(input).shape
      let range = Slice.Range(
        axis: 0, start: try layer.integer("start", default: 0), stop: try layer.integer("end"),
        step: 1)
      let (start, count) = range.resolved(shape.count)
      var extents: [ONNXExtent] = []
      for axis in start..<start + count {
        if let known = shape[axis].value {
          extents.append(.known(known))
        } else if case .computed(let id) = input {
          extents.append(.axis(id, axis, times: 1))
        }
      }
      return [.extents(extents, isList: true)]
    },
    "Size": { (layer) throws(WeighbridgeError) in
      let type = layer.type(try layer.input())
      guard let shape = type.fixedShape else {
        throw layer.unsupported("the Size of \(type), which is known only when the model runs")
      }
      let count = try Checked.product(shape, of: "a Size")
      return [.extents([.known(count)], isList: false)]
    },
  ]
}

extension ONNXValue {
  /// The extents that it is a list of, or one extent.
  var extents: [ONNXExtent]? {
    switch self {
    case .extents(let extents, _, _): return extents
    case .constant(_, let tensor):
      guard [.int32, .int64].contains(tensor.elementType), tensor.shape.count <= 1 else {
        return nil
      }
      return tensor.integers.map(ONNXExtent.known)
    case .computed: return nil
    }
  }

  /// The element type, of extents that are not all known.
  var extentType: ElementType? {
    guard case .extents(_, _, let type) = self, tensor == nil else { return nil }
    return type
  }

  /// Whether it has an axis.
  var isList: Bool {
    switch self {
    case .extents(_, let isList, _): isList
    case .constant(_, let tensor): tensor.shape.count == 1
    case .computed: false
    }
  }
}
