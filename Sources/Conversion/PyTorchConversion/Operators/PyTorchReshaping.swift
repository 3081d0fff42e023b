import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Reshaping, slicing, padding and repeating.
enum PyTorchReshaping {
  static let rows: [PyTorchRow] =
    shapes + borders + [
      PyTorchRow(value: Concatenate.self) { (operation, builder) throws(WeighbridgeError) in
        let all = PythonExpression.list(builder.operands.map { "\($0)" })
        return try builder.add("torch.cat([\(all)], \(operation.axis))", isLayer: true)
      },
      PyTorchRow(expression: Slice.self) { (operation, builder) throws(WeighbridgeError) in
        let reversed = operation.ranges.filter { $0.step < 0 }.map(\.axis)
        guard reversed.isEmpty else { return nil }
        return "\(builder[0])[\(subscripts(operation.ranges))]"
      },
      PyTorchRow(outputsOf: Split.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.add(
          values: "torch.split(\(builder[0]), [\(operation.sizes)], \(operation.axis))")
      },
      PyTorchRow(expression: Transpose.self) { "\($1[0]).permute(\($0.axes))" },
      PyTorchRow(expression: Reverse.self) { "\($1[0]).flip(\($0.axes))" },
      PyTorchRow(expression: Tile.self) { "\($1[0]).repeat(\($0.counts))" },
      PyTorchRow(expression: Repeat.self) {
        "\($1[0]).repeat_interleave(\($0.count), \($0.axis))"
      },
      PyTorchRow(expression: BroadcastTo.self) { "\($1[0]).expand(\($0.target))" },
    ]

  private static let shapes: [PyTorchRow] = [
    PyTorchRow(expression: Reshape.self) { (operation, builder) throws(WeighbridgeError) in
      if operation.target == [-1] || builder.outputType.rank == 2, builder.type().rank >= 2 {
        return "\(builder[0]).flatten(1)"
      }
      return try builder.reshaped([0: (builder[0], 0)])
    },
    PyTorchRow(expression: ReshapeAxes.self) { (operation, builder) throws(WeighbridgeError) in
      var sources: [Int: (ExportOperand, Int)] = [:]
      for (position, size) in operation.sizes.enumerated() {
        if case .axis(let axis) = size { sources[position] = (builder[0], axis) }
      }
      return try builder.reshaped(sources)
    },
    PyTorchRow(expression: UnflattenTime.self) { (_, builder) throws(WeighbridgeError) in
      try builder.reshaped([0: (builder[1], 0), 1: (builder[1], 1)])
    },
    PyTorchRow(expression: ExpandDims.self) { (operation, builder) throws(WeighbridgeError) in
      "\(builder[0])\(operation.axes.map { ".unsqueeze(\($0))" }.joined())"
    },
    PyTorchRow(expression: Squeeze.self) { (operation, builder) throws(WeighbridgeError) in
      "\(builder[0])\(operation.axes.sorted(by: >).map { ".squeeze(\($0))" }.joined())"
    },
    PyTorchRow(expression: Shape.self) { (operation, builder) throws(WeighbridgeError) in
      "torch.tensor(\(builder[0]).shape, dtype=\(builder.typeName(operation.elementType)))"
    },
  ]

  private static let borders: [PyTorchRow] = [
    PyTorchRow(expression: Pad.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.padded(operation)
    },
    PyTorchRow(composite: ZeroPadding.self), PyTorchRow(composite: Cropping.self),
  ]

  /// The text between the brackets of a slice.
  private static func subscripts(_ ranges: [Slice.Range]) -> String {
    let last = ranges.map(\.axis).max() ?? 0
    return (0...last).map { axis in
      guard let range = ranges.first(where: { $0.axis == axis }), !range.isWhole else { return ":" }
      let start = range.start == 0 || range.start == .min ? "" : "\(range.start)"
      let stop = range.stop >= Int(Int32.max) ? "" : "\(range.stop)"
      return "\(start):\(stop)" + (range.step == 1 ? "" : ":\(range.step)")
    }.joined(separator: ", ")
  }
}

extension PyTorchBuilder {
  /// The first input in the output's shape. Where several sizes are dynamic, `sources` says of which
  /// axes they are.
  fileprivate func reshaped(
    _ sources: [Int: (value: ExportOperand, axis: Int)]
  ) throws(WeighbridgeError) -> PythonExpression {
    let shape = outputType.shape
    let unknown = shape.indices.filter { shape[$0].value == nil }
    var hasRest = false
    var sizes: [PythonExpression] = []
    for (axis, size) in shape.enumerated() {
      if let size = size.value {
        sizes.append("\(size)")
      } else if let source = sources[axis], unknown.count > 1 || shape.contains(0) {
        sizes.append("\(source.value).shape[\(source.axis)]")
      } else {
        guard !hasRest else {
          throw .unsupported("reshapes to several sizes that are not known: \(outputType)")
        }
        hasRest = true
        sizes.append("-1")
      }
    }
    return shape.isEmpty
      ? "\(self[0]).reshape(())" : "\(self[0]).reshape(\(PythonExpression.list(sizes)))"
  }

  fileprivate mutating func padded(_ operation: Pad) throws(WeighbridgeError) -> PythonExpression {
    let (before, after) = (operation.before, operation.after)
    guard let first = before.indices.first(where: { before[$0] + after[$0] > 0 }) else {
      return "\(self[0])"
    }
    let borders = (Array(before[first...]), Array(after[first...]))
    if operation.mode == .constant {
      return Self.padded("\(self[0])", borders.0, borders.1, operation.value)
    }
    let modes: [Pad.Mode: String] = [.reflect: "reflect", .edge: "replicate"]
    if let mode = modes[operation.mode], (3...5).contains(before.count), first >= 2 {
      let padding = zip(before[2...], after[2...]).reversed().flatMap { [$0, $1] }
      return "F.pad(\(self[0]), [\(padding)], mode=\"\(mode)\")"
    }
    return try selected(operation)
  }

  /// Selects the elements that a padding repeats, along one axis after another.
  private mutating func selected(_ operation: Pad) throws(WeighbridgeError) -> PythonExpression {
    var value: PythonExpression = "\(self[0])"
    for axis in operation.before.indices where operation.before[axis] + operation.after[axis] > 0 {
      guard let size = type().shape[axis].value else {
        throw .unsupported("repeats elements of an axis whose size is not known")
      }
      let positions = (-operation.before[axis]..<size + operation.after[axis]).map {
        Double(operation.source(of: $0, dimension: size) ?? 0)
      }
      let indices = ExportOperand.constant(
        Tensor(.int64, shape: [positions.count], positions))
      value = "\(value)[\(String(repeating: ":, ", count: axis))\(indices)]"
    }
    return value
  }
}
