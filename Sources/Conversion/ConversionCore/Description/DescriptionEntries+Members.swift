package import Bytes
package import JSON

extension DescriptionEntries {
  /// Entries, sorted by what they describe.
  package struct Members {
    /// The members of a metadata file.
    package var members = JSONObject()
    /// Inputs with their images, in the form of the inputs in ``members``.
    package var images: [JSONValue] = []
    /// What the model was made with.
    package var source: String?
    /// The author's own entries.
    package var user = JSONObject()

    /// - Throws: ``WeighbridgeError/Code/malformed`` for a string that is not JSON, unless other
    ///   programs may have written the file that way.
    package init(
      _ entries: [(key: String, value: String)], _ scheme: MetadataScheme
    ) throws(WeighbridgeError) {
      for (key, value) in entries where !scheme.reserved.contains(key) {
        if let name = scheme.image(of: key) {
          images.append(
            .object(["name": .string(name), "image": try Self.json(key, value)]))
        } else if let field = scheme.field(of: key), try take(field, key, value, scheme) {
          continue
        } else {
          let prefix = MetadataScheme.userPrefix
          let plain = key.hasPrefix(prefix) ? String(key.dropFirst(prefix.count)) : key
          user[scheme.isTaken(plain) ? plain : key] = .string(value)
        }
      }
    }

    /// - Returns: Whether the string fits the field.
    private mutating func take(
      _ field: MetadataScheme.Field, _ key: String, _ text: String, _ scheme: MetadataScheme
    ) throws(WeighbridgeError) -> Bool {
      if field == .source {
        source = text
      } else if !field.isStructure {
        members[field.rawValue] = .string(text)
      } else if scheme.holdsNetwork {
        members[field.rawValue] = try Self.json(key, text)
      } else {
        members[field.rawValue] = try? Self.json(key, text)
      }
      return field == .source || members[field.rawValue] != nil
    }

    private static func json(_ key: String, _ text: String) throws(WeighbridgeError) -> JSONValue {
      do throws(WeighbridgeError) {
        return try JSONValue(parsing: Array(text.utf8))
      } catch {
        throw .malformed("the metadata \(key) is no JSON: \(error.reason)")
      }
    }
  }
}
