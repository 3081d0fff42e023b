import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Functions that create tensors from numbers and from sizes of other tensors.
extension KerasFunctionTable {
  static let creation =
    entries([Names(tf: ["zeros"], 0.0), Names(tf: ["ones"], 1.0)]) {
      (call, number) throws(WeighbridgeError) in
      let sizes = try call.sizes("shape", at: 0)
      return try call.addFilled(sizes, with: number, call.elementType("dtype") ?? .float32)
    } + others

  private static let others: [Entry] = [
    Entry(tf: ["fill"]) { (call) throws(WeighbridgeError) in
      let sizes = try call.sizes("dims", at: 0)
      guard let value = try call.plain("value", at: 1), let number = value.real else {
        throw call.missing("value")
      }
      // A node of a graph states the type.
      let type = try call.elementType("dtype") ?? (value.integer == nil ? .float32 : .int32)
      return try call.addFilled(sizes, with: number, type)
    },
    Entry(tf: ["range", "keras.backend.arange"]) { (call) throws(WeighbridgeError) in
      try call.addRange()
    },
    Entry(tf: ["sequence_mask"]) { (call) throws(WeighbridgeError) in
      try call.addSequenceMask()
    },
  ]
}

extension KerasFunction {
  /// The size of an axis of a tensor to be made: a number, or that of an axis of another tensor.
  enum Size {
    case fixed(Int)
    case open(KnownDimensions.Origin)
  }

  /// The largest number of elements of such a tensor, more than any model needs.
  private static let limit = 1 << 24

  /// Takes sizes.
  mutating func sizes(_ name: String, at position: Int) throws(WeighbridgeError) -> [Size] {
    guard let operand = take(name, at: position) else { throw missing(name) }
    return try sizes(operand, as: name)
  }

  /// The sizes that an argument states; -1 stays a number.
  func sizes(_ operand: KerasOperand, as name: String) throws(WeighbridgeError) -> [Size] {
    switch operand {
    case .tensor(let input):
      let value = try value(input)
      guard let known = layer.network.knownDimensions[value] else {
        throw .unsupported("\(name) is a tensor whose numbers are not known before the model runs")
      }
      var sizes: [Size] = []
      for (dimension, origin) in zip(known.dimensions, known.origins) {
        if let number = dimension.value {
          sizes.append(.fixed(number))
        } else if let origin {
          sizes.append(.open(origin))
        } else {
          throw .unsupported("\(name) is computed from sizes that are not known")
        }
      }
      return sizes
    case .list(let parts):
      var sizes: [Size] = []
      for part in parts { sizes += try self.sizes(part, as: name) }
      return sizes
    default:
      let json = try plain(operand, as: name)
      guard let numbers = json.integer.map({ [$0] }) ?? json.integers else {
        throw unexpected(name, json, "whole numbers")
      }
      return numbers.map { .fixed($0) }
    }
  }

  fileprivate mutating func addFilled(
    _ sizes: [Size], with number: Double, _ type: ElementType
  ) throws(WeighbridgeError) -> [ValueID] {
    var (fixed, open): ([Int], [(axis: Int, origin: KnownDimensions.Origin)]) = ([], [])
    for (axis, size) in sizes.enumerated() {
      switch size {
      case .fixed(let number): fixed.append(number)
      case .open(let origin):
        fixed.append(1)
        open.append((axis, origin))
      }
    }
    guard sizes.count <= 32, fixed.allSatisfy({ $0 >= 0 }),
      try Checked.product(fixed, of: "the size of the tensor") <= Self.limit
    else {
      throw .limitExceeded(
        "makes a tensor of the shape \(fixed), expected at most \(Self.limit) "
          + "elements")
    }
    guard !open.isEmpty else {
      let count = fixed.reduce(1, *)
      return try addConstant(Tensor(type, shape: fixed, [Double](repeating: number, count: count)))
    }
    let zeros = try zeros(open, rank: sizes.count)
    let target = fixed.indices.map { axis in open.contains { $0.axis == axis } ? -1 : fixed[axis] }
    let broadcast = try part(BroadcastTo(target: target), zeros)
    return try add(FullLike(value: number), [try value(.value(broadcast), as: type)])
  }

  /// Adds int32 zeros of a rank whose only sizes other than 1 are those of axes of other tensors.
  mutating func zeros(
    _ open: [(axis: Int, origin: KnownDimensions.Origin)], rank: Int
  ) throws(WeighbridgeError) -> ValueID {
    var result: ValueID?
    for (axis, origin) in open {
      let vector = try zeros(origin)
      let axes = (0..<rank).filter { $0 != axis }
      let aligned = axes.isEmpty ? vector : try part(ExpandDims(axes: axes), vector)
      if let other = result {
        result = try sum(other, aligned)
      } else {
        result = aligned
      }
    }
    guard let result else {
      throw .malformed("makes a tensor of known sizes only, and one must be unknown")
    }
    return result
  }

