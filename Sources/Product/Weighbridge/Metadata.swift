public import Bytes
public import GraphIR
import WBMConversion

/// Changes the metadata in a `.wbm` file without touching its tensors.
public enum Metadata {
  /// Reads the description of a file of any format.
  ///
  /// - Parameter path: The file.
  /// - Throws: The errors of ``Model/init(contentsOf:options:)-(String,_)``.
  public static func read(_ path: String) throws(WeighbridgeError) -> ModelDescription {
    try Model(contentsOf: path).metadata
  }

  /// Changes the description of a `.wbm` file.
  ///
  /// The tensors are neither decoded nor digested again. Fields from a newer version that this one
  /// does not know are kept.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - output: The path of the changed file; the file itself when `nil`.
  ///   - replacing: Whether an existing file may be replaced.
  ///   - tolerance: The tolerance for all reference sets of the file; `nil` leaves each its own.
  ///   - change: Changes the description; must not rename, add or remove inputs and outputs.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the file is not a `.wbm`,
  ///   ``WeighbridgeError/Code/mismatch`` for a tolerance where there are no reference sets, or one
  ///   that is negative or not finite, ``WeighbridgeError/Code/outputFailed``; the errors of
  ///   `change`.
  public static func edit(
    _ path: String, writingTo output: String? = nil, replacing: Bool = true,
    tolerance: Tolerance? = nil, _ change: (inout ModelDescription) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    guard let source = try ModelReader.read(path).source as? WBMModelSource else {
      throw .unsupported(
        "is not a .wbm file, and metadata can be changed in those only; convert it"
      ).at(file: path)
    }
    var description = source.model.content.description
    try change(&description)
    try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try tolerance?.check()
      try source.model.rewrite(
        to: output ?? path, description: description, tolerance: tolerance, replacing: replacing)
    }
  }

  /// Sets one entry by its key.
  ///
  /// Keys are `name`, `author`, `license`, `version`, `description`, `inputs.NAME.description` and
  /// `outputs.NAME.description`; any other key is user-defined.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - value: The new value; `nil` removes the entry.
  ///   - description: The description to change.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for an input or output that does not exist, or
  ///   when a key to remove does not exist.
  public static func set(
    _ key: String, to value: String?, in description: inout ModelDescription
  ) throws(WeighbridgeError) {
    switch key {
    case "name": description.name = value
    case "author": description.author = value
    case "license": description.license = value.map { License(parsing: $0) }
    case "version": description.version = value
    case "description": description.summary = value
    case _ where key.hasPrefix("inputs.") && key.hasSuffix(".description"):
      try set(summary: value, of: key, in: &description.inputs)
    case _ where key.hasPrefix("outputs.") && key.hasSuffix(".description"):
      try set(summary: value, of: key, in: &description.outputs)
    default:
      guard !key.isEmpty else { throw .mismatch("an empty key") }
      guard value != nil || description.userDefined[key] != nil else {
        throw .mismatch("there is no entry \(key) to remove")
      }
      description.userDefined[key] = value
    }
  }

  private static func set(
    summary: String?, of key: String, in features: inout [ModelDescription.Feature]
  ) throws(WeighbridgeError) {
    let name = key.drop { $0 != "." }.dropFirst().dropLast(".description".count)
    guard let index = features.firstIndex(where: { $0.name == name }) else {
      throw .mismatch(
        "no \(key.prefix { $0 != "." }.dropLast()) \(name); there is "
          + features.map(\.name).joined(separator: ", "))
    }
    features[index].summary = summary
  }
}
