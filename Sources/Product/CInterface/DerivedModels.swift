public import CWeighbridge
import JSON
import Vision
import Weighbridge

/// `weighbridge_model_cut`
@_cdecl("weighbridge_model_cut")
public func cutModel(
  _ model: weighbridge_model, _ outputs: UnsafePointer<UnsafePointer<CChar>?>?,
  _ outputCount: Int, _ inputs: UnsafePointer<UnsafePointer<CChar>?>?, _ inputCount: Int,
  _ options: UnsafePointer<weighbridge_run_options>?,
  _ part: UnsafeMutablePointer<weighbridge_model>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let result = try required(part, "part")
    let model = try OpenModel.of(model).model
    let part = try model.cut(
      to: try strings(outputs, outputCount, "outputs"),
      from: try strings(inputs, inputCount, "inputs"), options: try RunOptions(options))
    result.pointee = HandleTable.shared.add(OpenModel(part))
  }
}

/// `weighbridge_model_compact`
@_cdecl("weighbridge_model_compact")
public func compactModel(
  _ model: weighbridge_model, _ options: UnsafePointer<weighbridge_compact_options>?,
  _ compacted: UnsafeMutablePointer<weighbridge_model>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let result = try required(compacted, "compacted")
    let model = try OpenModel.of(model).model
    let compacted = try model.compacted(try CompactOptions(options, for: model))
    result.pointee = HandleTable.shared.add(OpenModel(compacted))
  }
}

extension CompactOptions {
  /// Reads the caller's options, and the examples that they name.
  fileprivate init(
    _ pointer: UnsafePointer<weighbridge_compact_options>?, for model: Model
  ) throws {
    self.init()
    let cOptions = try weighbridge_compact_options(pointer)
    let budgets: [Budget] = [
      cOptions.max_error.map { .error($0.pointee) },
      cOptions.max_size == 0 ? nil : .size(Int(clamping: cOptions.max_size)),
      cOptions.keep_answers.map { .keptAnswers($0.pointee) },
      try string(cOptions.encoding, "encoding").map { .encoding($0) },
    ].compactMap(\.self)
    guard budgets.count <= 1 else {
      throw Failure.invalidArgument(
        "max_error, max_size, keep_answers and encoding exclude each other")
    }
    budget = budgets.first ?? .lossless
    activations = try enumeration(cOptions.activations, "activations")
    foldBatchNorm = cOptions.fold_batch_norm != 0
    proof = (cOptions.proof?.pointee).map { $0 != 0 }
    calibration = try model.examples(
      in: try strings(cOptions.calibration, cOptions.calibration_count, "calibration"))
    evaluation = try model.examples(
      in: try strings(cOptions.evaluation, cOptions.evaluation_count, "evaluation"))
    run = try RunOptions(cOptions.run)
  }
}

/// `weighbridge_model_compare`
@_cdecl("weighbridge_model_compare")
public func compareModels(
  _ model: weighbridge_model, _ other: weighbridge_model,
  _ options: UnsafePointer<weighbridge_compare_options>?,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let result = try required(json, "json")
    let (model, other) = (try OpenModel.of(model).model, try OpenModel.of(other).model)
    let cOptions = try weighbridge_compare_options(options)
    var options = ComparisonOptions()
    options.names = cOptions.names != 0
    options.inputs = try string(cOptions.inputs, "inputs").map { try ArrayFile.read($0) }
    options.tolerance = try tolerancePair(cOptions.tolerance, "tolerance")
    options.run = try RunOptions(cOptions.run)
    result.pointee = try copy(try model.differences(from: other, options).json)
  }
}

/// `weighbridge_model_stylize`
@_cdecl("weighbridge_model_stylize")
public func stylize(
  _ model: weighbridge_model, _ image: UnsafePointer<CChar>?, _ output: UnsafePointer<CChar>?,
  _ options: UnsafePointer<weighbridge_stylize_options>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let (image, output) = (try path(image, "image"), try path(output, "output"))
    let stylizer = try Stylizer(
      try OpenModel.of(model).model, options: try StylizeOptions(options))
    try stylizer.stylize(try Image(contentsOf: image)).write(to: output)
  }
}

extension StylizeOptions {
  fileprivate init(_ pointer: UnsafePointer<weighbridge_stylize_options>?) throws {
    self.init()
    let cOptions = try weighbridge_stylize_options(pointer)
    if let scale = cOptions.output_scale?.pointee {
      output = OutputScale(scale: scale, bias: cOptions.output_bias?.pointee ?? 0)
    } else if cOptions.output_bias != nil {
      throw Failure.invalidArgument("output_bias needs output_scale")
    }
    tile = try number(cOptions.tile, "tile") ?? tile
    overlap = try number(cOptions.overlap, "overlap") ?? min(overlap, tile / 2)
    resize = try enumeration(cOptions.resize, "resize")
    resampling = try enumeration(cOptions.resampling, "resampling")
    run = try RunOptions(cOptions.run)
  }
}

/// `weighbridge_model_swift`
@_cdecl("weighbridge_model_swift")
public func writeSwift(
  _ model: weighbridge_model, _ name: UnsafePointer<CChar>?, _ bundled: UnsafePointer<CChar>?,
  _ code: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let result = try required(code, "code")
    guard let name = try string(try required(name, "name"), "name"), !name.isEmpty else {
      throw Failure.invalidArgument("name is empty")
    }
    let model = try OpenModel.of(model).model
    result.pointee = try copy(
      model.swiftInterface(named: name, bundled: try string(bundled, "bundled")))
  }
}
