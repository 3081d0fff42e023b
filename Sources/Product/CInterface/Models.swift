public import CWeighbridge
import ConversionCore
import JSON
import Weighbridge

/// An open model.
final class OpenModel: HandleTarget {
  static let kind: UInt64 = 1
  static let title = "a model"

  let model: Model
  let inputs: [ArrayRecord]
  let outputs: [ArrayRecord]

  init(_ model: Model) {
    self.model = model
    inputs = model.inputs.map(ArrayRecord.init)
    outputs = model.outputs.map(ArrayRecord.init)
  }

  /// Returns the model of a handle.
  static func of(_ handle: weighbridge_model) throws(Failure) -> OpenModel {
    try HandleTable.shared.object(handle, OpenModel.self)
  }
}

/// Copies a report as a string for the caller, who frees it.
func copy(_ json: JSONValue) throws(Failure) -> UnsafeMutablePointer<CChar> {
  try copy(json.mapStrings { $0.replacingAPINames(\.optionName) }.text())
}

/// `weighbridge_model_open`
@_cdecl("weighbridge_model_open")
public func openModel(
  _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<weighbridge_read_options>?,
  _ model: UnsafeMutablePointer<weighbridge_model>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let result = try required(model, "model")
    let path = try CInterface.path(path, "path")
    result.pointee = HandleTable.shared.add(OpenModel(try ReadSettings(options).model(path)))
  }
}

/// `weighbridge_model_close`
@_cdecl("weighbridge_model_close")
public func closeModel(
  _ model: weighbridge_model, _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) { try HandleTable.shared.remove(model, OpenModel.self) }
}

/// `weighbridge_model_counts`
@_cdecl("weighbridge_model_counts")
public func countPorts(
  _ model: weighbridge_model, _ inputs: UnsafeMutablePointer<Int>?,
  _ outputs: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let open = try OpenModel.of(model)
    let (inputs, outputs) = (try required(inputs, "inputs"), try required(outputs, "outputs"))
    (inputs.pointee, outputs.pointee) = (open.inputs.count, open.outputs.count)
  }
}

/// `weighbridge_model_input`
@_cdecl("weighbridge_model_input")
public func describeInput(
  _ model: weighbridge_model, _ position: Int, _ input: UnsafeMutablePointer<weighbridge_array>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) { try describe(OpenModel.of(model).inputs, position, input, "input") }
}

/// `weighbridge_model_output`
@_cdecl("weighbridge_model_output")
public func describeOutput(
  _ model: weighbridge_model, _ position: Int, _ output: UnsafeMutablePointer<weighbridge_array>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) { try describe(OpenModel.of(model).outputs, position, output, "output") }
}

private func describe(
  _ records: [ArrayRecord], _ position: Int, _ array: UnsafeMutablePointer<weighbridge_array>?,
  _ what: String
) throws(Failure) {
  let array = try required(array, what)
  var description = try weighbridge_array(array)
  guard records.indices.contains(position) else {
    throw .invalidArgument("there is no \(what) \(position); the model has \(records.count)")
  }
  records[position].describe(&description)
  (description.data, description.byte_count) = (nil, 0)
  array.pointee = description
}

/// `weighbridge_model_metadata`
@_cdecl("weighbridge_model_metadata")
public func describeModel(
  _ model: weighbridge_model, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let result = try required(json, "json")
    result.pointee = try copy(OpenModel.of(model).model.metadata.json)
  }
}

/// `weighbridge_model_write`
@_cdecl("weighbridge_model_write")
public func writeModel(
  _ model: weighbridge_model, _ path: UnsafePointer<CChar>?,
  _ options: UnsafePointer<weighbridge_write_options>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) { try write(OpenModel.of(model).model, path, options) }
}

private func write(
  _ model: Model, _ path: UnsafePointer<CChar>?,
  _ options: UnsafePointer<weighbridge_write_options>?
) throws {
  try model.write(to: CInterface.path(path, "path"), options: WriteOptions(options))
}

/// `weighbridge_convert`
@_cdecl("weighbridge_convert")
public func convert(
  _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<weighbridge_read_options>?,
  _ output: UnsafePointer<CChar>?, _ writeOptions: UnsafePointer<weighbridge_write_options>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let source = try CInterface.path(path, "path")
    _ = try CInterface.path(output, "output")
    _ = try weighbridge_write_options(writeOptions)
    var settings = try ReadSettings(options)
    settings.options.preparesWriting = true
    try write(try settings.model(source), output, writeOptions)
  }
}

/// `weighbridge_model_export`
@_cdecl("weighbridge_model_export")
public func exportModel(
  _ model: weighbridge_model, _ path: UnsafePointer<CChar>?,
  _ options: UnsafePointer<weighbridge_export_options>?,
  _ report: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let model = try OpenModel.of(model).model
    let path = try CInterface.path(path, "path")
    let cOptions = try weighbridge_export_options(options)
    let exportReport = try model.export(
      to: path, as: try enumeration(cOptions.target, "target"),
      options: ExportOptions(cOptions), writing: WriteOptions(cOptions))
    if let report { report.pointee = try copy(exportReport.json) }
  }
}

/// `weighbridge_model_verify`
@_cdecl("weighbridge_model_verify")
public func verifyModel(
  _ model: weighbridge_model, _ options: UnsafePointer<weighbridge_verify_options>?,
  _ report: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let result = try required(report, "report")
    let model = try OpenModel.of(model).model
    result.pointee = try copy(try model.verify(try VerifyOptions(options, model)).json)
  }
}

/// `weighbridge_inspect`
@_cdecl("weighbridge_inspect")
public func inspect(
  _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<weighbridge_read_options>?,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let result = try required(json, "json")
    let path = try CInterface.path(path, "path")
    let settings = try ReadSettings(options)
    result.pointee = try copy(try Inspection(of: path, options: settings.options).json)
  }
}
