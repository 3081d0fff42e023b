public import Bytes
import JSON

extension DescriptionEdit {
  /// Reads a metadata file in the form that `Schemas/metadata.schema.json` describes.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing``; ``WeighbridgeError/Code/malformed`` when it is
  ///   not JSON; ``WeighbridgeError/Code/mismatch`` for an unknown member.
  public init(metadataFile path: String) throws(WeighbridgeError) {
    self = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try DescriptionEdit(metadata: try JSONValue(parsing: try readSmallFile(path)))
    }
  }
}
