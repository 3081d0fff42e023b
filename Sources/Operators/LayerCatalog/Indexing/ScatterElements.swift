package import Bytes
package import GraphIR

/// A tensor in which elements at indices along an axis are replaced or combined with others.
///
/// - input: any shape and element type, of a known size along `axis`
/// - indices: integers, with the input's rank, and along other axes at most its sizes; negative ones
///   count from the end
/// - updates: the indices' shape, the input's element type
/// - output: the input's shape
///
/// Of several updates of one element, the last one replaces it. An index outside of the axis has no
/// effect.
package struct ScatterElements: ExactOperator {
  /// What becomes of an element and its updates, by their names in files.
  package enum Reduction: String, Hashable, Sendable, CaseIterable {
    case none
    case add
    case multiply = "mul"
    case maximum = "max"
    case minimum = "min"
  }

  /// The axis that the indices refer to; the first is 0.
  package let axis: Int
  /// What becomes of an element and its updates.
  package let reduction: Reduction

  package static let kind = "scatter_elements"
  package static let version = 1

  package var inputs: [InputSlot] {
    [
      .data("input"), .indices("indices", below: .size(ofInput: 0, axis: axis)), .data("updates"),
    ]
  }

  package static let declaration = OperatorDeclaration<Self>(
    """
    output[i, j, k] = reduction of input[i, j, k] and all updates[i, m, k] with indices[i, m, k] = j,
    i along the axes before axis, j along axis
    An index below 0 counts from the end: the size of axis is added to it.
    """,
    inputs: [
      .data("input", .any), .data("indices", .integer), .data("updates", .same(as: "input")),
    ],
    outputs: [.like("input")],
    attributes: AttributeSchema(
      Self.init(axis:reduction:),
      .axis(\.axis, "The axis that is indexed."),
      .choice("reduction", \.reduction, "What becomes of an element and its updates.") {
        switch $0 {
        case .none: "the last update; the element if there is none"
        case .add: "the sum of all"
        case .multiply: "the product of all"
        case .maximum: "the largest of all"
        case .minimum: "the smallest of all"
        }
      }),
    concepts: [.indices])

  /// Creates the operator.
  package init(axis: Int, reduction: Reduction) {
    self.axis = axis
    self.reduction = reduction
  }
}

extension ScatterElements {
  package func permutingAxes(_ axes: [Int]) -> ScatterElements? {
    axes.firstIndex(of: axis).map { ScatterElements(axis: $0, reduction: reduction) }
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (input, indices, updates) = (inputs[0], inputs[1], inputs[2])
    guard !indices.elementType.isFloat, indices.elementType != .bool,
      updates.elementType == input.elementType
    else {
      throw ShapeError("scatters \(updates) into \(input) by \(indices), which are no integers")
    }
    guard axis < input.rank, indices.rank == input.rank, updates.rank == input.rank,
      input.shape.indices.allSatisfy({ other in
        indices.shape[other].agrees(with: updates.shape[other])
          && (other == axis
            || (indices.shape[other].value ?? 0) <= input.shape[other].value ?? .max)
      })
    else {
      throw ShapeError(
        "scatters \(updates) along axis \(axis) of \(input) by \(indices), expected as many updates as indices, and "
          + "no more than there are elements along other axes")
    }
    return [input]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let input = inputs[0]
    let shape = try outputShape(of: inputs)
    let places = Self.places(
      of: inputs[1].wrappedIntegers, inputs[1].shape, along: axis, in: shape)
    guard input.elementType.isInteger else {
      let scattered = scattered(
        input.doubles, inputs[2].doubles, places, sum: (0, +), product: (1, *)
      ) {
        $0.isNaN || $0 > $1 ? $0 : $1
      } smaller: {
        $0.isNaN || $0 < $1 ? $0 : $1
      }
      return [Tensor(input.elementType, shape: shape, scattered)]
    }
    if reduction == .maximum || reduction == .minimum {
      let scattered = scattered(
        input.orderedIntegers, inputs[2].orderedIntegers, places, sum: (0, &+), product: (1, &*),
        larger: max, smaller: min)
      return [Tensor(ordered: input.elementType, shape: shape, scattered)]
    }
    let scattered = scattered(
      input.wrappedIntegers, inputs[2].wrappedIntegers, places, sum: (0, &+), product: (1, &*),
      larger: max, smaller: min)
    return [Tensor(wrapping: input.elementType, shape: shape, scattered)]
  }

