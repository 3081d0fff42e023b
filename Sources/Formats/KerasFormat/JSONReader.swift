import Bytes
import JSON

/// A JSON value and its location, which errors about missing values and wrong types state.
struct JSONReader {
  let value: JSONValue
  let place: JSONPlace

  init(_ value: JSONValue, place: JSONPlace) {
    self.value = value
    self.place = place
  }

  /// An error at this location.
  func failure(
    _ reason: String, code: WeighbridgeError.Code = .malformed
  ) -> WeighbridgeError {
    let place = place.description
    return WeighbridgeError(code, place.isEmpty ? reason : "\(place) \(reason)")
  }

  /// Returns the member of an object, if there is one.
  func optional(_ key: String) throws(WeighbridgeError) -> JSONReader? {
    try object()[key].map { JSONReader($0, place: .member(key, of: place)) }
  }

  /// Returns the member of an object.
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

  /// Returns a non-negative integer.
  func count() throws(WeighbridgeError) -> Int {
    guard let integer = value.integer else { throw unexpected("an integer") }
    guard integer >= 0 else { throw failure("is \(integer), and cannot be negative") }
    return integer
  }

  func elements() throws(WeighbridgeError) -> [JSONReader] {
    guard let array = value.array else { throw unexpected("a list") }
    return array.enumerated().map { JSONReader($1, place: .element($0, of: place)) }
  }

  /// Returns the members of an object, sorted by the code points of their keys as in Python.
  func membersByKey() throws(WeighbridgeError) -> [JSONReader] {
    let object = try object()
    let keys = object.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return keys.map { JSONReader(object[$0] ?? .null, place: .member($0, of: place)) }
  }

  /// Rejects all keys except the given ones.
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

/// The location of a value in a JSON document. It is only converted to a string for errors.
indirect enum JSONPlace: CustomStringConvertible {
  case path(String)
  case member(String, of: JSONPlace)
  case element(Int, of: JSONPlace)

  /// The location as a string, such as `config.layers[3].inbound_nodes`; empty for the root.
  var description: String {
    switch self {
    case .path(let path): return path
    case .element(let index, let list): return "\(list)[\(index)]"
    case .member(let key, let object):
      let object = object.description
      return object.isEmpty ? key : "\(object).\(key)"
    }
  }
}

extension JSONPlace: ExpressibleByStringInterpolation {
  init(stringLiteral path: String) { self = .path(path) }
}
