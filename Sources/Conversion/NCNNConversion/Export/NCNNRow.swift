import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

typealias NCNNRow = ExportRow<NCNNBuilder>

extension ExportRow<NCNNBuilder> {
  /// Creates a row for an operator with one output, whose elements the rule produces in row-major
  /// order. The rule returns `nil` for settings that ncnn does not support.
  init<Operation: CatalogOperator>(
    blob type: Operation.Type,
    _ rule: @escaping @Sendable (Operation, inout NCNNBuilder) throws(WeighbridgeError) -> NCNNBlob?
  ) {
    self.init(native: type) { (operation, builder) throws(WeighbridgeError) in
      guard let blob = try rule(operation, &builder) else { return nil }
      return try builder.shaped(blob, builder.outputType).name
    }
  }

  /// Creates a row for an operator with several outputs.
  init<Operation: CatalogOperator>(
    blobs type: Operation.Type,
    _ rule:
      @escaping @Sendable (Operation, inout NCNNBuilder) throws(WeighbridgeError) -> [NCNNBlob]
  ) {
    self.init(outputsOf: type) { (operation, builder) throws(WeighbridgeError) in
      var names: [String] = []
      for (blob, type) in zip(try rule(operation, &builder), builder.scope.outputTypes) {
        names.append(try builder.shaped(blob, type).name)
      }
      return names
    }
  }

  /// Creates a row for an operator that is one of ncnn's layers, with its settings.
  init<Operation: CatalogOperator>(
    _ kind: Operation.Type, is type: String,
    _ floats: @escaping @Sendable (Operation) -> [Double] = { _ in [] },
    integers: @escaping @Sendable (Operation) -> [Int] = { _ in [] }
  ) {
    self.init(blob: kind) { (operation, builder) throws(WeighbridgeError) in
      let floatSettings = floats(operation).enumerated().map { ($0, $1) }
      let integerSettings = integers(operation).enumerated().map { ($0, $1) }
      return try builder.add(
        type, nil, Dictionary(uniqueKeysWithValues: integerSettings),
        floats: Dictionary(uniqueKeysWithValues: floatSettings))
    }
  }

  /// Creates a row for an operator that combines its inputs from left to right.
  init<Operation: CatalogOperator>(_ kind: Operation.Type, chain function: NCNNBinary) {
    self.init(blob: kind) { (_, builder) throws(WeighbridgeError) in try builder.chain(function) }
  }

  /// Creates a row for an operator that only reshapes.
  init(reshaping type: any CatalogOperator.Type) {
    self.init(kind: type.kind) { (_, builder) throws(WeighbridgeError) in
      [try builder.shaped(try builder.input(), builder.outputType).name]
    }
  }
}

/// The translation of each operator to ncnn. An operator without a row is decomposed.
package enum NCNNOperators {
  /// The rows.
  static let table = ExportTable(
    layout: .channelsFirst,
    [
      NCNNElementwise.rows, NCNNLayers.rows, NCNNRecurrent.rows, NCNNReshaping.rows,
      NCNNWindows.rows, NCNNRow.refusals(refusals),
      NCNNRow.refusingControl("ncnn can compute all layers only"),
    ])

  private static let refusals: KeyValuePairs<String, [any CatalogOperator.Type]> = [
    "takes or gives indices, and ncnn can compute with floating-point numbers only": [
      CategoryEncoding.self, HashedCrossing.self, Discretization.self, ArgMax.self, Fill.self,
      GatherElements.self, IndexLookup.self, NonZero.self, OneHot.self, Shape.self, Hashing.self,
      ReshapeTo.self,
    ],
    "sorts, and ncnn can choose the largest and the smallest element only": [Sort.self],
    "chooses among boxes, and ncnn can only among those of YOLO heads": [
      BoxSelection.self, NonMaxSuppression.self,
    ],
    "is a recurrent convolution, and ncnn can have LSTM, GRU and RNN only": [ConvLSTM.self],
    "has a kernel for each position, and ncnn can have one for all positions only": [
      LocallyConnected.self
    ],
    "masks time steps, and ncnn's recurrent layers can only take all": [Masking.self],
    "is a short-time Fourier transform, and ncnn can frame a signal otherwise only": [STFT.self],
    "divides by the range of an image, and ncnn, which selects by multiplying, can only keep the NaN of an image of one value":
      [
        AutoContrast.self
      ],
    "reads bits as another type, and ncnn can compute with numbers only": [BitCast.self],
    "counts a histogram, and ncnn can compute elementwise and in windows only": [CLAHE.self],
  ]

  /// The kinds of all rows, one entry per row.
  package static var kinds: [String] { table.kinds }

  /// The reason why an operator of a kind is never written; `nil` when it is.
  package static func refusal(of kind: String) -> String? { table.refusal(of: kind) }
}
