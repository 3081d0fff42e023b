import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog
import Testing

@testable import KerasConversion

@Suite struct KerasTrainingModeTests {
  @Test(
    "Layers that draw random numbers in training, or change, are refused in that mode",
    arguments: [
      ("Dropout", #"{"rate": 0.5}"#, "rate=0.5"),
      ("GaussianNoise", #"{"stddev": 0.1}"#, "stddev=0.1"),
      ("LSTM", #"{"dropout": 0.0, "recurrent_dropout": 0.2}"#, "recurrent_dropout=0.2"),
      ("MultiHeadAttention", #"{"dropout": 0.1}"#, "dropout=0.1"),
      ("RandomFlip", #"{"mode": "horizontal"}"#, "draws random numbers"),
      ("SpectralNormalization", "{}", "normalizes its kernel anew"),
      (
        "TimeDistributed", #"{"layer": {"class_name": "Dropout", "config": {"rate": 0.5}}}"#,
        "rate=0.5"
      ),
      (
        "TimeDistributed", #"{"layer": {"class_name": "BatchNormalization", "config": {}}}"#,
        "wraps a BatchNormalization"
      ),
    ] as [(String, String, String)])
  func refusals(name: String, config: String, phrase: String) throws {
    let record = try record(name, config)
    let error = #expect(throws: WeighbridgeError.self) {
      try KerasTrainingMode.check(record, isKnown: true)
    }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains(phrase) == true, "\(error as Any)")
  }

  @Test("A layer that is not known is refused in training mode")
  func unknown() {
    let record = KerasLayerRecord(name: "layer", className: "Mystery", config: [:])
    #expect(throws: WeighbridgeError.self) {
      try KerasTrainingMode.check(record, isKnown: false)
    }
  }

  @Test(
    "Layers that do the same in training are accepted",
    arguments: [
      ("Dropout", #"{"rate": 0.0}"#), ("Dense", #"{"units": 3}"#),
      ("GRU", #"{"dropout": 0, "recurrent_dropout": 0.0}"#),
      ("BatchNormalization", #"{"axis": -1}"#),
    ] as [(String, String)])
  func harmless(name: String, config: String) throws {
    try KerasTrainingMode.check(try record(name, config), isKnown: true)
  }

  private func record(_ name: String, _ config: String) throws -> KerasLayerRecord {
    let settings = try #require(try JSONValue(parsing: Array(config.utf8)).object)
    return KerasLayerRecord(name: "layer", className: name, config: settings)
  }

  @Test(
    "Statistics that one call changes and another uses are refused", arguments: [true, false])
  func changedStatistics(isTrainingFirst: Bool) {
    let error = #expect(throws: WeighbridgeError.self) {
      var builder = GraphBuilder()
      let input = try builder.addInput("in", TensorType(.float32, [.symbolic("batch"), 2]))
      var network = KerasNetwork(graph: builder)
      var weightValues: [String: ValueID] = [:]
      for (call, isTraining) in [isTrainingFirst, !isTrainingFirst].enumerated() {
        var layer = KerasLayer(
          source: SourceScope(layer: "norm", className: "BatchNormalization", call: call),
          writer: KerasProducer(version: KerasVersion(2, 15, 0)), settings: ["axis": -1],
          weights: .placeholders(elementLimit: 100), weightValues: weightValues, network: network)
        layer.isTraining = isTraining
        _ = try KerasMappings.builder(of: "BatchNormalization")(&layer, [input])
        (network, weightValues) = (layer.network, layer.weightValues)
        if call == 0 { weightValues["mean"] = weightValues["mean"] ?? input }
        if isTrainingFirst { weightValues["mean"] = nil }
      }
    }
    #expect(error?.reason.contains("the result depends on the order") == true, "\(error as Any)")
  }
}
