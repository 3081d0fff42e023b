import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Functions that repeat elements as often as numbers or sizes of tensors say.
extension KerasFunction {
  /// Adds `broadcast_to`. A size of -1 keeps that of the tensor.
  mutating func addBroadcast() throws(WeighbridgeError) -> [ValueID] {
    var value = try tensor("x", "input", at: 0)
    let sizes = try sizes("shape", at: 1)
    guard sizes.count >= type(of: value).rank else {
      throw .malformed("\(type(of: value)) has more axes than it is repeated to")
    }
    value = try expanded(value, rank: sizes.count)
    return try result(try repeated(value, to: sizes))
  }

  /// Repeats the elements along axes of size 1.
  private mutating func repeated(
    _ value: ValueID, to sizes: [Size]
  ) throws(WeighbridgeError) -> ValueID {
    let input = type(of: value)
    var target = [Int](repeating: -1, count: sizes.count)
    var open: [(axis: Int, origin: KnownDimensions.Origin)] = []
    for (axis, size) in sizes.enumerated() {
      switch size {
      case .fixed(let number):
        guard number >= -1 else {
          throw .malformed(
            "repeats \(input) to the size \(number), expected at least 0, "
              + "or -1 for its own")
        }
        target[axis] = number
      case .open(let origin):
        let dimension = type(of: origin.value).shape[origin.axis]
        let isOwn = dimension == input.shape[axis] && dimension != .unknown && origin.offset == 0
        if !isOwn { open.append((axis, origin)) }
      }
    }
    let broadcast =
      target.allSatisfy { $0 == -1 } ? value : try part(BroadcastTo(target: target), value)
    if open.isEmpty { return broadcast }
    let zeros = try zeros(open, rank: sizes.count)
    // Wherever the sizes are, the condition is true.
    let condition = try part(Comparison(.equal), zeros, zeros)
    return try part(Where(), condition, broadcast, broadcast)
  }

  /// Adds `tile`: copies of the whole tensor one after another along its axes.
  mutating func addTile() throws(WeighbridgeError) -> [ValueID] {
    var value = try tensor("x", "input", at: 0)
    guard let operand = take("repeats", "multiples", at: 1) else { throw missing("repeats") }
    var counts = try sizes(operand, as: "repeats")
    value = try expanded(value, rank: counts.count)
    let missing = type(of: value).rank - counts.count
    counts = [Size](repeating: .fixed(1), count: missing) + counts
    let fixed = counts.compactMap { if case .fixed(let number) = $0 { number } else { nil } }
    guard fixed.allSatisfy({ $0 >= 0 }) else {
      throw .malformed(
        "repeats \(fixed) times, expected at "
          + "least 0")
    }
    if fixed.count == counts.count { return try add(Tile(counts: fixed), [value]) }
    for (axis, count) in counts.enumerated() {
      value = try copied(value, axis: axis, count: count, each: false)
    }
    return try result(value)
  }

  /// Adds `repeat`: copies of each element next to each other along an axis.
  mutating func addRepeat() throws(WeighbridgeError) -> [ValueID] {
    var value = try tensor("x", "input", at: 0)
    guard let operand = take("repeats", "rep", at: 1) else { throw missing("repeats") }
    let counts = try sizes(operand, as: "repeats")
    let axis = try axisOrFlattened(&value)
    guard counts.count != 1 else {
      if case .fixed(let count) = counts[0] {
        guard count >= 0 else { throw .malformed("repeats=\(count), expected at least 0") }
        return try add(Repeat(axis: axis, count: count), [value])
      }
      return try result(try copied(value, axis: axis, count: counts[0], each: true))
    }
    // A count for each element.
    let size = try size(axis, of: value)
    var indices: [Double] = []
    for (index, count) in counts.enumerated() {
      guard case .fixed(let number) = count, (0...1 << 20).contains(number) else {
        throw .unsupported("repeats elements as often as sizes say that are not known")
      }
      indices += [Double](repeating: Double(index), count: number)
    }
    guard counts.count == size else {
      throw .malformed("has \(counts.count) counts, expected one for each of \(size) elements")
    }
    let places = try add(constant: Tensor(.int32, shape: [indices.count], indices))
    return try add(Gather(axis: axis), [value, places])
  }

  /// Copies along an axis: of the whole, or each element next to its copies.
  private mutating func copied(
    _ value: ValueID, axis: Int, count: Size, each: Bool
  ) throws(WeighbridgeError) -> ValueID {
    let type = self.type(of: value)
    switch count {
    case .fixed(1): return value
    case .fixed(let number):
      var counts = [Int](repeating: 1, count: type.rank)
      counts[axis] = number
      return try part(Tile(counts: counts), value)
    case .open(let origin):
      if type.shape[axis] == 1 {
        var sizes = [Size](repeating: .fixed(-1), count: type.rank)
        sizes[axis] = .open(origin)
        return try repeated(value, to: sizes)
      }
      let place = each ? axis + 1 : axis
      let expanded = try part(ExpandDims(axes: [place]), value)
      var sizes = [Size](repeating: .fixed(-1), count: type.rank + 1)
      sizes[place] = .open(origin)
      var merged = (0...type.rank).map { ReshapeAxes.Size.axis($0) }
      merged.replaceSubrange(axis...axis + 1, with: [.rest])
      return try part(ReshapeAxes(merged), try repeated(expanded, to: sizes))
    }
  }
}
