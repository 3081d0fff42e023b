import Bytes
package import GraphIR
import LayerCatalog

/// Numbers that grow evenly along each axis: element `[i, j, ...]` is `first + i * steps[0] + j * steps[1] + ...`.
private struct Progression {
  let first: Int
  let steps: [Int]

  /// - Returns: `nil` if an element overflows.
  init?(_ first: Int, _ steps: [Int]) {
    guard ([first] + steps).allSatisfy({ $0.magnitude < 1 << 48 }) else { return nil }
    (self.first, self.steps) = (first, steps)
  }

  /// That of a tensor of integers; `nil` if it has none.
  init?(_ tensor: Tensor) {
    guard tensor.elementType.isInteger, !tensor.shape.contains(0), tensor.count <= 1 << 18 else {
      return nil
    }
    let (numbers, shape) = (tensor.wholeNumbers, tensor.shape)
    let strides = shape.indices.map { shape[($0 + 1)...].reduce(1, *) }
    let steps = shape.indices.map { shape[$0] == 1 ? 0 : numbers[strides[$0]] &- numbers[0] }
    self.init(numbers[0], steps)
    for (position, number) in numbers.enumerated() {
      let expected = shape.indices.reduce(first) { sum, axis in
        sum &+ position / strides[axis] % shape[axis] &* steps[axis]
      }
      guard number == expected else { return nil }
    }
  }

  func times(_ factor: Int) -> Progression? {
    let products = ([first] + steps).map { $0.multipliedReportingOverflow(by: factor) }
    guard !products.contains(where: \.overflow) else { return nil }
    return Progression(products[0].partialValue, products.dropFirst().map(\.partialValue))
  }

  /// The sum, broadcast along leading axes.
  func plus(_ other: Progression) -> Progression? {
    let rank = max(steps.count, other.steps.count)
    let terms = [steps, other.steps].map { [Int](repeating: 0, count: rank - $0.count) + $0 }
    return Progression(first + other.first, zip(terms[0], terms[1]).map { $0 + $1 })
  }

  /// The same numbers with other axes of size 1; `nil` if other axes change.
  func reshaped(_ old: TensorType, _ new: TensorType) -> Progression? {
    var kept = old.shape.indices.filter { old.shape[$0] != .fixed(1) }[...]
    var newSteps: [Int] = []
    for dimension in new.shape {
      guard dimension != .fixed(1) else {
        newSteps.append(0)
        continue
      }
      guard let axis = kept.popFirst(), dimension != .unknown, old.shape[axis] == dimension
      else { return nil }
      newSteps.append(steps[axis])
    }
    return kept.isEmpty ? Progression(first, newSteps) : nil
  }
}

extension ValueNetwork {
  /// Returns the value whose elements another one gives in a new order, by computed positions in the flat list of
  /// them, and the axis of that value for each axis that is not of size 1.
  ///
  /// PyTorch's exporter writes a view by strides so: as a sum of ranges.
  ///
  /// - Parameters:
  ///   - list: The flat list.
  ///   - indices: The positions.
  /// - Returns: `nil` if the positions are not known to be those of all elements, along the axes.
  package func rearranged(
    _ list: ValueID, at indices: ValueID
  ) -> (value: ValueID, axes: [Int])? {
    guard graph.type(of: list).rank == 1, case (is ReshapeAxes, let inputs)? = producers[list],
      let progression = progression(of: indices), progression.first == 0
    else { return nil }
    let (sizes, newSizes) = (
      graph.type(of: inputs[0]).shape, graph.type(of: indices).shape
    )
    // The distance in the list between neighbors along each axis, as far as it is known.
    var strides = [Int?](repeating: nil, count: sizes.count)
    var stride: Int? = 1
    for axis in sizes.indices.reversed() {
      strides[axis] = stride
      stride = sizes[axis].value.flatMap { size in
        stride.map { $0.multipliedReportingOverflow(by: size) }
          .flatMap { $0.overflow ? nil : $0.partialValue }
      }
    }
    var axes: [Int] = []
    for (size, step) in zip(newSizes, progression.steps) where size != .fixed(1) {
      let axis = sizes.indices.first {
        sizes[$0] == size && strides[$0] == step && !axes.contains($0)
      }
      guard let axis, size != .unknown else { return nil }
      axes.append(axis)
    }
    guard axes.count == sizes.count(where: { $0 != .fixed(1) }) else { return nil }
    return (inputs[0], axes)
  }

  /// How integers grow, if that is known.
  private func progression(of id: ValueID) -> Progression? {
    var remaining = 64  // sums that others name twice would take long
    return progression(of: id, &remaining)
  }

  private func progression(of id: ValueID, _ remaining: inout Int) -> Progression? {
    remaining -= 1
    let type = graph.type(of: id)
    guard remaining > 0, [.int32, .int64].contains(type.elementType) else { return nil }
    if let constant = graph.constant(of: id) { return Progression(constant) }
    guard let (operation, inputs) = producers[id] else { return nil }
    if let sum = operation as? CumSum {
      let isCount =
        sum.isExclusive && !sum.isReversed && type.rank == 1 && type.shape != [.fixed(1)]
      return isCount && fillValue(of: .computed(inputs[0])) == 1 ? Progression(0, [1]) : nil
    }
    guard inputs.count <= 2 else { return nil }
    if operation is Multiply, inputs.count == 2 {
      for (id, other) in [(inputs[0], inputs[1]), (inputs[1], inputs[0])] {
        guard let factor = graph.constant(of: other), factor.count == 1 else { continue }
        guard graph.type(of: id).shape == type.shape else { return nil }
        return progression(of: id, &remaining)?.times(factor.wholeNumbers[0])
      }
      return nil
    }
    guard let known = progression(of: inputs[0], &remaining) else { return nil }
    switch operation {
    case is Add:
      // An axis of unknown size may be repeated.
      let areKnown = inputs.allSatisfy { input in
        zip(graph.type(of: input).shape.reversed(), type.shape.reversed())
          .allSatisfy { $0 == .fixed(1) || $0 == $1 }
      }
      guard inputs.count == 2, areKnown else { return nil }
      return progression(of: inputs[1], &remaining).flatMap(known.plus)
    case let expansion as ExpandDims:
      var steps = known.steps[...]
      let axes = 0..<type.rank
      return Progression(
        known.first,
        axes.map { expansion.axes.contains($0) ? 0 : steps.popFirst() ?? 0 })
    case is ReshapeAxes: return known.reshaped(graph.type(of: inputs[0]), type)
    case is Cast, is Identity: return known
    default: return nil
    }
  }
}
