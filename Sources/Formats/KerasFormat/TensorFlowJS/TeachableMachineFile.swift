import Bytes
import JSON

/// The `metadata.json` that Teachable Machine writes next to a `model.json`: the labels of the
/// classes, and the size of the pictures (teachablemachine-community, `libraries/image`).
struct TeachableMachineFile {
  let file: (path: String, store: ByteStore)
  /// The labels, and how a picture becomes the input, as entries of metadata.
  let entries: [(key: String, value: String)]

  private static let sizeLimit = 1 << 20

  /// - Parameter folder: The folder of the model, with its slash.
  /// - Returns: `nil` when there is no such file.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it is not as Teachable Machine writes it.
  init?(in folder: String) throws(WeighbridgeError) {
    let path = folder + "metadata.json"
    guard let mapped = try? MappedFile(path: path), mapped.count <= Self.sizeLimit else {
      return nil
    }
    let store = ByteStore(mapped)
    let text = store.withBytes { $0.copied(0..<$0.byteCount) }
    guard let json = try? JSONValue(parsing: text), let members = json.object,
      let package = members["packageName"]?.string, package.hasPrefix("@teachablemachine/")
    else { return nil }
    file = (path, store)
    entries = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      let labels = try Self.labels(JSONReader(json, place: ""))
      let images = package.hasSuffix("/image") ? [("inputs", Self.image.text())] : []
      return (labels.map { [("labels", $0)] } ?? []) + images
    }
  }

  /// The list of labels as JSON.
  private static func labels(_ json: JSONReader) throws(WeighbridgeError) -> String? {
    let (names, words) = (try json.optional("labels"), try json.optional("wordLabels"))
    guard let labels = names ?? words else { return nil }
    for label in try labels.elements() { _ = try label.string() }
    return labels.value.text()
  }

  /// Its library crops a picture to its centered square and takes x / 127 - 1 for a component x.
  private static let image = JSONValue.array([
    .object([
      "name": "image",
      "image": .object([
        "color": "rgb", "scale": .real(1 / 127.0),
        "bias": [.integer(-1), .integer(-1), .integer(-1)],
        "resize": "center-crop",
      ]),
    ])
  ])
}
