import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Lists of tensors, which are taken apart while the file is read: each use names its tensors.
enum ONNXSequences: ONNXFamily {
  static let nodes: [String: ONNXLayer.Build] = [
    "ConcatFromSequence": { (layer) throws(WeighbridgeError) in
      let values = try layer.sequence()
      guard let first = values.first, let axis = try layer.integer("axis") else {
        throw layer.malformed("joins no tensor, or along no axis, and both are expected")
      }
      let isNew = try layer.flag("new_axis")
      let position = try layer.axis(axis, rank: layer.type(first).rank + (isNew ? 1 : 0))
      if isNew { return [try layer.stacked(values, position, "")] }
      return try layer.apply(Concatenate(axis: position), values)
    },
    "Optional": passing, "OptionalGetElement": passing,
    "OptionalHasElement": { (layer) throws(WeighbridgeError) in
      let tensor = try layer.optional(0)
      let isThere = layer.hasSequence || tensor != nil
      return [layer.newConstant(Tensor(.bool, shape: [], [isThere ? 1 : 0]), "is_there")]
    },
    "SequenceAt": { (layer) throws(WeighbridgeError) in
      let values = try layer.sequence()
      return [values[try layer.place(1, in: values.count)]]
    },
    "SequenceConstruct": { (layer) throws(WeighbridgeError) in
      layer.sequenceOutput = try layer.allInputs()
      return []
    },
    "SequenceEmpty": { (layer) throws(WeighbridgeError) in
      layer.ignore("dtype")
      layer.sequenceOutput = []
      return []
    },
    "SequenceErase": { (layer) throws(WeighbridgeError) in
      var values = try layer.sequence()
      values.remove(at: try layer.place(1, in: values.count))
      layer.sequenceOutput = values
      return []
    },
    "SequenceInsert": { (layer) throws(WeighbridgeError) in
      var values = try layer.sequence()
      let isLast = try layer.optional(2) == nil
      let place = isLast ? values.count : try layer.place(2, in: values.count, allowsEnd: true)
      values.insert(try layer.input(1), at: place)
      layer.sequenceOutput = values
      return []
    },
    "SequenceLength": { (layer) throws(WeighbridgeError) in
      let count = Double(try layer.sequence().count)
      return [layer.newConstant(Tensor(.int64, shape: [], [count]), "length")]
    },
    "SplitToSequence": { (layer) throws(WeighbridgeError) in
      layer.sequenceOutput = try layer.parts()
      return []
    },
  ]

  private static let passing: ONNXLayer.Build = { (layer) throws(WeighbridgeError) in
    layer.ignore("type")
    guard layer.hasSequence else { return [try layer.input()] }
    layer.sequenceOutput = try layer.sequence()
    return []
  }
}

extension ONNXLayer {
  /// Whether the first input is a list of tensors.
  fileprivate var hasSequence: Bool {
    node.inputs.first.map { network.sequences[$0] != nil } ?? false
  }

  /// Returns the tensors of the first input.
  fileprivate func sequence() throws(WeighbridgeError) -> [ONNXValue] {
    guard let name = node.inputs.first, let values = network.sequences[name] else {
      throw unsupported(
        "reads \(node.inputs.first ?? "nothing"), and only a list that nodes of the file make can be read"
      )
    }
    return values
  }

  /// Returns a constant position in a list; negative ones count from the end.
  fileprivate func place(
    _ position: Int, in count: Int, allowsEnd: Bool = false
  ) throws(WeighbridgeError) -> Int {
    let given = try optional(position) == nil ? -1 : try constant(position)?.integers.first ?? 0
    guard (-count..<count + (allowsEnd ? 1 : 0)).contains(given) else {
      throw malformed("takes tensor \(given) of a list, which has \(count)")
    }
    return given < 0 ? given + count : given
  }

  /// Adds the parts of a value along an axis.
  fileprivate mutating func parts() throws(WeighbridgeError) -> [ONNXValue] {
    let input = try input()
    let axis = try self.axis(of: input, default: 0)
    let isWhole = try optional(1) == nil
    let keepsAxis = try flag("keepdims", default: true)
    guard let size = type(input).shape[axis].value, size <= 1 << 16 else {
      throw unsupported(
        "splits axis \(axis) of \(type(input)), whose size must be known and at most 65536")
    }
    var sizes = try constant(1)?.integers ?? [1]
    if try constant(1)?.shape.isEmpty ?? true {
      guard sizes[0] >= 1 else {
        throw malformed("splits into parts of \(sizes[0]), and 1 or more is expected")
      }
      let rest = size % sizes[0]
      sizes = [Int](repeating: sizes[0], count: size / sizes[0]) + (rest > 0 ? [rest] : [])
    }
    guard !sizes.isEmpty, sizes.allSatisfy({ $0 >= 0 }), sizes.reduce(0, +) == size else {
      throw malformed("splits \(size.counted("element")) into \(sizes), which is another number")
    }
    let parts = try apply(Split(axis: axis, sizes: sizes), [input], role: "parts")
    guard isWhole, !keepsAxis else { return parts }
    return try parts.enumerated().map { (index, part) throws(WeighbridgeError) in
      try apply(Squeeze(axes: [axis]), to: part, role: "part_\(index)")
    }
  }
}