  /// The position in a tensor of each update; -1 if its index is outside of the axis.
  private static func places(
    of indices: [Int64], _ shape: [Int], along axis: Int, in target: [Int]
  ) -> [Int] {
    let (strides, sizes) = (Tensor.rowMajorStrides(target), Int64(target[axis]))
    var position = [Int](repeating: 0, count: shape.count)
    return indices.map { given in
      let index = given < 0 ? given + sizes : given
      let place = position.indices.reduce(0) { sum, other in
        other == axis ? sum : sum + position[other] * strides[other]
      }
      for other in shape.indices.reversed() {
        position[other] += 1
        if position[other] < shape[other] { break }
        position[other] = 0
      }
      return (0..<sizes).contains(index) ? place + Int(index) * strides[axis] : -1
    }
  }

  /// The elements, combined with the updates at their places. Updates of one element are combined
  /// with each other first.
  private func scattered<Number: Comparable>(
    _ elements: [Number], _ updates: [Number], _ places: [Int],
    sum: (Number, (Number, Number) -> Number), product: (Number, (Number, Number) -> Number),
    larger: (Number, Number) -> Number, smaller: (Number, Number) -> Number
  ) -> [Number] {
    var result = elements
    switch reduction {
    case .none:
      for (place, update) in zip(places, updates) where place >= 0 { result[place] = update }
    case .maximum:
      for (place, update) in zip(places, updates) where place >= 0 {
        result[place] = larger(result[place], update)
      }
    case .minimum:
      for (place, update) in zip(places, updates) where place >= 0 {
        result[place] = smaller(result[place], update)
      }
    case .add, .multiply:
      let (neutral, combine) = reduction == .add ? sum : product
      var combined = [Number](repeating: neutral, count: elements.count)
      for (place, update) in zip(places, updates) where place >= 0 {
        combined[place] = combine(combined[place], update)
      }
      for place in result.indices { result[place] = combine(result[place], combined[place]) }
    }
    return result
  }

  package var decomposition: Decomposition {
    Composition.outputs(for: self) { [self] (make) throws(WeighbridgeError) in
      [try formula(&make)]
    }
  }

