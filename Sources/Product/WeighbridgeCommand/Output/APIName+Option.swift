// Generated from Schemas/options.json by Scripts/options. Do not edit.

import Bytes

extension APIName {
  /// The corresponding option of the program.
  var option: String {
    switch self {
    case .architecture: "--architecture"
    case .kerasVersion: "--keras-version"
    case .kerasBackend: "--keras-backend"
    case .inputShapes: "--input-shape"
    case .customLayers: "--custom-layers"
    case .weights: "--weights"
    case .darknet: "--darknet"
    case .data: "--data"
    case .randomWeights: "--random-weights"
    case .fixedInputs: "--fixed-input"
    case .fromTokenIDs: "--from-token-ids"
    case .keepUnknown: "--keep-unknown"
    case .strict: "--strict"
    case .weightNames: "--weight-names"
    case .memoryLimit: "--memory-limit"
    case .noClobber: "--no-clobber"
    case .exportDarknet: "--darknet"
    case .exportLayout: "--layout"
    case .exportPrecision: "--precision"
    case .exportKind: "--kind"
    case .exportSizes: "--sizes"
    case .exportOpset: "--opset"
    case .exportSpecVersion: "--spec-version"
    case .exportExternalData: "--external-data"
    case .exportFoldBatchNorm: "--fold-batch-norm"
    case .exportWithNMS: "--with-nms"
    case .exportKeepIntegers: "--keep-integers"
    case .exportDetectionPostprocess: "--detection-postprocess"
    case .exportQuantization: "--quantization"
    case .against: "--against"
    case .labels: "--labels"
    case .images: "--image-input"
    case .imageScale: "--image-scale"
    case .colorOrder: "--color"
    case .detector: "--detector"
    case .anchors: "--anchors"
    case .metadataFile: "--metadata"
    case .verifyReferences: "--reference-inputs"
    case .reportImage: "--image"
    case .withoutVerification: "--no-verify"
    case .withoutProfile: "--no-profile"
    case .exportTarget: "--to"
    case .withoutNMS: "--without-nms"
    case .searchModel: "--model"
    case .rebuilding: "weighbridge index --rebuild"
    case .readModel: "weighbridge convert"
    case .detect: "weighbridge detect"
    case .editMetadata: "weighbridge metadata --set"
    }
  }
}
