import Bytes
import GraphIR
import LayerCatalog

extension ONNXNodes {
  /// Pictures of another size.
  static let resizing: [String: ONNXLayer.Build] = [
    "Resize": { (layer) throws(WeighbridgeError) in try layer.resize() },
    "Upsample": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let isNearest = try layer.text("mode", default: "nearest") == "nearest"
      let given = try layer.reals("scales")
      let scales = given == nil ? try layer.constant(1)?.doubles ?? [] : given ?? []
      guard let factors = layer.factors(scales, input) else {
        throw layer.unsupported("an Upsample by \(scales)")
      }
      let operation = Upsampling(
        factors: factors, interpolation: isNearest ? .nearest : .linearAsymmetric,
        layout: .channelsFirst)
      return [try layer.apply(operation, to: input)]
    },
  ]
}

extension ONNXLayer {
  /// Whole factors of the spatial axes; `nil` when they are others, or others change too.
  fileprivate func factors(_ scales: [Double], _ input: ONNXValue) -> [Int]? {
    let rank = type(input).rank
    guard rank >= 3, scales.count == rank, scales[0] == 1, scales[1] == 1 else { return nil }
    let factors = scales.dropFirst(2).compactMap { Int(exactly: $0) }
    guard factors.count == rank - 2, factors.allSatisfy({ (1...1 << 24).contains($0) }) else {
      return nil
    }
    return factors
  }

  fileprivate mutating func resize() throws(WeighbridgeError) -> [ONNXValue] {
    let input = try input()
    let mode = try text("mode", default: "nearest")
    // Before opset 11 there was one way, which had no name.
    let isOld = opset < 11
    let transformation = try text(
      "coordinate_transformation_mode", default: isOld ? "asymmetric" : "half_pixel")
    let rounding = try text("nearest_mode", default: isOld ? "floor" : "round_prefer_floor")
    ignore("cubic_coeff_a", "exclude_outside", "extrapolation_value")
    let (axes, antialiases) = (try integers("axes"), try flag("antialias"))
    let policy = try text("keep_aspect_ratio_policy", default: "stretch")
    let isPlain = axes == nil && !antialiases && policy == "stretch"
    guard isPlain, ["nearest", "linear"].contains(mode) else {
      throw unsupported("a Resize of the mode \(mode), or with antialias, axes or kept proportions")
    }
    let scales = try constant(isOld ? 1 : 2)?.doubles ?? []
    let isHalfPixel = ["half_pixel", "pytorch_half_pixel"].contains(transformation)
    let isNearest = mode == "nearest"
    if let factors = factors(scales, input),
      let interpolation = Self.interpolation(
        isNearest, isHalfPixel: isHalfPixel, isAsymmetric: transformation == "asymmetric", rounding)
    {
      let operation = Upsampling(
        factors: factors, interpolation: interpolation, layout: .channelsFirst)
      return [try apply(operation, to: input)]
    }
    let extents = try extents(scales, input)
    guard isHalfPixel, !isNearest || rounding == "round_prefer_ceil" else {
      throw unsupported("a Resize of \(transformation) and \(rounding) to \(extents)")
    }
    let operation = Resizing(
      extents: extents, interpolation: isNearest ? .nearest : .bilinear, antialiases: false,
      fit: .stretch, layout: .channelsFirst)
    return [try apply(operation, to: input)]
  }

  /// The interpolation that enlarges by whole factors so.
  private static func interpolation(
    _ isNearest: Bool, isHalfPixel: Bool, isAsymmetric: Bool, _ rounding: String
  ) -> Upsampling.Interpolation? {
    guard isNearest else {
      return isHalfPixel ? .linearHalfPixel : isAsymmetric ? .linearAsymmetric : nil
    }
    // In half pixels no element lies half way between two, so that all roundings agree.
    let agrees = isHalfPixel && ["round_prefer_floor", "round_prefer_ceil"].contains(rounding)
    return agrees || (isAsymmetric && rounding == "floor") ? .nearest : nil
  }

  /// The spatial extents that are asked for, by themselves or by scales that give whole ones.
  private func extents(
    _ scales: [Double], _ input: ONNXValue
  ) throws(WeighbridgeError) -> [Int] {
    let own = type(input).shape
    guard own.count >= 3 else { throw unsupported("a Resize of \(type(input))") }
    if scales.isEmpty {
      guard let sizes = try optional(3)?.extents, sizes.count == own.count else {
        throw unsupported("a Resize to extents that are known only when the model runs")
      }
      let known = sizes.dropFirst(2).compactMap(\.number)
      guard known.count == own.count - 2, known.allSatisfy({ (1...1 << 24).contains($0) }) else {
        throw unsupported("a Resize to extents that are known only when the model runs")
      }
      return known
    }
    let products = zip(own, scales).dropFirst(2).map { extent, scale in
      extent.value.map { Double($0) * scale }
    }
    let whole = products.compactMap { $0.flatMap { Int(exactly: $0) } }
    guard scales.count == own.count, scales[0] == 1, scales[1] == 1, whole.count == products.count,
      whole.allSatisfy({ (1...1 << 24).contains($0) })
    else { throw unsupported("a Resize of \(type(input)) by \(scales)") }
    return whole
  }
}
