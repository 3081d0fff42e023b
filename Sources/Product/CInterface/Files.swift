import Bytes
public import CWeighbridge
import JSON
import ModelReport
import Vision
import Weighbridge

/// `weighbridge_metadata_edit`
@_cdecl("weighbridge_metadata_edit")
public func editMetadata(
  _ file: UnsafePointer<CChar>?, _ changes: UnsafePointer<CChar>?,
  _ options: UnsafePointer<weighbridge_metadata_options>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let path = try path(file, "path")
    let entries = try changedEntries(try string(try required(changes, "changes"), "changes") ?? "")
    let cOptions = try weighbridge_metadata_options(options)
    let output = try string(cOptions.output, "output")
    try Metadata.edit(
      path, writingTo: output, replacing: output == nil || cOptions.no_clobber == 0,
      tolerance: try tolerancePair(cOptions.tolerance, "tolerance")
    ) { (description) throws(WeighbridgeError) in
      for (key, value) in entries { try Metadata.set(key, to: value, in: &description) }
    }
  }
}

/// Returns the changes of an object of strings; null removes an entry.
private func changedEntries(_ json: String) throws -> [(key: String, value: String?)] {
  guard let object = try JSONValue(parsing: Array(json.utf8)).object else {
    throw Failure.invalidArgument("changes is not a JSON object of strings and nulls")
  }
  return try object.keys.map { key in
    let value = object[key] ?? .null
    guard value == .null || value.string != nil else {
      throw Failure.invalidArgument("changes has \(key), which is neither a string nor null")
    }
    return (key, value.string)
  }
}

/// `weighbridge_report`
@_cdecl("weighbridge_report")
public func writeReport(
  _ paths: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int,
  _ readOptions: UnsafePointer<weighbridge_read_options>?, _ output: UnsafePointer<CChar>?,
  _ options: UnsafePointer<weighbridge_report_options>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let paths = try strings(paths, count, "paths")
    let output = try path(output, "output")
    let cOptions = try weighbridge_report_options(options)
    var reading = try ReadSettings(readOptions)
    // Each option may be for only one of the files.
    if paths.count > 1 || cOptions.against != nil {
      reading.options.tolerated = Set(APIName.allCases)
    }
    let models = try paths.map {
      try ReportedModel(contentsOf: $0, options: reading.options, edit: reading.edit)
    }
    let report = try Report(models, options: try ReportOptions(cOptions, reading.options))
    var file = try AtomicFile(path: output)
    try file.append(Array(try report.html().utf8).span.bytes)
    try file.commit(replacing: cOptions.no_clobber == 0)
  }
}

extension ReportOptions {
  fileprivate init(_ cOptions: weighbridge_report_options, _ reading: ReadOptions) throws {
    self.init()
    (noVerify, noProfile) = (cOptions.no_verify != 0, cOptions.no_profile != 0)
    verify = cOptions.verify != 0
    verification.against = try string(cOptions.against, "against")
    verification.againstOptions = reading
    verification.tolerance = try tolerancePair(cOptions.tolerance, "tolerance")
    verification.references = try referenceArrays(
      cOptions.reference_inputs, cOptions.reference_outputs)
    var interruption = Interruption()
    detection = try DetectOptions(cOptions.detect, &interruption)
    verification.run = detection.run
    if let path = try string(cOptions.image, "image") {
      image = NamedImage(name: path, image: try Image(contentsOf: path))
    }
    wording = { $0.replacingAPINames(\.optionName) }
  }
}

/// Reads the arrays of references, of which both files or none are given.
func referenceArrays(
  _ inputs: UnsafePointer<CChar>?, _ outputs: UnsafePointer<CChar>?
) throws -> (inputs: [NamedTensor], outputs: [NamedTensor])? {
  let inputs = try string(inputs, "reference_inputs")
  let outputs = try string(outputs, "reference_outputs")
  guard (inputs == nil) == (outputs == nil) else {
    throw Failure.invalidArgument("reference_inputs and reference_outputs go together")
  }
  guard let inputs, let outputs else { return nil }
  return (try ArrayFile.read(inputs), try ArrayFile.read(outputs))
}
