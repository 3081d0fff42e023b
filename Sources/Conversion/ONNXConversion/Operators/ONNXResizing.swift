import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Operators that resize or crop images.
enum ONNXResizing: ONNXFamily {
  static let rows: [ONNXRow] = [
    ONNXRow(Upsampling.self) { (operation, builder) throws(WeighbridgeError) in
      let scales = builder.numbers([1, 1] + operation.factors.map(Double.init), .float32)
      let isNearest = operation.interpolation == .nearest
      let transformation =
        operation.interpolation == .linearHalfPixel ? "half_pixel" : "asymmetric"
      return builder.add(
        "Resize", [builder.input(), "", scales],
        [
          "coordinate_transformation_mode": .string(transformation),
          "mode": .string(isNearest ? "nearest" : "linear"), "nearest_mode": .string("floor"),
        ])
    },
    ONNXRow(native: Resizing.self) { (operation, builder) throws(WeighbridgeError) in
      let isPlain =
        operation.interpolation == .nearest
        || (operation.interpolation == .bilinear && !operation.antialiases)
      guard isPlain, operation.fit == .stretch, let transformation = operation.transformation
      else { return nil }
      return builder.stretch(builder.input(), operation, transformation)
    },
    ONNXRow(composite: CenterCrop.self),
    ONNXRow(
      CLAHE.self,
      unsupported: "equalizes a histogram, and ONNX can compute elementwise and in windows only"),
  ]

  static let nodes: [String: ONNXLayer.Build] = [
    "Resize": { (layer) throws(WeighbridgeError) in try layer.resize() },
    "Upsample": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let isNearest = try layer.string("mode", default: "nearest") == "nearest"
      let attribute = try layer.floats("scales")
      let resampling = Resampling(
        mode: isNearest ? .nearest : .linear, transformation: .asymmetric, rounding: .floor)
      if attribute == nil, let scales = try layer.optional(1), scales.tensor == nil {
        let axes = Array(0..<layer.type(input).rank)
        return [
          try layer.computedResize(input, to: .scales(scales), axes: axes, resampling)
        ]
      }
      let scales = attribute == nil ? try layer.constant(1)?.doubles ?? [] : attribute ?? []
      return [try layer.resampled(input, try layer.axes(scales: scales, input), resampling)]
    },
  ]
}

extension ONNXGraphBuilder {
  /// Adds a `Resize`; gathers elements by their indices if the node would select others.
  fileprivate mutating func stretch(
    _ input: String, _ operation: Resizing, _ transformation: Resampling.Transformation
  ) -> String {
    let isNearest = operation.interpolation == .nearest
    if isNearest, let indicesByAxis = nearestIndices(operation) {
      var result = input
      for (axis, indices) in indicesByAxis.enumerated() {
        result = add("Gather", [result, integers(indices)], ["axis": .integer(axis + 2)])
      }
      return result
    }
    // The nearest element is the same as in TensorFlow: of two equally near ones, the later one.
    let attributes: KeyValuePairs<String, ONNXAttribute> = [
      "coordinate_transformation_mode": .string(transformation.rawValue),
      "mode": .string(isNearest ? "nearest" : "linear"),
      "nearest_mode": .string("round_prefer_ceil"),
    ]
    let shape = concatenate(
      [dimensions(input, 0..<2), integers(operation.dimensions)], axis: 0)
    return add("Resize", [input, "", "", shape], attributes)
  }

  /// Returns the indices of the nearest elements along each axis if a `Resize` would select others,
  /// because it rounds coordinates in another order; `nil` if it selects the same, and if the sizes
  /// are unknown or larger than any image's.
  private func nearestIndices(_ operation: Resizing) -> [[Int]]? {
    let dimensions = type().shape.dropFirst(2).compactMap(\.value)
    guard dimensions.count == operation.dimensions.count,
      operation.dimensions.allSatisfy({ $0 <= Resampling.largestDimension })
    else { return nil }
    let resampling = Resampling(
      mode: .nearest, transformation: .halfPixel, rounding: .preferCeiling)
    let pairs = zip(dimensions, operation.dimensions)
    if pairs.allSatisfy({ resampling.isNearest(from: $0, to: $1) }) { return nil }
    let interpolation = operation.interpolation
    return pairs.map { inputSize, outputSize in
      (0..<outputSize).map {
        interpolation.sample($0, from: inputSize, to: outputSize, antialiases: false).first
      }
    }
  }
}

