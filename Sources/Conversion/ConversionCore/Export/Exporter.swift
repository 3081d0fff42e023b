package import Bytes
public import DarknetFormat
package import GraphIR

/// The order of the axes of images that an exported model takes and gives.
public enum ExportLayout: String, Hashable, Sendable, CaseIterable {
  /// As the source has it.
  case source
  /// `[batch, channels, height, width]`, whatever the source has.
  case nchw
}

/// The number type in which an exported file holds weights of float32.
public enum ExportPrecision: String, Hashable, Sendable, CaseIterable {
  /// As they are.
  case float32
  /// Rounded to the nearest number of half the size.
  case float16
}

/// What a Core ML model is for those who use it.
public enum CoreMLKind: String, Hashable, Sendable, CaseIterable {
  /// Arrays and images in, arrays out.
  case network
  /// It gives the class, and the probabilities of all classes by their labels.
  case classifier
  /// It gives one number.
  case regressor
}

/// The sizes of an image in pixels.
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

/// What a user says of an export.
public struct ExportOptions: Sendable {
  /// Whose darknet the files are for; by default the one that a darknet model came from, else
  /// AlexeyAB's.
  public var darknetFork: DarknetFork?
  /// Whether files of the same names may be replaced.
  public var isReplacing = true
  /// The version of ONNX' operators, 13 to 21; 17, which every runtime of today reads, by default.
  public var opset: Int?
  /// The order of the axes of the images that an ONNX model takes and gives.
  public var layout = ExportLayout.source
  /// Whether the weights of an ONNX model go into a file beside it, with `.data` added to the name;
  /// those of more than 2 GB always do.
  public var storesWeightsBeside = false
  /// The number type of stored weights.
  public var precision = ExportPrecision.float32
  /// Whether a detector's file gives boxes, decoded and thinned out (non-maximum suppression), in
  /// place of its heads; by default as is usual in the format: in Core ML it gives boxes, else the
  /// heads.
  public var suppressesBoxes: Bool?
  /// Whether batch normalisations become part of the weights of the convolution or dense layer
  /// before them. Otherwise they stay, and all weights are those of the source.
  public var foldsBatchNormalization = false
  /// Whether a file of arrays holds weights that are stored as integers, in tables or in 16 bits so, with
  /// what they stand for in arrays beside them; the numbers themselves by default.
  public var keepsIntegers = false
  /// The specification version of a Core ML model, 1 to 5; the lowest that has all its layers by
  /// default.
  public var specificationVersion: Int?
  /// What a Core ML model is; by default a classifier where the model has labels for a vector of
  /// probabilities, else a network.
  public var coreMLKind: CoreMLKind?
  /// The sizes that the images of a Core ML model may have, the usual one first, where its
  /// network leaves them open; any size by default.
  public var imageSizes: [ImageSize] = []

  /// Nothing is said.
  public init() {}
}

/// What an export has done.
public struct ExportReport: Hashable, Sendable {
  /// The files that were written, the one that was named first.
  public let files: [String]
  /// What of the model the files do not hold, or hold in another form, in words.
  public let losses: [String]

  package init(files: [String], losses: [String]) {
    self.files = files
    self.losses = losses
  }
}

/// Writes models in one format.
package protocol Exporter {
  /// The options that mean something in the format.
  static var options: Set<ExportOption> { get }
  /// Whether weights that are encoded are written so as far as the format has a form for it, and the
  /// others are named among the losses.
  static var keepsEncodings: Bool { get }

  /// Writes a model; nothing is written unless all of it can be.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` with every layer that the format has no form for;
  ///   ``WeighbridgeError/Code/outputFailed``, ``WeighbridgeError/Code/cancelled``.
  static func write(
    _ content: ModelContent, to path: String, options: ExportOptions, cancellation: Cancellation?
  ) throws(WeighbridgeError) -> ExportReport
}
