import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension Hashing: KerasMapped {
  /// What the Keras of TensorFlow 2.3 to 2.5 writes for a layer without a salt, and takes for one when it
  /// reads it.
  static let unsalted: JSONValue = [956_888_297_470, 956_888_297_470]

  /// Keras: `Hashing(num_bins)`, for numbers.
  static let keras = KerasMapping([
    .plain("Hashing", casts: .none) { (layer, inputs) throws(WeighbridgeError) in
      let input = try layer.onlyInput(inputs)
      let written = layer.version < KerasVersion(2, 6) ? Self.unsalted : .null
      if layer.unreadSettings["salt"] == written { layer.ignore("salt") }
      let salt = try salt(&layer)
      guard layer.version.major >= 3 || !layer.graph.type(of: input).elementType.isFloat else {
        throw .malformed("hashes whole numbers or texts only")
      }
      guard layer.graph.type(of: input).elementType != .bool else {
        throw .unsupported(
          "hashes booleans, of which Keras hashes the texts true and false; numbers are supported, "
            + "so cast them to integers before")
      }
      let bins = try layer.integer("num_bins")
      let mask = layer.take("mask_value")
      let masked = mask.flatMap(\.integer).map { [$0] } ?? []
      if let mask, masked.isEmpty { throw layer.unexpected("mask_value", mask, "an integer") }
      if let number = masked.first, bins > 1, layer.graph.type(of: input).elementType.isFloat {
        return try layer.addHash(
          ofFraction: input, bins, masked: number,
          Hashing(buckets: bins - 1, masked: [], salt: salt))
      }
      // A single bucket takes all values, including masked ones.
      let operation = Hashing(buckets: bins, masked: bins > 1 ? masked : [], salt: salt)
      if let problem = operation.problem { throw .malformed(problem) }
      return try layer.addHash(operation, [input], bins)
    }
  ])
  static let kerasRow = refusal("Keras hashes with functions of its own")

  /// Takes the setting `salt`: two integers, or one for both.
  private static func salt(_ layer: inout KerasLayer) throws(WeighbridgeError) -> [Int]? {
    guard let written = layer.take("salt") else { return nil }
    if let number = written.integer { return [number, number] }
    guard let numbers = written.array?.compactMap(\.integer), numbers.count == 2,
      written.array?.count == 2
    else { throw layer.unexpected("salt", written, "one or two integers, or null") }
    return numbers
  }
}

extension HashedCrossing: KerasMapped {
  /// Keras: `HashedCrossing(num_bins)`, for numbers.
  static let keras = KerasMapping([
    .plain("HashedCrossing", casts: .none) { (layer, inputs) throws(WeighbridgeError) in
      for input in inputs {
        let type = layer.graph.type(of: input)
        guard !type.elementType.isFloat, type.rank <= 2, type.rank < 2 || type.shape[1] == 1
        else {
          throw .malformed("crosses one whole number of each element of a batch, and not \(type)")
        }
      }
      guard inputs.count >= 2 else { throw .malformed("has one input, and crosses at least two") }
      let bins = try layer.integer("num_bins")
      let operation = HashedCrossing(buckets: bins)
      guard operation.problem == nil else {
        throw .malformed(
          "num_bins=\(bins), expected at "
            + "least 1")
      }
      return try layer.addHash(operation, inputs, bins)
    }
  ])
  static let kerasRow = refusal("Keras hashes texts, and not these numbers")
}

extension KerasLayer {
  /// Adds a hash, and its encoding where the setting `output_mode` requests one.
  mutating func addHash(
    _ operation: some CatalogOperator, _ inputs: [ValueID], _ bins: Int
  ) throws(WeighbridgeError) -> [ValueID] {
    try require("sparse", toBe: false, because: "sparse tensors are not supported")
    guard let encoding = try encodingMode() else {
      let type = take("dtype")?.string.flatMap(ElementType.init(rawValue:)) ?? .int64
      let isCast = type != .int64
      let outputs = try add(operation, inputs, role: isCast ? "indices" : "")
      return isCast ? try add(Cast(to: type), outputs) : outputs
    }
    let indices = try add(operation, inputs, role: "indices")
    return try addEncoding(of: indices[0], categories: bins, encoding)
  }

  /// Adds hashes of floating-point numbers, which Keras compares with the masked one before it
  /// truncates them.
  fileprivate mutating func addHash(
    ofFraction input: ValueID, _ bins: Int, masked: Int, _ operation: Hashing
  ) throws(WeighbridgeError) -> [ValueID] {
    let isMasked = try add(
      Comparison(.equal), [input, try number("mask_value", Double(masked), like: input)],
      role: "mask")[0]
    let hash = try add(operation, [input], role: "hash")[0]
    let bin = try add(Add(), [hash, try number("one", 1, like: hash)], role: "bin")[0]
    return try addHash(Where(), [isMasked, try number("zero", 0, like: bin), bin], bins)
  }
}
