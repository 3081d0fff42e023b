package import Bytes
import GraphIR
import LayerCatalog

extension ValueLayer {
  /// Reshapes a value to sizes of which some may be those of other values, -1 the rest.
  ///
  /// - Parameter keepsZeros: Whether a size of 0 is 0 and not that of the same axis of the input.
  package mutating func reshape(
    _ input: SourceValue, to target: [SourceDimension], keepsZeros: Bool, role: String = ""
  ) throws(WeighbridgeError) -> SourceValue {
    if let unfolded = unfolding(input, target) {
      return try apply(UnflattenTime(), to: input, .computed(unfolded), role: role)
    }
    if let (input, operation) = repeating(input, target) {
      return try apply(operation, to: .computed(input), role: role)
    }
    let inputShape = type(input).shape
    let target = inferringSize(in: target, of: input)
    var dimensions: [ReshapeAxes.Size] = []
    for (position, dimension) in target.enumerated() {
      switch dimension {
      case .known(-1): dimensions.append(.rest)
      case .known(0) where !keepsZeros:
        guard position < inputShape.count else {
          throw malformed(
            "keeps the size of axis \(position) of an input of the shape \(inputShape), which has fewer axes"
          )
        }
        dimensions.append(inputShape[position].value.map { .fixed($0) } ?? .axis(position))
      case .known(let number):
        guard number >= 0 else {
          throw malformed("has a size of \(number), and -1 or more is expected")
        }
        dimensions.append(.fixed(number))
      case .axis(let id, let axis, times: 1):
        dimensions.append(axisDimension(network.graph.type(of: id).shape[axis], id, axis, input))
      // Whatever nodes compute, it must be what the other sizes leave.
      case .axis, .computed: dimensions.append(.rest)
      }
    }
    guard dimensions.count(where: { $0 == .rest }) <= 1 else {
      return try reshapedWhenRun(input, to: target, keepsZeros: keepsZeros, role: role)
    }
    return try apply(Self.reshaping(inputShape, to: dimensions), to: input, role: role)
  }

  /// Reshapes a value to several sizes that are known only when the model runs.
  private mutating func reshapedWhenRun(
    _ input: SourceValue, to target: [SourceDimension], keepsZeros: Bool, role: String
  ) throws(WeighbridgeError) -> SourceValue {
    let shape = type(input).shape
    let sizes = target.enumerated().map { position, size -> SourceDimension in
      guard size == .known(0), !keepsZeros, position < shape.count else { return size }
      if let known = shape[position].value { return .known(known) }
      guard case .computed(let id) = input else { return size }
      return .axis(id, position, times: 1)
    }
    let isKnown = sizes.contains { ($0.number ?? -1) >= 0 }
    let reshaped = try apply(
      ReshapeTo(), to: input, .dimensions(sizes, isList: true), role: isKnown ? "computed" : role)
    guard isKnown else { return reshaped }
    // So that the sizes that are known stay known.
    return try apply(
      ReshapeAxes(
        sizes.enumerated().map { position, size in
          size.number.flatMap { $0 >= 0 ? .fixed($0) : nil } ?? .axis(position)
        }), to: reshaped, role: role)
  }

  /// Reshapes a value to a list of sizes that nodes compute.
  ///
  /// - Parameter keepsZeros: Whether a size of 0 is 0 and not that of the same axis of the input.
  package mutating func reshape(
    _ input: SourceValue, toComputed sizes: SourceValue, keepsZeros: Bool
  ) throws(WeighbridgeError) -> SourceValue {
    guard !keepsZeros, type(sizes).rank == 1, let count = type(sizes).shape[0].value else {
      return try apply(ReshapeTo(), to: input, sizes)
    }
    // A size of 0 beyond the axes of the input is an error of the file.
    let own = try apply(Shape(elementType: type(sizes).elementType), to: input, role: "own_sizes")
    let rank = type(input).rank
    var inputSizes = own
    if rank > count {
      inputSizes = try apply(
        Slice([Slice.Range(axis: 0, start: 0, stop: count, step: 1)]), to: own,
        role: "first_sizes")
    } else if rank < count {
      let missing = Tensor(
        type(sizes).elementType, shape: [count - rank],
        [Double](repeating: 0, count: count - rank))
      inputSizes =
        rank == 0
        ? newConstant(missing, "missing")
        : try apply(
          Concatenate(axis: 0), [own, newConstant(missing, "missing")], role: "all_sizes")[0]
    }
    let isZero = try apply(
      Comparison(.equal), to: sizes, number(0, like: sizes, "zero"), role: "is_zero")
    let chosen = try apply(Where(), to: isZero, inputSizes, sizes, role: "sizes")
    return try apply(ReshapeTo(), to: input, chosen)
  }

