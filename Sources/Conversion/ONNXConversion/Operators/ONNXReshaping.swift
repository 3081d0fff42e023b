import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Operators that reshape tensors or reorder their elements.
enum ONNXReshaping: ONNXFamily {
  static let rows: [ONNXRow] = [
    ONNXRow(DepthToSpace.self, is: "DepthToSpace") {
      ["blocksize": .integer($0.block), "mode": .text("DCR")]
    },
    ONNXRow(SpaceToDepth.self, is: "SpaceToDepth") { ["blocksize": .integer($0.block)] },
    ONNXRow(Reshape.self) { (operation, builder) throws(WeighbridgeError) in
      guard !operation.target.contains(0) else { throw noElements }
      return builder.reshape(builder.input(), [0] + operation.target)
    },
    ONNXRow(ReshapeAxes.self) { (operation, builder) throws(WeighbridgeError) in
      guard !operation.sizes.contains(.fixed(0)) else { throw noElements }
      return builder.reshape(operation)
    },
    ONNXRow(FlattenTime.self) { (_, builder) throws(WeighbridgeError) in
      let (input, type) = (builder.input(), builder.type())
      let shape =
        [builder.integers([-1])]
        + (type.rank > 2 ? [builder.dimensions(input, type, 2..<type.rank)] : [])
      return builder.add("Reshape", [input, builder.concatenate(shape, axis: 0)])
    },
    ONNXRow(UnflattenTime.self) { (_, builder) throws(WeighbridgeError) in
      let (input, type) = (builder.input(0), builder.type(0))
      let shape =
        [builder.dimensions(builder.input(1), builder.type(1), 0..<2)]
        + (type.rank > 1 ? [builder.dimensions(input, type, 1..<type.rank)] : [])
      return builder.add("Reshape", [input, builder.concatenate(shape, axis: 0)])
    },
    ONNXRow(Squeeze.self) { (operation, builder) throws(WeighbridgeError) in
      builder.squeeze(builder.input(), operation.axes)
    },
    ONNXRow(Transpose.self, is: "Transpose") { ["perm": .integers($0.axes)] },
    ONNXRow(Shape.self) { (operation, builder) throws(WeighbridgeError) in
      let shape = builder.dimensions(builder.input())
      return operation.elementType == .int64
        ? shape : builder.cast(shape, to: operation.elementType)
    },
  ]

  private static let noElements = WeighbridgeError(
    .unsupported, "a size of 0, which ONNX reads as the input's")

