package import Bytes
import ProtobufWire

/// The objects that a checkpoint was made of, the names by which they refer to each other, and the
/// names of their tensors (`trackable_object_graph.proto`). An object may have several names, and
/// there may be cycles.
package struct ObjectGraph: Sendable {
  /// An object.
  package struct Object: Sendable {
    /// The names of the attributes that are objects, in the order in which they were set.
    package fileprivate(set) var names: [String] = []
    /// The indices of these objects.
    package fileprivate(set) var children: [String: Int] = [:]
    /// The names of the object's tensors in the bundle, by what they are for it: `VARIABLE_VALUE`.
    package fileprivate(set) var tensors: [String: String] = [:]
    /// The name of the variable in its program, such as `dense/kernel`; empty where there is none.
    package fileprivate(set) var variableName = ""
  }

  /// The objects; the first is the root.
  package let objects: [Object]

  /// The name of the tensor of a bundle that has it.
  package static let tensorName = "_CHECKPOINTABLE_OBJECT_GRAPH"
  /// The largest number of objects that are read.
  private static let objectLimit = 1 << 18

  /// Reads the graph of a bundle.
  ///
  /// - Returns: `nil` for one that has none: TensorFlow 1 names the tensors after the variables.
  /// - Throws: What ``TensorBundle/strings(of:)`` throws; ``WeighbridgeError/Code/malformed``;
  ///   ``WeighbridgeError/Code/limitExceeded``.
  package init?(_ bundle: TensorBundle) throws(WeighbridgeError) {
    guard bundle.tensors[Self.tensorName] != nil else { return nil }
    let strings = try bundle.strings(of: Self.tensorName)
    objects = try locating({ $0.at(.path(Self.tensorName)).at(file: bundle.path) }) {
      () throws(WeighbridgeError) in
      guard strings.count == 1 else {
        throw .malformed("has \(strings.count) object graphs, expected one")
      }
      let message = strings[0]
      do throws(WeighbridgeError) {
        return try unsafe ObjectGraph(message.span.bytes).objects
      } catch {
        throw WeighbridgeError(error.code, error.reason)  // the offset is that in the string
      }
    }
  }

  /// Reads a `TrackableObjectGraph`.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/limitExceeded``.
  package init(_ bytes: RawSpan) throws(WeighbridgeError) {
    var objects: [Object] = []
    try WireField.forEach(in: bytes, 0..<bytes.byteCount) { (field) throws(WeighbridgeError) in
      guard field.number == 1 else { return }
      guard objects.count < Self.objectLimit else {
        throw .limitExceeded("has more than \(Self.objectLimit) objects")
      }
      objects.append(try Object(bytes, field.range()))
    }
    guard !objects.isEmpty else { throw .malformed("has no objects") }
    for (index, object) in objects.enumerated() {
      for (name, child) in object.children where !objects.indices.contains(child) {
        throw .malformed(
          "object \(index) has the attribute \(name), object \(child), expected one of \(objects.count)"
        )
      }
    }
    self.objects = objects
  }

  /// The elements of a list, which is an object with the attributes `0`, `1` and so on.
  package func elements(ofList object: Int) -> [Int] {
    let children = objects[object].children
    var elements: [Int] = []
    while let next = children[String(elements.count)] { elements.append(next) }
    return elements
  }
}

extension ObjectGraph.Object {
  /// Reads a `TrackableObject`.
  fileprivate init(_ bytes: RawSpan, _ message: Range<Int>) throws(WeighbridgeError) {
    self.init()
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      switch field.number {
      case 1: try addChild(bytes, field.range())
      case 2: try addTensor(bytes, field.range())
      default: break
      }
    }
  }

  /// Reads an `ObjectReference` and adds it.
  private mutating func addChild(
    _ bytes: RawSpan, _ message: Range<Int>
  ) throws(WeighbridgeError) {
    var (index, name) = (0, "")
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      switch field.number {
      case 1: index = try field.integer()
      case 2: name = try field.string(in: bytes)
      default: break
      }
    }
    guard children.updateValue(index, forKey: name) == nil else {
      throw .malformed("an object has two attributes \(name)")
    }
    names.append(name)
  }

  /// Reads a `SerializedTensor` and adds it.
  private mutating func addTensor(
    _ bytes: RawSpan, _ message: Range<Int>
  ) throws(WeighbridgeError) {
    var (name, key) = ("", "")
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      switch field.number {
      case 1: name = try field.string(in: bytes)
      case 2: variableName = try field.string(in: bytes)
      case 3: key = try field.string(in: bytes)
      default: break
      }
    }
    guard tensors.updateValue(key, forKey: name) == nil else {
      throw .malformed("an object has two tensors \(name)")
    }
  }
}
