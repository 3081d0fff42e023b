import JSON
import KerasFormat
import LayerCatalog

/// Indexing expressions such as `x[:, 0:4]` and `x[..., ::-1]`.
extension LambdaChain {
  /// Adds the steps of an index applied to the value so far.
  mutating func addItem(_ index: PythonExpression) -> Bool {
    var parts = [index]
    if case .tuple(let list) = index { parts = list }
    if case .value(.tuple(let list)) = index { parts = list.map { .value($0) } }
    var item = TensorItem()
    for (position, part) in parts.enumerated() {
      guard add(part, parts.dropFirst(position + 1), to: &item) else { return false }
    }
    // The batch axis must be kept whole, and no axis beyond the rank may be indexed.
    guard !item.dropped.contains(0), !item.added.contains(0),
      !item.ranges.contains(where: { $0.axis == 0 }),
      shape.map({ item.axis <= $0.count }) ?? true
    else { return false }
    addRanges(item.ranges)
    if !item.dropped.isEmpty { squeeze(item.dropped) }
    if !item.added.isEmpty { expand(item.added) }
    return true
  }

  private func add(
    _ part: PythonExpression, _ rest: ArraySlice<PythonExpression>, to item: inout TensorItem
  ) -> Bool {
    switch part {
    case .value(.none): item.addAxis()
    case .value(.ellipsis):
      guard let shape else { return rest.isEmpty }
      let indexedCount = rest.count { $0 != .value(.none) }
      guard shape.count >= item.axis + indexedCount else { return false }
      item.skip(shape.count - item.axis - indexedCount)
    case .slice(let parts):
      let bounds = parts.map { arguments.integers($0) }
      for (part, bound) in zip(parts, bounds) where part != .value(.none) && bound?.count != 1 {
        return false
      }
      let step = bounds.count > 2 ? bounds[2]?[0] ?? 1 : 1
      guard step != 0, step.magnitude <= 1 << 24 else { return false }
      if parts.allSatisfy({ $0 == .value(.none) }) {
        item.skip(1)
      } else {
        item.addRange(start: bounds[0]?[0], stop: bounds[1]?[0], step: step)
      }
    default:
      guard let index = arguments.integers(part), index.count == 1, case .value = part else {
        return false
      }
      item.addIndex(index[0])
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
