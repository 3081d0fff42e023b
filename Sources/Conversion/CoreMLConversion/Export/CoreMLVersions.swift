import ConversionCore
import GraphIR
import LayerCatalog

/// Which specification version brought which layers.
enum CoreMLVersions {
  /// The versions that can be written.
  static let all = 1...5

  /// The last version whose values have the axes of images.
  static let lastOfImages = 3

  /// The version that brought weights of integers.
  static let firstQuantized = 3

  /// The versions of layers, but those of version 4, which are most.
  private static let versions: [String: Int] = [
    1: [
      "activation", "add", "average", "batchnorm", "bias", "biDirectionalLSTM", "concat",
      "convolution", "crop", "dot", "embedding", "flatten", "gru", "innerProduct", "l2normalize",
      "loadConstant", "lrn", "max", "min", "multiply", "mvn", "padding", "permute", "pooling",
      "reduce", "reorganizeData", "reshape", "scale", "sequenceRepeat", "simpleRecurrent", "slice",
      "softmax", "split", "unary", "uniDirectionalLSTM", "upsample",
    ],
    2: ["custom"],
    3: ["cropResize", "resizeBilinear"],
    5: [
      "argSort", "clampedReLU", "convolution3d", "cumSum", "globalPooling3d", "oneHot",
      "pooling3d", "sliceBySize",
    ],
  ].reduce(into: [:]) { versions, entry in
    for kind in entry.value { versions[kind] = entry.key }
  }

  /// The first version that has a layer.
  static func version(of kind: String) -> Int { versions[kind] ?? 4 }
}