  /// Replaces the -1 of a shape by the number that it stands for, if the input's only unknown size
  /// is also in the shape, so that the number follows from the other sizes.
  private func inferringSize(
    in target: [SourceDimension], of input: SourceValue
  ) -> [SourceDimension] {
    let inputShape = type(input).shape
    let unknownAxes = inputShape.indices.filter { inputShape[$0].value == nil }
    let inferred = target.indices.filter { target[$0].number == -1 }
    let known = target.compactMap(\.number).filter { $0 > 0 }
    guard case .computed(let id) = input, unknownAxes.count == 1, inferred.count == 1,
      known.count == target.count - 2,
      let times = target.lazy.compactMap({ dimension -> Int? in
        guard case .axis(id, unknownAxes[0], let times) = dimension else { return nil }
        return times
      }).first,
      let inputCount = try? Checked.product(inputShape.compactMap(\.value), of: "a size"),
      let knownCount = try? Checked.product(known + [times], of: "a size"),
      knownCount > 0, inputCount % knownCount == 0
    else { return target }
    var result = target
    result[inferred[0]] = .known(inputCount / knownCount)
    return result
  }

  /// Returns the value whose batch and time axes the shape restores from the merged first axis;
  /// `nil` for other shapes.
  private func unfolding(_ input: SourceValue, _ target: [SourceDimension]) -> ValueID? {
    let inputShape = type(input).shape
    guard target.count == inputShape.count + 1, target.count >= 2,
      case .axis(let id, 0, times: 1) = target[0],
      target[1] == .axis(id, 1, times: 1),
      target.dropFirst(2).map(\.number) == inputShape.dropFirst().map(\.value)
    else { return nil }
    return id
  }

  /// Returns the value whose elements are repeated along an axis, and the repetition, if the shape
  /// is that of the value with this axis multiplied.
  private func repeating(
    _ input: SourceValue, _ target: [SourceDimension]
  ) -> (ValueID, Repeat)? {
    guard case .computed(let id) = input,
      let (original, axis, count) = network.repeatedInput(of: id)
    else { return nil }
    let shape = network.graph.type(of: original).shape
    guard target.count == shape.count, count >= 1,
      target.indices.allSatisfy({ index in
        let times = index == axis ? count : 1
        guard let number = target[index].number else {
          return target[index] == .axis(original, index, times: times)
        }
        return shape[index].value.map { $0.multipliedReportingOverflow(by: times) }
          .map { !$0.overflow && $0.partialValue == number } ?? false
      })
    else { return nil }
    return (original, Repeat(axis: axis, count: count))
  }

  /// Returns an unknown size as one of the input's axes, or as the inferred size.
  private func axisDimension(
    _ dimension: Dimension, _ id: ValueID, _ axis: Int, _ input: SourceValue
  ) -> ReshapeAxes.Size {
    if case .computed(id) = input { return .axis(axis) }
    let shape = type(input).shape
    if dimension != .unknown, let index = shape.firstIndex(of: dimension) { return .axis(index) }
    return .rest
  }

  /// Returns the operator for a shape: `Reshape` if it keeps the batch.
  private static func reshaping(
    _ shape: [Dimension], to dimensions: [ReshapeAxes.Size]
  ) -> any CatalogOperator {
    let keepsBatch =
      switch (dimensions.first, shape.first?.value) {
      case (.axis(0)?, _): true
      case (.fixed(let dimension)?, let batch?): dimension == batch
      default: false
      }
    let inner = dimensions.dropFirst()
    let hasAxes = inner.contains { if case .axis = $0 { true } else { false } }
    guard keepsBatch, !hasAxes else { return ReshapeAxes(dimensions) }
    return Reshape(
      target: inner.map { if case .fixed(let dimension) = $0 { dimension } else { -1 } })
  }
}
