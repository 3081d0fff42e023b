import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Reshaping, slicing, padding and repeating.
enum MILReshaping {
  static let rows: [MILRow] =
    shapes + [
      MILRow(value: Concatenate.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.concatenated(builder.operands, axis: operation.axis, as: builder.outputType)
      },
      MILRow(value: Pad.self) { (operation, builder) throws(WeighbridgeError) in
        guard builder.type().elementType.isFloat || operation.mode != .constant else {
          return try builder.converting(builder[0], to: .float32) {
            (builder, x) throws(WeighbridgeError) in
            try builder.inFloat32 { (builder) throws(WeighbridgeError) in
              try builder.padded(x, operation.before, operation.after, value: operation.value)
            }
          }
        }
        return try builder.padded(operation)
      },
      MILRow(value: Slice.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.sliced(builder[0], operation.ranges, as: builder.outputType)
      },
      MILRow(outputsOf: Split.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.add(
          "split",
          [
            "x": .value(builder[0]), "split_sizes": .integers(operation.sizes),
            "axis": .integer(operation.axis),
          ], types: builder.scope.outputTypes
        ).map(\.name)
      },
      MILRow(value: Transpose.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.transposed(builder[0], operation.axes)
      },
      MILRow(value: Reverse.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.reversed(builder[0], operation.axes)
      },
      MILRow(value: Tile.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.add(
          "tile", ["x": .value(builder[0]), "reps": .integers(operation.counts)],
          as: builder.outputType)
      },
      MILRow(value: BroadcastTo.self) { (_, builder) throws(WeighbridgeError) in
        try builder.broadcast(builder[0], to: builder.outputType)
      },
      MILRow(value: SpaceToDepth.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.add(
          "space_to_depth", ["x": .value(builder[0]), "block_size": .integer(operation.block)],
          as: builder.outputType)
      },
      MILRow(value: DepthToSpace.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.add(
          "depth_to_space", ["x": .value(builder[0]), "block_size": .integer(operation.block)],
          as: builder.outputType)
      },
    ]

  private static let shapes: [MILRow] = [
    MILRow(value: Reshape.self) { (_, builder) throws(WeighbridgeError) in
      try builder.reshaped(builder[0], as: builder.outputType, from: [0: (builder[0], 0)])
    },
    MILRow(value: ReshapeAxes.self) { (operation, builder) throws(WeighbridgeError) in
      var sources: [Int: (value: ExportOperand, axis: Int)] = [:]
      for (position, size) in operation.sizes.enumerated() {
        if case .axis(let axis) = size { sources[position] = (builder[0], axis) }
      }
      return try builder.reshaped(builder[0], as: builder.outputType, from: sources)
    },
    MILRow(value: ExpandDims.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.expanded(builder[0], operation.axes)
    },
    MILRow(value: Squeeze.self) { (operation, builder) throws(WeighbridgeError) in
      operation.axes.isEmpty ? builder[0] : try builder.squeezed(builder[0], operation.axes)
    },
    MILRow(value: UnflattenTime.self) { (_, builder) throws(WeighbridgeError) in
      try builder.reshaped(
        builder[0], as: builder.outputType, from: [0: (builder[1], 0), 1: (builder[1], 1)])
    },
    MILRow(value: Shape.self) { (_, builder) throws(WeighbridgeError) in
      let shape = try builder.add(
        "shape", ["x": .value(builder[0])], as: TensorType(.int32, builder.outputType.shape))
      return builder.outputType.elementType.isFloat
        ? try builder.cast(shape, to: builder.outputType.elementType) : shape
    },
  ]
}

extension MILBuilder {
  /// Reverses the order of the elements along axes.
  mutating func reversed(
    _ x: ExportOperand, _ axes: [Int]
  ) throws(WeighbridgeError) -> ExportOperand {
    try add("reverse", ["x": .value(x), "axes": .integers(axes)], as: x.type)
  }

  /// Pads all axes with a number.
  mutating func padded(
    _ x: ExportOperand, _ before: [Int], _ after: [Int], value: Double
  ) throws(WeighbridgeError) -> ExportOperand {
    guard (before + after).contains(where: { $0 != 0 }) else { return x }
    var type = x.type
    type.shape = zip(type.shape, zip(before, after)).map { size, border in
      size.value.map { .fixed($0 + border.0 + border.1) } ?? .unknown
    }
    return try add(
      "pad",
      [
        "x": .value(x), "pad": .integers(zip(before, after).flatMap { [$0, $1] }),
        "mode": "constant", "constant_val": .number(value),
      ], as: type)
  }

  /// Pads all axes; elements that are repeated are gathered.
  fileprivate mutating func padded(_ operation: Pad) throws(WeighbridgeError) -> ExportOperand {
    let (before, after) = (operation.before, operation.after)
    guard operation.mode != .constant else {
      return try padded(self[0], before, after, value: operation.value)
    }
    var value = self[0]
    for axis in before.indices where before[axis] + after[axis] > 0 {
      guard let size = value.type.shape[axis].value else {
        throw .unsupported("repeats elements of an axis whose size is not known")
      }
      let positions = (-before[axis]..<size + after[axis]).compactMap {
        operation.source(of: $0, dimension: size)
      }
      var type = value.type
      type.shape[axis] = .fixed(positions.count)
      let indices = Tensor(
        .int32, shape: [positions.count], integers: positions.map { Int32(clamping: $0) })
      value = try gathered(value, .constant(indices), axis: axis, as: type)
    }
    return value
  }
}
