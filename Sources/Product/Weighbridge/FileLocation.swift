public import Bytes
public import ConversionCore
public import GraphIR
public import Vision

/// A value that names a file, besides a path as a string.
///
/// The library `WeighbridgeFoundation` makes `URL` one; the core needs no Foundation. Other types
/// can be made one by an extension, such as `FilePath` of swift-system:
///
/// ```swift
/// extension FilePath: FileLocation {
///   public func filePath() throws(WeighbridgeError) -> String { string }
/// }
/// ```
public protocol FileLocation {
  /// The file's path.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when it is not a file of this machine.
  func filePath() throws(WeighbridgeError) -> String
}

extension Model {
  /// Reads a model in any format; see ``init(contentsOf:options:)-(String,_)``.
  public init(
    contentsOf location: some FileLocation, options: ReadOptions = ReadOptions()
  ) throws(WeighbridgeError) {
    try self.init(contentsOf: location.filePath(), options: options)
  }

  /// Writes the model as a `.wbm` file; see ``write(to:options:)-(String,_)``.
  @discardableResult
  public func write(
    to location: some FileLocation, options: WriteOptions = WriteOptions()
  ) throws(WeighbridgeError) -> [WeightWarning] {
    try write(to: location.filePath(), options: options)
  }

  /// Writes the model in another tool's format; see ``export(to:as:writing:)-(String,_,_)``.
  @discardableResult
  public func export(
    to location: some FileLocation, as target: ExportTarget,
    writing: WriteOptions = WriteOptions()
  ) throws(WeighbridgeError) -> ExportReport {
    try export(to: location.filePath(), as: target, writing: writing)
  }

  /// Writes the model in a format that is only known when the program runs; see
  /// ``export(to:as:options:writing:)-(String,_,_,_)``.
  @discardableResult
  public func export(
    to location: some FileLocation, as format: ExportFormat? = nil,
    options: ExportOptions = ExportOptions(), writing: WriteOptions = WriteOptions()
  ) throws(WeighbridgeError) -> ExportReport {
    try export(to: location.filePath(), as: format, options: options, writing: writing)
  }
}

extension Inspection {
  /// Inspects a file; see ``init(of:options:)-(String,_)``.
  public init(
    of location: some FileLocation, options: ReadOptions = ReadOptions()
  ) throws(WeighbridgeError) {
    try self.init(of: location.filePath(), options: options)
  }
}

extension ArrayFile {
  /// Reads the arrays of a file; see ``read(_:)-(String)``.
  public static func read(
    _ location: some FileLocation
  ) throws(WeighbridgeError) -> [NamedTensor] {
    try read(location.filePath())
  }
}

extension Metadata {
  /// Reads the metadata of a model's file; see ``read(_:)-(String)``.
  public static func read(
    _ location: some FileLocation
  ) throws(WeighbridgeError) -> ModelDescription {
    try read(location.filePath())
  }

  /// Changes the metadata of a `.wbm` file in place; see
  /// ``edit(_:writingTo:replacing:tolerance:_:)``.
  public static func edit(
    _ location: some FileLocation,
    _ change: (inout ModelDescription) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    try edit(location.filePath(), change)
  }
}

extension DescriptionEdit {
  /// Reads a metadata file; see ``init(metadataFile:)-(String)``.
  public init(metadataFile location: some FileLocation) throws(WeighbridgeError) {
    try self.init(metadataFile: location.filePath())
  }
}

extension Image {
  /// Reads a JPEG or PNG file.
  public init(contentsOf location: some FileLocation) throws(WeighbridgeError) {
    try self.init(contentsOf: location.filePath())
  }

  /// Writes a file, which appears under its name only when it is complete.
  public func write(
    to location: some FileLocation, as format: ImageFormat? = nil, replacing: Bool = true
  ) throws(WeighbridgeError) {
    try write(to: location.filePath(), as: format, replacing: replacing)
  }
}
