import Bytes
import GraphIR
import LayerCatalog
import ONNXFormat

/// Elements by their places, and places of elements.
enum ONNXIndexing {
  static let rows: [ONNXRow] = [
    ONNXRow(
      BoxSelection.self,
      unsupported: "ONNX chooses among boxes class by class, and Core ML by the best class"),
    ONNXRow(Gather.self) { (operation, draft) throws(WeighbridgeError) in
      let indices = draft.indices(1)
      guard operation.batchAxes > 0 else {
        return draft.add(
          "Gather", [draft.input(), indices], ["axis": .integer(operation.axis)])
      }
      guard operation.axis == operation.batchAxes else {
        throw WeighbridgeError(
          .unsupported,
          "ONNX gathers in batches along the axis behind them, not along \(operation.axis)")
      }
      let places = draft.unsqueeze(indices, [draft.type(1).rank])
      return draft.add(
        "GatherND", [draft.input(), places], ["batch_dims": .integer(operation.batchAxes)])
    },
    ONNXRow(GatherElements.self) { (operation, draft) throws(WeighbridgeError) in
      draft.add(
        "GatherElements", [draft.input(), draft.indices(1)], ["axis": .integer(operation.axis)])
    },
    ONNXRow(outputsOf: Sort.self) { (operation, draft) throws(WeighbridgeError) in
      let (input, axis) = (draft.input(), operation.axis)
      let count =
        operation.count.map { draft.integers([$0]) }
        ?? draft.extents(input, draft.type(), axis..<axis + 1)
      let parts = draft.add(
        "TopK", [input, count],
        ["axis": .integer(axis), "largest": .integer(operation.isDescending ? 1 : 0)],
        outputCount: 2)
      return [parts[0], draft.cast(parts[1], to: .int32)]
    },
    ONNXRow(ExtremeIndex.self) { (operation, draft) throws(WeighbridgeError) in
      let place = draft.add(
        operation.isMaximum ? "ArgMax" : "ArgMin", [draft.input()],
        ["axis": .integer(operation.axis), "keepdims": .integer(operation.keepsAxis ? 1 : 0)])
      return operation.elementType == .int64
        ? place : draft.cast(place, to: operation.elementType)
    },
  ]
}
