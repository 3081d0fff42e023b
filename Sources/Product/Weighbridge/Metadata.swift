public import Bytes
public import GraphIR
import WBMConversion

/// Changing what a `.wbm` file says of its model, without touching its tensors.
public enum Metadata {
  /// Reads the description of a file of any format.
  ///
  /// - Parameter path: The file.
  /// - Throws: As ``Model/init(contentsOf:options:)``.
  public static func read(_ path: String) throws(WeighbridgeError) -> ModelDescription {
    try Model(contentsOf: path).description
  }

  /// Changes the description of a `.wbm` file.
  ///
  /// The tensors are neither decoded nor digested again; fields that a newer program wrote and this
  /// one does not know stay.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - output: Where the changed file goes; the file itself when `nil`.
  ///   - replacing: Whether a file of that name may be replaced.
  ///   - tolerance: How far computed outputs may be from the recorded ones, for all reference sets of
  ///     the file; `nil` leaves each its own.
  ///   - change: Changes the description; must not rename, add or remove inputs and outputs.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the file is no `.wbm`,
  ///   ``WeighbridgeError/Code/mismatch`` for a tolerance where there are no reference sets, or one that
  ///   is negative or not finite, ``WeighbridgeError/Code/outputFailed``; what `change` throws.
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
  /// Keys are `name`, `author`, `license`, `version`, `description`,
  /// `inputs.NAME.description` and `outputs.NAME.description`; any other key is the user's own.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - value: What stands under it from now on; `nil` removes the entry.
  ///   - description: What is changed.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for an input or output that is not there, or
  ///   when a key that is to be removed does not exist.
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
