import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension FlattenTime: KerasMapped {
  /// Keras: `TimeDistributed`, which applies a layer to each step separately; with
  /// ``UnflattenTime``.
  static let keras = KerasMapping([
    KerasLayerClass(
      "TimeDistributed", masks: .handledByBuilder, casts: .floats,
      shape: .wrapped { if case .sizes(let sizes) = $0 { .sizes([nil] + sizes) } else { $0 } },
      parts: KerasLayerParts([.init(["layer"], settings: ["layer"])]), TimeDistributedLayer.build)
  ])
  static let kerasRow: KerasRow? = .reshapedBatch(FlattenTime.self)
}

/// `TimeDistributed`: one layer or model applied to every step of a sequence, by merging batch and
/// time into one axis.
///
/// (Around a stateful layer, Keras processes one step after another; that is refused.)
enum TimeDistributedLayer {
  /// Builds a wrapper of a layer. (The importer handles wrappers of models.)
  static let build: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let mask = try mask(&layer, inputs)
    let form = layer.take("layer")
    let hasFloats = inputs.allSatisfy { layer.graph.type(of: $0).elementType.isFloat }
    let typeUse =
      layer.version.major < 3
      ? .inner : try typeUse(ofInner: form, in: layer.types, hasFloats: hasFloats)
    let (className, settings) = try layer.unwrap(form, typeUse)
    guard let inner = KerasMappings.layers[className] else {
      throw .unsupported(
        "wraps a layer of the unknown class \(className); a class of Keras can be read")
    }
    if settings["stateful"]?.bool == true {
      throw .unsupported("wraps a stateful layer, whose state would carry over")
    }
    if KerasTypePolicy.quantized(settings["dtype"]) != nil {
      throw .unsupported("wraps a quantized layer, which Keras then computes without its factors")
    }
    var folded = try fold(&layer, inputs, mask: mask)
    let result = layer.version.major < 3 ? nil : try resultType(ofInner: form)
    let isOwn = KerasMappings.classes[className]?.distributedTypes == .own
    if layer.version.major < 3 {
      folded = try layer.castInputs(folded, ofInner: className)
    } else if className.hasPrefix("Random") && isOwn || className.hasSuffix("Spectrogram") {
      let types = folded.map { layer.graph.type(of: $0).elementType }
      guard types.allSatisfy(\.isFloat) else {
        throw .unsupported(
          "applies \(className) to \(types[0].rawValue); floating-point is supported")
      }
    }
    let castsIntegers = KerasMappings.classes[className]?.casts.includesIntegers(layer.version)
    if layer.version.major >= 3, castsIntegers == true {
      // To an integer type, they cast floating-point numbers, too.
      folded =
        try layer.integerType == nil
        ? layer.cast(folded, to: result ?? layer.types?.compute ?? .float32)
        : layer.castInputs(folded, ofInner: className)
    }
    // A nested wrapper has nodes and weights with the same roles.
    var outputs =
      className == "TimeDistributed"
      ? try layer.addStep("inner", settings: layer.takeSettings()) {
        (layer) throws(WeighbridgeError) in try inner(&layer, folded)
      } : try inner(&layer, folded)
    try layer.passMasks(of: className, from: folded, to: outputs)
    if let result {
      outputs = try outputs.map { (output) throws(WeighbridgeError) in
        try layer.cast(output, to: result, role: "result_cast")
      }
    }
    return try unfold(&layer, outputs, like: inputs, folded: folded, mask: mask)
  }

  /// The type in which Keras 3 computes the layer.
  private static func typeUse(
    ofInner form: JSONValue?, in outer: KerasTypePolicy?, hasFloats: Bool
  ) throws(WeighbridgeError) -> KerasLayer.InnerTypeUse {
    let className = form?.object?["class_name"]?.string ?? ""
    let settings = form?.object?["config"]?.object ?? [:]
    let types = KerasMappings.classes[className]?.distributedTypes ?? .own
    switch types {
    case .own: return .equal
    case .inputs: return .outer
    case .result: return outer.map { $0.compute.byteCount >= 4 } == true ? .outer : .equal
    case .weights, .product:
      // Under a mixed policy, weights are cast to the type in which the layer around computes.
      if let outer, outer.compute != outer.variable { return .outer }
      let weights = try KerasTypePolicy.separate(settings).policy?.variable
      let isNarrower = types == .product && weights == .float16 && outer?.compute == .float32
      // The product of integers, which are not cast, has the type of the weights.
      if isNarrower { return hasFloats ? .outer : .inner }
      return weights == outer?.compute ? .outer : .equal
    }
  }

  /// The type to which a layer casts its results while it computes; `nil` for one that does not.
  private static func resultType(
    ofInner form: JSONValue?
  ) throws(WeighbridgeError) -> ElementType? {
    guard let className = form?.object?["class_name"]?.string,
      KerasMappings.classes[className]?.distributedTypes == .result,
      let settings = form?.object?["config"]?.object
    else { return nil }
    return try KerasTypePolicy.separate(settings).policy?.compute
  }

  /// The mask passed to the layer, explicitly or with its first input.
  static func mask(
    _ layer: inout KerasLayer, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> ValueID? {
    let given = layer.takeTensors("mask")
    return given.first ?? inputs.first.flatMap { layer.mask(of: $0) }
  }

  /// Merges the batch and time axes of the inputs. A mask with more axes is folded, too; a mask
  /// with only these two does not apply inside a step.
  static func fold(
    _ layer: inout KerasLayer, _ inputs: [ValueID], mask: ValueID?
  ) throws(WeighbridgeError) -> [ValueID] {
    var folded: [ValueID] = []
    for input in inputs { folded += try layer.add(FlattenTime(), [input], role: "fold") }
    if let mask, let first = folded.first, layer.graph.type(of: mask).rank > 2 {
      let inner = try layer.add(FlattenTime(), [mask], role: "fold_mask")[0]
      layer.setMask(inner, of: first)
    }
    return folded
  }

  /// Splits the outputs' first axis into the batch and time axes of the first input.
  ///
  /// Keras 2 passes on the mask of the wrapped layer, or else the mask that it was given, without
  /// the axes inside a step; Keras 3 passes the latter on unchanged.
  static func unfold(
    _ layer: inout KerasLayer, _ outputs: [ValueID], like inputs: [ValueID], folded: [ValueID],
    mask: ValueID?
  ) throws(WeighbridgeError) -> [ValueID] {
    guard let sequence = inputs.first, let first = folded.first else {
      throw .malformed("has no input")
    }
    try checkOlderMasks(layer, outputs, sequence: sequence, mask: mask)
    try checkExamples(layer, from: folded, sequence: sequence)
    var results: [ValueID] = []
    for output in outputs {
      let result = try layer.add(UnflattenTime(), [output, sequence], role: "unfold")[0]
      results.append(result)
      guard layer.version.major < 3 else {
        layer.setMask(mask, of: result)
        continue
      }
      if let inner = layer.mask(of: output) {
        layer.setMask(
          inner == layer.mask(of: first)
            ? mask : try layer.add(UnflattenTime(), [inner, sequence], role: "unfold_mask")[0],
          of: result)
      } else if let mask {
        layer.setMask(try withoutInnerAxes(&layer, mask), of: result)
      }
    }
    return results
  }

  /// Refuses masks that Keras drops: before 2.4, unless inside TensorFlow, it processes one step
  /// after another where the batch size is fixed, and then neither takes masks nor passes them on.
  private static func checkOlderMasks(
    _ layer: KerasLayer, _ outputs: [ValueID], sequence: ValueID, mask: ValueID?
  ) throws(WeighbridgeError) {
    guard layer.version < KerasVersion(2, 4), layer.version.suffix != "-tf",
      layer.graph.type(of: sequence).shape[0].value != nil
    else { return }
    let hasInnerAxes = mask.map { layer.graph.type(of: $0).rank > 2 } ?? false
    guard !hasInnerAxes, outputs.allSatisfy({ layer.mask(of: $0) == nil }) else {
      throw .unsupported(
        "has masks inside of steps, which Keras \(layer.version) drops where the size "
          + "of the batch is fixed")
    }
  }

  /// Reduces a mask to whether any part of a step is used, `[batch, time]`.
  private static func withoutInnerAxes(
    _ layer: inout KerasLayer, _ mask: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let rank = layer.graph.type(of: mask).rank
    guard rank > 2 else { return mask }
    let reduction = Reduce(.any, axes: Array(2..<rank), keepDims: false)
    return try layer.add(reduction, [mask], role: "any_of_mask")[0]
  }
}
