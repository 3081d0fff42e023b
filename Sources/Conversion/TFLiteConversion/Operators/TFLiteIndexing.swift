import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Rows and elements by their indices.
enum TFLiteIndexing {
  static let rows: [TFLiteRow] = [
    TFLiteRow(value: Embedding.self) { (_, builder) throws(WeighbridgeError) in
      try builder.add(
        .gather, builder[1], try builder.indices(builder[0]),
        options: .gather(axis: 0, batchAxes: 0), as: builder.outputType)
    },
    TFLiteRow(value: Gather.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.add(
        .gather, builder[0], try builder.indices(builder[1]),
        options: .gather(axis: operation.axis, batchAxes: operation.batchAxes),
        version: operation.batchAxes == 0 ? 1 : 5, as: builder.outputType)
    },
    TFLiteRow(value: OneHot.self) { (operation, builder) throws(WeighbridgeError) in
      let numbers = [operation.on, operation.off].map {
        builder.scalar($0, operation.elementType)
      }
      return try builder.add(
        .oneHot, try builder.indices(builder[0]), builder.scalar(Double(operation.depth)),
        numbers[0], numbers[1], options: .oneHot(axis: operation.axis), as: builder.outputType)
    },
    TFLiteRow(value: Sort.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.sorted(operation)
    },
  ]
}

extension TFLiteBuilder {
  /// Indices as integers.
  fileprivate mutating func indices(
    _ x: ExportOperand
  ) throws(WeighbridgeError) -> ExportOperand {
    x.type.elementType.isInteger ? x : try cast(x, to: .int32)
  }

  /// Sorts along the last axis; the largest elements come first in TFLite.
  fileprivate mutating func sorted(
    _ operation: Sort
  ) throws(WeighbridgeError) -> ExportOperand {
    let last = type().rank - 1
    guard operation.axis == last, let size = type().shape[last].value,
      operation.isDescending || operation.count == nil
    else {
      throw .unsupported("TFLite sorts along the last axis, whose size must be known")
    }
    let count = operation.count ?? size
    let type = self.type().with(shape: self.type().shape.dropLast() + [.fixed(count)])
    let sorted = try add(
      .topK, [self[0], scalar(Double(count))], types: [type, TensorType(.int32, type.shape)])[0]
    return operation.isDescending ? sorted : try add(.reverse, sorted, integers([last]))
  }
}