extension Resizing {
  /// ONNX's transformation of coordinates; `nil` if it has none for the grid.
  fileprivate var transformation: Resampling.Transformation? {
    switch grid {
    case .halfPixel: .halfPixel
    case .asymmetric: .asymmetric
    case .alignCorners: .alignCorners
    case .alignCornersOrCenter: dimensions.contains(1) ? nil : .alignCorners
    case .centersBetweenCorners: nil
    }
  }
}

/// How an axis is resized.
private struct ResizedAxis {
  /// The input's size; `nil` for an unknown one.
  var inputSize: Int?
  /// The output's size; `nil` for an unknown one.
  var outputSize: Int?
  /// The factor by which the axis is scaled; `nil` if it follows from the sizes.
  var scale: Float?
  /// The part of the axis that is resized; `nil` for the whole one.
  var region: ClosedRange<Float>?

  /// Whether the axis stays unchanged.
  var isUnchanged: Bool {
    inputSize == outputSize && (scale ?? 1) == 1 && (scale != nil || inputSize != nil)
      && (region == nil || region == 0...1)
  }

  /// The factor by which the axis becomes larger, if that is an integer.
  var factor: Int? {
    if let scale { return (1...0x1p24).contains(scale) ? Int(exactly: scale) : nil }
    guard let inputSize, let outputSize, inputSize > 0, outputSize > 0,
      outputSize % inputSize == 0
    else { return nil }
    return outputSize / inputSize
  }
}

extension ONNXLayer {
  fileprivate mutating func resize() throws(WeighbridgeError) -> [ONNXValue] {
    let input = try input()
    let resampling = try resampling()
    let rank = type(input).rank
    let rawAxes = try integers("axes") ?? Array(0..<rank)
    let policy = try string("keep_aspect_ratio_policy", default: "stretch")
    let outside = try float("extrapolation_value", default: 0)
    let positions = rawAxes.map { $0 < 0 ? $0 + rank : $0 }
    _ = try axes(rawAxes, rank: rank)

    // Before opset 11, the scales were the second input.
    let given = (try optional(opset < 11 ? 1 : 2), try optional(3))
    if policy == "stretch", let target = computedTarget(given.0, given.1, positions, input) {
      return [try computedResize(input, to: target, axes: positions, resampling)]
    }
    let scales = try constant(opset < 11 ? 1 : 2)?.doubles ?? []
    var resized: [ResizedAxis]
    if scales.isEmpty {
      resized = try axes(sizes: try optional(3)?.dimensions ?? [], positions, input)
      try fit(&resized, positions, policy)
    } else {
      guard scales.count == positions.count else {
        throw malformed(
          "resizes \(positions.count.counted("axis")) by the factors \(scales), and there must be "
            + "one for each axis")
      }
      var allScales = [Double](repeating: 1, count: rank)
      for (position, scale) in zip(positions, scales) { allScales[position] = scale }
      resized = try axes(scales: allScales, input)
    }
    if resampling.transformation == .region { try readRegion(&resized, positions) }
    return [try resampled(input, resized, resampling, outside: outside)]
  }

  /// What determines the sizes, if these are known only when the model runs and do not follow from the input's.
  private func computedTarget(
    _ scales: ONNXValue?, _ sizes: ONNXValue?, _ axes: [Int], _ input: ONNXValue
  ) -> ResizeTarget? {
    if let scales, type(scales).shape != [.fixed(0)] {
      return scales.tensor == nil ? .scales(scales) : nil
    }
    guard let sizes, sizes.tensor == nil, !followsFromInput(sizes.dimensions ?? [], axes, input)
    else { return nil }
    return .sizes(sizes)
  }

  /// Reads which part of each axis is resized: all starts and then all ends.
  private func readRegion(
    _ axes: inout [ResizedAxis], _ positions: [Int]
  ) throws(WeighbridgeError) {
    let ends = try constant(1)?.doubles.map { Float($0) } ?? []
    guard ends.count == 2 * positions.count, ends.allSatisfy({ abs($0) <= 0x1p24 }) else {
      throw malformed(
        "has \(ends.count.counted("number")) for its region (roi), and two for each of "
          + "\(positions.count.counted("axis")) are expected")
    }
    for (index, position) in positions.enumerated() {
      let (start, end) = (ends[index], ends[positions.count + index])
      guard start <= end else {
        throw unsupported(
          "resizes a region from \(start) to \(end), and only one that is not turned around can be read"
        )
      }
      axes[position].region = start...end
    }
  }

