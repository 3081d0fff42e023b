import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Functions that join, split, repeat and pad tensors.
extension KerasFunctionTable {
  static let structure =
    entries([
      Names(["SpaceToDepth"], tf: ["nn.space_to_depth"], true),
      Names(["DepthToSpace"], tf: ["nn.depth_to_space"], false),
    ]) { (call, toDepth) throws(WeighbridgeError) in
      let value = try call.tensor("x", "input", at: 0)
      let (block, layout) = (try call.integer("block_size"), try call.layout())
      guard (1...Int(Int32.max)).contains(block) else {
        throw .malformed(
          "block_size=\(block), expected at "
            + "least 1")
      }
      return toDepth
        ? try call.add(SpaceToDepth(block: block, layout: layout), [value])
        : try call.add(DepthToSpace(block: block, layout: layout), [value])
    } + parts

  private static let parts: [Entry] = [
    Entry(["Concatenate"], tf: ["concat", "keras.backend.concatenate"]) {
      (call) throws(WeighbridgeError) in
      let values = try call.tensors(call.listName, at: 0)
      guard let first = values.first else { throw call.missing("the tensors") }
      let axis = try call.axis(at: 1, of: call.type(of: first), default: -1)
      return try call.addConcatenation(values, axis: axis)
    },
    Entry(["Append"]) { (call) throws(WeighbridgeError) in
      var values = try call.unified(try call.pair(), sharesRank: false)
      guard let axis = try call.integers("axis")?.first else {
        for index in values.indices {
          values[index] = try call.addOne(ReshapeAxes([.rest]), [values[index]], role: "flatten")
        }
        return try call.addConcatenation(values, axis: 0)
      }
      return try call.addConcatenation(
        values, axis: try KerasLayer.axis(axis, of: call.type(of: values[0])))
    },
    Entry(["Hstack"]) { (call) throws(WeighbridgeError) in
      let values = try call.tensors("xs", at: 0)
      let isVector = values.first.map { call.type(of: $0).rank < 2 } ?? true
      return try call.addConcatenation(values, axis: isVector ? 0 : 1)
    },
    Entry(["Vstack"]) { (call) throws(WeighbridgeError) in
      let values = try call.tensors("xs", at: 0)
      guard values.allSatisfy({ call.type(of: $0).rank >= 2 }) else {
        throw .unsupported("takes tensors of two axes or more")
      }
      return try call.addConcatenation(values, axis: 0)
    },
    Entry(["Stack"], tf: ["stack", "keras.backend.stack"]) { (call) throws(WeighbridgeError) in
      try call.addStack()
    },
    Entry(["Unstack"], tf: ["unstack"]) { (call) throws(WeighbridgeError) in
      try call.addUnstack()
    },
    Entry(["Split"], tf: ["split"]) { (call) throws(WeighbridgeError) in
      try call.addSplit()
    },
    Entry(["Tile"], tf: ["tile", "keras.backend.tile"]) { (call) throws(WeighbridgeError) in
      try call.addTile()
    },
    Entry(["Repeat"], tf: ["repeat", "keras.backend.repeat_elements"]) {
      (call) throws(WeighbridgeError) in try call.addRepeat()
    },
    Entry(["Flip"], tf: ["reverse", "keras.backend.reverse"]) { (call) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("x", "tensor", at: 0)
      let axes = try call.axes("axis", "axes", of: type) ?? Array(0..<type.rank)
      let ranges = axes.map { Slice.Range(axis: $0, start: nil, stop: nil, step: -1) }
      return try call.add(Slice(ranges), [value])
    },
    Entry(["Roll"], tf: ["roll"]) { (call) throws(WeighbridgeError) in try call.addRoll() },
    Entry(["Diff"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("a", at: 0)
      let count = try call.integer("n", default: 1)
      guard (1...64).contains(count) else { throw .unsupported("n=\(count), expected 1 to 64") }
      let axis = try call.axis(of: call.type(of: value), default: -1)
      var result = value
      for index in 0..<count {
        let next = try call.addOne(
          Slice([.init(axis: axis, start: 1, stop: nil, step: 1)]), [result], role: "next")
        let previous = try call.addOne(
          Slice([.init(axis: axis, start: nil, stop: -1, step: 1)]), [result], role: "previous")
        result = try call.addOne(
          Subtract(), [next, previous], role: index == count - 1 ? "" : "difference")
      }
      return [result]
    },
    Entry(["Pad"], tf: ["pad"]) { (call) throws(WeighbridgeError) in
      try call.addPad()
    },
  ]
}

extension KerasFunction {
  /// The name of an argument that is a list of tensors.
  fileprivate var listName: String {
    switch name {
    case .operation("Concatenate"): "xs"
    case .operation: "x"
    default: "values"
    }
  }

  /// Takes the order of an image's axes, under the names of either framework.
  mutating func layout() throws(WeighbridgeError) -> DataLayout {
    switch try string("data_format") {
    case nil, "channels_last", "NWC", "NHWC", "NDHWC": return .channelsLast
    case "channels_first", "NCW", "NCHW", "NCDHW": return .channelsFirst
    case let other?:
      throw unexpected("data_format", .string(other), "channels_last or channels_first")
    }
  }

