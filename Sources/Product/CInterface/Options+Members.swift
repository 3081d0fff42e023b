// Generated from Schemas/options.json by Scripts/options. Do not edit.

import CWeighbridge
import ConversionCore
import Weighbridge

extension ReadOptions {
  /// Reads the members that need nothing else.
  init(members: weighbridge_read_options) throws(Failure) {
    self.init()
    architecture = try string(members.architecture, "architecture")
    kerasVersion = try string(members.keras_version, "keras_version")
    kerasBackend = try string(members.keras_backend, "keras_backend")
    inputShapes = try shapeList(members.input_shapes, members.input_shape_count, "input_shapes")
    customLayers = try string(members.custom_layers, "custom_layers")
    weights = try string(members.weights, "weights")
    darknet = try enumeration(members.darknet, "darknet")
    data = try string(members.data, "data")
    randomWeights = members.random_weights?.pointee
    fixedInputs = try valueList(members.fixed_inputs, members.fixed_input_count, "fixed_inputs")
    fromTokenIDs = members.from_token_ids != 0
    keepUnknown = members.keep_unknown != 0
    strict = members.strict != 0
    weightNames = try string(members.weight_names, "weight_names")
  }
}

extension RunOptions {
  /// Reads the members that need nothing else.
  init(members: weighbridge_run_options) throws(Failure) {
    self.init()
    engine = try enumeration(members.engine, "engine") ?? engine
    threads = try number(members.threads, "threads")
    memoryLimit = members.memory_limit == 0 ? nil : Int(clamping: members.memory_limit)
  }
}

extension WriteOptions {
  /// Reads the members that need nothing else.
  init(members: weighbridge_write_options) throws(Failure) {
    self.init()
    noClobber = members.no_clobber != 0
  }
}

extension ExportOptions {
  /// Reads the members that need nothing else.
  init(members: weighbridge_export_options) throws(Failure) {
    self.init()
    darknet = try enumeration(members.darknet, "darknet")
    layout = try enumeration(members.layout, "layout")
    precision = try enumeration(members.precision, "precision")
    kind = try enumeration(members.kind, "kind")
    sizes = try sizeList(members.sizes, members.size_count, "sizes")
    opset = try number(members.opset, "opset")
    specVersion = try number(members.spec_version, "spec_version")
    externalData = members.external_data != 0
    foldBatchNorm = members.fold_batch_norm != 0
    withNMS = (members.with_nms?.pointee).map { $0 != 0 }
    keepIntegers = members.keep_integers != 0
    detectionPostprocess = members.detection_postprocess != 0
    quantization = try enumeration(members.quantization, "quantization")
    deployment = try enumeration(members.deployment, "deployment")
    batchSize = try number(members.batch_size, "batch_size")
  }
}

extension VerifyOptions {
  /// Reads the members that need nothing else.
  init(members: weighbridge_verify_options) throws(Failure) {
    self.init()
    against = try string(members.against, "against")
    tolerance = try tolerancePair(members.tolerance, "tolerance")
    layers = members.layers != 0
  }
}

extension DetectOptions {
  /// Reads the members that need nothing else.
  init(members: weighbridge_detect_options) throws(Failure) {
    self.init()
    confidenceThreshold = members.confidence_threshold?.pointee
    iouThreshold = members.iou_threshold?.pointee
    suppression = try enumeration(members.suppression, "suppression")
    resize = try enumeration(members.resize, "resize")
    resampling = try enumeration(members.resampling, "resampling")
  }
}

extension ClassifyOptions {
  /// Reads the members that need nothing else.
  init(members: weighbridge_classify_options) throws(Failure) {
    self.init()
    top = try number(members.top, "top") ?? top
    threshold = members.threshold?.pointee
    scores = try enumeration(members.scores, "scores")
    resize = try enumeration(members.resize, "resize")
    resampling = try enumeration(members.resampling, "resampling")
  }
}

// The sizes of the structs in version 0.2, which are accepted.
extension weighbridge_read_options: SizedStruct {
  static var minimumSize: Int {
    MemoryLayout<Self>.offset(of: \.weight_names) ?? MemoryLayout<Self>.size
  }
}
extension weighbridge_run_options: SizedStruct {}
extension weighbridge_write_options: SizedStruct {}
extension weighbridge_export_options: SizedStruct {
  static var minimumSize: Int {
    MemoryLayout<Self>.offset(of: \.with_nms) ?? MemoryLayout<Self>.size
  }
}
extension weighbridge_verify_options: SizedStruct {
  static var minimumSize: Int {
    MemoryLayout<Self>.offset(of: \.reference_inputs) ?? MemoryLayout<Self>.size
  }
}
extension weighbridge_detect_options: SizedStruct {
  static var minimumSize: Int {
    MemoryLayout<Self>.offset(of: \.resize) ?? MemoryLayout<Self>.size
  }
}
extension weighbridge_analyze_options: SizedStruct {}
extension weighbridge_classify_options: SizedStruct {}
extension weighbridge_stylize_options: SizedStruct {}
extension weighbridge_compare_options: SizedStruct {}
extension weighbridge_compact_options: SizedStruct {}
extension weighbridge_metadata_options: SizedStruct {}
extension weighbridge_index_options: SizedStruct {}
extension weighbridge_similar_options: SizedStruct {}
extension weighbridge_search_options: SizedStruct {}
extension weighbridge_report_options: SizedStruct {
  static var minimumSize: Int {
    MemoryLayout<Self>.offset(of: \.verify) ?? MemoryLayout<Self>.size
  }
}
