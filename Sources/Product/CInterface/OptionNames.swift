import Bytes

extension APIName {
  /// The corresponding option in the C interface: a member of an options struct, with the same name
  /// as Python's argument.
  var optionName: String {
    switch self {
    case .architecture: "`architecture`"
    case .kerasVersion: "`keras_version`"
    case .kerasBackend: "`keras_backend`"
    case .inputShapes: "`input_shapes`"
    case .startsAtTokens: "`from_token_ids`"
    case .customLayers: "`custom_layers`"
    case .keepsUnknown: "`keep_unknown`"
    case .weights: "`weights`"
    case .darknetFork: "`darknet`"
    case .darknetData: "`data`"
    case .randomSeed: "`random_weights`"
    case .fixedInputs: "`fixed_inputs`"
    case .isStrict: "`strict`"
    case .labels: "`labels` in `metadata`"
    case .images: "`image` of an input in `metadata`"
    case .imageScale: "`scale` of an image in `metadata`"
    case .colorOrder: "`colorOrder` of an image in `metadata`"
    case .detector: "`detector` in `metadata`"
    case .anchors: "`anchors` of the detector in `metadata`"
    case .metadataFile: "`metadata`"
    case .verifySource: "`against`"
    // Features of the command-line program only.
    case .verifyReferences: "`weighbridge verify`"
    case .reportImage, .withoutVerification, .withoutProfile: "`weighbridge report`"
    case .editMetadata: "`weighbridge metadata`"
    case .exportTarget: "`target`"
    case .withoutSuppression: "`outputs` (heads)"
    case .memoryLimit: "`memory_limit`"
    case .rebuilding: "`rebuild`"
    case .readModel: "`convert`"
    case .detect: "`detect`"
    }
  }
}
