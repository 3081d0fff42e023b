import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Reshaping, slicing, padding and repeating.
enum KerasReshaping {
  static let rows: [KerasRow] =
    axes + [
      KerasRow(Pad.self) { (operation, builder) throws(WeighbridgeError) in
        guard operation.mode != .edge else {
          throw .unsupported("TensorFlow has no padding with the edge")
        }
        return try builder.padded(
          builder[0], operation.before, operation.after, mode: operation.mode.rawValue,
          number: operation.value)
      },
      KerasRow(Repeat.self) { (operation, builder) throws(WeighbridgeError) in
        let settings: JSONObject = [
          "repeats": .integer(operation.count), "axis": .integer(operation.axis),
        ]
        return try builder.function(
          KerasFunctionForm("numpy", "Repeat", tf: "repeat", ["input"]), [builder[0]],
          shared: settings, type: builder.outputType)
      },
      KerasRow(Tile.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.tiled(builder[0], operation.counts)
      },
      KerasRow(BroadcastTo.self) { (operation, builder) throws(WeighbridgeError) in
        let shape = builder.type().shape
        guard !zip(operation.target, shape).contains(where: { $0 > 1 && $1.value == nil }) else {
          throw .unsupported("repeats an axis of unknown size, and Keras has it for known ones")
        }
        let counts = zip(operation.target, shape).map { target, dimension in
          target == -1 || dimension.value != 1 ? 1 : target
        }
        return try builder.tiled(builder[0], counts)
      },
      KerasRow(Reverse.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.reversed(builder[0], operation.axes)
      },
      KerasRow(Slice.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.sliced(builder[0], operation.ranges, type: builder.outputType)
      },
      KerasRow(outputsOf: Split.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.parts(of: builder[0], operation.axis, operation.sizes)
      },
      KerasRow(composite: SpaceToDepth.self), KerasRow(composite: DepthToSpace.self),
    ]

  private static let axes: [KerasRow] = [
    KerasRow(ReshapeAxes.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.reshaped(builder[0], builder.target(operation.sizes), type: builder.outputType)
    },
    KerasRow(Squeeze.self) { (operation, builder) throws(WeighbridgeError) in
      let axes = JSONValue.integers(operation.axes)
      let removesUnknownAxis = operation.axes.contains { builder.type().shape[$0].value == nil }
      guard !removesUnknownAxis || builder.format != .archive else {
        throw .unsupported("Keras 3 cannot squeeze an axis of unknown size")
      }
      return try builder.function(
        KerasFunctionForm("numpy", "Squeeze", tf: "squeeze", ["input"]), [builder[0]],
        shared: ["axis": axes], type: builder.outputType)
    },
    KerasRow(ExpandDims.self) { (operation, builder) throws(WeighbridgeError) in
      var value = builder[0]
      for axis in operation.axes { value = try builder.expanded(value, axis) }
      return value
    },
    .reshapedBatch(UnflattenTime.self),
    KerasRow(
      Shape.self, unsupported: "computed sizes are not possible in a model of layers"),
  ]
}

extension KerasRow {
  /// Creates a row for an operator that merges the axis of steps with the batch, or splits them.
  static func reshapedBatch<Operation: CatalogOperator>(_ type: Operation.Type) -> KerasRow {
    KerasRow(type) { (_, builder) throws(WeighbridgeError) in
      if builder.format == .tensorFlowJS { return try builder.stepwise(builder[0]) }
      let rest = builder.outputType.shape.dropFirst().map(\.value)
      return try builder.reshaped(builder[0], [nil] + rest, type: builder.outputType)
    }
  }
}

extension KerasModelBuilder {
  /// Inserts an axis of size 1.
  mutating func expanded(
    _ value: KerasValue, _ axis: Int
  ) throws(WeighbridgeError) -> KerasValue {
    var type = value.type
    type.shape.insert(1, at: axis)
    if let tensor = value.constant {
      return constant(tensor.reshaped(type.shape.compactMap(\.value)))
    }
    return try function(
      KerasFunctionForm("numpy", "ExpandDims", tf: "expand_dims", ["input"]), [value],
      shared: ["axis": .integer(axis)], type: type)
  }

  /// Transposes a value.
  mutating func transposed(
    _ value: KerasValue, _ axes: [Int]
  ) throws(WeighbridgeError) -> KerasValue {
    let type = value.type.with(shape: axes.map { value.type.shape[$0] })
    if let tensor = value.constant { return constant(tensor.permuted(axes)) }
    guard axes.first == 0, axes.count > 1 else {
      return try function(
        .transpose, [value], settings: ["axes": .integers(axes)],
        tfArguments: ["perm": .integers(axes)], type: type)
    }
    return try layer("Permute", ["dims": .integers(Array(axes.dropFirst()))], [value], type: type)
  }

  /// The sizes of a shape that is stated axis by axis; `nil` for the one to infer.
  fileprivate func target(_ dimensions: [ReshapeAxes.Size]) throws(WeighbridgeError) -> [Int?] {
    dimensions.map { dimension -> Int? in
      switch dimension {
      case .fixed(let value): value
      case .axis(let axis): type().shape[axis].value
      case .rest: nil
      }
    }
  }

