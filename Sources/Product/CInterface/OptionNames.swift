// Generated from Schemas/options.json by Scripts/options. Do not edit.

import Bytes

extension APIName {
  /// The corresponding member of the C interface, and argument of Python.
  var optionName: String {
    switch self {
    case .architecture: "`architecture`"
    case .kerasVersion: "`keras_version`"
    case .kerasBackend: "`keras_backend`"
    case .inputShapes: "`input_shapes`"
    case .customLayers: "`custom_layers`"
    case .weights: "`weights`"
    case .darknet: "`darknet`"
    case .data: "`data`"
    case .randomWeights: "`random_weights`"
    case .fixedInputs: "`fixed_inputs`"
    case .fromTokenIDs: "`from_token_ids`"
    case .keepUnknown: "`keep_unknown`"
    case .strict: "`strict`"
    case .weightNames: "`weight_names`"
    case .memoryLimit: "`memory_limit`"
    case .noClobber: "`no_clobber`"
    case .exportDarknet: "`darknet`"
    case .exportLayout: "`layout`"
    case .exportPrecision: "`precision`"
    case .exportKind: "`kind`"
    case .exportSizes: "`sizes`"
    case .exportOpset: "`opset`"
    case .exportSpecVersion: "`spec_version`"
    case .exportExternalData: "`external_data`"
    case .exportFoldBatchNorm: "`fold_batch_norm`"
    case .exportWithNMS: "`with_nms`"
    case .exportKeepIntegers: "`keep_integers`"
    case .exportDetectionPostprocess: "`detection_postprocess`"
    case .exportQuantization: "`quantization`"
    case .against: "`against`"
    case .labels: "`labels` in `metadata`"
    case .images: "`image` of an input in `metadata`"
    case .imageScale: "`scale` of an image in `metadata`"
    case .colorOrder: "`colorOrder` of an image in `metadata`"
    case .detector: "`detector` in `metadata`"
    case .anchors: "`anchors` of the detector in `metadata`"
    case .metadataFile: "`metadata`"
    case .verifyReferences: "`reference_inputs`"
    case .reportImage: "`image`"
    case .withoutVerification: "`no_verify`"
    case .withoutProfile: "`no_profile`"
    case .exportTarget: "`target`"
    case .withoutNMS: "`with_nms` (false)"
    case .searchModel: "`model`"
    case .rebuilding: "`rebuild`"
    case .readModel: "`convert`"
    case .detect: "`detect`"
    case .editMetadata: "`edit_metadata`"
    }
  }
}
