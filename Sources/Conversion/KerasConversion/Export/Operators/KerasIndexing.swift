import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Gathering, one-hot encoding and sorting.
enum KerasIndexing {
  static let rows: [KerasRow] = [
    KerasRow(Gather.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.batchAxes == 0 || builder.format != .archive else {
        throw .unsupported("Keras 3 takes no indices of each part of a batch")
      }
      return try builder.function(
        KerasFunctionForm("numpy", "Take", tf: "gather", ["params", "indices"]),
        [builder[0], builder[1]], settings: ["axis": .integer(operation.axis)],
        tfArguments: [
          "axis": .integer(operation.axis), "batch_dims": .integer(operation.batchAxes),
        ], type: builder.outputType)
    },
    KerasRow(GatherElements.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.function(
        KerasFunctionForm("numpy", "TakeAlongAxis", tf: nil), [builder[0], builder[1]],
        settings: ["axis": .integer(operation.axis)], type: builder.outputType)
    },
    KerasRow(native: OneHot.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.on == 1, operation.off == 0 else { return nil }
      let type = JSONValue.string(operation.elementType.rawValue)
      let axis = JSONValue.integer(operation.axis == builder.type().rank ? -1 : operation.axis)
      return try builder.function(
        KerasFunctionForm("nn", "OneHot", tf: "one_hot", ["indices"]), [builder[0]],
        settings: ["num_classes": .integer(operation.depth), "axis": axis, "dtype": type],
        tfArguments: ["depth": .integer(operation.depth), "axis": axis, "dtype": type],
        type: builder.outputType)
    },
    KerasRow(
      Sort.self, unsupported: "sorting by functions differs between the generations of Keras"),
    KerasRow(
      BitCast.self,
      unsupported: "reads bits as another type, and layers of Keras compute with numbers"),
    KerasRow(BoxSelection.self, unsupported: "no layer of Keras chooses among boxes"),
    KerasRow(NonMaxSuppression.self, unsupported: "no layer of Keras chooses among boxes"),
    KerasRow(
      Fill.self,
      unsupported:
        "has sizes that are known only when it runs, and no layer of Keras gives a number of its own"
    ),
    KerasRow(
      NonZero.self,
      unsupported:
        "has sizes that are known only when it runs, and no layer of Keras gives a number of its own"
    ),
    KerasRow(
      ReshapeTo.self,
      unsupported:
        "has sizes that are known only when it runs, and no layer of Keras gives a number of its own"
    ),
  ]
}