  /// Stacks tensors along a new axis. A tensor in place of the list is taken apart along its first
  /// axis, which thereby moves to the new one.
  fileprivate mutating func addStack() throws(WeighbridgeError) -> [ValueID] {
    let operand = take(listName, at: 0)
    let values = try tensors(operand, listName)
    guard let first = values.first else { throw missing("the tensors") }
    var isTensor = false
    if case .tensor = operand { isTensor = true }
    let rank = type(of: first).rank + (isTensor ? 0 : 1)
    let written = try integer("axis", at: 1, default: 0)
    let axis = written < 0 ? written + rank : written
    guard (0..<rank).contains(axis) else {
      throw .malformed("axis=\(written), and there will be \(rank.counted("axis"))")
    }
    guard isTensor else { return [try stack(values.map { .value($0) }, axis: axis, role: "")] }
    var axes = Array(1..<rank)
    axes.insert(0, at: axis)
    return try addTranspose(first, axes)
  }

  fileprivate mutating func addConcatenation(
    _ values: [ValueID], axis: Int
  ) throws(WeighbridgeError) -> [ValueID] {
    if values.count == 1 { return try add(Identity(), values) }
    let outputs = try add(Concatenate(axis: axis), values)
    let parts = values.compactMap { layer.network.knownDimensions[$0] }
    if parts.count == values.count, parts.allSatisfy(\.isVector) {
      layer.network.knownDimensions[outputs[0]] = KnownDimensions(
        dimensions: parts.flatMap(\.dimensions), origins: parts.flatMap(\.origins), isVector: true)
    }
    return outputs
  }

  fileprivate mutating func addUnstack() throws(WeighbridgeError) -> [ValueID] {
    let (value, type) = try typedTensor("x", "value", at: 0)
    let axis = try axis(of: type, default: 0)
    let written = try plain("num")?.integer
    guard let count = type.shape[axis].value ?? written, count >= 1 else {
      throw .unsupported("the size of axis \(axis) is not known: \(type)")
    }
    let sizes = [Int](repeating: 1, count: try checkedParts(count))
    let parts = try add(Split(axis: axis, sizes: sizes), [value], role: "split")
    let known = layer.network.knownDimensions[value]
    var outputs: [ValueID] = []
    for (position, part) in parts.enumerated() {
      let output = try addOne(
        Squeeze(axes: [axis]), [part], role: position == 0 ? "" : "\(position)")
      if let known, known.isVector, known.dimensions.count == count {
        layer.network.knownDimensions[output] = known.selecting([position], isVector: false)
      }
      outputs.append(output)
    }
    return outputs
  }

  /// Refuses more parts than any model needs.
  private func checkedParts(_ count: Int) throws(WeighbridgeError) -> Int {
    guard count <= 100_000 else {
      throw .limitExceeded(
        "is cut into \(count) parts, expected "
          + "at most 100000")
    }
    return count
  }

  /// Adds a split. TensorFlow states the number or sizes of the parts, Keras 3 their number or
  /// start positions.
  fileprivate mutating func addSplit() throws(WeighbridgeError) -> [ValueID] {
    let value = try tensor("x", "value", at: 0)
    let splits = try plain("indices_or_sections", "num_or_size_splits", at: 1)
    let type = self.type(of: value)
    let axis = try axis(of: type, default: 0)
    ignore("num")
    guard let splits else { throw missing("the parts") }
    let dimension = type.shape[axis].value
    if let count = splits.integer {
      guard let dimension else {
        return try addEqualParts(of: value, axis, try checkedParts(count))
      }
      guard count >= 1, dimension % count == 0 else {
        throw .unsupported("cuts axis \(axis) of \(type) into \(count) parts, which must be equal")
      }
      let sizes = [Int](repeating: dimension / count, count: try checkedParts(count))
      return try add(Split(axis: axis, sizes: sizes), [value])
    }
    guard let list = splits.array, list.allSatisfy({ $0.integer != nil }) else {
      throw unexpected("the parts", splits, "whole numbers")
    }
    var sizes = list.compactMap(\.integer)
    if case .operation = name {
      guard let dimension else {
        throw .unsupported("the size of axis \(axis) is not known: \(type)")
      }
      sizes = zip([0] + sizes, sizes + [dimension]).map { $1.subtractingReportingOverflow($0).0 }
    } else if let inferred = sizes.firstIndex(of: -1), let dimension {
      let sumOfOthers = sizes.reduce(1) { $0.addingReportingOverflow($1).0 }
      sizes[inferred] = dimension.subtractingReportingOverflow(sumOfOthers).0
    }
    guard !sizes.isEmpty, sizes.allSatisfy({ $0 >= 0 }) else {
      throw .unsupported("cuts axis \(axis) of \(type) into \(sizes), expected sizes of at least 0")
    }
    return try add(Split(axis: axis, sizes: sizes), [value])
  }

