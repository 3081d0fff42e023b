public import Bytes

extension Model {
  /// Writes the model in another tool's format; nothing is written unless all of it can be.
  ///
  /// - Parameters:
  ///   - path: The file to write; files that belong to it are written next to it.
  ///   - target: The format with its options, such as `.onnx(options)`.
  ///   - writing: How the files are written.
  /// - Returns: The files, and what is lost of the model.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` with every layer that the format cannot
  ///   represent, ``WeighbridgeError/Code/outputFailed``, ``WeighbridgeError/Code/cancelled``.
  @discardableResult
  public func export(
    to path: String, as target: ExportTarget, writing: WriteOptions = WriteOptions()
  ) throws(WeighbridgeError) -> ExportReport {
    var content = content
    content.provenance.converter = "weighbridge \(weighbridgeVersion)"
    return try content.export(to: path, as: target, writing: writing)
  }

  /// Writes the model in a format that is only known when the program runs.
  ///
  /// - Parameters:
  ///   - path: The file to write; files that belong to it are written next to it.
  ///   - format: The format; determined from the path's extension when `nil`.
  ///   - options: Settings that the model does not contain.
  ///   - writing: How the files are written.
  /// - Returns: The files, and what is lost of the model.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when no format is stated or an option does not
  ///   apply to it; else what ``export(to:as:writing:)-(String,_,_)`` throws.
  @discardableResult
  public func export(
    to path: String, as format: ExportFormat? = nil, options: ExportOptions = ExportOptions(),
    writing: WriteOptions = WriteOptions()
  ) throws(WeighbridgeError) -> ExportReport {
    guard let format = format ?? ExportFormat(path: path) else {
      let known = ExportFormat.allCases.map { ".\($0.fileExtension)" }.joined(separator: ", ")
      throw .mismatch("its extension names no format (\(known)); \(APIName.exportTarget) does")
        .at(file: path)
    }
    let target = try ExportTarget(format.refined(by: path), options: options)
    return try export(to: path, as: target, writing: writing)
  }

  /// The function of version 0.2.
  @available(*, deprecated, message: "use export(to:as:writing:)")
  @discardableResult
  public func export(
    to path: String, as format: ExportFormat? = nil, options: ExportOptions = ExportOptions(),
    cancellation: Cancellation?
  ) throws(WeighbridgeError) -> ExportReport {
    var writing = WriteOptions()
    writing.cancellation = cancellation
    return try export(to: path, as: format, options: options, writing: writing)
  }
}
