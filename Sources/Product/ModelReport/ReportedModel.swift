public import Bytes
public import ConversionCore
public import Weighbridge

/// The model of a report, or the inspection of a file that is not a model.
public struct ReportedModel: Sendable {
  /// The contents of the file.
  public let inspection: Inspection
  /// The model; `nil` when it cannot be read as a whole, or the file contains only weights.
  public let model: Model?

  /// Reads a file of any format that Weighbridge reads.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - options: Settings that the file does not contain.
  ///   - edit: Changes to the model's description.
  /// - Throws: The errors of ``/Weighbridge/Inspection/init(of:options:)-(String,_)`` when there is
  ///   nothing to show; ``/Weighbridge/WeighbridgeError/Code/mismatch`` when the edit does not fit the model.
  public init(
    contentsOf path: String, options: ReadOptions = ReadOptions(),
    edit: DescriptionEdit = DescriptionEdit()
  ) throws(WeighbridgeError) {
    let read: Model
    do throws(WeighbridgeError) {
      read = try Model(contentsOf: path, options: options)
    } catch {
      let inspection = try Inspection(of: path, options: options)
      // An error that does not recur says nothing about the file.
      let isModel = inspection.problem == nil && !inspection.layers.isEmpty
      guard !isModel else { throw error }
      self.init(inspection, nil)
      return
    }
    var model = read
    try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in try model.describe(edit) }
    self.init(model, path: path)
  }

  /// Creates a report's model from an existing one.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - path: The path that the report shows.
  public init(_ model: Model, path: String) {
    self.init(Inspection(model, path: path), model)
  }

  private init(_ inspection: Inspection, _ model: Model?) {
    self.inspection = inspection
    self.model = model
  }

  /// The file's name without its folders.
  var name: String {
    inspection.path.split(separator: "/").last.map(String.init) ?? inspection.path
  }
}
