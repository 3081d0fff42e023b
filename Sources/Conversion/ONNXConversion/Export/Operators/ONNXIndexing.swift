import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Elements by their places, and places of elements.
enum ONNXIndexing {
  static let rows: [ONNXRow] = [
    ONNXRow(
      NonMaxSuppression.self,
      unsupported: "ONNX chooses among boxes class by class, and Core ML by the best class"),
    ONNXRow(Gather.self) { (operation, builder) throws(WeighbridgeError) in
      let indices = builder.indices(1)
      guard operation.batchAxes > 0 else {
        return builder.add(
          "Gather", [builder.input(), indices], ["axis": .integer(operation.axis)])
      }
      guard operation.axis == operation.batchAxes else {
        throw WeighbridgeError(
          .unsupported,
          "ONNX gathers in batches along the axis behind them, not along \(operation.axis)")
      }
      let places = builder.unsqueeze(indices, [builder.type(1).rank])
      return builder.add(
        "GatherND", [builder.input(), places], ["batch_dims": .integer(operation.batchAxes)])
    },
    ONNXRow(GatherElements.self) { (operation, builder) throws(WeighbridgeError) in
      builder.add(
        "GatherElements", [builder.input(), builder.indices(1)],
        ["axis": .integer(operation.axis)])
    },
    ONNXRow(outputsOf: Sort.self) { (operation, builder) throws(WeighbridgeError) in
      let (input, axis) = (builder.input(), operation.axis)
      let count =
        operation.count.map { builder.integers([$0]) }
        ?? builder.dimensions(input, builder.type(), axis..<axis + 1)
      let parts = builder.add(
        "TopK", [input, count],
        ["axis": .integer(axis), "largest": .integer(operation.isDescending ? 1 : 0)],
        outputCount: 2)
      return [parts[0], builder.cast(parts[1], to: .int32)]
    },
    ONNXRow(ArgMax.self) { (operation, builder) throws(WeighbridgeError) in
      builder.position("ArgMax", operation)
    },
    ONNXRow(ArgMin.self) { (operation, builder) throws(WeighbridgeError) in
      builder.position("ArgMin", operation)
    },
  ]
}

extension ONNXGraphBuilder {
  /// The position of an extreme element, which ONNX gives as int64.
  fileprivate mutating func position(_ name: String, _ operation: some ArgumentReduction) -> String
  {
    let position = add(
      name, [input()],
      ["axis": .integer(operation.axis), "keepdims": .integer(operation.keepDims ? 1 : 0)])
    return operation.elementType == .int64 ? position : cast(position, to: operation.elementType)
  }
}
