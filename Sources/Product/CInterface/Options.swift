import Bytes
import CWeighbridge
import ConversionCore
import JSON
import Weighbridge

/// How a file is read, and the description to apply to its model.
struct Reading {
  var options = ReadOptions()
  var edit = DescriptionEdit()

  init(_ pointer: UnsafePointer<weighbridge_read_options>?) throws {
    let given = try weighbridge_read_options(pointer)
    options.architecture = try text(given.architecture, "architecture")
    options.kerasVersion = try text(given.keras_version, "keras_version")
    options.kerasBackend = try text(given.keras_backend, "keras_backend")
    options.customLayers = try text(given.custom_layers, "custom_layers")
    options.weights = try text(given.weights, "weights")
    options.darknetFork = try word(given.darknet, "darknet")
    options.darknetData = try text(given.data, "data")
    options.randomSeed = given.random_weights?.pointee
    options.startsAtTokens = given.from_token_ids != 0
    options.keepsUnknown = given.keep_unknown != 0
    options.isStrict = given.strict != 0
    for text in try texts(given.input_shapes, given.input_shape_count, "input_shapes") {
      guard let shape = InputShape(text) else {
        throw Failure.invalidArgument(
          "input_shapes has \(text), which is neither 8,None,3 nor NAME=8,None,3")
      }
      options.inputShapes.append(shape)
    }
    for text in try texts(given.fixed_inputs, given.fixed_input_count, "fixed_inputs") {
      // The name of an input may contain an equals sign; a number cannot.
      guard let sign = text.lastIndex(of: "="), sign != text.startIndex,
        let number = InputNumber(String(text[text.index(after: sign)...]))
      else { throw Failure.invalidArgument("fixed_inputs has \(text), which is not NAME=NUMBER") }
      options.fixedInputs[String(text[..<sign])] = number
    }
    if let json = try text(given.metadata, "metadata") {
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
  init(_ pointer: UnsafePointer<weighbridge_run_options>?, _ stop: inout Interruption) throws {
    self.init()
    let given = try weighbridge_run_options(pointer)
    engine = try word(given.engine, "engine") ?? .cpu
    threads = try number(given.threads, "threads")
    memoryLimit = given.memory_limit == 0 ? nil : Int(clamping: given.memory_limit)
    isFast = given.fast != 0
    stop = Interruption(given.interrupt, given.interrupt_context)
    cancellation = stop.cancellation
  }

  init(_ pointer: UnsafePointer<weighbridge_run_options>?) throws {
    var stop = Interruption()
    try self.init(pointer, &stop)
  }
}

extension ExportOptions {
  init(_ given: weighbridge_export_options) throws(Failure) {
    self.init()
    darknetFork = try word(given.darknet, "darknet")
    layout = try word(given.layout, "layout") ?? layout
    precision = try word(given.precision, "precision") ?? precision
    coreMLKind = try word(given.kind, "kind")
    suppressesBoxes = try (word(given.outputs, "outputs") as DetectorOutputs?).map { $0 == .boxes }
    opset = try number(given.opset, "opset")
    specificationVersion = try number(given.spec_version, "spec_version")
    storesWeightsBeside = given.external_data != 0
    foldsBatchNormalization = given.fold_batch_norm != 0
    isReplacing = given.keep_existing == 0
    guard given.size_count > 0 else { return }
    let sizes = try required(given.sizes, "sizes")
    for index in 0..<given.size_count {
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
    let given = try weighbridge_verify_options(pointer)
    let reading = try Reading(given.against_options)
    source = try text(given.against, "against").map { (path: $0, options: reading.options) }
    checksLayers = given.layers != 0
    if let numbers = given.tolerance {
      guard numbers[0].isFinite, numbers[1].isFinite, numbers[0] >= 0, numbers[1] >= 0 else {
        throw Failure.invalidArgument("a tolerance is two numbers from 0")
      }
      tolerance = Tolerance(absolute: numbers[0], relative: numbers[1])
    }
    run = try RunOptions(given.run)
  }
}

extension DetectOptions {
  init(
    _ pointer: UnsafePointer<weighbridge_detect_options>?, _ stop: inout Interruption
  ) throws {
    self.init()
    let given = try weighbridge_detect_options(pointer)
    threshold = given.threshold?.pointee
    overlap = given.overlap?.pointee
    suppression = try word(given.suppression, "suppression")
    run = try RunOptions(given.run, &stop)
  }
}