  private mutating func resampling() throws(WeighbridgeError) -> Resampling {
    // Before opset 11, there was a single rounding mode, without a name.
    let isBeforeOpset11 = opset < 11
    let modeName = try string("mode", default: "nearest")
    let transformationName = try string(
      "coordinate_transformation_mode", default: isBeforeOpset11 ? "asymmetric" : "half_pixel")
    let roundingName = try string("nearest_mode", default: "round_prefer_floor")
    let coefficient = try float("cubic_coeff_a", default: -0.75)
    let excludesOutside = try flag("exclude_outside")
    let antialiases = try flag("antialias")
    let mode: Resampling.Mode
    switch modeName {
    case "nearest": mode = .nearest
    case "linear": mode = .linear
    case "cubic": mode = .cubic(a: coefficient, excludesOutside: excludesOutside)
    default:
      throw unsupported("has the mode \(modeName), and only nearest, linear and cubic can be read")
    }
    guard let transformation = Resampling.Transformation(rawValue: transformationName),
      let rounding = Resampling.Rounding(rawValue: roundingName), rounding != .legacy
    else {
      throw unsupported(
        "has coordinate_transformation_mode=\(transformationName) with nearest_mode=\(roundingName), and only "
          + "other combinations can be read")
    }
    return Resampling(
      mode: mode, transformation: transformation, rounding: isBeforeOpset11 ? .legacy : rounding,
      antialiases: antialiases)
  }

  /// Returns all axes of an input, with a scale for each.
  fileprivate func axes(
    scales: [Double], _ input: ONNXValue
  ) throws(WeighbridgeError) -> [ResizedAxis] {
    let shape = type(input).shape
    guard scales.count == shape.count,
      scales.allSatisfy({ Float($0) >= 0x1p-24 && Float($0) <= 0x1p24 })
    else {
      throw unsupported(
        "resizes \(type(input)) by \(scales), and only the spatial axes of images can "
          + "be resized by known factors")
    }
    return zip(shape, scales).map { dimension, number in
      let scale = Float(number)
      let outputSize = dimension.value.map { Int((Float($0) * scale).rounded(.down)) }
      return ResizedAxis(inputSize: dimension.value, outputSize: outputSize, scale: scale)
    }
  }

  /// Returns all axes of an input, with output sizes for those at `positions`.
  private func axes(
    sizes: [ONNXDimension], _ positions: [Int], _ input: ONNXValue
  ) throws(WeighbridgeError) -> [ResizedAxis] {
    guard sizes.count == positions.count else {
      throw unsupported(
        "resizes to sizes that are known only when the model runs, and only constant "
          + "ones can be read")
    }
    var axes = type(input).shape.map {
      ResizedAxis(inputSize: $0.value, outputSize: $0.value, scale: 1)
    }
    for (position, size) in zip(positions, sizes) {
      switch size {
      case .known(let outputSize):
        axes[position].outputSize = outputSize
        axes[position].scale = nil
      case .axis(let id, let axis, let times):
        guard case .computed(id) = input, axis == position else {
          throw unsupported(
            "resizes to sizes that are known only when the model runs, and only constant "
              + "ones can be read")
        }
        axes[position].scale = Float(times)
      case .computed:
        throw unsupported(
          "resizes to sizes that are known only when the model runs, and only constant ones can be "
            + "read")
      }
    }
    return axes
  }

  /// Scales the axes at `positions` by one common factor, so that none becomes larger, or none
  /// smaller, than its output size.
  private func fit(
    _ axes: inout [ResizedAxis], _ positions: [Int], _ policy: String
  ) throws(WeighbridgeError) {
    if policy == "stretch" { return }
    let scales = positions.compactMap { position -> Float? in
      guard let inputSize = axes[position].inputSize, let outputSize = axes[position].outputSize,
        inputSize > 0, outputSize > 0
      else { return nil }
      return Float(outputSize) / Float(inputSize)
    }
    guard ["not_larger", "not_smaller"].contains(policy), scales.count == positions.count,
      let scale = policy == "not_larger" ? scales.min() : scales.max()
    else {
      throw unsupported(
        "keeps the proportions of the axes \(positions) by \(policy), and only "
          + "not_larger and not_smaller of all resized axes of known sizes can be read")
    }
    for position in positions {
      axes[position].outputSize = axes[position].inputSize.map {
        Int((Float($0) * scale).rounded())
      }
      axes[position].scale = scale
    }
  }

