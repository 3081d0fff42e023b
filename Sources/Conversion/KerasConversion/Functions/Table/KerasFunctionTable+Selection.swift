import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Functions that select and rearrange elements, and are formulas of others.
extension KerasFunctionTable {
  static let selections: [Entry] =
    entries([
      Names(["Vsplit"], 0), Names(["Hsplit"], 1), Names(["Dsplit"], 2), Names(["ArraySplit"], -1),
    ]) { (call, axis: Int) throws(WeighbridgeError) in try call.addParts(along: axis) }
    + others

  private static let others: [Entry] = [
    Entry(["Dstack"]) { (call) throws(WeighbridgeError) in
      let values = try call.tensors("xs", at: 0)
      guard values.allSatisfy({ call.type(of: $0).rank >= 3 }) else {
        throw .unsupported("takes tensors of three axes or more")
      }
      return values.count == 1
        ? try call.add(Identity(), values) : try call.add(Concatenate(axis: 2), values)
    },
    Entry(["SliceUpdate"]) { (call) throws(WeighbridgeError) in try call.addSliceUpdate() },
    Entry(["MultiHot"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("inputs", at: 0)
      let depth = try call.integer("num_classes", default: -1)
      guard (1...1 << 24).contains(depth) else {
        throw .unsupported(
          "num_classes=\(depth), expected 1 "
            + "to 2^24")
      }
      let type = call.type(of: value)
      let axis = try call.axis(of: TensorType(type.elementType, type.shape + [1]), default: -1)
      let elementType = try call.elementType("dtype") ?? .float32
      try call.require("sparse", toBe: false, because: "sparse tensors are not supported")
      let vectors = try call.part(
        OneHot(axis: axis, depth: depth, on: 1, off: 0, elementType: elementType), value)
      // Always the second axis, whatever the axis of the categories is.
      return try call.add(
        Reduce(.maximum, axes: [min(1, type.rank - 1)], keepDims: false), [vectors])
    },
    Entry(["Linspace"], tf: ["linspace"]) { (call) throws(WeighbridgeError) in
      try call.addSteps()
    },
    Entry(["Meshgrid"]) { (call) throws(WeighbridgeError) in try call.addGrid() },
    Entry(tf: ["gather_nd"]) { (call) throws(WeighbridgeError) in try call.addItems() },
    Entry(tf: ["nn.embedding_lookup"]) { (call) throws(WeighbridgeError) in
      let table = try call.tensor("params", at: 0)
      let indices = try call.tensor("ids", at: 1)
      try call.require("max_norm", toBe: .null, because: "rows are not normalized")
      call.ignore("partition_strategy", "validate_indices")
      return try call.add(Gather(axis: 0), [table, indices])
    },
  ]
}

extension KerasFunction {
  /// Adds equal parts, of which the first ones may have one element more.
  ///
  /// - Parameter axis: -1 where it is an argument.
  fileprivate mutating func addParts(along axis: Int) throws(WeighbridgeError) -> [ValueID] {
    let (value, type) = try typedTensor("x", at: 0)
    guard let written = try plain("indices_or_sections", at: 1) else { throw missing("sections") }
    let axis = axis >= 0 ? axis : try self.axis(of: type, default: 0)
    guard axis < type.rank else { throw .malformed("has no axis \(axis): \(type)") }
    let isFree = name == .operation("ArraySplit")
    if let count = written.integer {
      guard (1...10_000).contains(count) else {
        throw .limitExceeded("is cut into \(count) parts, expected 1 to 10000")
      }
      if !isFree, type.shape[axis].value == nil {
        return try addEqualParts(of: value, axis, count)
      }
    }
    let size = try size(axis, of: value)
    var sizes: [Int]
    if let count = written.integer {
      guard isFree || size % count == 0 else {
        throw .malformed("cuts \(size) elements into \(count) parts, which must be equal")
      }
      sizes = (0..<count).map { size / count + ($0 < size % count ? 1 : 0) }
    } else {
      let ends = (written.integers ?? []).map { min(max(0, $0 < 0 ? $0 + size : $0), size) }
      sizes = zip([0] + ends, ends + [size]).map { max(0, $1 - $0) }
      guard sizes.reduce(0, +) == size else {
        throw .unsupported(
          "cuts at \(written.text()), expected ascending "
            + "positions")
      }
    }
    return try add(Split(axis: axis, sizes: sizes), [value])
  }

