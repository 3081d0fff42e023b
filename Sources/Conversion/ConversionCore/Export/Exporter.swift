package import Bytes
public import DarknetFormat
package import GraphIR

/// The axis order of an exported model's input and output images.
public enum ExportLayout: String, Hashable, Sendable, CaseIterable {
  /// As in the source.
  case source
  /// `[batch, channels, height, width]`, whatever the order in the source.
  case nchw
}

/// The number type in which an exported file stores float32 weights.
public enum ExportPrecision: String, Hashable, Sendable, CaseIterable {
  /// Unchanged.
  case float32
  /// Rounded to the nearest half-precision number.
  case float16
}

/// The kind of a Core ML model.
public enum CoreMLKind: String, Hashable, Sendable, CaseIterable {
  /// Takes arrays and images, and returns arrays.
  case network
  /// Returns the class, and the probabilities of all classes by label.
  case classifier
  /// Returns one number.
  case regressor
}

/// The size of an image in pixels.
public struct ImageSize: Hashable, Sendable, CustomStringConvertible {
  /// The number of columns.
  public var width: Int
  /// The number of rows.
  public var height: Int

  /// Creates a size.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// The width and the height, separated by an x.
  public var description: String { "\(width)x\(height)" }
}

/// The options of an export.
public struct ExportOptions: Sendable {
  /// The fork of darknet that will read the files; by default the one of a model from darknet, else
  /// AlexeyAB's.
  public var darknetFork: DarknetFork?
  /// Whether existing files may be replaced.
  public var isReplacing = true
  /// The opset of an ONNX model, 13 to 21; by default 17, which every current runtime supports.
  public var opset: Int?
  /// The axis order of an ONNX model's input and output images.
  public var layout = ExportLayout.source
  /// Whether the weights of an ONNX model are stored as external data, in a file with `.data` added
  /// to the name of the model's; more than 2 GB of weights always are.
  public var storesExternalWeights = false
  /// The number type of stored weights.
  public var precision = ExportPrecision.float32
  /// Whether an exported detector returns boxes, decoded and filtered by non-maximum suppression,
  /// instead of its heads; by default as is usual in the format: boxes in Core ML, else the heads.
  public var suppressesBoxes: Bool?
  /// Whether batch normalizations are folded into the weights of the preceding convolution or dense
  /// layer. Otherwise they are kept, and all weights are those of the source.
  public var foldsBatchNormalization = false
  /// Whether weights that are stored as integers, by lookup tables or in 16 bits keep that form in
  /// a file of arrays, with its parameters in additional arrays; by default they are decoded.
  public var keepsIntegers = false
  /// The specification version of a Core ML model, 1 to 5; by default the lowest that supports all
  /// layers.
  public var specificationVersion: Int?
  /// The kind of a Core ML model; by default a classifier if the model has labels for a vector of
  /// probabilities, else a network.
  public var coreMLKind: CoreMLKind?
  /// The allowed image sizes of a Core ML model whose network accepts several, the preferred one
  /// first; any size by default.
  public var imageSizes: [ImageSize] = []

  /// Creates options with the defaults.
  public init() {}
}

/// The result of an export.
public struct ExportReport: Hashable, Sendable {
  /// The files that were written, starting with the one at the given path.
  public let files: [String]
  /// Messages about what the files lack of the model or contain in another form.
  public let losses: [String]

  package init(files: [String], losses: [String]) {
    self.files = files
    self.losses = losses
  }
}

/// Writes models in one format.
package protocol Exporter {
  /// The options that apply to the format.
  static var options: Set<ExportOption> { get }
  /// Whether weights stay encoded if the format supports their encoding; others are listed among
  /// the losses.
  static var keepsEncodings: Bool { get }

  /// Writes the whole model, or nothing at all.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` with every layer that the format has no form for;
  ///   ``WeighbridgeError/Code/outputFailed``, ``WeighbridgeError/Code/cancelled``.
  static func write(
    _ content: ModelContent, to path: String, options: ExportOptions, cancellation: Cancellation?
  ) throws(WeighbridgeError) -> ExportReport
}
