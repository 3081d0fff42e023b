import Bytes
import JSON
import KerasFormat
import LayerCatalog

/// What a Sequential that was never given an input shape says of it by its weights. Sizes are those
/// behind the batch axis.
struct ShapeEvidence {
  /// What is known of a shape.
  enum Shape: Hashable {
    case unknown
    /// The last size, not how many come before it.
    case last(Int)
    /// Every size, `nil` where any will do.
    case sizes([Int?])
  }

  /// The shape of the model's input.
  private(set) var shape: Shape
  /// The layer whose weights say it, or the one behind which they no longer say it.
  let layer: String

  /// - Parameters:
  ///   - steps: The layers before the one with the weights, the first one first.
  init(_ shape: Shape, by layer: String, behind steps: [ShapeStep]) {
    self.shape = shape
    self.layer = layer
    for step in steps.reversed() { self.shape = step.input(for: self.shape) }
  }
}

/// How the shape of a layer's input follows from that of its output, for layers without weights.
enum ShapeStep: Hashable {
  /// The shape stays.
  case same
  /// Sizes of the image axes change.
  case window(axes: Int, isChannelsFirst: Bool)
  /// The image axes are summed up.
  case pooling(axes: Int, isChannelsFirst: Bool)
  /// A dimension is put behind the others.
  case embedding
  /// A dimension is put before the only one.
  case repetition

  /// The shape of the input, when that of the output is known as far as given.
  func input(for output: ShapeEvidence.Shape) -> ShapeEvidence.Shape {
    switch (self, output) {
    case (.same, _): return output
    case (.window(let axes, let isFirst), .sizes(let sizes)) where sizes.count == axes + 1:
      return .image(axes, channels: isFirst ? sizes.first ?? nil : sizes.last ?? nil, isFirst)
    case (.window(let axes, false), .last(let channels)):
      return .image(axes, channels: channels, false)
    case (.window(let axes, let isFirst), _): return .image(axes, channels: nil, isFirst)
    case (.pooling(let axes, let isFirst), .last(let channels)):
      return .image(axes, channels: channels, isFirst)
    case (.pooling(let axes, let isFirst), .sizes(let sizes)):
      return .image(axes, channels: sizes.last ?? nil, isFirst)
    case (.pooling(let axes, let isFirst), .unknown): return .image(axes, channels: nil, isFirst)
    case (.embedding, .sizes(let sizes)) where sizes.count > 1: return .sizes(sizes.dropLast())
    case (.embedding, _): return .unknown
    case (.repetition, .last(let size)): return .sizes([size])
    case (.repetition, .sizes(let sizes)): return .sizes([sizes.last ?? nil])
    case (.repetition, .unknown): return .sizes([nil])
    }
  }

  /// The step of a layer as Keras 2 writes it; `nil` for one that hides the shape of its input, or has
  /// weights that say it.
  init?(_ record: KerasLayerRecord) {
    if record.className == "Embedding" {
      self = .embedding
    } else if record.className == "RepeatVector" {
      self = .repetition
    } else if Self.plain.contains(record.className) {
      self = .same
    } else {
      guard let (base, axes) = record.classNameByAxes else { return nil }
      let isFirst = record.config["data_format"] == "channels_first"
      if Self.windows.contains(base) {
        self = .window(axes: axes, isChannelsFirst: isFirst)
      } else if Self.poolings.contains(base) {
        self = .pooling(axes: axes, isChannelsFirst: isFirst)
      } else {
        return nil
      }
    }
  }

  private static let plain: Set = [
    "Activation", "ActivityRegularization", "AlphaDropout", "BatchNormalization",
    "BatchNormalization (Keras 1)", "Dropout", "ELU", "GaussianDropout", "GaussianNoise",
    "GroupNormalization", "Identity", "LayerNormalization", "LeakyReLU", "Masking", "Normalization",
    "PReLU", "RMSNormalization", "RandomBrightness", "RandomContrast", "RandomFlip",
    "RandomRotation", "RandomTranslation", "RandomZoom", "ReLU", "Rescaling", "Softmax",
    "SyncBatchNormalization", "ThresholdedReLU", "UnitNormalization",
  ]
  private static let windows: Set = [
    "AveragePooling", "Cropping", "MaxPooling", "SpatialDropout", "UpSampling", "ZeroPadding",
  ]
  private static let poolings: Set = ["GlobalAveragePooling", "GlobalMaxPooling"]
}

extension ShapeEvidence.Shape {
  /// A shape with channels and image axes of any size.
  fileprivate static func image(_ axes: Int, channels: Int?, _ isChannelsFirst: Bool) -> Self {
    let open = [Int?](repeating: nil, count: axes)
    return .sizes(isChannelsFirst ? [channels] + open : open + [channels])
  }

  /// What the first weight of a layer says of the shape of the layer's input; `nil` when the layer's
  /// class is not known to say anything.
  ///
  /// - Parameters:
  ///   - record: The layer as Keras 2 writes it.
  ///   - kernel: The shape of its first weight in Keras' axis order.
  init?(_ record: KerasLayerRecord, kernel: [Int]) throws(WeighbridgeError) {
    switch record.className {
    case "Dense" where kernel.count == 2: self = .last(kernel[0])
    case "SimpleRNN", "LSTM", "GRU", "CuDNNLSTM", "CuDNNGRU":
      guard kernel.count == 2 else { return nil }
      self = .sizes([nil, kernel[0]])
    case "Bidirectional":
      guard let inner = try record.inner("layer") else { return nil }
      try self.init(inner, kernel: kernel)
    case "TimeDistributed":
      guard let inner = try record.inner("layer") else { return nil }
      try self.init(inner, kernel: kernel)
      if case .sizes(let sizes) = self { self = .sizes([nil] + sizes) }
    default:
      guard let (base, axes) = record.classNameByAxes, kernel.count == axes + 2 else { return nil }
      let isFirst = record.config["data_format"] == "channels_first"
      switch base {
      case "Conv":
        let groups = record.config["groups"]?.integer ?? 1
        let (channels, overflow) = kernel[axes].multipliedReportingOverflow(by: groups)
        guard !overflow else { return nil }
        self = .image(axes, channels: channels, isFirst)
      case "DepthwiseConv", "SeparableConv":
        self = .image(axes, channels: kernel[axes], isFirst)
      case "ConvTranspose": self = .image(axes, channels: kernel[axes + 1], isFirst)
      case "ConvLSTM":
        guard case .sizes(let sizes) = Self.image(axes, channels: kernel[axes], isFirst) else {
          return nil
        }
        self = .sizes([nil] + sizes)
      default: return nil
      }
    }
  }
}

extension KerasLayerRecord {
  /// The class without the number of its image axes, and the number: `Conv2DTranspose` is
  /// `ConvTranspose` and 2.
  fileprivate var classNameByAxes: (base: String, axes: Int)? {
    for axes in 1...3 {
      let parts = className.split(separator: "\(axes)D", omittingEmptySubsequences: false)
      if parts.count == 2 { return (parts.joined(), axes) }
    }
    return nil
  }
}
