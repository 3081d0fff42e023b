import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// A `Resize` whose sizes are known only when the model runs: elements at computed indices, as they are or in
/// weighted sums, axis by axis.
extension ONNXLayer {
  /// What determines the sizes of a `Resize`: a number for each of its axes.
  enum ResizeTarget {
    case sizes(ONNXValue)
    case scales(ONNXValue)
  }

  /// Adds a `Resize` to computed sizes.
  ///
  /// - Parameter axes: The axes that the numbers are for.
  mutating func computedResize(
    _ input: ONNXValue, to target: ResizeTarget, axes: [Int], _ resampling: Resampling
  ) throws(WeighbridgeError) -> ONNXValue {
    let (list, name) =
      switch target {
      case .sizes(let sizes): (sizes, "sizes")
      case .scales(let scales): (scales, "scales")
      }
    guard entryCount(list) == axes.count else {
      throw malformed(
        "has \(name) \(type(list)), expected one for each of \(axes.count.counted("axis"))")
    }
    var isCubic = false
    if case .cubic = resampling.mode { isCubic = true }
    guard !isCubic, !resampling.antialiases, resampling.rounding != .legacy,
      [.halfPixel, .pytorchHalfPixel, .asymmetric, .alignCorners].contains(
        resampling.transformation)
    else {
      throw unsupported(
        "resizes by \(name) that are known only when the model runs, and with such only the modes nearest and "
          + "linear without antialias, with half_pixel, pytorch_half_pixel, asymmetric or align_corners, can be read"
      )
    }
    var result = input
    for (position, axis) in axes.enumerated()
    where !isUnchanged(input, axis, list.dimensions?[position]) {
      result = try computedResize(result, along: axis, to: target, position, resampling)
    }
    return try apply(Identity(), to: result)
  }

  /// Whether an axis keeps its size.
  private func isUnchanged(_ input: ONNXValue, _ axis: Int, _ size: ONNXDimension?) -> Bool {
    switch size {
    case .known(let size): type(input).shape[axis].value == size
    case .axis(let id, axis, times: 1):
      if case .computed(id) = input { true } else { false }
    default: false
    }
  }

  /// Whether all sizes of a `Resize` are known, or follow from those of its input.
  func followsFromInput(_ sizes: [ONNXDimension], _ axes: [Int], _ input: ONNXValue) -> Bool {
    sizes.count == axes.count
      && zip(sizes, axes).allSatisfy { size, axis in
        switch size {
        case .known: true
        case .axis(let id, axis, _):
          if case .computed(id) = input { true } else { false }
        default: false
        }
      }
  }

  private mutating func computedResize(
    _ input: ONNXValue, along axis: Int, to target: ResizeTarget, _ position: Int,
    _ resampling: Resampling
  ) throws(WeighbridgeError) -> ONNXValue {
    let role = "axis_\(axis)"
    let oldSize = size(of: axis, in: input, role: "\(role)/size")
    let old = try apply(Cast(to: .float32), to: oldSize, role: "\(role)/old")
    let newSize: ONNXValue
    var scale: ONNXValue?
    switch target {
    case .sizes(let sizes):
      newSize = try entry(position, of: sizes, role: "\(role)/given_size")
    case .scales(let scales):
      let factor = try entry(position, of: scales, role: "\(role)/scale", as: .float32)
      let product = try apply(Multiply(), to: old, factor, role: "\(role)/product")
      let floor = try apply(UnaryMath(.floor), to: product, role: "\(role)/floor")
      newSize = try apply(Cast(to: .int64), to: floor, role: "\(role)/new_size")
      scale = factor
    }
    let new = try apply(Cast(to: .float32), to: newSize, role: "\(role)/new")
    let numbers = try apply(
      Cast(to: .float32), to: try indices(count: newSize, role: role), role: "\(role)/outputs")
    let place = try coordinates(
      numbers, old, new, scale: scale, resampling.transformation, role: "\(role)/place")
    let one = newConstant(Tensor(.int64, shape: [1], [1]), "\(role)/one")
    let last = try apply(Subtract(), to: oldSize, one, role: "\(role)/last")
    if case .nearest = resampling.mode {
      let rounded = try nearest(place, resampling.rounding, role: role)
      let index = try within(rounded, last, role: "\(role)/nearest")
      return try apply(Gather(axis: axis), to: input, index, role: "\(role)/elements")
    }
    guard type(input).elementType.isFloat else {
      throw unsupported(
        "interpolates \(type(input)), and only floating-point numbers can be resized so to computed sizes"
      )
    }
    let lastPlace = try apply(Cast(to: .float32), to: last, role: "\(role)/last_place")
    let limited = try apply(Minimum(), to: place, lastPlace, role: "\(role)/limited")
    let inside = try apply(
      Maximum(), to: limited, number(0, like: limited, "zero"), role: "\(role)/inside")
    let floor = try apply(UnaryMath(.floor), to: inside, role: "\(role)/below")
    let fraction = try apply(Subtract(), to: inside, floor, role: "\(role)/fraction")
    let rest = try apply(
      Subtract(), to: number(1, like: fraction, "whole"), fraction, role: "\(role)/rest")
    let lower = try within(floor, last, role: "\(role)/lower")
    let next = try apply(Add(), to: lower, one, role: "\(role)/next")
    let upper = try apply(Minimum(), to: next, last, role: "\(role)/upper")
    var parts: [ONNXValue] = []
    for (name, index, weight) in [("lower", lower, rest), ("upper", upper, fraction)] {
      let elements = try apply(
        Gather(axis: axis), to: input, index, role: "\(role)/\(name)_elements")
      let others = (0..<type(input).rank).filter { $0 != axis }
      var factors = try apply(
        ExpandDims(axes: others), to: weight, role: "\(role)/\(name)_weights")
      if type(input).elementType != .float32 {
        factors = try apply(
          Cast(to: type(input).elementType), to: factors, role: "\(role)/\(name)_factors")
      }
      parts.append(
        try apply(Multiply(), to: elements, factors, role: "\(role)/\(name)_weighted"))
    }
    return try apply(Add(), to: parts[0], parts[1], role: "\(role)/interpolated")
  }

