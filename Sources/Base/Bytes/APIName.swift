// Generated from Schemas/options.json by Scripts/options. Do not edit.

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
  case customLayers = "ReadOptions.customLayers"
  case weights = "ReadOptions.weights"
  case darknet = "ReadOptions.darknet"
  case data = "ReadOptions.data"
  case randomWeights = "ReadOptions.randomWeights"
  case fixedInputs = "ReadOptions.fixedInputs"
  case fromTokenIDs = "ReadOptions.fromTokenIDs"
  case keepUnknown = "ReadOptions.keepUnknown"
  case strict = "ReadOptions.strict"
  case weightNames = "ReadOptions.weightNames"
  case memoryLimit = "RunOptions.memoryLimit"
  case noClobber = "WriteOptions.noClobber"
  case exportDarknet = "ExportOptions.darknet"
  case exportLayout = "ExportOptions.layout"
  case exportPrecision = "ExportOptions.precision"
  case exportKind = "ExportOptions.kind"
  case exportSizes = "ExportOptions.sizes"
  case exportOpset = "ExportOptions.opset"
  case exportSpecVersion = "ExportOptions.specVersion"
  case exportExternalData = "ExportOptions.externalData"
  case exportFoldBatchNorm = "ExportOptions.foldBatchNorm"
  case exportWithNMS = "ExportOptions.withNMS"
  case exportKeepIntegers = "ExportOptions.keepIntegers"
  case exportDetectionPostprocess = "ExportOptions.detectionPostprocess"
  case exportQuantization = "ExportOptions.quantization"
  case exportDeployment = "ExportOptions.deployment"
  case exportBatchSize = "ExportOptions.batchSize"
  case against = "VerifyOptions.against"
  case labels = "DescriptionEdit.labels"
  case images = "DescriptionEdit.images"
  case imageScale = "DescriptionEdit.Image.scale"
  case colorOrder = "DescriptionEdit.Image.colorOrder"
  case detector = "DescriptionEdit.detector"
  case anchors = "DescriptionEdit.DetectorEdit.anchors"
  case metadataFile = "DescriptionEdit(metadataFile:)"
  case verifyReferences = "VerifyOptions.references"
  case reportImage = "ReportOptions.image"
  case comparingEngines = "ReportOptions.verify = true"
  case withoutVerification = "ReportOptions.noVerify = true"
  case withoutProfile = "ReportOptions.noProfile = true"
  case exportTarget = "ExportTarget"
  case withoutNMS = "ExportOptions.withNMS = false"
  case searchModel = "IndexSource(_:_:check:update:)"
  case rebuilding = "ImageIndex(updating:for:rebuild: true)"
  case readModel = "Model(contentsOf:)"
  case detect = "Detector.detect(in:)"
  case editMetadata = "Metadata.edit(_:writingTo:replacing:tolerance:_:)"

  /// The name in backquotes, as it appears in messages.
  package var description: String { "`\(rawValue)`" }
}
