import Bytes
import CWeighbridge
import ConversionCore
import JSON
import Weighbridge

/// The settings for reading a file, and the description to apply to its model.
struct ReadSettings {
  var options = ReadOptions()
  var edit = DescriptionEdit()

  init(_ pointer: UnsafePointer<weighbridge_read_options>?) throws {
    let cOptions = try weighbridge_read_options(pointer)
    options = try ReadOptions(members: cOptions)
    if let json = try string(cOptions.metadata, "metadata") {
      edit = try DescriptionEdit(metadata: JSONValue(parsing: Array(json.utf8)))
    }
    options.findsLabels = edit.labels == nil
  }

  /// Reads a model and describes it.
  func model(_ path: String) throws(WeighbridgeError) -> Model {
    var model = try Model(contentsOf: path, options: options)
    do throws(WeighbridgeError) { try model.describe(edit) } catch { throw error.at(file: path) }
    return model
  }
}

extension RunOptions {
  init(
    _ pointer: UnsafePointer<weighbridge_run_options>?, _ interruption: inout Interruption
  ) throws {
    let cOptions = try weighbridge_run_options(pointer)
    try self.init(members: cOptions)
    interruption = Interruption(cOptions.interrupt, cOptions.interrupt_context)
    cancellation = interruption.cancellation
  }

  init(_ pointer: UnsafePointer<weighbridge_run_options>?) throws {
    var interruption = Interruption()
    try self.init(pointer, &interruption)
  }
}

extension WriteOptions {
  init(_ pointer: UnsafePointer<weighbridge_write_options>?) throws {
    let cOptions = try weighbridge_write_options(pointer)
    try self.init(members: cOptions)
    cancellation = Interruption(cOptions.interrupt, cOptions.interrupt_context).cancellation
  }

  /// The options for writing that are among those for export.
  init(_ cOptions: weighbridge_export_options) {
    self.init()
    noClobber = cOptions.no_clobber != 0
    cancellation = Interruption(cOptions.interrupt, cOptions.interrupt_context).cancellation
  }
}

extension ExportOptions {
  init(_ cOptions: weighbridge_export_options) throws(Failure) {
    try self.init(members: cOptions)
    guard let outputs: DetectorOutputs = try enumeration(cOptions.outputs, "outputs") else {
      return
    }
    guard withNMS == nil else {
      throw .invalidArgument("outputs is the former form of with_nms; both are given")
    }
    withNMS = outputs == .boxes
  }
}

/// The outputs of an exported detector.
private enum DetectorOutputs: String, CaseIterable {
  case boxes, heads
}

extension VerifyOptions {
  init(_ pointer: UnsafePointer<weighbridge_verify_options>?, _ model: Model) throws {
    let cOptions = try weighbridge_verify_options(pointer)
    try self.init(members: cOptions)
    againstOptions = try ReadSettings(cOptions.against_options).options
    run = try RunOptions(cOptions.run)
    references = try referenceArrays(cOptions.reference_inputs, cOptions.reference_outputs)
    evaluationExamples = try model.examples(
      in: try strings(cOptions.evaluation, cOptions.evaluation_count, "evaluation"))
  }
}

extension DetectOptions {
  init(
    _ pointer: UnsafePointer<weighbridge_detect_options>?, _ interruption: inout Interruption
  ) throws {
    let cOptions = try weighbridge_detect_options(pointer)
    try self.init(members: cOptions)
    run = try RunOptions(cOptions.run, &interruption)
  }
}
