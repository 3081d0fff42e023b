import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import JSON
import LayerCatalog
import ProtobufWire

extension CoreMLNetworkBuilder {
  /// Adds an unknown layer as a custom layer that the app implements: its class, its settings and
  /// its weights. Its data have the source's axis order.
  mutating func custom(
    _ opaque: Opaque, _ source: SourceScope
  ) throws(WeighbridgeError) -> [String] {
    let weightCount = opaque.weightNames.count
    let inputs = operands.prefix(operands.count - weightCount).map(\.name)
    var weights: [ProtobufRecord] = []
    for position in operands.count - weightCount..<operands.count {
      if case .record(let record) = try self.weights(position) { weights.append(record) }
    }
    let settings: ProtobufRecord = [
      "className": .text(opaque.className), "weights": .records(weights),
      "parameters": .records(try Self.parameters(opaque)),
      "description": .text("\(source.className) \(source.callName)"),
    ]
    return try add("custom", inputs, settings, outputCount: opaque.outputs.count)
  }

  /// The settings by name; a value that is not a number, Boolean or string becomes JSON.
  private static func parameters(_ opaque: Opaque) throws(WeighbridgeError) -> [ProtobufRecord] {
    guard let settings = try JSONValue(parsing: Array(opaque.settings.utf8)).object else {
      return []
    }
    return settings.keys.sorted().compactMap { key in
      settings[key].map { ["key": .text(key), "value": .record(parameter($0))] }
    }
  }

  private static func parameter(_ value: JSONValue) -> ProtobufRecord {
    switch value {
    case .bool(let flag): ["boolValue": .boolean(flag)]
    case .integer(let number): ["longValue": .integer(number)]
    case .real(let number): ["doubleValue": .real(number)]
    case .string(let text): ["stringValue": .text(text)]
    default: ["stringValue": .text(value.text())]
    }
  }
}
