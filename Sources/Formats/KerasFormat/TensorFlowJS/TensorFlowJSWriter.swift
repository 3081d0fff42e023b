package import Bytes
import JSON

/// How a weight is stored for TensorFlow.js.
package enum TensorFlowJSStorage: Hashable, Sendable {
  /// As it is.
  case plain
  /// As IEEE 754 binary16.
  case float16
  /// As integers q of 8 bits, unsigned: an element is q * scale + minimum.
  case uint8(scale: Double, minimum: Double)
}

/// Writes a folder with a layers model of TensorFlow.js: a `model.json`, and files of 4 MiB with the
/// weights one after the other. The same model always yields the same bytes.
package struct TensorFlowJSWriter: ~Copyable {
  /// A file with a part of the weights.
  private final class Shard {
    var file: AtomicFile?
    init(_ path: String) throws(WeighbridgeError) { file = try AtomicFile(path: path) }
  }

  /// The weights, in the order in which they are written.
  package let weights: [KerasFileWriter.Weight]
  private let model: JSONValue
  private let modelPath: String
  private let shards: [Shard]
  private let shardSize: Int
  private let byteCount: Int
  private var count = 0

  /// The size of a file in the converter of TensorFlow.js (`write_weights.py`).
  private static let usualShardSize = 4 << 20
  /// So many files are open at once at most.
  private static let shardLimit = 500

  /// Begins to write a model.
  ///
  /// - Parameters:
  ///   - path: The path of the `model.json`; its folder must exist.
  ///   - storage: Says how a weight is stored.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``, and what `storage` throws.
  package init(
    _ model: KerasWrittenModel, to path: String,
    storage: (KerasFileWriter.Weight) throws(WeighbridgeError) -> TensorFlowJSStorage
  ) throws(WeighbridgeError) {
    var model = model
    model = KerasLayerOrder.ordering(model)
    var weights: [KerasFileWriter.Weight] = []
    var entries: [JSONValue] = []
    var size = 0
    for layer in model.layers {
      for (index, weight) in layer.weights.enumerated() {
        let key = KerasFileWriter.Weight(layer: layer.name, index: index)
        let stored = try storage(key)
        weights.append(key)
        entries.append(Self.entry(weight, of: layer, stored))
        let elements = try Checked.product(weight.shape, of: "the size of a weight")
        size = try Checked.sum(
          size, elements * stored.byteCount(weight.elementType), of: "the size of the weights")
      }
    }
    let shardSize = max(Self.usualShardSize, (size + Self.shardLimit - 1) / Self.shardLimit)
    let shardCount = (size + shardSize - 1) / shardSize
    let names = (0..<shardCount).map { "group1-shard\($0 + 1)of\(shardCount).bin" }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let shards = try names.map { (name) throws(WeighbridgeError) in try Shard(folder + name) }
    self.weights = weights
    self.shardSize = shardSize
    byteCount = size
    modelPath = path
    self.model = Self.json(model, paths: names, weights: entries)
    self.shards = shards
  }

  /// Appends stored elements of the current weight, in row-major order and little-endian.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package mutating func append(_ bytes: RawSpan) throws(WeighbridgeError) {
    var start = 0
    while start < bytes.byteCount {
      let room = shardSize - count % shardSize
      let end = min(bytes.byteCount, start + room)
      try shards[count / shardSize].file?.append(bytes.extracting(start..<end))
      count += end - start
      start = end
    }
  }

  /// Finishes the files and moves them to their paths, the model last.
  ///
  /// - Parameter replacing: Whether existing files may be replaced.
  /// - Returns: The paths of the files, that of the model first.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package consuming func commit(replacing: Bool) throws(WeighbridgeError) -> [String] {
    precondition(count == byteCount, "weights are missing")
    var file = try AtomicFile(path: modelPath)
    let text = Array(model.text().utf8)
    try unsafe file.append(text.span.bytes)
    var paths = [modelPath]
    for shard in shards {
      guard let part = shard.file.take() else { continue }
      paths.append(part.path)
      try part.commit(replacing: replacing)
    }
    try file.commit(replacing: replacing)
    return paths
  }

  private static func json(
    _ model: KerasWrittenModel, paths: [String], weights: [JSONValue]
  ) -> JSONValue {
    let version = JSONValue.string(KerasOutputFormat.tensorFlowJS.version)
    var metadata = JSONObject()
    for (key, value) in model.customMetadata { metadata[key] = .string(value) }
    return .object([
      "format": "layers-model", "generatedBy": "keras v2.15.0", "convertedBy": "Weighbridge",
      "modelTopology": .object([
        "keras_version": version, "backend": "tensorflow",
        "model_config": model.json(.tensorFlowJS),
      ]),
      "weightsManifest": [
        .object(["paths": .array(paths.map { .string($0) }), "weights": .array(weights)])
      ],
      "userDefinedMetadata": .object(metadata),
    ])
  }

  private static func entry(
    _ weight: KerasWrittenWeight, of layer: KerasWrittenLayer, _ storage: TensorFlowJSStorage
  ) -> JSONValue {
    let owner = weight.owner.isEmpty ? [] : [weight.owner]
    var entry: JSONObject = [
      "name": .string(([layer.name] + owner + [weight.name]).joined(separator: "/")),
      "shape": .array(weight.shape.map { .integer($0) }),
      "dtype": .string(weight.elementType.rawValue),
    ]
    let original = JSONValue.string(weight.elementType.rawValue)
    switch storage {
    case .plain: break
    case .float16:
      entry["quantization"] = .object(["dtype": "float16", "original_dtype": original])
    case .uint8(let scale, let minimum):
      entry["quantization"] = .object([
        "dtype": "uint8", "min": .real(minimum), "scale": .real(scale), "original_dtype": original,
      ])
    }
    return .object(entry)
  }
}

extension TensorFlowJSStorage {
  /// The number of bytes of an element.
  fileprivate func byteCount(_ type: ElementType) -> Int {
    switch self {
    case .plain: type.byteCount
    case .float16: 2
    case .uint8: 1
    }
  }
}
