import Bytes
import ConversionCore
import CoreMLFormat

/// The lowest rank that a layer's inputs may have, where that is above 1 (`NeuralNetwork.proto`,
/// the description of each layer).
///
/// Where the specification asks for a batch before the channels, arrays without one are taken,
/// too: what the layer does to them is the same.
enum CoreMLRanks {
  private static let lowest: [Int: Set<String>] = [
    2: ["padding", "embeddingND"],
    3: [
      "batchnorm", "bias", "concat", "convolution", "crop", "dot", "flatten", "l2normalize", "lrn",
      "mvn", "permute", "pooling", "reorganizeData", "reshape", "resizeBilinear", "scale", "split",
      "upsample",
    ],
    4: ["embedding"],
    5: [
      "biDirectionalLSTM", "convolution3d", "globalPooling3d", "gru", "pooling3d", "sequenceRepeat",
      "simpleRecurrent", "uniDirectionalLSTM",
    ],
  ]

  /// The lowest rank, by kind of layer.
  static let byKind = lowest.reduce(into: [String: Int]()) { result, entry in
    for kind in entry.value { result[kind] = entry.key }
  }

  /// Refuses an input that has not the axes along which a layer works.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  static func check(_ layer: CoreMLLayer, _ blob: CoreMLBlob) throws(WeighbridgeError) {
    guard let lowest = byKind[layer.kind], blob.rank < lowest else { return }
    throw .malformed(
      "takes an array of rank \(blob.rank), and a layer of this kind needs rank \(lowest) or more, "
        + "with the last axes \(CoreMLAxis.names(rank: lowest))")
  }
}

extension CoreMLAxis {
  /// The names of the axes of a rank, such as `channel, height, width`.
  fileprivate static func names(rank: Int) -> String {
    axes(rank: rank).map { "\($0)" }.joined(separator: ", ")
  }
}

extension CoreMLLayerImport {
  /// Refuses an input without one of the axes along which the layer works.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  func requireAxes(_ axes: [CoreMLAxis], of blob: CoreMLBlob) throws(WeighbridgeError) {
    guard let axis = axes.first(where: { !blob.allAxes.contains($0) }) else { return }
    throw malformed(
      "works along the \(axis), the axis \(axis.rawValue - CoreMLAxis.allCases.count), and its "
        + "input has rank \(blob.rank)")
  }
}
