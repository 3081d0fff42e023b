import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// The operators with which files compute shapes from dimensions. For other values they become
/// ordinary operators.
enum ONNXDimensions: ONNXFamily {
  static let nodes: [String: ONNXLayer.Build] = [
    "Concat": { (layer) throws(WeighbridgeError) in
      let values = try layer.allInputs()
      let lists = values.compactMap(layer.sizes)
      if lists.count == values.count, values.contains(where: { $0.tensor == nil }),
        values.contains(where: { $0.dimensions != nil })
      {
        _ = try layer.integer("axis")
        return [
          .dimensions(lists.flatMap { $0 }, isList: true, as: layer.type(values[0]).elementType)
        ]
      }
      guard let rawAxis = try layer.integer("axis"), let first = values.first else {
        throw layer.malformed("has no inputs or no axis, and a Concat needs both")
      }
      let axis = try layer.axis(rawAxis, rank: layer.type(first).rank)
      return values.count == 1 ? values : try layer.apply(Concatenate(axis: axis), values)
    },
    "Gather": { (layer) throws(WeighbridgeError) in
      let (input, indices) = (try layer.input(0), try layer.input(1))
      let rawAxis = try layer.integer("axis", default: 0)
      if input.tensor == nil, let dimensions = input.dimensions, let tensor = indices.tensor {
        let positions = tensor.integers.map { $0 < 0 ? $0 + dimensions.count : $0 }
        guard positions.allSatisfy(dimensions.indices.contains), tensor.shape.count <= 1 else {
          throw layer.malformed(
            "takes the sizes at \(tensor.integers), and there are \(dimensions.count)")
        }
        return [
          .dimensions(
            positions.map { dimensions[$0] }, isList: tensor.shape.count == 1,
            as: layer.type(input).elementType)
        ]
      }
      let axis = try layer.axis(rawAxis, rank: layer.type(input).rank)
      if axis == 0, input.tensor != nil, indices.tensor == nil, layer.type(input).rank == 2 {
        return try layer.apply(Embedding(negativeIndices: .fromEnd), [indices, input])
      }
      if let size = layer.type(input).shape[axis].value, let numbers = indices.tensor?.integers,
        let beyond = numbers.first(where: { !(-size..<size).contains($0) })
      {
        throw layer.malformed(
          "takes the element \(beyond) along axis \(axis) of \(layer.type(input)), expected \(-size) to \(size - 1)"
        )
      }
      if let rearranged = try layer.rearranged(input, at: indices) { return [rearranged] }
      return try layer.apply(Gather(axis: axis), [input, indices])
    },
    "Equal": { (layer) throws(WeighbridgeError) in
      let values = try layer.allInputs()
      if let known = layer.comparedSizes(values) { return [known] }
      return try layer.apply(Comparison(.equal), try layer.aligned(values))
    },
    "Shape": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let shape = layer.type(input).shape
      let range = Slice.Range(
        axis: 0, start: try layer.integer("start", default: 0), stop: try layer.integer("end"),
        step: 1)
      let (start, count) = range.resolved(shape.count)
      var dimensions: [ONNXDimension] = []
      for axis in start..<start + count {
        if let known = shape[axis].value {
          dimensions.append(.known(known))
        } else if case .computed(let id) = input {
          dimensions.append(.axis(id, axis, times: 1))
        }
      }
      return [.dimensions(dimensions, isList: true)]
    },
    "Size": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let sizes = layer.sizes(of: input, as: .int64)
      if let product = layer.productOfSizes(sizes) { return [product] }
      guard sizes.tensor != nil else {
        return [try layer.apply(Reduce(.product, axes: [0], keepDims: false), to: sizes)]
      }
      let count = try Checked.product(layer.type(input).fixedShape ?? [], of: "a Size")
      return [.dimensions([.known(count)], isList: false)]
    },
    "Where": { (layer) throws(WeighbridgeError) in
      let values = try layer.allInputs()
      if let chosen = layer.chosenSizes(values) { return [chosen] }
      return try layer.apply(Where(), try layer.aligned(values))
    },
  ]
}

