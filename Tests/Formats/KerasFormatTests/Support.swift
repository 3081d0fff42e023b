import Bytes
import JSON
import KerasConversion
import KerasFormat
import Testing

/// The path of a file that `Files/make_files.py` wrote.
func file(_ name: String, at filePath: String = #filePath) -> String {
  "/\(filePath.split(separator: "/").dropLast().joined(separator: "/"))/Files/\(name)"
}

/// The elements of a float32 weight.
func floats(_ file: KerasFile, _ weight: KerasWeight) throws -> [Float] {
  let (store, range) = try file.bytes(of: weight)
  return try store.withBytes { bytes throws(WeighbridgeError) in
    var cursor = ByteCursor(range)
    var values: [Float] = []
    while cursor.remaining > 0 {
      values.append(Float(bitPattern: try cursor.integer(UInt32.self, from: bytes)))
    }
    return values
  }
}

extension KerasFile {
  /// The weights of each layer of a model, with the known parts of Keras' classes.
  func weightGroups(of model: KerasModelRecord) throws -> [KerasWeightGroup] {
    try weightGroups(of: model, KerasMappings.parts)
  }
}

/// Reads a model from JSON text.
func model(_ text: String, layerNames: [String]? = nil) throws -> KerasModelRecord {
  try KerasModelRecord(parsing: JSONValue(parsing: Array(text.utf8)), layerNames: layerNames)
}

/// The JSON of a functional model with an input `x`; an output defaults to the layer `y`.
func functional(
  _ layers: String, inputs: String = #"[["x", 0, 0]]"#, outputs: String = #"[["y", 0, 0]]"#
) -> String {
  """
  {"class_name": "Model", "config": {"name": "net", "input_layers": \(inputs),
  "output_layers": \(outputs), "layers": [
  {"class_name": "InputLayer", "name": "x", "config": {}, "inbound_nodes": []}, \(layers)]}}
  """
}

/// The JSON of a layer of class `Dense`.
func dense(_ name: String, _ nodes: String, also: String = "") -> String {
  """
  {"class_name": "Dense", "name": "\(name)",
  "config": {"name": "\(name)", "trainable": true}\(also),
  "inbound_nodes": \(nodes)}
  """
}

/// Expects `body` to fail with a code and a message that contains a text.
func expectFailure(
  _ code: WeighbridgeError.Code, _ text: String, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) {
  let error = #expect(
    throws: WeighbridgeError.self, sourceLocation: sourceLocation, performing: body)
  guard let error else { return }
  #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
  #expect(error.description.contains(text), "\(error)", sourceLocation: sourceLocation)
}
