public import Bytes

extension Model {
  /// Writes the model in another tool's format; nothing is written unless all of it can be.
  ///
  /// - Parameters:
  ///   - path: Where the file goes; what belongs to it goes beside it.
  ///   - target: The format; told from the path's extension when it is `nil`.
  ///   - options: What the model does not say itself.
  ///   - cancellation: May stop the work; nothing is left behind then.
  /// - Returns: The files, and what of the model they do not hold.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` with every layer that the format has no form
  ///   for, ``WeighbridgeError/Code/mismatch`` when no format is told,
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
