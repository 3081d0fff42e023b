import Bytes
import JSON

extension APIName {
  /// The corresponding option of the program.
  var option: String {
    switch self {
    case .architecture: "--architecture"
    case .kerasVersion: "--keras-version"
    case .kerasBackend: "--keras-backend"
    case .inputShapes: "--input-shape"
    case .startsAtTokens: "--from-token-ids"
    case .customLayers: "--custom-layers"
    case .keepsUnknown: "--keep-unknown"
    case .weights: "--weights"
    case .darknetFork: "--darknet"
    case .darknetData: "--data"
    case .randomSeed: "--random-weights"
    case .fixedInputs: "--set"
    case .isStrict: "--strict"
    case .labels: "--labels"
    case .images: "--image-input"
    case .imageScale: "--image-scale"
    case .colorOrder: "--color"
    case .detector: "--detector"
    case .anchors: "--anchors"
    case .metadataFile: "--metadata"
    case .verifySource: "--against"
    case .verifyReferences: "--reference-inputs"
    case .reportImage: "--image"
    case .withoutVerification: "--no-verify"
    case .withoutProfile: "--no-profile"
    case .exportTarget: "--to"
    case .withoutSuppression: "--without-nms"
    case .memoryLimit: "--memory-limit"
    case .rebuilding: "weighbridge index --rebuild"
    case .readModel: "weighbridge convert"
    case .detect: "weighbridge detect"
    case .editMetadata: "weighbridge metadata --set"
    }
  }
}

extension String {
  /// The library's message with the program's options in place of the names in its API.
  var namingOptions: String { replacingAPINames(\.option) }
}

extension JSONValue {
  /// The library's report with the program's options in place of the names in its API.
  var namingOptions: JSONValue { mapStrings(\.namingOptions) }
}
