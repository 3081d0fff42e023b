package import Bytes
import GraphIR
import LayerCatalog

/// The elements of images at places between them, along one or more axes.
package struct PlaceSampler {
  /// Which elements around a place count.
  package enum Mode: String { case nearest, linear, cubic }
  /// What is outside of an image.
  package enum Padding: String { case zeros, border, reflection }

  /// What an axis gives for one of the elements around a place, each `[batch, places]`.
  private struct Neighbor {
    let index: SourceValue
    /// `nil` for 1.
    let weight: SourceValue?
    /// Whether the element is in the image; `nil` for always.
    let isInside: SourceValue?
  }

  private let mode: Mode
  private let padding: Padding
  package let alignsCorners: Bool
  /// The sizes of an image.
  package let sizes: [Int]

  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` when the sizes are too large.
  package init(
    mode: Mode, padding: Padding, alignsCorners: Bool, sizes: [Int]
  ) throws(WeighbridgeError) {
    (self.mode, self.padding) = (mode, padding)
    (self.alignsCorners, self.sizes) = (alignsCorners, sizes)
    _ = try Checked.product(sizes, of: "an image")
  }

  /// Adds the elements of images, `[batch, channels, sizes...]`, as `[batch, elements, channels]`.
  package func elements(
    of images: SourceValue, _ layer: inout some ValueLayer
  ) throws(WeighbridgeError) -> SourceValue {
    let list = try layer.apply(
      ReshapeAxes(layer.keptSizes(layer.type(images), 0..<2) + [.fixed(sizes.reduce(1, *))]),
      to: images, role: "list")
    return try layer.transposed(list, [0, 2, 1], role: "elements")
  }

  /// Adds the elements at places, `[batch, places, channels]`: sums of those around them with their
  /// weights.
  ///
  /// - Parameters:
  ///   - elements: `[batch, elements, channels]`
  ///   - places: For each axis, `[batch, places]`, where the elements have the numbers 0, 1, ...
  package func sum(
    of elements: SourceValue, at places: [SourceValue], _ layer: inout some ValueLayer
  ) throws(WeighbridgeError) -> SourceValue {
    let terms = try terms(of: elements, at: places, &layer)
    var sum = terms[0]
    for (position, term) in terms.enumerated().dropFirst() {
      sum = try layer.apply(Add(), to: sum, term, role: "sum_\(position)")
    }
    return sum
  }

  /// Adds each of the elements around places times its weight, `[batch, places, channels]`.
  ///
  /// - Parameters: As those of ``sum(of:at:_:)``.
  package func terms(
    of elements: SourceValue, at places: [SourceValue], _ layer: inout some ValueLayer
  ) throws(WeighbridgeError) -> [SourceValue] {
    var axes: [[Neighbor]] = []
    for (axis, place) in places.enumerated() {
      axes.append(try neighbors(axis, place, &layer))
    }
    let count = mode == .nearest ? 1 : mode == .linear ? 2 : 4
    var terms: [SourceValue] = []
    for combination in 0..<sizes.reduce(1, { product, _ in product * count }) {
      var rest = combination
      let chosen = axes.reversed().map { neighbors in
        defer { rest /= count }
        return neighbors[rest % count]
      }
      terms.append(try term(Array(chosen.reversed()), of: elements, "\(combination)", &layer))
    }
    return terms
  }

  /// The elements with one neighbor of each axis, times their weights: `[batch, places, channels]`.
  private func term(
    _ neighbors: [Neighbor], of elements: SourceValue, _ role: String,
    _ layer: inout some ValueLayer
  ) throws(WeighbridgeError) -> SourceValue {
    var position = neighbors[0].index
    for (axis, neighbor) in neighbors.enumerated().dropFirst() {
      let size = layer.number(Double(sizes[axis]), like: position, "size_\(axis)")
      let row = try layer.apply(Multiply(), to: position, size, role: "row_\(role)_\(axis)")
      position = try layer.apply(Add(), to: row, neighbor.index, role: "position_\(role)_\(axis)")
    }
    var result = try layer.apply(
      Gather(axis: 1, batchAxes: 1), to: elements, position, role: "element_\(role)")
    let conditions = neighbors.compactMap(\.isInside)
    if !conditions.isEmpty {
      let all =
        conditions.count == 1
        ? conditions[0] : try layer.apply(LogicalAnd(), conditions, role: "inside_\(role)")[0]
      let isInside = try layer.apply(ExpandDims(axes: [2]), to: all, role: "channels_\(role)")
      result = try layer.apply(
        Where(), to: isInside, result, layer.number(0, like: result, "zero"), role: "kept_\(role)")
    }
    let weights = neighbors.compactMap(\.weight)
    guard let first = weights.first else { return result }
    var weight = first
    for (axis, next) in weights.enumerated().dropFirst() {
      weight = try layer.apply(Multiply(), to: weight, next, role: "weight_\(role)_\(axis)")
    }
    weight = try layer.apply(ExpandDims(axes: [2]), to: weight, role: "factor_\(role)")
    if layer.type(weight).elementType != layer.type(result).elementType {
      weight = try layer.apply(
        Cast(to: layer.type(result).elementType), to: weight, role: "typed_\(role)")
    }
    return try layer.apply(Multiply(), to: result, weight, role: "term_\(role)")
  }

  /// The elements around the places along an axis.
  private func neighbors(
    _ axis: Int, _ place: SourceValue, _ layer: inout some ValueLayer
  ) throws(WeighbridgeError) -> [Neighbor] {
    var place = place
    if mode == .nearest {
      place = try layer.apply(UnaryMath(.round), to: place, role: "round_\(axis)")
    }
    place = try moved(place, axis, "place_\(axis)", &layer)
    guard mode != .nearest else { return [try neighbor(place, nil, axis, "0", &layer)] }
    let first = try layer.apply(UnaryMath(.floor), to: place, role: "floor_\(axis)")
    let fraction = try layer.apply(Subtract(), to: place, first, role: "fraction_\(axis)")
    let offsets = mode == .linear ? [0, 1] : [-1, 0, 1, 2]
    return try offsets.map { (offset) throws(WeighbridgeError) in
      let index = try layer.apply(
        Add(), to: first, layer.number(Double(offset), like: first, "offset_\(offset)"),
        role: "index_\(axis)_\(offset)")
      let weight = try weight(offset, fraction, "\(axis)_\(offset)", &layer)
      return try neighbor(index, weight, axis, "\(offset)", &layer)
    }
  }

  /// Moves places outside the image to its border, or reflects them there.
  private func moved(
    _ place: SourceValue, _ axis: Int, _ role: String, _ layer: inout some ValueLayer
  ) throws(WeighbridgeError) -> SourceValue {
    let last = Double(sizes[axis] - 1)
    switch padding {
    case .zeros: return place
    case .border:
      let border = try layer.apply(
        Clip(minimum: 0, maximum: last), to: place, role: "border_\(role)")
      guard mode == .cubic, !alignsCorners else { return border }
      // Places in the outer half of an element at the border stay, which matters for cubics only.
      let limited = try layer.apply(
        Clip(minimum: -0.5, maximum: last + 0.5), to: place, role: "limited_\(role)")
      let isNear = try layer.apply(Comparison(.equal), to: limited, place, role: "near_\(role)")
      return try layer.apply(Where(), to: isNear, place, border, role: "moved_\(role)")
    case .reflection:
      let (start, length) = alignsCorners ? (0, last) : (-0.5, last + 1)
      guard length > 0 else {
        return try layer.apply(Clip(minimum: 0, maximum: 0), to: place, role: "border_\(role)")
      }
      let begin = layer.number(start, like: place, "start")
      let distance = try layer.apply(Subtract(), to: place, begin, role: "from_\(role)")
      let size = try layer.apply(UnaryMath(.absolute), to: distance, role: "size_\(role)")
      let period = layer.number(2 * length, like: place, "period")
      let part = try layer.apply(
        BinaryMath(.truncatedModulo), to: size, period, role: "part_\(role)")
      let mirrored = try layer.apply(Subtract(), to: period, part, role: "mirrored_\(role)")
      let nearer = try layer.apply(Minimum(), to: part, mirrored, role: "nearer_\(role)")
      return try layer.apply(Add(), to: nearer, begin, role: "reflected_\(role)")
    }
  }

  /// One of the elements around a place, whose number is whole but may be outside the image.
  private func neighbor(
    _ index: SourceValue, _ weight: SourceValue?, _ axis: Int, _ role: String,
    _ layer: inout some ValueLayer
  ) throws(WeighbridgeError) -> Neighbor {
    let name = "\(axis)_\(role)"
    let last = Double(sizes[axis] - 1)
    var isInside: SourceValue?
    var index = index
    if padding == .zeros {
      let isAfter = try layer.apply(
        Comparison(.greaterOrEqual), to: index, layer.number(0, like: index, "first"),
        role: "after_\(name)")
      let isBefore = try layer.apply(
        Comparison(.lessOrEqual), to: index, layer.number(last, like: index, "last"),
        role: "before_\(name)")
      isInside = try layer.apply(LogicalAnd(), to: isAfter, isBefore, role: "inside_\(name)")
    } else if padding == .reflection, mode == .cubic {
      index = try moved(index, axis, "index_\(name)", &layer)
    }
    let clipped = try layer.apply(
      Clip(minimum: 0, maximum: last), to: index, role: "clipped_\(name)")
    let whole = try layer.apply(Cast(to: .int64), to: clipped, role: "whole_\(name)")
    return Neighbor(index: whole, weight: weight, isInside: isInside)
  }

  /// The weight of an element at an offset, for places a fraction after the element at offset 0:
  /// linear, or the cubic of Keys (1981) with a = -0.75.
  private func weight(
    _ offset: Int, _ fraction: SourceValue, _ role: String, _ layer: inout some ValueLayer
  ) throws(WeighbridgeError) -> SourceValue {
    let a = -0.75
    let coefficients: [Double] =
      switch (mode, offset) {
      case (.linear, 0): [1, -1]
      case (.linear, _): [0, 1]
      case (_, -1): [0, a, -2 * a, a]
      case (_, 0): [1, 0, -(a + 3), a + 2]
      case (_, 1): [0, -a, 2 * a + 3, -(a + 2)]
      default: [0, 0, a, -a]
      }
    var result = layer.number(coefficients[coefficients.count - 1], like: fraction, "highest")
    for (power, coefficient) in coefficients.enumerated().dropLast().reversed() {
      let product = try layer.apply(
        Multiply(), to: fraction, result, role: "product_\(role)_\(power)")
      result = try layer.apply(
        Add(), to: product, layer.number(coefficient, like: fraction, "coefficient"),
        role: "power_\(role)_\(power)")
    }
    return result
  }
}
