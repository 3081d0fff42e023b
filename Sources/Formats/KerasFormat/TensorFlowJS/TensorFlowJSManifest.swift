import Bytes
import JSON

/// The weights of a layers model of TensorFlow.js as its `weightsManifest` lists them: groups, each
/// with the files whose bytes are put together and the weights that follow each other in them
/// (tfjs-converter, `write_weights.py`).
struct TensorFlowJSManifest {
  /// Weights that share files.
  struct Group {
    /// The paths of the files, relative to the manifest's folder.
    let paths: [String]
    let weights: [Weight]
  }

  /// A weight.
  struct Weight {
    let name: String
    let elementType: ElementType
    let shape: [Int]
    let encoding: TensorFlowJSEncoding
    /// The position of its first byte in the group.
    let offset: Int

    /// The number of elements.
    var count: Int { shape.reduce(1, *) }
    /// The number of bytes in the group.
    var byteCount: Int { count * encoding.byteCount(elementType) }
    /// Where its bytes are in the group.
    var range: Range<Int> { offset..<offset + byteCount }
  }

  let groups: [Group]

  /// - Throws: ``WeighbridgeError/Code/malformed`` for a path that leads out of the folder, a weight
  ///   that is listed twice and whatever is not as the format has it;
  ///   ``WeighbridgeError/Code/unsupported`` for strings and complex numbers.
  init(_ json: JSONReader) throws(WeighbridgeError) {
    groups = try json.elements().map { (group) throws(WeighbridgeError) in
      Group(
        paths: try group.member("paths").elements().map { (path) throws(WeighbridgeError) in
          try Self.path(path)
        },
        weights: try Self.weights(group.member("weights")))
    }
    var names: Set<String> = []
    for weight in groups.flatMap(\.weights) where !names.insert(weight.name).inserted {
      throw json.failure("lists the weight \(weight.name) twice")
    }
  }

  /// A path inside the folder.
  private static func path(_ json: JSONReader) throws(WeighbridgeError) -> String {
    let path = try json.string()
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !["", ".", ".."].contains($0) }), !path.utf8.contains(0) else {
      throw json.failure("is the path \(path), which leads out of the folder of the model")
    }
    return path
  }

  private static func weights(_ json: JSONReader) throws(WeighbridgeError) -> [Weight] {
    var offset = 0
    return try json.elements().map { (entry) throws(WeighbridgeError) in
      let shape = try entry.member("shape").elements().map { (size) throws(WeighbridgeError) in
        try size.count()
      }
      let type = try elementType(entry.member("dtype"))
      let encoding = try TensorFlowJSEncoding(entry.optional("quantization"), of: type)
      let name = try entry.member("name").string()
      let size = try Checked.product(
        shape + [encoding.byteCount(type)], of: "the size of the weight \(name)")
      let weight = Weight(
        name: name, elementType: type, shape: shape, encoding: encoding, offset: offset)
      offset = try Checked.sum(offset, size, of: "the size of the weights up to \(name)")
      return weight
    }
  }

  private static func elementType(_ json: JSONReader) throws(WeighbridgeError) -> ElementType {
    let name = try json.string()
    if ["string", "complex64"].contains(name) {
      throw json.failure(
        "is \(name), which no layer of Keras has for a weight; float32, int32, uint8 and bool can "
          + "be read", code: .unsupported)
    }
    let known: [ElementType] = [.float32, .float16, .int32, .uint8, .bool]
    guard let type = known.first(where: { $0.rawValue == name }) else {
      throw json.failure("is \(name), expected float32, float16, int32, uint8 or bool")
    }
    return type
  }
}