  static let nodes: [String: ONNXLayer.Build] = [
    "DepthToSpace": { (layer) throws(WeighbridgeError) in
      let block = try layer.integer("blocksize", default: 0)
      let mode = try layer.text("mode", default: "DCR")
      var input = try layer.input()
      guard block >= 1, ["DCR", "CRD"].contains(mode), layer.type(input).rank == 4 else {
        throw layer.malformed("a DepthToSpace of the mode \(mode)")
      }
      if mode == "CRD" { input = try layer.placesFirst(input, block: block) }
      return [
        try layer.apply(DepthToSpace(block: block, layout: .channelsFirst), to: input)
      ]
    },
    "Flatten": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let given = try layer.integer("axis", default: 1)
      let rank = layer.type(input).rank
      let axis = given < 0 ? given + rank : given
      if axis == 1, rank >= 1 { return [try layer.apply(Reshape(target: [-1]), to: input)] }
      guard (0...rank).contains(axis),
        let front = layer.type(input).with(shape: Array(layer.type(input).shape[..<axis]))
          .fixedShape
      else { throw layer.unsupported("a Flatten in front of axis \(given) of open sizes") }
      let count = try Checked.product(front, of: "a size")
      return [try layer.apply(ReshapeAxes([.fixed(count), .rest]), to: input)]
    },
    "Identity": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      guard case .computed = input else { return [input] }
      return [try layer.apply(Identity(), to: input)]
    },
    "Reshape": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let keepsZeros = try layer.flag("allowzero")
      let wanted: [ONNXDimension]
      if let given = try layer.integers("shape") {
        wanted = given.map(ONNXDimension.known)
      } else {
        guard let dimensions = try layer.input(1).dimensions else {
          throw layer.unsupported("a shape that is known only when the model runs")
        }
        wanted = dimensions
      }
      // A list of sizes stays a list, or becomes its only element.
      if input.tensor == nil, case .dimensions(let dimensions, _, let type) = input,
        wanted.count <= 1,
        wanted.allSatisfy({ [-1, dimensions.count].contains($0.number) })
      {
        return [.dimensions(dimensions, isList: !wanted.isEmpty, as: type)]
      }
      return [try layer.reshape(input, to: wanted, keepsZeros: keepsZeros)]
    },
    "SpaceToDepth": { (layer) throws(WeighbridgeError) in
      let block = try layer.integer("blocksize", default: 0)
      guard block >= 1 else { throw layer.malformed("a SpaceToDepth in blocks of \(block)") }
      let operation = SpaceToDepth(block: block, layout: .channelsFirst)
      return [try layer.apply(operation, to: try layer.input())]
    },
    "Squeeze": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let given = try layer.integers(1, orSetting: "axes")
      if input.tensor == nil, case .dimensions(let dimensions, true, let type) = input {
        return [.dimensions(dimensions, isList: false, as: type)]
      }
      let shape = layer.type(input).shape
      let axes =
        try given.map { (axes) throws(WeighbridgeError) in
          try layer.axes(axes, rank: shape.count)
        } ?? shape.indices.filter { shape[$0].value == 1 }
      return axes.isEmpty ? [input] : [try layer.apply(Squeeze(axes: axes), to: input)]
    },
    "Transpose": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let rank = layer.type(input).rank
      let axes = try layer.integers("perm") ?? Array((0..<rank).reversed())
      guard axes.sorted() == Array(0..<rank) else {
        throw layer.malformed("the order \(axes) for \(layer.type(input))")
      }
      return [try layer.transposed(input, axes)]
    },
    "Unsqueeze": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      guard let given = try layer.integers(1, orSetting: "axes") else {
        throw layer.malformed("an Unsqueeze without axes")
      }
      if input.tensor == nil, case .dimensions(let dimensions, false, let type) = input {
        return [.dimensions(dimensions, isList: true, as: type)]
      }
      let axes = try layer.axes(given, rank: layer.type(input).rank + given.count)
      return [try layer.apply(ExpandDims(axes: axes), to: input)]
    },
  ]
}

extension ONNXGraphBuilder {
  /// Reshapes to constant sizes as far as they are known; if more than one is open, those are taken
  /// from the input when the model runs.
  fileprivate mutating func reshape(_ operation: ReshapeAxes) -> String {
    let (input, type) = (input(), outputType)
    let open = type.shape.indices.filter { type.shape[$0].value == nil }
    if open.count <= 1 {
      return reshape(input, type.shape.map { $0.value ?? -1 })
    }
    let parts = operation.sizes.enumerated().map { position, dimension in
      if let known = type.shape[position].value { return integers([known]) }
      guard case .axis(let axis) = dimension else { return integers([-1]) }
      return dimensions(input, axis..<axis + 1)
    }
    return add("Reshape", [input, concatenate(parts, axis: 0)])
  }
}

extension ONNXLayer {
  /// Reorders channels from channel-major to block-position-major order.
  fileprivate mutating func placesFirst(
    _ input: ONNXValue, block: Int
  ) throws(WeighbridgeError) -> ONNXValue {
    let places = try Checked.product([block, block], of: "a block")
    guard let count = type(input).shape[1].value, count % places == 0 else {
      throw unsupported("a DepthToSpace of \(type(input)) in blocks of \(block)")
    }
    let channels = count / places
    let order = (0..<count).map { Double($0 % channels * places + $0 / channels) }
    let indices = own(Tensor(.int64, shape: [count], order), "channels")
    return try apply(Gather(axis: 1), to: input, indices, role: "order")
  }

  fileprivate mutating func reshape(
    _ input: ONNXValue, to wanted: [ONNXDimension], keepsZeros: Bool
  ) throws(WeighbridgeError) -> ONNXValue {
    if let steps = unfolding(input, wanted) {
      return try apply(UnflattenTime(), to: input, .computed(steps))
    }
    if let (input, operation) = repeating(input, wanted) {
      return try apply(operation, to: .computed(input))
    }
    let own = type(input).shape
    let wanted = restKnown(wanted, of: input)
    var dimensions: [ReshapeAxes.Size] = []
    for (position, dimension) in wanted.enumerated() {
      switch dimension {
      case .known(-1): dimensions.append(.rest)
      case .known(0) where !keepsZeros:
        guard position < own.count else { throw malformed("size \(position) of \(own)") }
        dimensions.append(own[position].value.map { .fixed($0) } ?? .axis(position))
      case .known(let number):
        guard number >= 0 else { throw malformed("a size of \(number)") }
        dimensions.append(.fixed(number))
      case .axis(let id, let axis, times: 1):
        dimensions.append(axisDimension(network.graph.type(of: id).shape[axis], id, axis, input))
      case .axis: dimensions.append(.rest)
      }
    }
    guard dimensions.count(where: { $0 == .rest }) <= 1 else {
      throw unsupported("a shape with several sizes that are known only when the model runs")
    }
    return try apply(Self.reshaping(own, to: dimensions), to: input)
  }

