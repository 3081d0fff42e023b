import Bytes
import JSON

/// The parts of a layer that determine the paths of its weights in a file.
struct KerasObjectParts {
  /// The number of the layer's own variables that are trainable; they come first.
  let trainableCount: Int
  /// The path of a second copy of the first own variable.
  let alias: String?
  /// The objects that are attributes of the layer: their possible names, and their records.
  private(set) var objects: [([String], KerasLayerRecord)] = []
  /// The objects in the layer's list: a model's layers, or the cells of stacked cells.
  private(set) var list: [KerasLayerRecord] = []

  /// - Parameters:
  ///   - ownCount: The number of the layer's own variables in the file.
  ///   - parts: The parts of known classes.
  init(
    of record: KerasLayerRecord, ownCount: Int, _ parts: [String: KerasLayerParts]
  ) throws(WeighbridgeError) {
    guard !record.isModel else {
      (trainableCount, alias) = (ownCount, nil)
      list = try KerasModelRecord(nestedIn: record).layers
      return
    }
    let layerParts = parts[record.className] ?? .activation
    alias = ownCount < layerParts.aliasedCount ? nil : layerParts.alias
    trainableCount =
      switch layerParts.trainable {
      case .all: ownCount
      case .none: 0
      case .allBut(let count): max(0, ownCount - count(record.config))
      }
    for object in layerParts.objects { try add(object, of: record) }
    if let key = layerParts.list { list = try record.innerList(key) }
    if layerParts.hasActivation { try addActivation(of: record) }
  }

  /// Adds a layer that is used as the activation function.
  private mutating func addActivation(of record: KerasLayerRecord) throws(WeighbridgeError) {
    guard var activation = record.config["activation"]?.object, activation["config"]?.object != nil
    else { return }
    // Keras 2 queries the activation of a separable convolution twice, and so counts it as shared.
    activation["shared_object_id"] = nil
    let wrapper = KerasLayerRecord(
      name: record.name, className: "", config: ["activation": .object(activation)])
    try add(.init(["activation"], settings: ["activation"]), of: wrapper)
  }

  private mutating func add(
    _ object: KerasLayerParts.Object, of record: KerasLayerRecord
  ) throws(WeighbridgeError) {
    if object.settings.isEmpty {
      let name = object.names[0]
      objects.append((object.names, KerasLayerRecord(name: name, className: "", config: [:])))
    }
    for key in object.settings {
      guard let inner = try record.inner(key) else { continue }
      objects.append((object.names, inner))
      return
    }
  }
}

extension KerasLayerRecord {
  /// Returns the order in which Keras lists a layer's variables with paths such as
  /// `query_dense/vars/0`; unknown ones come last. Variables with other names keep their order.
  ///
  /// - Parameter parts: The parts of known classes.
  package func order(
    ofVariables names: [String], _ parts: [String: KerasLayerParts]
  ) -> [Int] {
    let ordered = (try? Self.variables(of: self, among: names, parts)) ?? []
    let ranks = Dictionary(
      ordered.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    return names.indices.sorted {
      (ranks[names[$0]] ?? .max, $0) < (ranks[names[$1]] ?? .max, $1)
    }
  }

  private static func variables(
    of record: KerasLayerRecord, among names: [String], _ parts: [String: KerasLayerParts]
  ) throws(WeighbridgeError) -> [String] {
    let ownVariables = names.filter { $0.hasPrefix("vars/") }
    var result = ownVariables
    let objects = try KerasObjectParts(of: record, ownCount: ownVariables.count, parts).objects
    for (alternatives, part) in objects {
      for name in alternatives {
        let inner = names.filter { $0.hasPrefix("\(name)/") }
          .map { String($0.dropFirst(name.count + 1)) }
        result += try variables(of: part, among: inner, parts).map { "\(name)/\($0)" }
      }
    }
    return result
  }
}