  /// Adds the coordinates of output elements on the input's axis, in float32 and the order of
  /// ``LayerCatalog/Resampling``.
  private mutating func coordinates(
    _ outputs: ONNXValue, _ old: ONNXValue, _ new: ONNXValue, scale: ONNXValue?,
    _ transformation: Resampling.Transformation, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let (half, one) = (number(0.5, like: outputs, "half"), number(1, like: outputs, "one"))
    if transformation == .alignCorners {
      let span = try apply(Subtract(), to: old, one, role: "\(role)/span")
      let way = try apply(Multiply(), to: outputs, span, role: "\(role)/way")
      let steps = try apply(
        Maximum(), to: try apply(Subtract(), to: new, one, role: "\(role)/new_span"), one,
        role: "\(role)/steps")
      return try apply(BinaryMath(.divide), to: way, steps, role: role)
    }
    let isAsymmetric = transformation == .asymmetric
    let distance =
      isAsymmetric ? outputs : try apply(Add(), to: outputs, half, role: "\(role)/center")
    let source: ONNXValue
    if let scale {
      source = try apply(BinaryMath(.divide), to: distance, scale, role: "\(role)/distance")
    } else {
      let product = try apply(Multiply(), to: distance, old, role: "\(role)/product")
      source = try apply(BinaryMath(.divide), to: product, new, role: "\(role)/distance")
    }
    if isAsymmetric { return source }
    let place = try apply(Subtract(), to: source, half, role: "\(role)/from_center")
    guard transformation == .pytorchHalfPixel else { return place }
    let isLong = try apply(Comparison(.greater), to: new, one, role: "\(role)/is_long")
    return try apply(
      Where(), to: isLong, place, number(0, like: place, "start"), role: role)
  }

  private mutating func nearest(
    _ place: ONNXValue, _ rounding: Resampling.Rounding, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let half = number(0.5, like: place, "half")
    switch rounding {
    case .floor, .legacy:
      return try apply(UnaryMath(.floor), to: place, role: "\(role)/rounded")
    case .ceiling: return try apply(UnaryMath(.ceiling), to: place, role: "\(role)/rounded")
    case .preferFloor:
      let lower = try apply(Subtract(), to: place, half, role: "\(role)/lowered")
      return try apply(UnaryMath(.ceiling), to: lower, role: "\(role)/rounded")
    case .preferCeiling:
      let upper = try apply(Add(), to: place, half, role: "\(role)/raised")
      return try apply(UnaryMath(.floor), to: upper, role: "\(role)/rounded")
    }
  }

  /// Adds whole numbers as indices from 0 to the last one.
  private mutating func within(
    _ numbers: ONNXValue, _ last: ONNXValue, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let whole = try apply(Cast(to: .int64), to: numbers, role: "\(role)/whole")
    let limited = try apply(Minimum(), to: whole, last, role: "\(role)/limited")
    return try apply(Maximum(), to: limited, number(0, like: whole, "zero"), role: role)
  }
}
