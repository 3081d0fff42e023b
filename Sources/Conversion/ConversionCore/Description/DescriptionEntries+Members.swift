package import Bytes
package import JSON

extension DescriptionEntries {
  /// Entries, grouped by what they describe.
  package struct Members {
    /// The members of a metadata file.
    package var members = JSONObject()
    /// Inputs that take images, in the form of the inputs in ``members``.
    package var images: [JSONValue] = []
    /// The names of inputs and outputs in the model that are others in the file, by the latter.
    package var names: [String: String] = [:]
    /// The framework that the model was made with.
    package var source: String?
    /// The user-defined entries.
    package var userDefined = JSONObject()

    /// - Throws: ``WeighbridgeError/Code/malformed`` for a string that should be JSON and is not,
    ///   unless another program may have written the file.
    package init(
      _ entries: [(key: String, value: String)], _ scheme: MetadataScheme
    ) throws(WeighbridgeError) {
      for (key, value) in entries where !scheme.reserved.contains(key) {
        if let name = scheme.image(of: key) {
          images.append(
            .object(["name": .string(name), "image": try Self.json(key, value)]))
        } else if let name = scheme.fileName(of: key) {
          names[name] = value
        } else if let field = scheme.field(of: key), try take(field, key, value, scheme) {
          continue
        } else {
          let prefix = MetadataScheme.userPrefix
          let unprefixed = key.hasPrefix(prefix) ? String(key.dropFirst(prefix.count)) : key
          userDefined[scheme.isTaken(unprefixed) ? unprefixed : key] = .string(value)
        }
      }
    }

    /// Stores the string of a field.
    ///
    /// - Returns: Whether the string is valid for the field.
    private mutating func take(
      _ field: MetadataScheme.Field, _ key: String, _ string: String, _ scheme: MetadataScheme
    ) throws(WeighbridgeError) -> Bool {
      if field == .source {
        source = string
      } else if !field.isJSON {
        members[field.rawValue] = .string(string)
      } else if scheme.includesNetwork {
        members[field.rawValue] = try Self.json(key, string)
      } else {
        members[field.rawValue] = try? Self.json(key, string)
      }
      return field == .source || members[field.rawValue] != nil
    }

    private static func json(_ key: String, _ text: String) throws(WeighbridgeError) -> JSONValue {
      do throws(WeighbridgeError) {
        return try JSONValue(parsing: Array(text.utf8))
      } catch {
        throw .malformed("the metadata \(key) is not JSON: \(error.reason)")
      }
    }
  }
}