  /// Adds an operator that takes floating-point numbers. Of the nearest elements, integers of 8 and 16 bits stay
  /// the same in float32.
  private mutating func applied(
    _ operation: any CatalogOperator, to input: ONNXValue, _ resampling: Resampling
  ) throws(WeighbridgeError) -> ONNXValue {
    let elementType = type(input).elementType
    guard [.int8, .uint8, .int16, .uint16].contains(elementType), case .nearest = resampling.mode
    else {
      return try apply(operation, to: input)
    }
    let numbers = try apply(Cast(to: .float32), to: input, role: "numbers")
    let nearest = try apply(operation, to: numbers, role: "nearest")
    return try apply(Cast(to: elementType), to: nearest)
  }

  /// Resizes an input: with one operator if there is one, otherwise axis by axis.
  ///
  /// - Parameter outside: What stands for elements outside of the input, of a region.
  fileprivate mutating func resampled(
    _ input: ONNXValue, _ axes: [ResizedAxis], _ resampling: Resampling, outside: Double = 0
  ) throws(WeighbridgeError) -> ONNXValue {
    let spatial = axes.dropFirst(2)
    if axes.count >= 3, axes[..<2].allSatisfy(\.isUnchanged) {
      let factors = spatial.compactMap(\.factor)
      if factors.count == spatial.count, let interpolation = resampling.upsampling {
        let operation = Upsampling(
          factors: factors, interpolation: interpolation, layout: .channelsFirst)
        return try applied(operation, to: input, resampling)
      }
      let dimensions = spatial.compactMap(\.outputSize)
      if dimensions.count == spatial.count, dimensions.allSatisfy({ (1...1 << 24).contains($0) }),
        let (interpolation, grid) = resampling.resizing(spatial)
      {
        let operation = Resizing(
          dimensions: dimensions, interpolation: interpolation, antialiases: false, fit: .stretch,
          layout: .channelsFirst, grid: grid)
        return try applied(operation, to: input, resampling)
      }
    }
    let changed = axes.indices.filter { !axes[$0].isUnchanged }
    // For this, onnxruntime silently returns the input unchanged.
    guard
      changed.isEmpty
        || axes.contains(where: { $0.inputSize != $0.outputSize || $0.outputSize == nil })
    else {
      throw unsupported(
        "resizes by \(axes.map { $0.scale ?? 1 }), which leaves all sizes but moves "
          + "the elements, and cannot be read")
    }
    var result = input
    for axis in changed {
      guard let inputSize = axes[axis].inputSize, let outputSize = axes[axis].outputSize else {
        throw unsupported("resizes \(type(input)), and the sizes must be known for its mode")
      }
      guard (1...1 << 24).contains(inputSize),
        (1...Resampling.largestDimension).contains(outputSize)
      else {
        throw unsupported(
          "resizes \(inputSize.counted("element")) to \(outputSize), and its mode can be read for "
            + "at least one element")
      }
      let resized = Resampling.Axis(
        old: inputSize, new: outputSize, scale: axes[axis].scale, region: axes[axis].region)
      let isOutside =
        resampling.transformation == .region ? resampling.outside(resized) : []
      let isLast = axis == changed.last && !isOutside.contains(true)
      result = try interpolated(result, along: axis, resampling.taps(resized), isLast: isLast)
      guard isOutside.contains(true) else { continue }
      var shape = [Int](repeating: 1, count: axes.count)
      shape[axis] = outputSize
      let mask = newConstant(
        Tensor(.bool, shape: shape, isOutside.map { $0 ? 1 : 0 }), "axis_\(axis)/is_outside")
      result = try apply(
        Where(), to: mask, number(outside, like: result, "outside"), result,
        role: axis == changed.last ? "" : "axis_\(axis)/bounded")
    }
    return changed.isEmpty ? try apply(Identity(), to: input) : result
  }

