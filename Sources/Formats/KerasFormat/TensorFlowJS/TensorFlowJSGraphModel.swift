package import Bytes
import JSON
package import TensorFlowFormat

/// A graph model of TensorFlow.js: a `model.json` with operators of TensorFlow and a manifest of the
/// constants, whose bytes are in files next to it (tfjs-converter, `graph_model.ts`).
package struct TensorFlowJSGraphModel: Sendable {
  /// A constant of the graph.
  package struct Weight: Sendable {
    /// The name of the operation that gives it.
    package let name: String
    /// The type of its elements.
    package let elementType: ElementType
    /// The sizes, slowest axis first.
    package let shape: [Int]
    fileprivate let group: Int
    fileprivate let stored: TensorFlowJSManifest.Weight
  }

  /// The operators.
  package let graph: TensorFlowGraph
  /// What the model computes; none where the file does not say it.
  package let signatures: [TensorFlowSignature]
  /// The files with the constants.
  package let files: [(path: String, store: ByteStore)]
  /// The constants.
  package let weights: [Weight]
  private let shards: [TensorFlowJSShards]
  private let positions: [String: Int]

  /// Opens a file and those that its manifest names.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing`` for a file of weights that is missing;
  ///   ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported``.
  package init(_ store: ByteStore, path: String) throws(WeighbridgeError) {
    let json = JSONReader(
      try JSONValue(parsing: store.withBytes { $0.copied(0..<$0.byteCount) }), place: "")
    graph = try TensorFlowGraph(json.member("modelTopology").value)
    let metadata = json.value.object?["userDefinedMetadata"]?.object
    if let signature = json.value.object?["signature"] ?? metadata?["signature"] {
      signatures = [try TensorFlowSignature(signature)]
    } else {
      signatures = []
    }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let manifest = try TensorFlowJSManifest(json.member("weightsManifest"))
    shards = try manifest.groups.map { (group) throws(WeighbridgeError) in
      try TensorFlowJSShards(group, in: folder)
    }
    files = shards.flatMap(\.files)
    weights = manifest.groups.enumerated().flatMap { index, group in
      group.weights.map {
        Weight(
          name: $0.name, elementType: $0.elementType, shape: $0.shape, group: index, stored: $0)
      }
    }
    positions = Dictionary(
      weights.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The elements of the constant that an operation gives.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for one that the manifest does not list.
  package func elements(
    of name: String
  ) throws(WeighbridgeError) -> (weight: Weight, store: ByteStore, range: Range<Int>) {
    guard let position = positions[name] else {
      throw .malformed("has no weight \(name) in its manifest, which the graph reads")
    }
    let weight = weights[position]
    let (store, range) = shards[weight.group].elements(of: weight.stored)
    return (weight, store, range)
  }
}
