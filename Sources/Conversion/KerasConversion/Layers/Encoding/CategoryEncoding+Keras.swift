import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Keras: `CategoryEncoding(num_tokens, output_mode="multi_hot")`; an older name of the mode
/// `multi_hot` is `binary`.
extension CategoryEncoding: KerasMapped {
  static let keras = KerasMapping([
    .plain("CategoryEncoding", casts: .none) { (layer, inputs) throws(WeighbridgeError) in
      let count = try layer.integer("num_tokens")
      let mode = try layer.choice("output_mode", default: Mode.multiHot)
      try layer.require("sparse", toBe: false, because: "sparse tensors are not supported")
      let weights = layer.takeTensors("count_weights", position: 1)
      guard weights.isEmpty || mode == .count else {
        throw .malformed("is called with weights, and counts nothing")
      }
      return try layer.addEncoding(
        of: try layer.onlyInput(inputs), categories: count, mode, weights: weights)
    }
  ])
  /// An index outside of the categories is an error, which Keras' functions do not report everywhere.
  static let kerasRow = nativeRow { (operation, _) throws(WeighbridgeError) in
    guard operation.dropsOutOfRange else {
      throw .unsupported(
        "refuses indices outside of the categories, and Keras' functions ignore some; it can be "
          + "written with ignore_out_of_range")
    }
    return nil
  }

  /// Keras' names for the encodings of indices.
  enum Mode: String, CaseIterable {
    case count, binary
    case multiHot = "multi_hot"
    case oneHot = "one_hot"
  }
}

extension KerasLayer {
  /// Reads the encoding in the setting `output_mode`; `nil` for the indices themselves.
  mutating func encodingMode() throws(WeighbridgeError) -> CategoryEncoding.Mode? {
    guard let written = take("output_mode"), written != "int" else { return nil }
    guard let mode = written.string.flatMap(CategoryEncoding.Mode.init(rawValue:)) else {
      throw unexpected("output_mode", written, "int, one_hot, multi_hot, count")
    }
    return mode
  }

  /// Adds the encoding of indices, in the type in which the layer computes.
  ///
  /// - Parameters:
  ///   - weights: The weight of each index; empty where each counts 1.
  ///   - dropsOutOfRange: Whether indices outside the categories are dropped.
  mutating func addEncoding(
    of indices: ValueID, categories: Int, _ mode: CategoryEncoding.Mode, weights: [ValueID] = [],
    dropsOutOfRange: Bool = false, role: String = ""
  ) throws(WeighbridgeError) -> [ValueID] {
    let output = try addPlainEncoding(
      of: indices, categories: categories, mode, weights: weights, dropsOutOfRange: dropsOutOfRange,
      role: role)
    // Of a mixed policy, Keras 3 takes the type of the variables in these layers.
    let isOfVariables =
      version.major >= 3 && ["CategoryEncoding", "Hashing"].contains(source.className)
    let type = isOfVariables ? types?.variable : types?.compute
    return [try cast(output[0], to: type ?? .float32, role: "output_cast")]
  }

  private mutating func addPlainEncoding(
    of indices: ValueID, categories: Int, _ mode: CategoryEncoding.Mode, weights: [ValueID],
    dropsOutOfRange: Bool, role: String
  ) throws(WeighbridgeError) -> [ValueID] {
    let type = graph.type(of: indices)
    let operation = CategoryEncoding(
      categories: categories, countsTokens: mode == .count, isWeighted: !weights.isEmpty,
      dropsOutOfRange: dropsOutOfRange)
    if let problem = operation.problem { throw .malformed(problem) }
    guard mode == .oneHot else {
      if type.rank <= 2 { return try add(operation, [indices] + weights, role: role) }
      guard version >= KerasVersion(3, 6) else {
        throw .unsupported("takes the indices of each image along one axis and has \(type)")
      }
      // Keras aggregates the encodings along the axis after the batch.
      let order = [0] + Array(2..<type.rank) + [1]
      var transposed: [ValueID] = []
      for value in [indices] + weights {
        transposed += try add(Transpose(axes: order), [value], role: "transposed")
      }
      return try add(operation, transposed, role: role)
    }
    // From 3.6 Keras encodes each index separately; up to 2.15 it takes one index per example. For
    // the versions between, it depends on the layer.
    guard version.major < 3 || version >= KerasVersion(3, 6) else {
      throw .unsupported("what Keras \(version) makes of output_mode=one_hot was never compared")
    }
    if type.shape.last == 1 { return try add(operation, [indices], role: role) }
    guard version.major >= 3 else {
      throw .unsupported("output_mode=one_hot takes one index for each image and has \(type)")
    }
    let expanded = try add(
      ExpandDims(axes: [type.rank]), [indices], role: role.isEmpty ? "indices" : "\(role)_indices")
    return try add(operation, expanded, role: role)
  }
}
