public import Bytes
public import ConversionCore
public import Weighbridge

/// A model that a report is about, or what is known of a file that is none.
public struct ReportedModel: Sendable {
  /// What is in the file.
  public let inspection: Inspection
  /// The model; `nil` where it cannot be read as a whole, or the file holds weights alone.
  public let model: Model?

  /// Reads a file of any format that Weighbridge reads.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - options: What the file does not say itself.
  ///   - edit: What is said of the model besides.
  /// - Throws: As ``/Weighbridge/Inspection/init(of:options:)`` where there is nothing to show;
  ///   ``/Weighbridge/WeighbridgeError/Code/mismatch`` when the edit does not fit the model.
  public init(
    contentsOf path: String, options: ReadOptions = ReadOptions(),
    edit: DescriptionEdit = DescriptionEdit()
  ) throws(WeighbridgeError) {
    let read: Model
    do throws(WeighbridgeError) {
      read = try Model(contentsOf: path, options: options)
    } catch {
      let inspection = try Inspection(of: path, options: options)
      // What went wrong once and not again says nothing about the file.
      let isModel = inspection.problem == nil && !inspection.layers.isEmpty
      guard !isModel else { throw error }
      self.init(inspection, nil)
      return
    }
    var model = read
    try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in try model.describe(edit) }
    self.init(model, path: path)
  }

  /// A model that is there already.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - path: What the report calls it.
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
