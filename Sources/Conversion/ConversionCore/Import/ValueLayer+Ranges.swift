package import Bytes
import GraphIR
import LayerCatalog

/// Numbers in equal steps.
extension ValueLayer {
  /// Returns the numbers from a start to an end, computed at once if these are constant.
  ///
  /// - Parameters:
  ///   - limits: The start, the end and the step: one number of one type each.
  ///   - role: The role of the node that gives the numbers; empty for the one that gives its output.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for several numbers, and for a step of 0.
  package mutating func range(
    from start: SourceValue, to end: SourceValue, by step: SourceValue, role: String
  ) throws(WeighbridgeError) -> SourceValue {
    let (limits, elementType) = ([start, end, step], type(start).elementType)
    guard limits.allSatisfy({ isNumber($0, elementType) }), elementType != .bool else {
      throw malformed(
        "counts from \(type(start)) to \(type(end)) in steps of \(type(step)), expected one number of one type for each"
      )
    }
    if let start = start.tensor, let end = end.tensor, let step = step.tensor {
      return newConstant(
        try constantRange(
          from: start.doubles[0], to: end.doubles[0], by: step.doubles[0], elementType),
        role.isEmpty ? "range" : role)
    }
    let prefix = role.isEmpty ? "" : "\(role)/"
    var scalars: [SourceValue] = []
    for (value, name) in zip(limits, ["start", "end", "step"]) {
      scalars.append(
        type(value).rank == 1
          ? value : try apply(ReshapeAxes([.fixed(1)]), to: value, role: "\(prefix)\(name)"))
    }
    // The number of steps, rounded up.
    let span = try apply(Subtract(), to: scalars[1], scalars[0], role: "\(prefix)span")
    let quotient = try apply(
      BinaryMath(.divide), to: try apply(Cast(to: .float64), to: span, role: "\(prefix)dividend"),
      try apply(Cast(to: .float64), to: scalars[2], role: "\(prefix)divisor"),
      role: "\(prefix)quotient")
    let steps = try apply(UnaryMath(.ceiling), to: quotient, role: "\(prefix)steps")
    let limited = try apply(
      Clip(minimum: 0, maximum: 0x1p50), to: steps, role: "\(prefix)limited")
    let count = try apply(Cast(to: .int64), to: limited, role: "\(prefix)count")
    // Narrow floating-point numbers do not hold the numbers of the steps.
    let isNarrow = [.float16, .bfloat16].contains(elementType)
    let work: ElementType = isNarrow ? .float32 : elementType
    if isNarrow {
      for position in [0, 2] {
        scalars[position] = try apply(
          Cast(to: work), to: scalars[position], role: "\(prefix)wide_\(position)")
      }
    }
    let ones = try filled(
      with: Tensor(work, shape: [1], [1]), count, role: "\(prefix)ones")
    let numbers = try apply(
      CumSum(axis: 0, isExclusive: true, isReversed: false), to: ones, role: "\(prefix)numbers")
    let distances = try apply(
      Multiply(), to: numbers, scalars[2], role: "\(prefix)distances")
    let range = try apply(
      Add(), to: distances, scalars[0], role: isNarrow ? "\(prefix)range" : role)
    return isNarrow ? try apply(Cast(to: elementType), to: range, role: role) : range
  }

  private func constantRange(
    from start: Double, to end: Double, by step: Double, _ elementType: ElementType
  ) throws(WeighbridgeError) -> Tensor {
    guard step != 0 else { throw malformed("counts in steps of 0, expected another number") }
    let count = max(0, ((end - start) / step).rounded(.up))
    guard count <= Double(1 << 24) else {
      throw .limitExceeded("makes a range of \(count) numbers, and 16777216 are the limit")
    }
    let numbers = (0..<Int(count)).map { start + Double($0) * step }
    return Tensor(elementType, shape: [numbers.count], numbers)
  }

  /// Whether a value is a single number of a type.
  package func isNumber(_ value: SourceValue, _ elementType: ElementType) -> Bool {
    type(value).elementType == elementType && type(value).shape.allSatisfy { $0.value == 1 }
  }
}
