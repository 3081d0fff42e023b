package import Bytes
package import GraphIR
import LayerCatalog

extension ValueLayer {
  /// Adds a tensor filled with one number.
  package mutating func filled(
    with number: Tensor, _ shape: SourceValue, role: String = ""
  ) throws(WeighbridgeError) -> SourceValue {
    guard number.count == 1 else {
      throw malformed(
        "fills a tensor with \(number.count.counted("number")), and only one is possible")
    }
    let scalar = SourceValue.constant("\(source.layer)/number", number.reshaped([]))
    if let dimensions = shape.tensor?.wholeNumbers {
      guard dimensions.allSatisfy({ $0 >= 0 }) else {
        throw malformed("makes a tensor of the shape \(dimensions), and sizes are 0 or more")
      }
      let ones = [Int](repeating: 1, count: dimensions.count)
      let one = SourceValue.constant("\(source.layer)/number", number.reshaped(ones))
      return dimensions.isEmpty
        ? scalar : try apply(BroadcastTo(target: dimensions), to: one, role: role)
    }
    guard case .dimensions(let dimensions, _, _) = shape,
      !dimensions.contains(where: \.isComputed)
    else {
      return try filledWhenRun(with: number, shape, role: role)
    }
    let value: SourceValue
    if let like = try filledLikeValue(of: dimensions, number, role) {
      value = like
    } else {
      value = try filledFromColumns(of: dimensions, number, role)
    }
    network.recordFill(of: value, with: number.doubles[0])
    return value
  }

  /// Adds a tensor filled with one number, of sizes that nodes compute. Those that are constant stay known.
  private mutating func filledWhenRun(
    with number: Tensor, _ shape: SourceValue, role: String
  ) throws(WeighbridgeError) -> SourceValue {
    let fill = Fill(value: number.doubles[0], elementType: number.elementType)
    let sizes = shape.dimensions ?? []
    let known = sizes.indices.filter { sizes[$0].number != nil }
    guard !known.isEmpty else { return try apply(fill, to: shape, role: role) }
    let unknown = SourceValue.dimensions(sizes.filter { $0.number == nil }, isList: true)
    let core = try apply(fill, to: unknown, role: "\(role.isEmpty ? "" : "\(role)/")computed")
    let expanded = try apply(
      ExpandDims(axes: known), to: core, role: "\(role.isEmpty ? "" : "\(role)/")axes")
    return try apply(
      BroadcastTo(target: sizes.map { $0.number ?? -1 }), to: expanded, role: role)
  }

  /// Adds a value repeated along its axes of size 1, to sizes of which some may be unknown.
  package mutating func expanded(
    _ input: SourceValue, to shape: SourceValue
  ) throws(WeighbridgeError) -> SourceValue {
    guard let dimensions = shape.dimensions, !dimensions.contains(where: \.isComputed) else {
      return try multipliedByOnes(input, shape)
    }
    if let number = input.tensor, number.count == 1, number.shape.count <= dimensions.count {
      return try filled(with: number, shape)
    }
    let type = type(input)
    let leading = dimensions.count - type.rank
    // Where the input already has the size, 1 is used, so that the tensor of ones is smaller.
    let missing = dimensions.enumerated().map { axis, dimension -> SourceDimension in
      guard case .computed(let id) = input, axis >= leading else { return dimension }
      let isInputSize =
        dimension == .axis(id, axis - leading, times: 1)
        || dimension.number != nil && dimension.number == type.shape[axis - leading].value
      return isInputSize ? .known(1) : dimension
    }
    if leading <= 0, missing.allSatisfy({ $0 == .known(1) }) { return input }
    return try multipliedByOnes(input, .dimensions(missing, isList: true))
  }

  /// Adds a value times a tensor of ones, to whose sizes it is broadcast.
  private mutating func multipliedByOnes(
    _ input: SourceValue, _ shape: SourceValue
  ) throws(WeighbridgeError) -> SourceValue {
    let elementType = type(input).elementType
    let one = Tensor(elementType, shape: [1], [1])
    let ones = try filled(with: one, shape, role: "ones")
    return try apply(elementType == .bool ? LogicalAnd() : Multiply(), aligned([input, ones]))[0]
  }

  /// Adds a filled tensor in the shape of the value whose dimensions these are; returns `nil` if
  /// they are not those of a single value.
  private mutating func filledLikeValue(
    of dimensions: [SourceDimension], _ number: Tensor, _ role: String
  ) throws(WeighbridgeError) -> SourceValue? {
    let ids = dimensions.compactMap { if case .axis(let id, _, _) = $0 { id } else { nil } }
    guard let id = ids.first, network.isShape(dimensions, of: id) else { return nil }
    var value = SourceValue.computed(id)
    if type(value).elementType != number.elementType {
      value = try apply(Cast(to: number.elementType), to: value, role: "cast")
    }
    return try apply(FullLike(value: number.doubles[0]), to: value, role: role)
  }

  /// Adds a filled tensor: one column for each unknown size, broadcast together and to the known
  /// sizes.
  private mutating func filledFromColumns(
    of dimensions: [SourceDimension], _ number: Tensor, _ role: String
  ) throws(WeighbridgeError) -> SourceValue {
    var values: [SourceValue] = []
    for (position, dimension) in dimensions.enumerated() {
      guard case .axis(let id, let axis, let times) = dimension else { continue }
      var shape = [ReshapeAxes.Size](repeating: .fixed(1), count: dimensions.count)
      shape[position] = .axis(axis)
      var column = try column(of: id, axis, shape, number, "column_\(position)")
      if times != 1 {
        let counts = dimensions.indices.map { $0 == position ? times : 1 }
        column = try apply(Tile(counts: counts), to: column, role: "column_\(position)/times")
      }
      values.append(column)
    }
    let value = values.count == 1 ? values[0] : try apply(Maximum(), values, role: "columns")[0]
    return try apply(
      BroadcastTo(target: dimensions.map { $0.number ?? -1 }), to: value, role: role)
  }

  /// Adds a filled tensor of a given shape, with as many elements as an axis of a value.
  private mutating func column(
    of id: ValueID, _ axis: Int, _ shape: [ReshapeAxes.Size], _ number: Tensor, _ role: String
  ) throws(WeighbridgeError) -> SourceValue {
    let firstElements = (0..<network.graph.type(of: id).rank).filter { $0 != axis }.map {
      Slice.Range(axis: $0, start: 0, stop: 1, step: 1)
    }
    var value = try apply(Slice(firstElements), to: .computed(id), role: "\(role)/slice")
    value = try apply(ReshapeAxes(shape), to: value, role: "\(role)/axes")
    value = try apply(Cast(to: number.elementType), to: value, role: "\(role)/cast")
    return try apply(FullLike(value: number.doubles[0]), to: value, role: role)
  }
}
