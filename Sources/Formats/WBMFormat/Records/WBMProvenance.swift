package import ProtobufWire

/// The origin of the model.
package struct WBMProvenance: Hashable, Sendable {
  /// The files that were read.
  package var sources: [WBMSource] = []
  /// The program or library that wrote the source, for example `keras`.
  package var framework: String?
  /// That program's version.
  package var frameworkVersion: String?
  /// The framework's backend, for example `tensorflow`.
  package var backend: String?
  /// The program that wrote this file, with its version.
  package var writer: String
  /// The options of the conversion; the writer sorts them by key.
  package var options: [WBMKeyValue] = []
  /// The decisions made where the source left a choice.
  package var decisions: [WBMDecision] = []
  /// Fields of a later version.
  package var unknownFields = UnknownFields()
}

/// A file that was read.
package struct WBMSource: Hashable, Sendable {
  /// The file's name without its folder.
  package var name: String
  /// The role of the file, for example `architecture` or `weights`.
  package var role: String
  /// Its SHA-256 digest, 32 bytes.
  package var sha256: [UInt8]
  /// Its length in bytes.
  package var byteCount: Int
  /// Fields of a later version.
  package var unknownFields = UnknownFields()
}

/// A choice that the source left open and the conversion made.
package struct WBMDecision: Hashable, Sendable {
  /// The layer it concerns; empty when it concerns the whole model.
  package var layer: String
  /// The decision, and the reason for it.
  package var text: String
  /// Fields of a later version.
  package var unknownFields = UnknownFields()
}
