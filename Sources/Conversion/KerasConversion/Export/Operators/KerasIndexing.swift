import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Rows of tables, and parts of tensors by their indices.
enum KerasIndexing {
  static let rows: [KerasRow] = [
    KerasRow(Embedding.self) { (_, builder) throws(WeighbridgeError) in
      let table = try builder.tensor(1)
      return try builder.layer(
        "Embedding",
        [
          "input_dim": .integer(table.shape[0]), "output_dim": .integer(table.shape[1]),
          "mask_zero": false,
        ], weights: [KerasLayerWeight(name: "embeddings", tensor: table)])
    },
    KerasRow(Gather.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.batchAxes == 0 || builder.form == .hdf5 else {
        throw WeighbridgeError(.unsupported, "Keras 3 takes no indices of each part of a batch")
      }
      return try builder.function(
        KerasFunctionForm("numpy", "Take", tf: "gather", ["params", "indices"]),
        [builder[0], builder[1]], settings: ["axis": .integer(operation.axis)],
        older: [
          "axis": .integer(operation.axis), "batch_dims": .integer(operation.batchAxes),
        ], type: builder.outputType)
    },
    KerasRow(GatherElements.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.function(
        KerasFunctionForm("numpy", "TakeAlongAxis", tf: nil), [builder[0], builder[1]],
        settings: ["axis": .integer(operation.axis)], type: builder.outputType)
    },
    KerasRow(OneHot.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.on == 1, operation.off == 0 else {
        throw WeighbridgeError(.unsupported, "one-hot vectors of other numbers than 0 and 1")
      }
      let type = JSONValue.string(operation.elementType.rawValue)
      let axis = JSONValue.integer(operation.axis == builder.type().rank ? -1 : operation.axis)
      return try builder.function(
        KerasFunctionForm("nn", "OneHot", tf: "one_hot", ["indices"]), [builder[0]],
        settings: ["num_classes": .integer(operation.depth), "axis": axis, "dtype": type],
        older: ["depth": .integer(operation.depth), "axis": axis, "dtype": type],
        type: builder.outputType)
    },
    KerasRow(Discretization.self) { (operation, builder) throws(WeighbridgeError) in
      let boundaries = operation.boundaries.map(JSONValue.real)
      let index = try builder.layer(
        "Discretization",
        [
          // As each generation itself writes it.
          "dtype": builder.form == .archive ? "float32" : "int64",
          "bin_boundaries": .array(boundaries), "num_bins": .null,
          "epsilon": .real(0.01), "output_mode": "int", "sparse": false,
        ])
      return try builder.function(.cast, [index], to: operation.outputType)
    },
    KerasRow(
      Sort.self, unsupported: "sorting by functions differs between the generations of Keras"),
    KerasRow(
      CategoryEncoding.self,
      unsupported: "Keras refuses indices outside of the categories in its own ways"),
  ]
}
