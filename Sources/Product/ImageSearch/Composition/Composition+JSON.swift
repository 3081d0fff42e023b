public import Bytes
package import JSON

extension Composition {
  /// Reads a layout: a JSON list of `{"label", "x", "y", "width", "height"}` in the unit square
  /// with the origin in the upper left corner (`Schemas/layout.schema.json`).
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - aspectRatio: The width of the image divided by its height.
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/missing``;
  ///   ``/Weighbridge/WeighbridgeError/Code/malformed`` when it is not JSON or has another form.
  public init(layoutFile path: String, aspectRatio: Double = 1) throws(WeighbridgeError) {
    let bytes = try MappedFile(path: path).withBytes { bytes in
      unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }  // a copy, made before the mapping ends
    }
    self = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try Composition(layout: try JSONValue(parsing: bytes), aspectRatio: aspectRatio)
    }
  }

  /// Creates a composition from a layout's JSON.
  package init(layout: JSONValue, aspectRatio: Double) throws(WeighbridgeError) {
    guard let elements = layout.array else {
      throw .malformed(
        "is \(layout.typeName), and a layout is a list of {label, x, y, width, height}")
    }
    var objects: [Object] = []
    for (position, element) in elements.enumerated() {
      objects.append(
        try locating({ $0.at(.path("/\(position)")) }) { () throws(WeighbridgeError) in
          try Object(element)
        })
    }
    self.init(objects: objects, aspectRatio: aspectRatio)
  }
}

extension Composition.Object {
  private static let keys = ["label", "x", "y", "width", "height"]

  fileprivate init(_ json: JSONValue) throws(WeighbridgeError) {
    guard let object = json.object else { throw .malformed("is \(json.typeName), not an object") }
    if let key = object.keys.first(where: { !Self.keys.contains($0) }) {
      throw .malformed(
        "has an unknown key \(key); the keys are \(Self.keys.joined(separator: ", "))")
    }
    guard let label = object["label"] else { throw .malformed("has no label") }
    guard let name = label.string else {
      throw .malformed("its label is \(label.typeName), not a string")
    }
    var numbers: [Double] = []
    for key in Self.keys.dropFirst() {
      guard let number = object[key]?.real else {
        throw .malformed(object[key].map { "its \(key) is \($0.typeName)" } ?? "has no \(key)")
      }
      numbers.append(number)
    }
    self.init(
      label: name,
      box: Box(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]))
  }
}
