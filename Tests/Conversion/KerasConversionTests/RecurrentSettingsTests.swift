import Bytes
import GraphIR
import JSON
import KerasConversion
import KerasFormat
import LayerCatalog
import Testing
import _CatalogTesting

/// How the settings of recurrent Keras layers are mapped, and which are refused.
@Suite struct RecurrentSettingsTests {
  private let batch = Dimension.symbolic("batch")
  private static let lstm: JSONObject = [
    "units": 2, "activation": "tanh", "recurrent_activation": "sigmoid", "use_bias": false,
  ]

  /// The operators of one layer on a sequence with three features, and the decisions taken.
  private func layer(
    _ className: String, _ settings: JSONObject, weights: [[Int]], states: [[Dimension]] = [],
    isMasked: Bool = false, version: KerasVersion = KerasVersion(2, 15, 0)
  ) throws -> (operators: [any Operator], decisions: [String]) {
    var builder = GraphBuilder()
    var inputs = [try builder.addInput("x", TensorType(.float32, [batch, .unknown, 3]))]
    for (index, state) in states.enumerated() {
      inputs.append(try builder.addInput("state_\(index)", TensorType(.float32, state)))
    }
    let mask = try builder.addInput("mask", TensorType(.bool, [batch, .unknown]))
    var layer = KerasLayer(
      source: SourceScope(layer: "layer", className: className),
      writer: KerasProducer(version: version),
      settings: settings,
      weights: .file(
        weights.map { shape in
          KerasLayer.Weight(
            path: "/w", tensor: Tensor.random(.float32, shape: shape, in: -1...1, seed: 1))
        }),
      weightValues: [:],
      network: KerasNetwork(graph: builder, masks: isMasked ? [inputs[0]: mask] : [:]))
    let build = try #require(KerasMappings.layers[className])
    let outputs = try build(&layer, inputs)
    try layer.finish()
    let decisions = layer.network.decisions.map(\.text)
    let graph = try layer.graph.finish(outputs: [Port(name: "y", value: outputs[0])])
    return (graph.nodes.map(\.operation), decisions)
  }

  @Test("A stateful layer starts at zero, and that is recorded as a decision")
  func stateful() throws {
    let settings = Self.lstm.merging(["stateful": true])
    let result = try layer("LSTM", settings, weights: [[3, 8], [2, 8]])
    #expect(result.decisions.count == 1 && result.decisions[0].contains("zero"))
  }

  @Test("Dropout inside of a layer is kept", arguments: [(0.25, 0.25), (0, nil), (2, nil)])
  func dropout(_ rate: Double, expected: Double?) throws {
    let rates: JSONObject = ["dropout": .real(rate), "recurrent_dropout": .real(rate / 2)]
    let result = try layer("LSTM", Self.lstm.merging(rates), weights: [[3, 8], [2, 8]])
    let recurrence = try #require(result.operators[0] as? LSTM).recurrence
    #expect(recurrence.dropout == expected)
    #expect(recurrence.stateDropout == (rate > 1 ? 1 : expected.map { $0 / 2 }))
  }

  @Test("Before 2.3, the output of the first steps that a mask leaves out is the given state")
  func olderMasks() throws {
    let states: [[Dimension]] = [[batch, 2], [batch, 2]]
    func mask(_ version: KerasVersion, _ states: [[Dimension]], unroll: Bool = false) throws
      -> StepMask?
    {
      let result = try layer(
        "LSTM", Self.lstm.merging(["unroll": .bool(unroll)]), weights: [[3, 8], [2, 8]],
        states: states, isMasked: true, version: version)
      return (result.operators[0] as? LSTM)?.recurrence.mask
    }
    #expect(try mask(KerasVersion(2, 2, 4), states) == .state)
    #expect(try mask(KerasVersion(2, 2, 4), states, unroll: true) == .previous)
    #expect(try mask(KerasVersion(2, 2, 4), []) == .previous)
    #expect(try mask(KerasVersion(2, 15), states) == .previous)
    #expect(try mask(KerasVersion(3, 15), states) == StepMask.none)
    #expect(try mask(#require(KerasVersion("2.2.4-tf")), states) == .previous)
  }