  /// Replaces a block of a tensor, whose position is known, by another tensor.
  fileprivate mutating func addSliceUpdate() throws(WeighbridgeError) -> [ValueID] {
    let inputs = try tensor("inputs", at: 0)
    let type = self.type(of: inputs)
    guard let starts = try integers("start_indices", at: 1), starts.count == type.rank else {
      throw missing("start_indices")
    }
    let updates = try value(try term("updates", at: 2), as: type.elementType)
    guard self.type(of: updates).rank == type.rank else {
      throw .malformed(
        "has updates of another rank than the tensor, which "
          + "must be the same")
    }
    // From the innermost axis on, the block is extended by what stands before and after it.
    var result = updates
    for axis in (0..<type.rank).reversed() {
      let (total, count) = (type.shape[axis], self.type(of: updates).shape[axis])
      if total == count, total != .unknown, starts[axis] == 0 { continue }
      let (size, part) = (try size(axis, of: inputs), try self.size(axis, of: updates))
      let start = min(max(0, starts[axis]), size - part)
      guard part <= size else {
        throw .malformed(
          "updates \(part.counted("element")), and there are only "
            + "\(size)")
      }
      var around = inputs
      for outer in 0..<axis where type.shape[outer] != self.type(of: updates).shape[outer] {
        let count = try self.size(outer, of: updates)
        let first = min(max(0, starts[outer]), try self.size(outer, of: inputs) - count)
        around = try sliced(around, axis: outer, from: first, to: first + count)
      }
      var parts: [ValueID] = []
      if start > 0 { parts.append(try sliced(around, axis: axis, from: 0, to: start)) }
      parts.append(result)
      if start + part < size { parts.append(try sliced(around, axis: axis, from: start + part)) }
      if parts.count > 1 {
        result = try layer.add(Concatenate(axis: axis), parts, role: "joined")[0]
      }
    }
    return try self.result(result)
  }

  /// Adds numbers at equal distances between two tensors, along a new axis.
  fileprivate mutating func addSteps() throws(WeighbridgeError) -> [ValueID] {
    var values = try unified(
      [try term("start", at: 0), try term("stop", at: 1)], sharesRank: true)
    for index in values.indices { values[index] = try floating(values[index]) }
    let count = try integer("num", at: 2, default: 50)
    let includesEnd = try flag("endpoint", default: true)
    try require("retstep", toBe: false, because: "the step is not returned")
    try require("dtype", toBe: .null, because: "the type is that of the ends")
    guard (1...1 << 20).contains(count) else {
      throw .unsupported(
        "num=\(count), expected 1 "
          + "to 2^20")
    }
    let type = self.type(of: values[0])
    let axis = try axis(of: TensorType(type.elementType, type.shape + [1]), default: 0)
    for index in values.indices {
      values[index] = try part(ExpandDims(axes: [axis]), values[index])
    }
    let divisor = Double(includesEnd ? max(1, count - 1) : count)
    let distance = try difference(values[1], values[0])
    let step = try quotient(distance, try number(divisor, like: distance))
    var shape = [Int](repeating: 1, count: type.rank + 1)
    shape[axis] = count
    let numbers = try add(
      constant: Tensor(type.elementType, shape: shape, (0..<count).map { Double($0) }))
    let steps = try sum(values[0], try product(step, numbers))
    guard includesEnd, count > 1 else { return try result(steps) }
    return try add(
      Concatenate(axis: axis), [try sliced(steps, axis: axis, from: 0, to: count - 1), values[1]])
  }

  /// Adds coordinates of a grid, one tensor for each vector.
  fileprivate mutating func addGrid() throws(WeighbridgeError) -> [ValueID] {
    let vectors = try takeRest(from: 0).map { (operand) throws(WeighbridgeError) in
      try unified([try term(operand)], sharesRank: false)[0]
    }
    let indexing = try string("indexing") ?? "xy"
    guard vectors.allSatisfy({ type(of: $0).rank == 1 }), ["xy", "ij"].contains(indexing) else {
      throw .unsupported(
        "makes a grid of other tensors than vectors, or with another indexing than xy and ij; "
          + "only those can be read")
    }
    let sizes = try vectors.map { (vector) throws(WeighbridgeError) in try size(0, of: vector) }
    var order = Array(0..<vectors.count)
    if indexing == "xy", order.count >= 2 { order.swapAt(0, 1) }
    var outputs: [ValueID] = []
    for (index, vector) in vectors.enumerated() {
      let axis = order[index]
      let others = order.indices.filter { $0 != axis }
      let aligned = others.isEmpty ? vector : try part(ExpandDims(axes: others), vector)
      outputs += try add(
        BroadcastTo(target: order.map { sizes[$0] }), [aligned], role: index == 0 ? "" : "\(index)")
    }
    return outputs
  }

