package import Bytes
package import GraphIR

/// Ranges of elements along some axes, with a step, as in Python's slices.
///
/// - input: any shape and element type
/// - output: the same axes, with the sizes of the ranges
///
/// The largest and the smallest 64-bit integers stand for ends that are not given.
package struct Slice: ExactOperator {
  /// The range along one axis.
  package struct Range: Hashable, Sendable {
    /// The axis; the first is 0.
    package let axis: Int
    /// The first element.
    package let start: Int
    /// The index at which it ends, exclusive.
    package let stop: Int
    /// The distance from one element to the next, not 0.
    package let step: Int

    /// Creates a range; a `nil` end is that of the axis.
    package init(axis: Int, start: Int?, stop: Int?, step: Int) {
      self.axis = axis
      self.start = start ?? (step > 0 ? 0 : .max)
      self.stop = stop ?? (step > 0 ? .max : .min)
      self.step = step
    }

    /// The index of the first element and the number of elements, for an axis of a given size.
    package func resolved(_ dimension: Int) -> (start: Int, count: Int) {
      let bounds = step > 0 ? 0...dimension : -1...max(-1, dimension - 1)
      func clamped(_ index: Int) -> Int {
        let fromStart = index < 0 ? max(index, -dimension - 1) + dimension : index
        return min(max(fromStart, bounds.lowerBound), bounds.upperBound)
      }
      let (first, end) = (clamped(start), clamped(stop))
      let distance = step > 0 ? end - first : first - end
      let count = distance <= 0 ? 0 : (distance - 1) / max(1, Int(clamping: step.magnitude)) + 1
      return (first, count)
    }

    /// Whether it includes every element.
    package var isWhole: Bool {
      step == 1 && start == 0 && stop == .max || step == -1 && start == .max && stop == .min
    }
  }

  /// The ranges, by ascending axes.
  package let ranges: [Range]

  package static let kind = "slice"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    Along axes[i], of n elements, with start, end and step = starts[i], ends[i] and steps[i]:
    lowest, highest = 0, n if step > 0, else -1, n - 1
    start, end: n is added if below 0, then clamped to lowest...highest
    count = max(0, ceil((end - start) / step))
    output[j] = input[start + j * step], for j from 0 to count - 1
    """,
    of: .any,
    attributes: AttributeSchema(
      { (axes, starts, stops, steps) in
        Self(
          axes.indices.map {
            Range(axis: axes[$0], start: starts[$0], stop: stops[$0], step: steps[$0])
          })
      },
      .axes(
        { @Sendable in $0.ranges.map(\.axis) }, "The axes along which ranges are selected.",
        atLeast: 0),
      .integers(
        "starts", { @Sendable in $0.ranges.map(\.start) }, "The start of the range.",
        .countOf("axes")),
      .integers(
        "ends", { @Sendable in $0.ranges.map(\.stop) },
        "The end of the range, exclusive.", .countOf("axes")),
      .integers(
        "steps", { @Sendable in $0.ranges.map(\.step) },
        "The distance from one element to the next.",
        .countOf("axes"), .notZero)))

  /// Creates the operator.
  package init(_ ranges: [Range]) { self.ranges = ranges }
}

extension Slice {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    var shape = inputs[0].shape
    for range in ranges {
      guard range.axis < shape.count else {
        throw ShapeError("cannot slice axis \(range.axis) of \(inputs[0])")
      }
      if range.isWhole { continue }
      shape[range.axis] = try shape[range.axis].map { range.resolved($0).count }
    }
    return [inputs[0].with(shape: shape)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    var result = inputs[0]
    for range in ranges {
      let (start, count) = range.resolved(result.shape[range.axis])
      result = result.strided(along: range.axis, from: start, count: count, step: range.step)
    }
    return [result]
  }

  package func permutingAxes(_ axes: [Int]) -> Slice? {
    let permutedRanges = axes.enumerated().compactMap { newAxis, axis in
      ranges.first { $0.axis == axis }.map {
        Range(axis: newAxis, start: $0.start, stop: $0.stop, step: $0.step)
      }
    }
    return permutedRanges.count == ranges.count ? Slice(permutedRanges) : nil
  }

  /// A range with a step is split into groups of `step` elements, of which the first are taken; the
  /// last element is concatenated.
  package var decomposition: Decomposition {
    if ranges.allSatisfy({ $0.step == 1 }) { return .primitive }
    return Composition.of { [self] (make) throws(WeighbridgeError) in
      var result = make.inputs[0]
      for range in ranges {
        let size = try make.size(result, axis: range.axis)
        var (start, count) = range.resolved(size)
        if range.step < 0 {
          result = try make(Reverse(axes: [range.axis]), result)
          start = size - 1 - start
        }
        result = try strided(
          result, from: start, count, by: Int(range.step.magnitude), axis: range.axis, &make)
      }
      return result
    }
  }

  private func strided(
    _ x: ValueID, from start: Int, _ count: Int, by step: Int, axis: Int,
    _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    guard count > 1, step > 1 else {
      return try make.slice(x, min(start, start + count)..<start + count, axis: axis)
    }
    let last = start + (count - 1) * step
    var dimensions = (0..<make.type(x).rank).map { ReshapeAxes.Size.axis($0) }
    dimensions.replaceSubrange(axis...axis, with: [.fixed(count - 1), .fixed(step)])
    let groups = try make(ReshapeAxes(dimensions), try make.slice(x, start..<last, axis: axis))
    let firstElements = try make(
      Squeeze(axes: [axis + 1]), try make.slice(groups, 0..<1, axis: axis + 1))
    return try make(
      Concatenate(axis: axis), firstElements, try make.slice(x, last..<last + 1, axis: axis))
  }
}