  @Test(
    "Invalid settings are refused",
    arguments: [
      ("LSTM", ["units": 0], [[3, 0], [0, 0]], .malformed, "units=0"),
      ("LSTM", ["units": .integer(.max)], [], .malformed, "the number of sums"),
      (
        "LSTM", ["activation": "nonesuch"], [[3, 8], [2, 8]], .unsupported,
        "the activation function nonesuch is unknown"
      ),
      (
        "LSTM", ["recurrent_activation": .null], [[3, 8], [2, 8]], .malformed,
        "the setting recurrent_activation is missing"
      ),
      (
        "LSTM", ["peephole": true], [[3, 8], [2, 8]], .unsupported, "unknown setting peephole"
      ),
      ("LSTM", ["num_constants": 1], [[3, 8], [2, 8]], .unsupported, "num_constants=1"),
      ("LSTM", [:], [[3, 8], [2, 6]], .malformed, "recurrent_kernel has the shape [2, 6]"),
      ("LSTM", [:], [[3, 8], [2, 8], [8]], .malformed, "a surplus weight of shape [8]"),
      ("RNN", ["cell": .null], [[3, 8], [2, 8]], .malformed, "wraps no layer"),
      ("Bidirectional", ["merge_mode": "max"], [], .unsupported, "merge_mode="),
      (
        "TimeDistributed", ["layer": .object(["class_name": "Nonesuch", "config": .object([:])])],
        [], .unsupported, "the unknown class Nonesuch"
      ),
    ] as [(String, JSONObject, [[Int]], WeighbridgeError.Code, String)])
  func refusals(
    _ className: String, _ changes: JSONObject, _ weights: [[Int]], _ code: WeighbridgeError.Code,
    _ phrase: String
  ) {
    expectRefusal(code, phrase) {
      _ = try layer(
        className, className == "LSTM" ? Self.lstm.merging(changes) : changes, weights: weights)
    }
  }

  private func expectRefusal(
    _ code: WeighbridgeError.Code, _ phrase: String,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) {
    let error = #expect(
      throws: WeighbridgeError.self, sourceLocation: sourceLocation, performing: body)
    #expect(error?.code == code, "\(error as Any)", sourceLocation: sourceLocation)
    #expect(
      error?.reason.contains(phrase) == true, "\(error as Any)", sourceLocation: sourceLocation)
  }

  @Test("States of a wrong number, masks of cuDNN layers, older stacks with states are refused")
  func states() {
    expectRefusal(.malformed, "has 2 states and is given 1") {
      _ = try layer("LSTM", Self.lstm, weights: [[3, 8], [2, 8]], states: [[batch, 2]])
    }
    expectRefusal(.malformed, "takes no mask") {
      _ = try layer("CuDNNLSTM", ["units": 2], weights: [[3, 8], [2, 8], [16]], isMasked: true)
    }
    let cell = JSONValue.object(["class_name": "LSTMCell", "config": .object(Self.lstm)])
    let stack = JSONValue.object([
      "class_name": "StackedRNNCells", "config": .object(["cells": [cell, cell]]),
    ])
    expectRefusal(.unsupported, "before Keras 2.2.3") {
      _ = try layer(
        "RNN", ["cell": stack, "return_state": true],
        weights: [[3, 8], [2, 8], [2, 8], [2, 8]],
        version: KerasVersion(2, 2, 2))
    }
  }
}

extension JSONObject {
  /// The object with some members replaced or added.
  fileprivate func merging(_ other: JSONObject) -> JSONObject {
    var result = self
    for key in other.keys { result[key] = other[key] }
    return result
  }
}
