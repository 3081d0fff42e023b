package import Bytes
import GraphIR
import LayerCatalog

/// The masks of a slice along axes as TensorFlow has it, with a bit for each of its entries.
package struct StridedSliceMasks {
  private let begin: Int
  private let end: Int
  private let ellipsis: Int
  private let newAxis: Int
  private let shrink: Int

  /// - Parameters:
  ///   - begin: The entries that begin at the start of their axis.
  ///   - end: The entries that go on to the end of their axis.
  ///   - ellipsis: The entry that stands for the axes that are not mentioned.
  ///   - newAxis: The entries that are new axes.
  ///   - shrink: The entries that take one element of their axis, which disappears.
  package init(begin: Int, end: Int, ellipsis: Int, newAxis: Int, shrink: Int) {
    (self.begin, self.end, self.ellipsis) = (begin, end, ellipsis)
    (self.newAxis, self.shrink) = (newAxis, shrink)
  }

  /// What is done along the axes of a tensor.
  struct Plan {
    var ranges: [Slice.Range] = []
    /// The axes of the input that disappear.
    var removed: [Int] = []
    /// The places of new axes in the output.
    var newAxes: [Int] = []
  }

  private static func has(_ mask: Int, _ bit: Int) -> Bool { mask >> bit & 1 == 1 }

  func plan(
    rank: Int, starts: [Int], ends: [Int], steps: [Int]
  ) throws(WeighbridgeError) -> Plan {
    let entries = starts.indices
    let ellipses = entries.filter { Self.has(ellipsis, $0) }
    guard ellipses.count <= 1 else {
      throw .malformed("names the axes that are left out twice, expected once")
    }
    let named = entries.count {
      !Self.has(ellipsis, $0) && !Self.has(newAxis, $0)
    }
    guard named <= rank else { throw .malformed("slices \(named) axes, expected at most \(rank)") }
    var (plan, axis, place) = (Plan(), 0, 0)
    for entry in entries {
      if Self.has(ellipsis, entry) {
        axis += rank - named
        place += rank - named
      } else if Self.has(newAxis, entry) {
        plan.newAxes.append(place)
        place += 1
      } else if Self.has(shrink, entry) {
        let start = starts[entry]
        plan.ranges.append(
          Slice.Range(axis: axis, start: start, stop: start == -1 ? nil : start &+ 1, step: 1))
        plan.removed.append(axis)
        axis += 1
      } else {
        plan.ranges.append(
          Slice.Range(
            axis: axis, start: Self.has(begin, entry) ? nil : starts[entry],
            stop: Self.has(end, entry) ? nil : ends[entry], step: steps[entry]))
        axis += 1
        place += 1
      }
    }
    return plan
  }
}

extension ValueLayer {
  /// Takes ranges along axes, in which masks mark open ends, axes that disappear, new axes, and the
  /// axes that are not mentioned.
  package mutating func slice(
    _ input: SourceValue, starts: [Int], ends: [Int], steps: [Int], _ masks: StridedSliceMasks
  ) throws(WeighbridgeError) -> SourceValue {
    guard starts.count == ends.count, steps.count == starts.count, starts.count <= 32,
      !steps.contains(0)
    else {
      throw malformed(
        "slices from \(starts) to \(ends) in steps of \(steps), and these must have one length and "
          + "no step of 0")
    }
    if starts.isEmpty { return input }
    let plan = try masks.plan(rank: type(input).rank, starts: starts, ends: ends, steps: steps)
    return try sliced(input, plan)
  }

  private mutating func sliced(
    _ input: SourceValue, _ plan: StridedSliceMasks.Plan
  ) throws(WeighbridgeError) -> SourceValue {
    if input.tensor == nil, case .dimensions(let sizes, true, let type) = input,
      plan.newAxes.isEmpty, let range = plan.ranges.first
    {
      let (start, count) = range.resolved(sizes.count)
      let chosen = (0..<count).map { sizes[start + $0 * range.step] }
      guard plan.removed.isEmpty || chosen.count == 1 else {
        throw malformed("takes element \(range.start) of \(sizes.count.counted("size"))")
      }
      return .dimensions(chosen, isList: plan.removed.isEmpty, as: type)
    }
    for axis in plan.removed {
      let range = plan.ranges.first { $0.axis == axis }
      let (size, start) = (type(input).shape[axis].value, range?.start ?? 0)
      if let size, !(-size..<size).contains(start) {
        throw malformed("takes element \(start) of axis \(axis), which has \(size)")
      }
    }
    let ranges = plan.ranges.filter { !$0.isWhole || $0.step < 0 }
    let steps: [(any CatalogOperator)?] = [
      ranges.isEmpty ? nil : Slice(ranges),
      plan.removed.isEmpty ? nil : Squeeze(axes: plan.removed),
      plan.newAxes.isEmpty ? nil : ExpandDims(axes: plan.newAxes),
    ]
    let operations = steps.compactMap(\.self)
    var value = input
    for (position, operation) in operations.enumerated() {
      value = try apply(
        operation, to: value, role: position == operations.count - 1 ? "" : "step_\(position)")
    }
    return value
  }
}
