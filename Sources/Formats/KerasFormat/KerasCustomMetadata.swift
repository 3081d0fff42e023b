import Bytes
import HDF5File
import JSON

/// The metadata that Weighbridge adds to what Keras writes about a model: a JSON object of strings.
enum KerasCustomMetadata {
  /// The attribute of an `.h5` file.
  static let attributeName = "weighbridge"

  /// Reads the attribute, if there is one.
  static func read(
    _ text: String?, of file: HDF5File
  ) throws(WeighbridgeError) -> [(key: String, value: String)] {
    guard let text else { return [] }
    return try locating({ $0.at(file: file.path) }) { () throws(WeighbridgeError) in
      do throws(WeighbridgeError) {
        return try read(JSONValue(parsing: Array(text.utf8)))
      } catch { throw WeighbridgeError(error.code, "attribute \(attributeName): \(error.reason)") }
    }
  }

  /// Reads the object.
  static func read(_ json: JSONValue) throws(WeighbridgeError) -> [(key: String, value: String)] {
    guard let object = json.object else {
      throw .malformed("is \(json.typeName), expected an object of strings")
    }
    return try object.members.map { (key, value) throws(WeighbridgeError) in
      guard let text = value.string else { throw .malformed("\(key) is not a string") }
      return (key, text)
    }
  }
}
