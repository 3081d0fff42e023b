package import ProtobufWire

/// What people and tools should know about the model.
///
/// Its messages keep the fields they do not know, so that a later version's additions survive an
/// edit by this one.
package struct WBMDescription: Hashable, Sendable {
  /// The model's name.
  package var name: String?
  /// Who made the model.
  package var author: String?
  /// The terms of use.
  package var license: WBMLicense?
  /// The model's own version, in any notation.
  package var version: String?
  /// What the model does, in a sentence or two.
  package var shortDescription: String?
  /// What is known about the inputs.
  package var inputs: [WBMFeature]
  /// What is known about the outputs.
  package var outputs: [WBMFeature] = []
  /// The class names in the order of the model's class indices.
  package var classLabels: [String] = []
  /// How to turn the outputs into boxes, when the model is a detector.
  package var detector: WBMDetector?
  /// Pairs of the user's own; the writer sorts them by key.
  package var userDefined: [WBMKeyValue] = []
  /// Fields of a later version.
  package var unknownFields = UnknownFields()
}

/// The terms of use.
package struct WBMLicense: Hashable, Sendable {
  /// The license as it was given.
  package var text: String
  /// The SPDX license expression, when the text is one.
  package var spdx: String?
  /// For example why the text is not an SPDX expression.
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
