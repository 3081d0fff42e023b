/// A part of the library's API that a message may refer to, by its name.
///
/// A message refers to it by interpolation (`"give it with \(APIName.weights)"`), which puts the
/// name in backquotes. The command-line program replaces it with its own option before it prints a
/// message. Messages are also stored in files and concatenated, so they stay strings.
package enum APIName: String, CaseIterable, Sendable, CustomStringConvertible {
  case architecture = "ReadOptions.architecture"
  case kerasVersion = "ReadOptions.kerasVersion"
  case kerasBackend = "ReadOptions.kerasBackend"
  case inputShapes = "ReadOptions.inputShapes"
  case startsAtTokens = "ReadOptions.startsAtTokens"
  case customLayers = "ReadOptions.customLayers"
  case keepsUnknown = "ReadOptions.keepsUnknown"
  case weights = "ReadOptions.weights"
  case darknetFork = "ReadOptions.darknetFork"
  case darknetData = "ReadOptions.darknetData"
  case randomSeed = "ReadOptions.randomSeed"
  case fixedInputs = "ReadOptions.fixedInputs"
  case isStrict = "ReadOptions.isStrict"

  case labels = "DescriptionEdit.labels"
  case images = "DescriptionEdit.images"
  case imageScale = "DescriptionEdit.Image.scale"
  case colorOrder = "DescriptionEdit.Image.colorOrder"
  case detector = "DescriptionEdit.detector"
  case anchors = "DescriptionEdit.DetectorEdit.anchors"
  case metadataFile = "DescriptionEdit(metadataFile:)"

  case verifySource = "VerifyOptions.source"
  case verifyReferences = "VerifyOptions.references"

  case reportImage = "ReportOptions.image"
  case withoutVerification = "ReportOptions.verifies = false"
  case withoutProfile = "ReportOptions.profiles = false"

  case exportTarget = "ExportTarget"
  case withoutSuppression = "ExportOptions.suppressesBoxes = false"

  case memoryLimit = "RunOptions.memoryLimit"
  case rebuilding = "ImageIndex(updating:for:isRebuilding: true)"

  case readModel = "Model(contentsOf:)"
  case detect = "Detector.detect(in:)"
  case editMetadata = "Metadata.edit(_:writingTo:replacing:tolerance:_:)"

  /// The name in backquotes, as it appears in messages.
  package var description: String { "`\(rawValue)`" }
}

extension String {
  /// The message with the names of the API replaced.
  ///
  /// - Parameter replacement: Returns the replacement for a name.
  package func replacingAPINames(_ replacement: (APIName) -> String) -> String {
    guard utf8.contains(UInt8(ascii: "`")) else { return self }
    return APIName.allCases.reduce(self) { message, name in
      message.split(separator: name.description, omittingEmptySubsequences: false)
        .joined(separator: replacement(name))
    }
  }
}