  /// Adds `gather_nd`: an index of several axes becomes one of their product.
  fileprivate mutating func addItems() throws(WeighbridgeError) -> [ValueID] {
    let (value, type) = try typedTensor("params", at: 0)
    let (indices, written) = try itemIndices()
    let batch = try integer("batch_dims", default: 0)
    try require("bad_indices_policy", toBe: "", because: "an index out of range is an error")
    let indicesType = self.type(of: indices)
    guard batch >= 0, batch < indicesType.rank, !indicesType.elementType.isFloat else {
      throw .malformed(
        "batch_dims=\(batch) of \(indicesType), expected fewer than its axes, and whole "
          + "numbers")
    }
    let count = try size(indicesType.rank - 1, of: indices)
    guard count >= 1, batch + count <= type.rank else {
      throw .unsupported("takes \(count) indices of \(type) after \(batch.counted("batch axis"))")
    }
    var strides = [Int](repeating: 1, count: count)
    for axis in (1..<count).reversed() {
      strides[axis - 1] = try Checked.product(
        [strides[axis], try size(batch + axis, of: value)], of: "params")
    }
    let limits = (0..<count).map { axis in
      // That of an open first axis is checked when the model runs.
      type.shape[batch + axis].value ?? (axis == 0 ? Int(Int32.max) / max(1, strides[0]) : 0)
    }
    if let written { try checkItems(written, below: limits, of: type) }
    let items = try written == nil ? validItems(indices, below: limits) : indices
    var (table, places) = (value, items)
    if count > 1 {
      let axes = (0..<type.rank).map { ReshapeAxes.Size.axis($0) }
      table = try part(
        ReshapeAxes(axes[..<batch] + [.rest] + axes[(batch + count)...]), value)
      places = try part(Multiply(), places, try row(strides, like: places))
      places = try reduced(.sum, places, [indicesType.rank - 1], keepDims: false)
    } else {
      places = try part(Squeeze(axes: [indicesType.rank - 1]), places)
    }
    return try add(Gather(axis: batch, batchAxes: batch), [table, places])
  }

  /// The indices, and their numbers where these are constant.
  private mutating func itemIndices() throws(WeighbridgeError) -> (ValueID, [Double]?) {
    switch try term("indices", at: 1) {
    case .constant(let constant):
      let tensor = try constant.tensor(.int32)
      return (try add(constant: tensor), tensor.doubles)
    case .value(let value): return (value, nil)
    }
  }

  private func checkItems(
    _ indices: [Double], below limits: [Int], of type: TensorType
  ) throws(WeighbridgeError) {
    for (position, index) in indices.enumerated() {
      let limit = limits[position % limits.count]
      guard index >= 0, index < Double(limit) else {
        throw .malformed("takes an item at the index \(Int(index)) of \(type)")
      }
    }
  }

  /// Replaces the indices of an item that is not there by ones beyond every axis, which are an error
  /// when the model runs, as in TensorFlow. The sum of an item's places does not show it.
  private mutating func validItems(
    _ indices: ValueID, below limits: [Int]
  ) throws(WeighbridgeError) -> ValueID {
    let last = type(of: indices).rank - 1
    let indices = try value(.value(indices), as: .int64)
    let isBelow = try part(Comparison(.less), indices, try row(limits, like: indices))
    let isNatural = try part(
      Comparison(.greaterOrEqual), indices, try number(0, like: indices))
    let isThere = try reduced(
      .all, try part(LogicalAnd(), isBelow, isNatural), [last], keepDims: true)
    return try part(Where(), isThere, indices, try number(0x1p31, like: indices))
  }

  /// A constant of one number for each index of a tensor's last axis.
  private mutating func row(
    _ numbers: [Int], like value: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let type = self.type(of: value)
    let ones = [Int](repeating: 1, count: type.rank - 1)
    return try add(
      constant: Tensor(type.elementType, shape: ones + [numbers.count], numbers.map(Double.init)))
  }
}
