import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import JSON
import LayerCatalog
import ProtobufWire

extension CoreMLNetworkBuilder {
  /// Adds an unknown layer as a custom layer that the app implements: its class, its settings and
  /// its weights. Its inputs and outputs keep the source's axis order.
  mutating func customLayer(
    _ opaque: Opaque, _ source: SourceScope
  ) throws(WeighbridgeError) -> [String] {
    let weightCount = opaque.weightNames.count
    let inputs = operands.prefix(operands.count - weightCount).map(\.name)
    var weights: [ProtobufRecord] = []
    for position in operands.count - weightCount..<operands.count {
      if case .record(let record) = try self.weights(position) { weights.append(record) }
    }
    let settings: ProtobufRecord = [
      "className": .string(opaque.className), "weights": .records(weights),
      "parameters": .records(try Self.parameters(opaque)),
      "description": .string("\(source.className) \(source.callName)"),
    ]
    return try add("custom", inputs, settings, outputCount: opaque.outputs.count)
  }

  /// Returns the settings by name; a value that is not a number, Boolean or string becomes JSON.
  private static func parameters(_ opaque: Opaque) throws(WeighbridgeError) -> [ProtobufRecord] {
    guard let settings = try JSONValue(parsing: Array(opaque.settings.utf8)).object else {
      return []
    }
    return settings.keys.sorted().compactMap { key in
      settings[key].map { ["key": .string(key), "value": .record(parameter($0))] }
    }
  }

  private static func parameter(_ value: JSONValue) -> ProtobufRecord {
    switch value {
    case .bool(let flag): ["boolValue": .boolean(flag)]
    case .integer(let number): ["longValue": .integer(number)]
    case .real(let number): ["doubleValue": .double(number)]
    case .string(let string): ["stringValue": .string(string)]
    default: ["stringValue": .string(value.text())]
    }
  }
}
