import Bytes
import GraphIR
import JSON

/// What our own files of other formats say in keys of their own, because the format has no place for
/// it: `labels`, a JSON list, `detector` and `image.NAME`, as `Schemas/metadata.schema.json` has them.
enum PortableMetadata {
  /// Adds what entries say of labels, pictures and boxes; others are passed over.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it does not fit the graph.
  static func apply(
    _ entries: [(key: String, value: String)], to content: inout ModelContent
  ) throws(WeighbridgeError) {
    var members = JSONObject()
    var inputs: [JSONValue] = []
    for (key, value) in entries {
      switch key {
      case "labels", "detector": members[key] = try json(key, value)
      case _ where key.hasPrefix("image."):
        inputs.append(
          .object(["name": .string(String(key.dropFirst(6))), "image": try json(key, value)]))
      default: break
      }
    }
    members["inputs"] = .array(inputs)
    do throws(WeighbridgeError) {
      try content.apply(try DescriptionEdit(metadata: .object(members)))
    } catch { throw WeighbridgeError(.malformed, "the metadata does not fit: \(error.reason)") }
  }

  private static func json(_ key: String, _ text: String) throws(WeighbridgeError) -> JSONValue {
    do throws(WeighbridgeError) {
      return try JSONValue(parsing: Array(text.utf8))
    } catch {
      throw WeighbridgeError(.malformed, "the metadata \(key) is no JSON: \(error.reason)")
    }
  }
}