  /// Reshapes a value; at most one size may be `nil`, which is inferred.
  mutating func reshaped(
    _ value: KerasValue, _ dimensions: [Int?], type: TensorType
  ) throws(WeighbridgeError) -> KerasValue {
    guard dimensions.count(where: { $0 == nil }) <= 1 else {
      throw .unsupported("makes a shape of which several sizes are not known: \(type)")
    }
    let shape = JSONValue.integers(dimensions.map { $0 ?? -1 })
    return try function(
      .reshape, [value], settings: ["newshape": shape], tfArguments: ["shape": shape], type: type)
  }

  /// Adds a layer that pads or crops the spatial axes.
  mutating func padOrCrop(
    _ className: String, _ key: String, _ borders: Borders, _ value: KerasValue,
    type: TensorType? = nil
  ) throws(WeighbridgeError) -> KerasValue {
    let pairs = zip(borders.before, borders.after).map { JSONValue.integers([$0, $1]) }
    guard (1...3).contains(pairs.count) else {
      throw .unsupported(
        "has \(pairs.count.counted("spatial axis")), and Keras' layer "
          + "one to three")
    }
    return try layer(
      "\(className)\(pairs.count)D", [key: pairs.count == 1 ? pairs[0] : .array(pairs)], [value],
      type: type)
  }

  /// Pads all axes.
  mutating func padded(
    _ value: KerasValue, _ before: [Int], _ after: [Int], mode: String, number: Double
  ) throws(WeighbridgeError) -> KerasValue {
    let widths = JSONValue.array(zip(before, after).map { .integers([$0, $1]) })
    var type = value.type
    type.shape = zip(type.shape, zip(before, after)).map { dimension, widths in
      dimension.value.map { Dimension.fixed($0 + widths.0 + widths.1) } ?? .unknown
    }
    // TensorFlow, too, uses the lowest finite number for minus infinity.
    let number = max(number, -Double(Float.greatestFiniteMagnitude))
    var tfArguments: JSONObject = ["paddings": widths, "mode": .string(mode.uppercased())]
    if mode == "constant" { tfArguments["constant_values"] = .real(number) }
    let settings: JSONObject = ["pad_width": widths, "mode": .string(mode)]
    return try function(
      .pad, [value], values: mode == "constant" ? [.real(number)] : [], settings: settings,
      tfArguments: tfArguments, type: type)
  }

  /// Repeats the whole tensor along its axes.
  fileprivate mutating func tiled(
    _ value: KerasValue, _ counts: [Int]
  ) throws(WeighbridgeError) -> KerasValue {
    let list = JSONValue.integers(counts)
    return try function(
      KerasFunctionForm("numpy", "Tile", tf: "tile", ["input"]), [value],
      settings: ["repeats": list], tfArguments: ["multiples": list], type: outputType)
  }

  /// Reverses the elements along some axes.
  mutating func reversed(
    _ value: KerasValue, _ axes: [Int]
  ) throws(WeighbridgeError) -> KerasValue {
    if axes == [1], let original = value.reference.flatMap({ reversals[$0] }) {
      return KerasValue(source: .tensor(original), type: value.type, name: original.layer)
    }
    let result = try function(
      .reverse, [value], settings: ["axis": .axes(axes)], tfArguments: ["axis": .integers(axes)],
      type: value.type)
    if axes == [1] { noteReversal(of: value, result) }
    return result
  }

  /// Remembers that a value is another with its steps, axis 1, in the reverse order.
  mutating func noteReversal(of value: KerasValue, _ result: KerasValue) {
    guard let original = value.reference, let reference = result.reference else { return }
    reversals[reference] = original
  }

  /// Takes a slice along some axes.
  mutating func sliced(
    _ value: KerasValue, _ ranges: [Slice.Range], type: TensorType
  ) throws(WeighbridgeError) -> KerasValue {
    let byAxis = Dictionary(ranges.map { ($0.axis, $0) }, uniquingKeysWith: { first, _ in first })
    let bound = { (number: Int) -> JSONValue in
      number == .max || number == .min ? .null : .integer(number)
    }
    let parts = (0..<value.type.rank).map { axis -> (JSONValue, JSONValue, JSONValue) in
      guard let range = byAxis[axis] else { return (.null, .null, .null) }
      return (bound(range.start), bound(range.stop), .integer(range.step))
    }
    let sliceSpec = JSONValue.array(
      parts.map { .object(["start": $0.0, "stop": $0.1, "step": $0.2]) })
    let key = JSONValue.array(
      parts.map {
        .object([
          "class_name": "__slice__",
          "config": .object(["start": $0.0, "stop": $0.1, "step": $0.2]),
        ])
      })
    return try function(
      .item, [value], values: [key], tfArguments: ["slice_spec": sliceSpec], type: type)
  }

  /// Splits a value into consecutive parts along an axis.
  mutating func parts(
    of value: KerasValue, _ axis: Int, _ sizes: [Int]
  ) throws(WeighbridgeError) -> [KerasValue] {
    var (start, parts) = (0, [KerasValue]())
    for size in sizes {
      var type = value.type
      type.shape[axis] = .fixed(size)
      let range = Slice.Range(axis: axis, start: start, stop: start + size, step: 1)
      parts.append(try sliced(value, [range], type: type))
      start += size
    }
    return parts
  }
}