  /// Adds the weighted sums of elements along an axis.
  private mutating func interpolated(
    _ input: ONNXValue, along axis: Int, _ taps: Resampling.Taps, isLast: Bool
  ) throws(WeighbridgeError) -> ONNXValue {
    let count = taps.indices.count
    let type = type(input)
    var shape = [Int](repeating: 1, count: type.rank)
    shape[axis] = taps.indices[0].count
    let finalRole = isLast ? "" : "axis_\(axis)"
    var sum: ONNXValue?
    for (tap, (indices, weights)) in zip(taps.indices, taps.weights).enumerated() {
      let name = "axis_\(axis)_\(tap)"
      let indexTensor = newConstant(
        Tensor(.int64, shape: [indices.count], indices.map(Double.init)), "\(name)/indices")
      let role = count == 1 ? finalRole : "\(name)/elements"
      let elements = try apply(Gather(axis: axis), to: input, indexTensor, role: role)
      if count == 1 { return elements }
      let factors = newConstant(Tensor(type.elementType, shape: shape, weights), "\(name)/weights")
      let weighted = try apply(Multiply(), to: elements, factors, role: "\(name)/weighted")
      guard let partial = sum else {
        sum = weighted
        continue
      }
      sum = try apply(
        Add(), to: partial, weighted, role: tap == count - 1 ? finalRole : "\(name)/sum")
    }
    return sum ?? input
  }
}

extension Resampling {
  private var isHalfPixel: Bool {
    transformation == .halfPixel || transformation == .pytorchHalfPixel
      || transformation == .halfPixelSymmetric
  }

  /// The equivalent interpolation for upsampling by integer factors; `nil` if there is none.
  fileprivate var upsampling: Upsampling.Interpolation? {
    if transformation == .region { return nil }
    let isAsymmetric = transformation == .asymmetric
    switch mode {
    case .cubic: return nil
    case .linear: return isHalfPixel ? .linearHalfPixel : isAsymmetric ? .linearAsymmetric : nil
    case .nearest:
      // With half-pixel centers, no coordinate lies exactly between two elements, so these rounding
      // modes agree.
      let agrees = isHalfPixel && [.preferFloor, .preferCeiling].contains(rounding)
      return agrees || (isAsymmetric && [.floor, .legacy].contains(rounding)) ? .nearest : nil
    }
  }

  /// Returns the equivalent interpolation and grid for resizing axes to given sizes; `nil` if there
  /// is none.
  fileprivate func resizing(
    _ axes: ArraySlice<ResizedAxis>
  ) -> (ResizingInterpolation, ResizingGrid)? {
    if antialiases { return nil }
    if case .linear = mode {
      // Where a scale is given, it need not be the quotient of the sizes.
      let followsSizes = axes.allSatisfy { $0.scale == nil || $0.isUnchanged }
      if transformation == .alignCorners { return (.bilinear, .alignCorners) }
      if transformation == .asymmetric, followsSizes { return (.bilinear, .asymmetric) }
    }
    guard transformation == .halfPixel || transformation == .pytorchHalfPixel else { return nil }
    let interpolation: ResizingInterpolation
    switch mode {
    case .linear: interpolation = .bilinear
    case .nearest where rounding == .preferCeiling: interpolation = .nearest
    case .nearest, .cubic: return nil
    }
    let agrees = axes.allSatisfy { axis in
      guard let outputSize = axis.outputSize, axis.scale == nil || axis.isUnchanged else {
        return false
      }
      // PyTorch samples a single output element at the start of the axis.
      guard transformation == .halfPixel || outputSize > 1 || axis.inputSize == 1 else {
        return false
      }
      guard interpolation == .nearest, let inputSize = axis.inputSize else { return true }
      return inputSize >= 1 && (1...Self.largestDimension).contains(outputSize)
        && isNearest(from: inputSize, to: outputSize)
    }
    return agrees ? (interpolation, .halfPixel) : nil
  }

  /// Whether the nearest elements are the same as for ``ResizingInterpolation/nearest``, which
  /// rounds coordinates in another order.
  func isNearest(from old: Int, to new: Int) -> Bool {
    let indices = taps(Axis(old: old, new: new, scale: nil)).indices[0]
    return indices.enumerated().allSatisfy {
      ResizingInterpolation.nearest.sample($0, from: old, to: new, antialiases: false).first == $1
    }
  }
}
