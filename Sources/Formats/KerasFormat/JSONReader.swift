import Bytes
import JSON

/// A JSON value together with where it stands, so that what is missing or of another type is an
/// error with a place.
struct JSONReader {
  let value: JSONValue
  let place: JSONPlace

  init(_ value: JSONValue, place: JSONPlace) {
    self.value = value
    self.place = place
  }

  /// An error at this place.
  func failure(
    _ reason: String, code: WeighbridgeError.Code = .malformed
  ) -> WeighbridgeError {
    let place = place.text
    return WeighbridgeError(code, place.isEmpty ? reason : "\(place) \(reason)")
  }

  /// The member of an object, if the object has it.
  func optional(_ key: String) throws(WeighbridgeError) -> JSONReader? {
    try object()[key].map { JSONReader($0, place: .member(key, of: place)) }
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
    return array.enumerated().map { JSONReader($1, place: .element($0, of: place)) }
  }

  /// The members of an object, by the code points of their keys, as Python sorts them.
  func membersByKey() throws(WeighbridgeError) -> [JSONReader] {
    let object = try object()
    let keys = object.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return keys.map { JSONReader(object[$0] ?? .null, place: .member($0, of: place)) }
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

/// Where a value stands in a JSON text. It is put into words only for an error.
indirect enum JSONPlace {
  case path(String)
  case member(String, of: JSONPlace)
  case element(Int, of: JSONPlace)

  /// The place in words, such as `config.layers[3].inbound_nodes`; empty for the whole text.
  var text: String {
    switch self {
    case .path(let path): return path
    case .element(let position, let list): return "\(list.text)[\(position)]"
    case .member(let key, let object):
      let object = object.text
      return object.isEmpty ? key : "\(object).\(key)"
    }
  }
}

extension JSONPlace: ExpressibleByStringInterpolation {
  init(stringLiteral path: String) { self = .path(path) }
}
