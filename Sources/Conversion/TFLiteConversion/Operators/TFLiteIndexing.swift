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
        .gather, builder[0], try builder.indices(fromEitherEndOf: operation.axis),
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
    TFLiteRow(outputsOf: Sort.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.sorted(operation).map(\.name)
    },
  ]
}

extension TFLiteBuilder {
  /// Indices as integers of 32 or 64 bits, which are all that TFLite takes.
  fileprivate mutating func indices(
    _ x: ExportOperand
  ) throws(WeighbridgeError) -> ExportOperand {
    switch x.type.elementType {
    case .int32, .int64: x
    case .uint32, .uint64: try cast(x, to: .int64)
    default: try cast(x, to: .int32)
    }
  }

  /// The indices that are the second input, of which negative ones count from the end of an axis of
  /// the first; TFLite takes them from the beginning only.
  fileprivate mutating func indices(
    fromEitherEndOf axis: Int
  ) throws(WeighbridgeError) -> ExportOperand {
    let (input, indices) = (self[0], try indices(self[1]))
    let size: ExportOperand
    if let known = input.type.shape[axis].value {
      if let tensor = indices.constant {
        let numbers = tensor.doubles.map { $0 < 0 ? $0 + Double(known) : $0 }
        let positions = Tensor(tensor.elementType, shape: tensor.shape, numbers)
        return .weight(positions, named: indices.name)
      }
      size = number(Double(known), like: indices)
    } else {
      let ones = [Dimension](repeating: 1, count: indices.type.rank)
      let extent = try reshaped(try self.size(input, axis), as: TensorType(.int32, ones))
      let type = indices.type.elementType
      size = type == .int32 ? extent : try cast(extent, to: type)
    }
    let isNegative = try binary(.less, indices, number(0, like: indices), as: .bool)
    let fromEnd = try binary(.add, indices, size)
    return try add(.select, isNegative, fromEnd, indices, as: indices.type)
  }

  /// Sorts along an axis, and gives the positions; the largest elements come first in TFLite, of equal
  /// ones the first.
  fileprivate mutating func sorted(
    _ operation: Sort
  ) throws(WeighbridgeError) -> [ExportOperand] {
    let last = type().rank - 1
    var order = Array(0...last)
    order.swapAt(operation.axis, last)
    let isMoved = operation.axis != last
    var x = isMoved ? try transposed(self[0], order) : self[0]
    guard let size = x.type.shape[last].value else {
      throw .unsupported("sorts along an axis of unknown size, and TFLite sorts known numbers")
    }
    if !operation.isDescending { x = try opposite(x) }
    let count = operation.count ?? size
    let shape: [Dimension] = x.type.shape.dropLast() + [.fixed(count)]
    var results = try add(
      .topK, [x, scalar(Double(count))],
      types: [x.type.with(shape: shape), TensorType(.int32, shape)])
    if !operation.isDescending { results[0] = try opposite(results[0]) }
    guard isMoved else { return results }
    return [try transposed(results[0], order), try transposed(results[1], order)]
  }

  /// The numbers in the opposite order.
  private mutating func opposite(
    _ x: ExportOperand
  ) throws(WeighbridgeError) -> ExportOperand {
    x.type.elementType.isFloat
      ? try add(.negative, x) : try binary(.subtract, number(-1, like: x), x)
  }
}