extension ONNXLayer {
  /// Returns the elements of a list at computed positions that only give its value other axes; `nil` if the
  /// positions are not known to do that.
  fileprivate mutating func rearranged(
    _ list: ONNXValue, at indices: ONNXValue
  ) throws(WeighbridgeError) -> ONNXValue? {
    guard case .computed(let listID) = list, case .computed(let indexID) = indices,
      let (value, axes) = network.rearranged(listID, at: indexID)
    else { return nil }
    let others = network.graph.type(of: value).shape.indices.filter { !axes.contains($0) }
    let order = axes + others
    let transposed =
      axes == axes.sorted()
      ? ONNXValue.computed(value)
      : try apply(Transpose(axes: order), to: .computed(value), role: "transposed")
    let positions = axes == axes.sorted() ? axes : Array(axes.indices)
    var rest = positions[...]
    let sizes = type(indices).shape.map { size -> ReshapeAxes.Size in
      size == .fixed(1) ? .fixed(1) : rest.popFirst().map { .axis($0) } ?? .rest
    }
    return try apply(ReshapeAxes(sizes), to: transposed)
  }

  /// Creates a constant of the numbers 0, 1, ... in row-major order.
  ///
  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` when there are too many.
  mutating func numbers(
    _ elementType: ElementType, shape: [Int], _ role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let size = try Checked.product(shape + [8], of: "a list")
    try network.countConstant(TensorType(elementType, shape), byteCount: size)
    return newConstant(
      Tensor(elementType, shape: shape, (0..<size / 8).map(Double.init)), role)
  }

  /// Adds the indices 0, 1, ... along an axis of a value, as int64 `[size]`.
  mutating func indices(
    along axis: Int, of value: ONNXValue, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let size = type(value).shape[axis]
    if let count = size.value { return try numbers(.int64, shape: [count], role) }
    guard case .computed(let id) = value else {
      throw malformed("counts along axis \(axis) of \(type(value)), whose size is not known")
    }
    let ones = try filled(
      with: Tensor(.int64, shape: [1], [1]), .dimensions([.axis(id, axis, times: 1)], isList: true),
      role: "\(role)/ones")
    return try apply(
      CumSum(axis: 0, isExclusive: true, isReversed: false), to: ones, role: role)
  }

  /// Returns a value as a list of sizes, also one that nodes compute; `nil` for other values.
  fileprivate func sizes(_ value: ONNXValue) -> [ONNXDimension]? {
    guard case .computed(let id) = value else { return value.dimensions }
    return type(value) == TensorType(.int64, [1]) ? [.computed(id)] : nil
  }

  /// Returns which sizes equal numbers; `nil` if only the model's run tells, or for other values.
  fileprivate func comparedSizes(_ values: [ONNXValue]) -> ONNXValue? {
    guard values.count == 2,
      let sizes = values.first(where: { $0.dimensionType != nil })?.dimensions,
      let numbers = values.first(where: { $0.tensor != nil })?.dimensions, !numbers.isEmpty,
      numbers.count == sizes.count || numbers.count == 1
    else { return nil }
    let results = sizes.enumerated().compactMap { index, size in
      numbers[numbers.count == 1 ? 0 : index].number.flatMap(size.equals)
    }
    guard results.count == sizes.count else { return nil }
    return newConstant(
      Tensor(.bool, shape: [results.count], results.map { $0 ? 1 : 0 }), "is_equal")
  }

  /// Returns sizes chosen by a constant; `nil` for other values.
  fileprivate func chosenSizes(_ values: [ONNXValue]) -> ONNXValue? {
    guard values.count == 3, let condition = values[0].tensor, condition.shape.count == 1,
      values.dropFirst().contains(where: { $0.dimensionType != nil }),
      let lists = Optional(values.dropFirst().compactMap(\.dimensions)), lists.count == 2,
      lists.allSatisfy({ $0.count == condition.count })
    else { return nil }
    let chosen = condition.doubles.enumerated().map { index, isFirst in
      lists[isFirst != 0 ? 0 : 1][index]
    }
    return .dimensions(chosen, isList: true, as: type(values[1]).elementType)
  }
}
