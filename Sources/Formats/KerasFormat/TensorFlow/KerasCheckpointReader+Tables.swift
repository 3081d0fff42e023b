import Bytes
import JSON
import TensorFlowFormat

extension KerasCheckpointReader {
  /// The vocabulary that a layer learned, which is not among its settings but in its table: its
  /// tokens in the order of their indices.
  ///
  /// - Returns: `nil` for a layer without a table, and for one whose settings have its vocabulary.
  func vocabulary(
    of layer: KerasLayerRecord, at object: Int
  ) throws(WeighbridgeError) -> [String]? {
    let isWritten = (layer.config["vocabulary"] ?? .null) != .null
    guard layer.className.hasSuffix("Lookup"), !isWritten,
      let table = child(["lookup_table", "_table"], of: object), let contents = try contents(table)
    else { return nil }
    let isInverse = layer.config["invert"]?.bool == true
    let (tokens, indices) =
      isInverse ? (contents.values, contents.keys) : (contents.keys, contents.values)
    let byIndex = Dictionary(
      zip(indices.compactMap(Int.init), tokens), uniquingKeysWith: { first, _ in first })
    let sorted = byIndex.keys.sorted()
    guard let first = sorted.first, let last = sorted.last, sorted.count == tokens.count,
      last.subtractingReportingOverflow(first) == (sorted.count - 1, false)
    else {
      throw .malformed(
        "has a table of \(layer.name) whose indices have gaps, expected consecutive ones")
    }
    return sorted.compactMap { byIndex[$0] }
  }

  /// What a table has: constants of a SavedModel, or, in older versions, two tensors.
  private func contents(
    _ table: Int
  ) throws(WeighbridgeError) -> (keys: [String], values: [String])? {
    if let key = graph.objects[table].tensors["table"] {
      let (keys, values) = (try numbers("\(key)-keys"), try numbers("\(key)-values"))
      if let keys, let values, !keys.isEmpty, keys.count == values.count { return (keys, values) }
    }
    return tables?.contents(ofObject: table)
  }

  /// The elements of a list of int64 or strings; `nil` for another tensor.
  private func numbers(_ name: String) throws(WeighbridgeError) -> [String]? {
    guard let tensor = bundle.tensors[name], tensor.shape.count == 1 else { return nil }
    if tensor.type.name == "string" {
      return try bundle.strings(of: name).map { String(decoding: $0, as: UTF8.self) }
    }
    guard tensor.type.elementType == .int64 else { return nil }
    let (store, range) = try bundle.bytes(of: name)
    return try store.withBytes { (bytes) throws(WeighbridgeError) in
      var (cursor, texts): (ByteCursor, [String]) = (ByteCursor(range), [])
      while cursor.remaining > 0 {
        texts.append(String(Int64(bitPattern: try cursor.integer(UInt64.self, from: bytes))))
      }
      return texts
    }
  }
}
