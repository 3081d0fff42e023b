import JSON
import KerasFormat
import LayerCatalog

/// `x[:, 0:4]`, `x[..., ::-1]` and the like.
extension LambdaChain {
  /// Adds the steps of an index applied to the value so far.
  mutating func addItem(_ index: PythonExpression) -> Bool {
    var parts = [index]
    if case .tuple(let list) = index { parts = list }
    if case .value(.tuple(let list)) = index { parts = list.map { .value($0) } }
    var read = TensorItem()
    for (position, part) in parts.enumerated() {
      guard add(part, parts.dropFirst(position + 1), to: &read) else { return false }
    }
    // The batch axis must stay untouched, and no axis beyond the rank may be indexed.
    guard !read.dropped.contains(0), !read.added.contains(0),
      !read.ranges.contains(where: { $0.axis == 0 }),
      shape.map({ read.axis <= $0.count }) ?? true
    else { return false }
    addRanges(read.ranges)
    if !read.dropped.isEmpty { squeeze(read.dropped) }
    if !read.added.isEmpty { expand(read.added) }
    return true
  }

  private func add(
    _ part: PythonExpression, _ rest: ArraySlice<PythonExpression>, to read: inout TensorItem
  ) -> Bool {
    switch part {
    case .value(.none): read.addAxis()
    case .value(.ellipsis):
      guard let shape else { return rest.isEmpty }
      let counted = rest.count { $0 != .value(.none) }
      guard shape.count >= read.axis + counted else { return false }
      read.skip(shape.count - read.axis - counted)
    case .slice(let parts):
      let ends = parts.map { arguments.integers($0) }
      for (part, end) in zip(parts, ends) where part != .value(.none) && end?.count != 1 {
        return false
      }
      let step = ends.count > 2 ? ends[2]?[0] ?? 1 : 1
      guard step != 0, step.magnitude <= 1 << 24 else { return false }
      if parts.allSatisfy({ $0 == .value(.none) }) {
        read.skip(1)
      } else {
        read.addRange(start: ends[0]?[0], stop: ends[1]?[0], step: step)
      }
    default:
      guard let index = arguments.integers(part), index.count == 1, case .value = part else {
        return false
      }
      read.addIndex(index[0])
    }
    return true
  }

  private mutating func addRanges(_ ranges: [Slice.Range]) {
    let isReversed = { (range: Slice.Range) in
      range.step == -1 && range.start == .max && range.stop == .min
    }
    let reversed = ranges.filter(isReversed).map(\.axis)
    if !reversed.isEmpty { addOperator("reverse", ["axes": .integers(reversed)]) }
    let others = ranges.filter { !isReversed($0) }
    guard !others.isEmpty else { return }
    addOperator(
      "slice",
      [
        "axes": .integers(others.map(\.axis)), "starts": .integers(others.map(\.start)),
        "ends": .integers(others.map(\.stop)), "steps": .integers(others.map(\.step)),
      ])
    for range in others {
      if let dimension = shape?[range.axis] { shape?[range.axis] = range.resolved(dimension).count }
    }
  }

  /// Removes axes, in ascending order.
  mutating func squeeze(_ axes: [Int]) {
    addOperator("squeeze", ["axes": .integers(axes)])
    for axis in axes.reversed() where shape?.indices.contains(axis) == true {
      shape?.remove(at: axis)
    }
  }

  /// Adds axes, in ascending order.
  mutating func expand(_ axes: [Int]) {
    addOperator("expand_dims", ["axes": .integers(axes)])
    for axis in axes where axis <= shape?.count ?? -1 { shape?.insert(1, at: axis) }
  }
}
