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
    options.architecture = try string(cOptions.architecture, "architecture")
    options.kerasVersion = try string(cOptions.keras_version, "keras_version")
    options.kerasBackend = try string(cOptions.keras_backend, "keras_backend")
    options.customLayers = try string(cOptions.custom_layers, "custom_layers")
    options.weights = try string(cOptions.weights, "weights")
    options.darknetFork = try enumeration(cOptions.darknet, "darknet")
    options.darknetData = try string(cOptions.data, "data")
    options.randomSeed = cOptions.random_weights?.pointee
    options.startsAtTokens = cOptions.from_token_ids != 0
    options.keepsUnknown = cOptions.keep_unknown != 0
    options.isStrict = cOptions.strict != 0
    for string in try strings(cOptions.input_shapes, cOptions.input_shape_count, "input_shapes") {
      guard let shape = InputShape(string) else {
        throw Failure.invalidArgument(
          "input_shapes has \(string), which is neither 8,None,3 nor NAME=8,None,3")
      }
      options.inputShapes.append(shape)
    }
    for string in try strings(cOptions.fixed_inputs, cOptions.fixed_input_count, "fixed_inputs") {
      // The name of an input may contain an equals sign; a number cannot.
      guard let sign = string.lastIndex(of: "="), sign != string.startIndex,
        let number = InputNumber(String(string[string.index(after: sign)...]))
      else { throw Failure.invalidArgument("fixed_inputs has \(string), which is not NAME=NUMBER") }
      options.fixedInputs[String(string[..<sign])] = number
    }
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
    self.init()
    let cOptions = try weighbridge_run_options(pointer)
    engine = try enumeration(cOptions.engine, "engine") ?? .cpu
    threads = try number(cOptions.threads, "threads")
    memoryLimit = cOptions.memory_limit == 0 ? nil : Int(clamping: cOptions.memory_limit)
    interruption = Interruption(cOptions.interrupt, cOptions.interrupt_context)
    cancellation = interruption.cancellation
  }

  init(_ pointer: UnsafePointer<weighbridge_run_options>?) throws {
    var interruption = Interruption()
    try self.init(pointer, &interruption)
  }
}

extension ExportOptions {
  init(_ cOptions: weighbridge_export_options) throws(Failure) {
    self.init()
    darknetFork = try enumeration(cOptions.darknet, "darknet")
    layout = try enumeration(cOptions.layout, "layout") ?? layout
    precision = try enumeration(cOptions.precision, "precision") ?? precision
    coreMLKind = try enumeration(cOptions.kind, "kind")
    suppressesBoxes = try (enumeration(cOptions.outputs, "outputs") as DetectorOutputs?)
      .map { $0 == .boxes }
    opset = try number(cOptions.opset, "opset")
    specificationVersion = try number(cOptions.spec_version, "spec_version")
    storesExternalWeights = cOptions.external_data != 0
    foldsBatchNormalization = cOptions.fold_batch_norm != 0
    isReplacing = cOptions.keep_existing == 0
    guard cOptions.size_count > 0 else { return }
    let sizes = try required(cOptions.sizes, "sizes")
    for index in 0..<cOptions.size_count {
      let (width, height) = (sizes[2 * index], sizes[2 * index + 1])
      guard 1...65_536 ~= width, 1...65_536 ~= height else {
        throw .invalidArgument("sizes has \(width) x \(height); a side has 1 to 65536 pixels")
      }
      imageSizes.append(ImageSize(width: Int(width), height: Int(height)))
    }
  }
}

/// The outputs of an exported detector.
private enum DetectorOutputs: String, CaseIterable {
  case boxes, heads
}

extension VerifyOptions {
  init(_ pointer: UnsafePointer<weighbridge_verify_options>?) throws {
    self.init()
    let cOptions = try weighbridge_verify_options(pointer)
    let settings = try ReadSettings(cOptions.against_options)
    source = try string(cOptions.against, "against").map { (path: $0, options: settings.options) }
    checksLayers = cOptions.layers != 0
    if let numbers = cOptions.tolerance {
      guard numbers[0].isFinite, numbers[1].isFinite, numbers[0] >= 0, numbers[1] >= 0 else {
        throw Failure.invalidArgument("a tolerance is two numbers from 0")
      }
      tolerance = Tolerance(absolute: numbers[0], relative: numbers[1])
    }
    run = try RunOptions(cOptions.run)
  }
}

extension DetectOptions {
  init(
    _ pointer: UnsafePointer<weighbridge_detect_options>?, _ interruption: inout Interruption
  ) throws {
    self.init()
    let cOptions = try weighbridge_detect_options(pointer)
    threshold = cOptions.threshold?.pointee
    overlap = cOptions.overlap?.pointee
    suppression = try enumeration(cOptions.suppression, "suppression")
    run = try RunOptions(cOptions.run, &interruption)
  }
}
