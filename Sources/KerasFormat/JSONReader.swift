import Bytes
import JSON

/// A JSON value together with where it stands, so that what is missing or of another type is an
/// error with a place.
struct JSONReader {
  let value: JSONValue
  /// The place, such as `config.layers[3].inbound_nodes`.
  let place: String

  init(_ value: JSONValue, place: String) {
    self.value = value
    self.place = place
  }

  /// An error at this place.
  func failure(
    _ reason: String, code: WeighbridgeError.Code = .malformed
  ) -> WeighbridgeError {
    WeighbridgeError(code, place.isEmpty ? reason : "\(place) \(reason)")
  }

  /// The member of an object, if the object has it.
  func optional(_ key: String) throws(WeighbridgeError) -> JSONReader? {
    try object()[key].map { JSONReader($0, place: place.isEmpty ? key : "\(place).\(key)") }
  }

  /// The member of an object.
  func member(_ key: String) throws(WeighbridgeError) -> JSONReader {
    guard let member = try optional(key) else { throw failure("has no key \"\(key)\"") }
    return member
  }

  func object() throws(WeighbridgeError) -> JSONObject {
    guard let object = value.object else { throw unexpected("an object") }
    return object
  }

  func string() throws(WeighbridgeError) -> String {
    guard let string = value.string else { throw unexpected("a string") }
    return string
  }

  /// A number that counts something.
  func count() throws(WeighbridgeError) -> Int {
    guard let integer = value.integer else { throw unexpected("a whole number") }
    guard integer >= 0 else { throw failure("is \(integer), and cannot be negative") }
    return integer
  }

  func elements() throws(WeighbridgeError) -> [JSONReader] {
    guard let array = value.array else { throw unexpected("a list") }
    return array.enumerated().map { JSONReader($1, place: "\(place)[\($0)]") }
  }

  /// The members of an object, by the code points of their keys, as Python sorts them.
  func membersByKey() throws(WeighbridgeError) -> [JSONReader] {
    let object = try object()
    let keys = object.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return keys.map { JSONReader(object[$0] ?? .null, place: "\(place).\($0)") }
  }

  /// Refuses keys that nobody reads.
  func allow(only keys: [String]) throws(WeighbridgeError) {
    let unknown = try object().keys.filter { !keys.contains($0) }
    guard unknown.isEmpty else {
      let list = unknown.map { "\"\($0)\"" }.joined(separator: ", ")
      throw failure(
        "has \(list), which no known version of Keras writes there", code: .unsupported)
    }
  }

  private func unexpected(_ expected: String) -> WeighbridgeError {
    failure("is \(value.typeName), not \(expected)")
  }
}
