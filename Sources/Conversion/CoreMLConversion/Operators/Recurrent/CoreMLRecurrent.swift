import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Recurrent operators. Those that Core ML supports become its layers; those with a mask or an
/// activation that it lacks are unrolled.
enum CoreMLRecurrent: CoreMLFamily {
  static let rows: [CoreMLRow] = [
    lstm,
    CoreMLRow(outputsOf: GRU.self) { (operation, builder) throws(WeighbridgeError) in
      let functions = [operation.recurrentActivation, operation.activation]
      guard !operation.resetsAfter,
        let outputs = try builder.nativeLayer(
          .gru, operation, functions, activations: "activations")
      else { return try builder.unroll(operation) }
      return outputs
    },
    CoreMLRow(outputsOf: SimpleRNN.self) { (operation, builder) throws(WeighbridgeError) in
      let functions = [operation.activation]
      guard
        let outputs = try builder.nativeLayer(
          .simple, operation, functions, activations: "activation")
      else { return try builder.unroll(operation) }
      return outputs
    },
    CoreMLRow(outputsOf: ConvLSTM.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.convLSTM(operation)
    },
  ]

  static let nodes: [String: CoreMLLayerImport.Build] = [
    "simpleRecurrent": { (layer) throws(WeighbridgeError) in try layer.simpleRecurrent() },
    "gru": { (layer) throws(WeighbridgeError) in try layer.gru() },
    "uniDirectionalLSTM": { (layer) throws(WeighbridgeError) in
      try layer.unidirectionalLSTM()
    },
    "biDirectionalLSTM": { (layer) throws(WeighbridgeError) in try layer.bidirectionalLSTM() },
  ]
}

/// A recurrent layer of Core ML.
struct CoreMLCell: Sendable {
  /// The kind of layer.
  let kind: String
  /// The settings with the weights of each gate.
  let kernels, recurrentKernels, biases: [String]
  /// The setting that states whether there are biases.
  let hasBias: String

  static let simple = CoreMLCell(
    kind: "simpleRecurrent", kernels: ["weightMatrix"], recurrentKernels: ["recursionMatrix"],
    biases: ["biasVector"], hasBias: "hasBiasVector")
  static let gru = CoreMLCell("gru", gates: ["updateGate", "resetGate", "outputGate"])
  static let lstm = CoreMLCell(
    "uniDirectionalLSTM", gates: ["inputGate", "forgetGate", "blockInput", "outputGate"])
}

extension CoreMLCell {
  init(_ kind: String, gates: [String]) {
    self.init(
      kind: kind, kernels: gates.map { "\($0)WeightMatrix" },
      recurrentKernels: gates.map { "\($0)RecursionMatrix" },
      biases: gates.map { "\($0)BiasVector" }, hasBias: "hasBiasVectors")
  }
}
