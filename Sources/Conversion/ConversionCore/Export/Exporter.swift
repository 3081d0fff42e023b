package import Bytes
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

/// How TensorFlow.js stores weights of float32 in less space.
public enum TensorFlowJSQuantization: String, Hashable, Sendable, CaseIterable {
  /// Rounded to the nearest half-precision number.
  case float16
  /// As integers of 8 bits, with a scale and a minimum for each weight.
  case uint8
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

/// The oldest system that can run a Core ML package.
public enum CoreMLDeployment: String, Hashable, Sendable, CaseIterable {
  /// iOS 15 to 18.
  case ios15, ios16, ios17, ios18
  /// macOS 12 to 15, of the same years.
  case macos12, macos13, macos14, macos15

  /// The version of the specification.
  package var specificationVersion: Int {
    switch self {
    case .ios15, .macos12: 6
    case .ios16, .macos13: 7
    case .ios17, .macos14: 8
    case .ios18, .macos15: 9
    }
  }
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

/// The result of an export.
public struct ExportReport: Hashable, Sendable {
  /// The files that were written, starting with the one at the given path.
  public let files: [String]
  /// Messages about what the files lack of the model or contain in another form.
  public let notes: [String]

  package init(files: [String], losses: [String]) {
    self.files = files
    self.notes = losses
  }

  /// The former name of ``notes``.
  @available(*, deprecated, renamed: "notes")
  public var losses: [String] { notes }
}

/// Writes models in one format.
package protocol Exporter {
  /// The options of the format.
  associatedtype Options
  /// Whether weights stay encoded if the format supports their encoding; others are listed among
  /// the losses.
  static var keepsEncodings: Bool { get }
  /// Whether layers that are computed with 8-bit integers stay so.
  static var keepsIntegerLayers: Bool { get }
  /// Whether the format says what an input is where it is not given, or has no inputs.
  static var keepsDefaults: Bool { get }
  /// The changes to a model before it is written, in order; by default there are none.
  static func passes(_ options: Options) -> [ExportPass]

  /// Writes the whole model, or nothing at all.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` with every layer that the format has no form for;
  ///   ``WeighbridgeError/Code/outputFailed``, ``WeighbridgeError/Code/cancelled``.
  static func write(
    _ content: ModelContent, to path: String, options: Options, writing: WriteOptions
  ) throws(WeighbridgeError) -> ExportReport
}

extension Exporter {
  package static var keepsIntegerLayers: Bool { false }
  package static var keepsDefaults: Bool { false }
  package static func passes(_ options: Options) -> [ExportPass] { [] }
}

/// The options of a format that has none.
package struct NoOptions: Sendable {
  package init() {}
}

extension ExportOptions {
  /// Refuses options that do not apply to a format.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch``, which names the first such option.
  func check(for format: ExportFormat) throws(WeighbridgeError) {
    let applicable = format.options
    guard let inapplicable = given.first(where: { !applicable.contains($0) }) else { return }
    throw .mismatch("\(inapplicable) does not apply to the format \(format.rawValue)")
  }
}

extension WriteOptions {
  /// Refuses files that exist already, unless they may be replaced.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``, which names the first of them.
  package func checkReplacing(_ files: [String]) throws(WeighbridgeError) {
    for file in noClobber ? files : [] where exists(file) {
      throw .outputFailed("exists already").at(file: file)
    }
  }
}

extension ExportFormat {
  /// The format whose file extension a path has; `nil` if there is none. A slash after the name of a
  /// folder does not matter.
  public init?(path: String) {
    let name = path.hasSuffix("/") ? String(path.dropLast()) : path
    guard let format = Self.allCases.first(where: { name.hasSuffix(".\($0.fileExtension)") })
    else { return nil }
    self = format
  }

  /// The format in which a model is written at a path: a Core ML model is a package where the path
  /// says so.
  package func refined(by path: String) -> ExportFormat {
    self == .coreml && ExportFormat(path: path) == .mlpackage ? .mlpackage : self
  }
}