  /// Adds a vector of int32 zeros, one for each index of an axis of a tensor.
  private mutating func zeros(
    _ origin: KnownDimensions.Origin
  ) throws(WeighbridgeError) -> ValueID {
    let others = (0..<type(of: origin.value).rank).filter { $0 != origin.axis }
    // One element of each other axis is enough.
    let ranges = others.map { Slice.Range(axis: $0, start: 0, stop: 1, step: 1) }
    let line = ranges.isEmpty ? origin.value : try part(Slice(ranges), origin.value)
    let zeros = try value(.value(try part(FullLike(value: 0), line)), as: .int32)
    let vector = others.isEmpty ? zeros : try reduced(.sum, zeros, others, keepDims: false)
    if origin.offset == 0 { return vector }
    guard origin.offset < 0 else {
      return try part(
        Pad(before: [0], after: [origin.offset], mode: .constant, value: 0), vector)
    }
    return try sliced(vector, axis: 0, to: origin.offset)
  }

  fileprivate mutating func addRange() throws(WeighbridgeError) -> [ValueID] {
    guard let first = try bound("start", at: 0) else { throw missing("start") }
    var bounds = [Size.fixed(0), first]
    if let limit = try bound("limit", "stop", at: 1) { bounds = [bounds[1], limit] }
    var step = 1
    if let written = try plain("delta", "step", at: 2) {
      guard let number = written.integer else { throw unexpected("delta", written, "an integer") }
      step = number
    }
    let type = try elementType("dtype") ?? .int32
    switch (bounds[0], bounds[1]) {
    case (.fixed(let start), .fixed(let limit)): return try addRange(start, limit, step, type)
    case (.fixed(let start), .open(let end)) where step > 0:
      let numbers = try counted(from: start, to: end)
      return try result(try sliced(numbers, axis: 0, step: step), as: type)
    case (.open(let end), .fixed(let limit)) where step < 0:
      // The numbers limit + 1, ..., start, from the last one on.
      guard limit.magnitude < Self.limit, end.offset.magnitude <= Self.limit else {
        throw .limitExceeded("counts down to \(limit), which is more than \(Self.limit) from 0")
      }
      var last = end
      last.offset += 1
      let numbers = try counted(from: limit + 1, to: last)
      return try result(
        try part(Slice([.init(axis: 0, start: nil, stop: nil, step: step)]), numbers), as: type)
    default:
      throw .unsupported(
        "counts between two sizes, or away from one; only from a number to a size, or back, can "
          + "be read")
    }
  }

  private mutating func bound(
    _ names: String..., at position: Int
  ) throws(WeighbridgeError) -> Size? {
    guard let operand = take(names, at: position) else { return nil }
    let sizes = try sizes(operand, as: names[0])
    guard sizes.count == 1 else { throw .malformed("\(names[0]) is not one number") }
    return sizes[0]
  }

  /// Adds the int32 numbers from a start to a size, exclusive.
  fileprivate mutating func counted(
    from start: Int, to end: KnownDimensions.Origin
  ) throws(WeighbridgeError) -> ValueID {
    guard start.magnitude <= Self.limit, end.offset.magnitude <= Self.limit else {
      throw .limitExceeded("counts from \(start), which is more than \(Self.limit) from 0")
    }
    var origin = end
    origin.offset -= start
    let ones = try part(FullLike(value: 1), try zeros(origin))
    let numbers = try part(CumSum(axis: 0, isExclusive: true, isReversed: false), ones)
    return start == 0
      ? numbers : try sum(numbers, try add(constant: Tensor(.int32, shape: [1], [Double(start)])))
  }

  private mutating func addRange(
    _ start: Int, _ limit: Int, _ step: Int, _ type: ElementType
  ) throws(WeighbridgeError) -> [ValueID] {
    guard step != 0, max(start.magnitude, limit.magnitude) <= Self.limit else {
      throw .limitExceeded(
        "counts from \(start) to \(limit) by \(step), expected a step other than 0 and at most "
          + "\(Self.limit)")
    }
    let numbers = stride(from: start, to: limit, by: step).map(Double.init)
    return try addConstant(Tensor(type, shape: [numbers.count], numbers))
  }

  /// Adds a constant as the function's result.
  mutating func addConstant(_ tensor: Tensor) throws(WeighbridgeError) -> [ValueID] {
    let outputs = try add(Identity(), [try add(constant: tensor)])
    noteConstant(tensor, outputs[0])
    return outputs
  }

  /// Adds whether each position is below a length, along a new last axis.
  fileprivate mutating func addSequenceMask() throws(WeighbridgeError) -> [ValueID] {
    let lengths = try tensor("lengths", at: 0)
    guard !type(of: lengths).elementType.isFloat else { throw .malformed("takes whole numbers") }
    guard let limit = try bound("maxlen", at: 1) else {
      throw .unsupported("maxlen is missing, and the result's size then depends on the numbers")
    }
    let type = try elementType("dtype") ?? .bool
    let positions: ValueID
    switch limit {
    case .fixed(let count):
      guard (0...Self.limit).contains(count) else {
        throw .limitExceeded(
          "maxlen=\(count), expected 0 to "
            + "\(Self.limit)")
      }
      positions = try add(
        constant: Tensor(.int32, shape: [count], (0..<count).map { Double($0) }))
    case .open(let origin): positions = try counted(from: 0, to: origin)
    }
    let column = try part(ExpandDims(axes: [self.type(of: lengths).rank]), lengths)
    let typed = try value(.value(positions), as: self.type(of: column).elementType)
    let (row, bound) = try sameRank(typed, column)
    guard type != .bool else { return try add(Comparison(.less), [row, bound]) }
    return try add(Cast(to: type), [try part(Comparison(.less), row, bound)])
  }
}
