import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog
import Testing

@testable import KerasConversion

/// Settings and inputs that are refused, each by its own reason.
@Suite struct KerasRefusalTests {
  private func layer(
    _ refusal: KerasRefusal, _ version: KerasVersion, settings: JSONObject
  ) throws -> (KerasLayer, [ValueID]) {
    var builder = GraphBuilder()
    let inputs = try refusal.shapes.enumerated().map { position, shape in
      let dimensions = [Dimension.symbolic("batch")] + shape.map(Dimension.fixed)
      return try builder.addInput("input_\(position)", TensorType(refusal.type, dimensions))
    }
    let layer = KerasLayer(
      source: SourceScope(layer: "layer", className: refusal.name),
      writer: KerasProducer(version: version), settings: settings, weights: .file([]),
      weightValues: [:], network: KerasNetwork(graph: builder))
    return (layer, inputs)
  }

  private func settings(_ refusal: KerasRefusal) throws -> JSONObject {
    try #require(try JSONValue(parsing: Array(refusal.settings.utf8)).object)
  }

  @Test("A layer says why it is refused", arguments: KerasRefusal.layers)
  func layers(_ refusal: KerasRefusal) throws {
    let version = KerasVersion(2, refusal.version, 0)
    let build = try #require(KerasMappings.layers[refusal.name])
    let settings = try settings(refusal)
    let error = #expect(throws: WeighbridgeError.self) {
      var (layer, inputs) = try self.layer(refusal, version, settings: settings)
      _ = try build(&layer, inputs)
      try layer.finish()
    }
    #expect([.malformed, .unsupported].contains(error?.code), "\(error as Any)")
    #expect(error?.reason.contains(refusal.reason) == true, "\(error as Any)")
  }

  @Test("A function says why it is refused", arguments: KerasRefusal.functions)
  func functions(_ refusal: KerasRefusal) throws {
    let settings = try settings(refusal)
    let error = #expect(throws: WeighbridgeError.self) {
      let (layer, inputs) = try self.layer(refusal, KerasVersion(3, 15, 0), settings: [:])
      let isTensorFlow = refusal.name.hasPrefix("tf.")
      let name: KerasFunctionName =
        isTensorFlow ? .tensorFlow(String(refusal.name.dropFirst(3))) : .operation(refusal.name)
      var function = try KerasFunction(
        name, layer: layer, inputs: inputs,
        operands: KerasOperands(
          positional: inputs.indices.map { .tensor($0) },
          named: isTensorFlow
            ? Dictionary(
              settings.keys.map { ($0, .value(settings[$0] ?? .null)) },
              uniquingKeysWith: { first, _ in first }) : [:]),
        settings: isTensorFlow ? [:] : settings)
      _ = try function.build()
    }
    #expect([.malformed, .unsupported, .limitExceeded].contains(error?.code), "\(error as Any)")
    #expect(error?.reason.contains(refusal.reason) == true, "\(error as Any)")
  }
}
