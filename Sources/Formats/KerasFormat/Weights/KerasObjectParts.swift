import Bytes
import JSON

/// What a layer consists of, as far as its weights' places in a file follow from it.
struct KerasObjectParts {
  /// How many of the layer's own variables, from the first, training changes.
  private(set) var trainedCount: Int
  /// An own variable that is only another name of one further below.
  private(set) var alias: (index: Int, path: String)?
  /// The objects that are attributes of the layer: the names they may have, and what is known.
  private(set) var objects: [([String], KerasLayerRecord)] = []
  /// The objects in the layer's list: a model's layers, or the cells of stacked cells.
  private(set) var list: [KerasLayerRecord] = []

  /// - Parameter ownCount: How many variables the layer itself has in the file.
  init(of record: KerasLayerRecord, ownCount: Int) throws(WeighbridgeError) {
    trainedCount = ownCount
    if record.isModel {
      list = try KerasModelRecord(nestedIn: record).layers
      return
    }
    switch record.className {
    case "BatchNormalization", "SyncBatchNormalization":
      // Gamma and beta; not the moving mean and variance, nor those of batch renormalisation.
      trainedCount = max(0, ownCount - (record.config["renorm"] == .bool(true) ? 5 : 2))
    case "Normalization": trainedCount = 0
    case "SpectralNormalization":
      trainedCount = 0  // the vector; the kernel is that of the wrapped layer
      alias = (0, "layer/vars/0")
      try addInner("layer", of: record)
    case "TextVectorization":
      trainedCount = 0
      alias = (0, "_lookup_layer/vars/idf_weights")
      addPlain(["_lookup_layer"])
    case "TimeDistributed": try addInner("layer", of: record)
    case "Bidirectional":
      try addInner("forward_layer", from: ["layer"], of: record)
      try addInner("backward_layer", from: ["backward_layer", "layer"], of: record)
    case "RNN": try addInner("cell", of: record)
    case "StackedRNNCells": list = try record.innerList("cells")
    case "SimpleRNN", "LSTM", "GRU", "ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D": addPlain(["cell"])
    case "MultiHeadAttention", "GroupQueryAttention", "GroupedQueryAttention":
      for name in ["query", "key", "gate", "value", "output"] {
        addPlain(["\(name)_dense", "_\(name)_dense"])
      }
    default: try addActivation(of: record)
    }
  }

  /// A layer in place of an activation function.
  private mutating func addActivation(of record: KerasLayerRecord) throws(WeighbridgeError) {
    guard var activation = record.config["activation"]?.object, activation["config"]?.object != nil
    else { return }
    // Keras 2 asks a separable convolution for its activation twice, and so counts it as shared.
    activation["shared_object_id"] = nil
    let holder = KerasLayerRecord(
      name: record.name, className: "", config: ["activation": .object(activation)])
    try addInner("activation", of: holder)
  }

  /// A part without parts of its own.
  private mutating func addPlain(_ names: [String]) {
    objects.append((names, KerasLayerRecord(name: names[0], className: "", config: [:])))
  }

  /// A part whose settings stand under one of some keys.
  private mutating func addInner(
    _ name: String, from keys: [String]? = nil, of record: KerasLayerRecord
  ) throws(WeighbridgeError) {
    for key in keys ?? [name] {
      guard let inner = try record.inner(key) else { continue }
      objects.append(([name], inner))
      return
    }
  }
}

extension KerasLayerRecord {
  /// The order in which Keras lists the variables of a layer that it writes under paths such as
  /// `query_dense/vars/0`; what is not known comes last. As they are where they have other names.
  package func order(ofVariables names: [String]) -> [Int] {
    let known = (try? Self.variables(of: self, among: names)) ?? []
    let ranks = Dictionary(
      known.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    return names.indices.sorted {
      (ranks[names[$0]] ?? .max, $0) < (ranks[names[$1]] ?? .max, $1)
    }
  }

  private static func variables(
    of record: KerasLayerRecord, among names: [String]
  ) throws(WeighbridgeError) -> [String] {
    let own = names.filter { $0.hasPrefix("vars/") }
    var result = own
    let parts = try KerasObjectParts(of: record, ownCount: own.count)
    for (alternatives, part) in parts.objects {
      for name in alternatives {
        let inner = names.filter { $0.hasPrefix("\(name)/") }
          .map { String($0.dropFirst(name.count + 1)) }
        result += try variables(of: part, among: inner).map { "\(name)/\($0)" }
      }
    }
    return result
  }
}