  /// Replaces the -1 of a shape by the number that it stands for, if the input's only open size is
  /// also in the shape, so that the number follows from the other sizes.
  private func restKnown(_ wanted: [ONNXDimension], of input: ONNXValue) -> [ONNXDimension] {
    let own = type(input).shape
    let open = own.indices.filter { own[$0].value == nil }
    let rests = wanted.indices.filter { wanted[$0].number == -1 }
    let others = wanted.compactMap(\.number).filter { $0 > 0 }
    guard case .computed(let id) = input, open.count == 1, rests.count == 1,
      others.count == wanted.count - 2,
      let times = wanted.lazy.compactMap({ dimension -> Int? in
        guard case .axis(id, open[0], let times) = dimension else { return nil }
        return times
      }).first,
      let before = try? Checked.product(own.compactMap(\.value), of: "a size"),
      let after = try? Checked.product(others + [times], of: "a size"),
      after > 0, before % after == 0
    else { return wanted }
    var result = wanted
    result[rests[0]] = .known(before / after)
    return result
  }

  /// The value whose batch and time axes the first axis is split into, if the shape does that.
  private func unfolding(_ input: ONNXValue, _ wanted: [ONNXDimension]) -> ValueID? {
    let own = type(input).shape
    guard wanted.count == own.count + 1, wanted.count >= 2,
      case .axis(let id, 0, times: 1) = wanted[0],
      wanted[1] == .axis(id, 1, times: 1),
      wanted.dropFirst(2).map(\.number) == own.dropFirst().map(\.value)
    else { return nil }
    return id
  }

  /// The value whose elements are repeated along an axis, and the repetition, if the shape is that
  /// of the value with this axis multiplied.
  private func repeating(
    _ input: ONNXValue, _ wanted: [ONNXDimension]
  ) -> (ValueID, Repeat)? {
    guard case .computed(let id) = input, let (before, axis, count) = network.repeated(id) else {
      return nil
    }
    let shape = network.graph.type(of: before).shape
    guard wanted.count == shape.count, count >= 1,
      wanted.indices.allSatisfy({ place in
        let times = place == axis ? count : 1
        guard let number = wanted[place].number else {
          return wanted[place] == .axis(before, place, times: times)
        }
        return shape[place].value.map { $0.multipliedReportingOverflow(by: times) }
          .map { !$0.overflow && $0.partialValue == number } ?? false
      })
    else { return nil }
    return (before, Repeat(axis: axis, count: count))
  }

  /// An open size as one of the input's axes, or as the rest.
  private func axisDimension(
    _ dimension: Dimension, _ id: ValueID, _ axis: Int, _ input: ONNXValue
  ) -> ReshapeAxes.Size {
    if case .computed(id) = input { return .axis(axis) }
    let own = type(input).shape
    if dimension != .unknown, let place = own.firstIndex(of: dimension) { return .axis(place) }
    return .rest
  }

  /// The operator for a reshaping: `Reshape` if the shape keeps the batch.
  private static func reshaping(
    _ own: [Dimension], to dimensions: [ReshapeAxes.Size]
  ) -> any CatalogOperator {
    let keepsBatch =
      switch (dimensions.first, own.first?.value) {
      case (.axis(0)?, _): true
      case (.fixed(let dimension)?, let batch?): dimension == batch
      default: false
      }
    let rest = dimensions.dropFirst()
    let hasAxes = rest.contains { if case .axis = $0 { true } else { false } }
    guard keepsBatch, !hasAxes else { return ReshapeAxes(dimensions) }
    return Reshape(
      target: rest.map { if case .fixed(let dimension) = $0 { dimension } else { -1 } })
  }
}
