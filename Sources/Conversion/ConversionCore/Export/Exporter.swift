package import Bytes
public import DarknetFormat
package import GraphIR

/// The axis order of an exported model's input and output images.
public enum ExportLayout: String, Hashable, Sendable, CaseIterable {
  /// That of the source.
  case source
  /// `[batch, channels, height, width]`, whatever the source has.
  case nchw
}

/// The number type in which an exported file stores float32 weights.
public enum ExportPrecision: String, Hashable, Sendable, CaseIterable {
  /// Unchanged.
  case float32
  /// Rounded to the nearest number of half the size.
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

  /// Makes a size.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// The width, an x and the height.
  public var description: String { "\(width)x\(height)" }
}

/// The options of an export.
public struct ExportOptions: Sendable {
  /// The fork of darknet that the files are for; by default the one that a darknet model came from,
  /// else AlexeyAB's.
  public var darknetFork: DarknetFork?
  /// Whether files of the same names may be replaced.
  public var isReplacing = true
  /// The version of ONNX's operators, 13 to 21; by default 17, which every current runtime reads.
  public var opset: Int?
  /// The axis order of an ONNX model's input and output images.
  public var layout = ExportLayout.source
  /// Whether the weights of an ONNX model go into a separate file next to it, with `.data` added to
  /// the name; more than 2 GB of weights always do.
  public var storesWeightsBeside = false
  /// The number type of stored weights.
  public var precision = ExportPrecision.float32
  /// Whether an exported detector returns boxes, decoded and filtered by non-maximum suppression,
  /// in place of its heads; by default as is usual in the format: boxes in Core ML, else the heads.
  public var suppressesBoxes: Bool?
  /// Whether batch normalisations become part of the weights of the convolution or dense layer
  /// before them. Otherwise they are kept, and all weights are those of the source.
  public var foldsBatchNormalization = false
  /// Whether a file of arrays keeps weights that are stored as integers, in tables or in 16 bits in
  /// that form, with their parameters in further arrays; by default it contains the decoded values.
  public var keepsIntegers = false
  /// The specification version of a Core ML model, 1 to 5; by default the lowest that has all its
  /// layers.
  public var specificationVersion: Int?
  /// The kind of a Core ML model; by default a classifier where the model has labels for a vector
  /// of probabilities, else a network.
  public var coreMLKind: CoreMLKind?
  /// The allowed image sizes of a Core ML model, the usual one first, where its network leaves them
  /// open; any size by default.
  public var imageSizes: [ImageSize] = []

  /// Makes options with the defaults.
  public init() {}
}

/// The result of an export.
public struct ExportReport: Hashable, Sendable {
  /// The files that were written, starting with the one that was named.
  public let files: [String]
  /// What the files lack of the model, or contain in another form, in words.
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
  /// Whether encoded weights stay encoded as far as the format has a form for it; the others are
  /// listed among the losses.
  static var keepsEncodings: Bool { get }

  /// Writes a model; nothing is written unless all of it can be.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` with every layer that the format has no form for;
  ///   ``WeighbridgeError/Code/outputFailed``, ``WeighbridgeError/Code/cancelled``.
  static func write(
    _ content: ModelContent, to path: String, options: ExportOptions, cancellation: Cancellation?
  ) throws(WeighbridgeError) -> ExportReport
}