  private func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let input = make.inputs[0]
    let (type, indexType) = (make.type(input), make.type(make.inputs[1]))
    guard axis < type.rank, indexType.rank == type.rank, make.type(make.inputs[2]).rank == type.rank
    else {
      throw .malformed(
        "scatters along axis \(axis) of \(type) by \(indexType), and tensors of one rank with this axis are "
          + "expected")
    }
    guard let size = type.shape[axis].value else {
      throw .unsupported("scatters along axis \(axis) of \(type), whose size must be known")
    }
    try checkLength(size)
    let (indices, updates) = try covering(&make, size: size)
    let places = try numbers(&make, to: size, along: axis, rank: type.rank + 1)
    let isHit = try make(
      Comparison(.equal), try make(ExpandDims(axes: [axis]), indices), places)
    guard reduction != .none else {
      return try replaced(&make, isHit, updates, count: make.type(indices).shape[axis].value)
    }
    return try combined(&make, isHit, try make(ExpandDims(axes: [axis]), updates))
  }

  /// The indices, as int64 from 0, and the updates, both with the input's sizes along the other axes;
  /// an added index is -1.
  private func covering(
    _ make: inout Composition, size: Int
  ) throws(WeighbridgeError) -> (ValueID, ValueID) {
    let type = make.type(make.inputs[0])
    let given = try make(Cast(to: .int64), make.inputs[1])
    let isNegative = try make(Comparison(.less), given, try make.number(0, like: given))
    let fromEnd = try make(
      Add(overflow: .wrap), given, try make.number(Double(size), like: given))
    let indices = try make.chosen(isNegative, fromEnd, given)
    let shape = make.type(given).shape
    var missing = [Int](repeating: 0, count: type.rank)
    for other in type.shape.indices where other != axis {
      // Fewer indices mean those of the first elements, which sizes that are unknown do not tell.
      if shape[other] == type.shape[other], shape[other] != .unknown { continue }
      guard let whole = type.shape[other].value, let part = shape[other].value else {
        throw .unsupported(
          "scatters by \(make.type(given)) into \(type), and sizes beside axis \(axis) must be known or the same"
        )
      }
      guard part <= whole else {
        throw .malformed("has indices \(make.type(given)) for \(type), which is smaller")
      }
      missing[other] = whole - part
    }
    if missing.allSatisfy({ $0 == 0 }) { return (indices, make.inputs[2]) }
    let before = [Int](repeating: 0, count: type.rank)
    return (
      try make(Pad(before: before, after: missing, mode: .constant, value: -1), indices),
      try make(Pad(before: before, after: missing, mode: .constant, value: 0), make.inputs[2])
    )
  }

  /// The elements, replaced where an index is theirs.
  private func replaced(
    _ make: inout Composition, _ isHit: ValueID, _ updates: ValueID, count: Int?
  ) throws(WeighbridgeError) -> ValueID {
    guard let count else {
      throw .unsupported(
        "scatters \(make.type(updates)), whose size along axis \(axis) must be known")
    }
    try checkLength(count)
    let rank = make.type(updates).rank + 1
    let order = try numbers(&make, to: count, along: axis + 1, rank: rank)
    let none = try make.number(-1, like: order)
    let last = try make(
      Reduce(.maximum, axes: [axis + 1], keepDims: false), try make.chosen(isHit, order, none))
    let zero = try make.number(0, like: last)
    let found = try make(GatherElements(axis: axis), updates, try make(Maximum(), last, zero))
    return try make.chosen(try make(Comparison(.less), last, zero), make.inputs[0], found)
  }

  private func checkLength(_ count: Int) throws(WeighbridgeError) {
    guard count <= 1 << 24 else {
      throw .unsupported(
        "scatters along an axis of \(count) elements, and at most 2^24 are possible")
    }
  }

  /// The numbers from 0 along an axis, whole ones of 64 bits.
  private func numbers(
    _ make: inout Composition, to count: Int, along axis: Int, rank: Int
  ) throws(WeighbridgeError) -> ValueID {
    var shape = [Int](repeating: 1, count: rank)
    shape[axis] = count
    return try make.constant(Tensor(.int64, shape: shape, (0..<count).map(Double.init)))
  }

  /// The elements, combined with the updates whose index is theirs.
  private func combined(
    _ make: inout Composition, _ isHit: ValueID, _ updates: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let type = make.type(updates).elementType
    let overflow: IntegerOverflow? = type.isInteger ? .wrap : nil
    let (function, neutral, operation): (Reduce.Function, Double?, any CatalogOperator) =
      switch reduction {
      case .multiply: (.product, 1, Multiply(overflow: overflow))
      case .maximum: (.maximum, nil, Maximum())
      case .minimum: (.minimum, nil, Minimum())
      default: (.sum, 0, Add(overflow: overflow))
      }
    // The element itself changes no largest or smallest one.
    let other =
      if let neutral { try make.number(neutral, like: updates) } else {
        try make(ExpandDims(axes: [axis + 1]), make.inputs[0])
      }
    let own = try make.chosen(isHit, updates, other)
    let isSum = [.sum, .product].contains(function)
    let reduce = Reduce(
      function, axes: [axis + 1], keepDims: false, overflow: isSum ? overflow : nil)
    return try make(operation, make.inputs[0], try make(reduce, own))
  }
}
