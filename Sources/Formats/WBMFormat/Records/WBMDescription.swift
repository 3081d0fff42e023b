package import ProtobufWire

/// The description of the model for people and tools.
///
/// Its messages keep unknown fields, so that the additions of a later version survive an edit by
/// this one.
package struct WBMDescription: Hashable, Sendable {
  /// The model's name.
  package var name: String?
  /// The model's author.
  package var author: String?
  /// The terms of use.
  package var license: WBMLicense?
  /// The model's own version, in any notation.
  package var version: String?
  /// What the model does, in a sentence or two.
  package var shortDescription: String?
  /// The description of the inputs.
  package var inputs: [WBMFeature]
  /// The description of the outputs.
  package var outputs: [WBMFeature] = []
  /// The class names in the order of the model's class indices.
  package var classLabels: [String] = []
  /// The conversion of the outputs to boxes, when the model is a detector.
  package var detector: WBMDetector?
  /// User-defined pairs; the writer sorts them by key.
  package var userDefined: [WBMKeyValue] = []
  /// Fields of a later version.
  package var unknownFields = UnknownFields()
}

/// The terms of use.
package struct WBMLicense: Hashable, Sendable {
  /// The license as given.
  package var text: String
  /// The SPDX license expression, when the text is one.
  package var spdx: String?
  /// A note, for example why the text is not an SPDX expression.
  package var note: String?
  /// Fields of a later version.
  package var unknownFields = UnknownFields()
}

/// A key with its value.
package struct WBMKeyValue: Hashable, Sendable {
  /// The key.
  package var key: String
  /// The value.
  package var value: String
  /// Fields of a later version.
  package var unknownFields = UnknownFields()
}