  /// Adds equal parts along an axis of unknown size, which is a multiple of their number.
  mutating func addEqualParts(
    of value: ValueID, _ axis: Int, _ count: Int
  ) throws(WeighbridgeError) -> [ValueID] {
    guard count >= 1 else { throw .malformed("is cut into \(count) parts, expected at least 1") }
    var sizes = type(of: value).shape.indices.map { ReshapeAxes.Size.axis($0) }
    sizes.replaceSubrange(axis...axis, with: [.fixed(count), .rest])
    let parts = try part(ReshapeAxes(sizes), value)
    var outputs: [ValueID] = []
    for index in 0..<count {
      let slice = try sliced(parts, axis: axis, from: index, to: index + 1)
      outputs += try add(Squeeze(axes: [axis]), [slice], role: index == 0 ? "" : "\(index)")
    }
    return outputs
  }

  /// Adds a roll: elements that leave an axis at one end re-enter at the other.
  fileprivate mutating func addRoll() throws(WeighbridgeError) -> [ValueID] {
    var value = try tensor("x", "input", at: 0)
    let shifts = try integers("shift", at: 1) ?? []
    guard let written = try integers("axis") else { return try addRoll(ofAll: value, by: shifts) }
    let axes = try written.map { (axis) throws(WeighbridgeError) in
      try KerasLayer.axis(axis, of: type(of: value))
    }
    guard shifts.count == axes.count, !axes.isEmpty else {
      throw .unsupported(
        "rolls by \(shifts) along the axes \(axes), expected a "
          + "shift for each axis")
    }
    for (position, (shift, axis)) in zip(shifts, axes).enumerated() {
      guard let dimension = type(of: value).shape[axis].value, dimension > 0 else {
        throw .unsupported("the size of axis \(axis) is not known: \(type(of: value))")
      }
      // The number of last elements that move to the beginning.
      let count = ((shift % dimension) + dimension) % dimension
      let role = position == axes.count - 1 ? "" : "roll_\(position)"
      let parts = try add(
        Split(axis: axis, sizes: [dimension - count, count]), [value], role: "split")
      value = try addOne(Concatenate(axis: axis), [parts[1], parts[0]], role: role)
    }
    return [value]
  }

  /// Adds a roll of all elements in row-major order.
  private mutating func addRoll(
    ofAll value: ValueID, by shifts: [Int]
  ) throws(WeighbridgeError) -> [ValueID] {
    let shape = type(of: value).shape
    // Without the axis of unknown size, a multiple of which are all elements.
    let count = shape.compactMap(\.value).reduce(1, *)
    let unknown = shape.count { $0.value == nil }
    guard shifts.count == 1, count > 0, unknown == 0 || shifts[0].magnitude <= count, unknown <= 1
    else {
      throw .unsupported(
        "rolls all elements of \(type(of: value)) by \(shifts), expected one shift, and known sizes"
      )
    }
    let shift = unknown == 0 ? shifts[0] % count : shifts[0]
    if shift == 0 { return try add(Identity(), [value]) }
    let elements = try part(ReshapeAxes([.rest]), value)
    let last = try part(Slice([.init(axis: 0, start: -shift, stop: nil, step: 1)]), elements)
    let first = try part(Slice([.init(axis: 0, start: 0, stop: -shift, step: 1)]), elements)
    let rolled = try part(Concatenate(axis: 0), last, first)
    return try add(ReshapeAxes(shape.map { $0.value.map { .fixed($0) } ?? .rest }), [rolled])
  }

  fileprivate mutating func addPad() throws(WeighbridgeError) -> [ValueID] {
    let value = try tensor("x", "tensor", at: 0)
    // In Keras 3 the widths are a setting, and the added value is an argument.
    let setting = try plain("pad_width", "paddings")
    let valuePosition = setting == nil ? nil : 1
    let argument = setting == nil ? try plain("paddings", at: 1) : nil
    guard let written = setting ?? argument else { throw missing("paddings") }
    let rank = type(of: value).rank
    let mode = try string("mode")?.lowercased() ?? "constant"
    guard let kind = Pad.Mode(rawValue: mode) else {
      throw .unsupported("mode=\(mode) is not supported")
    }
    let number = try element(
      try constant("constant_values", at: valuePosition), of: type(of: value).elementType,
      default: 0)
    // One number or one pair applies to all axes.
    let all: [JSONValue] =
      if let one = written.integer {
        Array(repeating: [.integer(one), .integer(one)], count: rank)
      } else if let pair = written.array, pair.count == 2, pair.allSatisfy({ $0.integer != nil }) {
        Array(repeating: written, count: rank)
      } else { written.array ?? [] }
    let pairs = all.map { $0.array?.compactMap(\.integer) ?? [] }
    guard pairs.count == rank, pairs.allSatisfy({ $0.count == 2 && $0[0] >= 0 && $0[1] >= 0 })
    else { throw unexpected("paddings", written, "two numbers for each axis") }
    return try add(
      Pad(before: pairs.map { $0[0] }, after: pairs.map { $0[1] }, mode: kind, value: number),
      [value])
  }
}
