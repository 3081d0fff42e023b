public import Bytes

extension Model {
  /// Writes the model in another tool's format; nothing is written unless all of it can be.
  ///
  /// - Parameters:
  ///   - path: The file to write; files that belong to it are written next to it.
  ///   - target: The format; determined from the path's extension when `nil`.
  ///   - options: Settings that the model does not contain.
  ///   - cancellation: May stop the work; then nothing is left behind.
  /// - Returns: The files, and what is lost of the model.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` with every layer that the format cannot
  ///   represent, ``WeighbridgeError/Code/mismatch`` when no format is stated,
  ///   ``WeighbridgeError/Code/outputFailed``, ``WeighbridgeError/Code/cancelled``.
  @discardableResult
  public func export(
    to path: String, as target: ExportTarget? = nil, options: ExportOptions = ExportOptions(),
    cancellation: Cancellation? = nil
  ) throws(WeighbridgeError) -> ExportReport {
    guard let target = target ?? ExportTarget(path: path) else {
      let known = ExportTarget.allCases.map { ".\($0.fileExtension)" }.joined(separator: ", ")
      throw .mismatch("its extension names no format (\(known)); \(APIName.exportTarget) does")
        .at(file: path)
    }
    var content = content
    content.provenance.converter = "weighbridge \(weighbridgeVersion)"
    return try content.export(
      to: path, as: target, options: options, cancellation: cancellation)
  }
}
