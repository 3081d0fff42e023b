import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Rows and elements by their indices.
enum MILIndexing {
  static let rows: [MILRow] = [
    MILRow(value: Embedding.self) { (_, builder) throws(WeighbridgeError) in
      try builder.gathered(
        builder[1], try builder.indices(builder[0]), axis: 0, as: builder.outputType)
    },
    MILRow(value: Gather.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.gathered(
        builder[0], try builder.indices(builder[1]), axis: operation.axis,
        batchAxes: operation.batchAxes, as: builder.outputType)
    },
    MILRow(value: GatherElements.self) { (operation, builder) throws(WeighbridgeError) in
      guard builder.type().elementType != .bool else { return nil }
      return try builder.add(
        "gather_along_axis",
        [
          "x": .value(builder[0]), "indices": .value(try builder.indices(builder[1])),
          "axis": .integer(operation.axis),
          "validate_indices": builder.version >= 8 ? false : nil,
        ], as: builder.outputType)
    },
    MILRow(value: OneHot.self) { (operation, builder) throws(WeighbridgeError) in
      let numbers = [operation.on, operation.off].map {
        ExportOperand.constant(Tensor(operation.elementType, shape: [], [$0]))
      }
      return try builder.add(
        "one_hot",
        [
          "indices": .value(try builder.indices(builder[0])),
          "one_hot_vector_size": .integer(operation.depth), "axis": .integer(operation.axis),
          "on_value": .value(numbers[0]), "off_value": .value(numbers[1]),
        ], as: builder.outputType)
    },
    MILRow(outputsOf: Sort.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.sorted(operation).map(\.name)
    },
  ]
}

extension MILBuilder {
  /// Indices as integers, of which negative ones count from the end.
  fileprivate mutating func indices(
    _ x: ExportOperand
  ) throws(WeighbridgeError) -> ExportOperand {
    if x.type.elementType.isInteger { return x }
    // In float16, a number above 2048 would be another one.
    return try inFloat32 { (builder) throws(WeighbridgeError) in try builder.cast(x, to: .int32) }
  }

  fileprivate mutating func sorted(
    _ operation: Sort
  ) throws(WeighbridgeError) -> [ExportOperand] {
    guard let count = operation.count ?? type().shape[operation.axis].value else {
      throw .unsupported("sorts along an axis of unknown size, and Core ML sorts known numbers")
    }
    return try add(
      "topk",
      [
        "x": .value(self[0]), "k": .integer(count), "axis": .integer(operation.axis),
        "ascending": .boolean(!operation.isDescending), "sort": version >= 7 ? true : nil,
        "return_indices": version >= 7 ? true : nil,
        "output_indices_dtype": version >= 8 ? "int32" : nil,
      ], types: scope.outputTypes)
  }
}
