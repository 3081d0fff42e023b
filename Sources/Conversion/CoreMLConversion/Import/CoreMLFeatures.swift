import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// The features of a Core ML model as inputs and outputs of a graph.
struct CoreMLFeatures {
  let model: CoreMLDescription
  private(set) var decisions: [Provenance.Decision] = []
  /// The labels and thresholds of a member that performs non-maximum suppression.
  private(set) var suppression: CoreMLSuppression?

  init(_ model: CoreMLDescription) { self.model = model }

  private mutating func decide(_ feature: String, _ text: String) {
    decisions.append(.init(layer: feature, text: text))
  }

  // MARK: Inputs

  /// Adds the model's inputs, which are those of its first network. An optional array that a layer
  /// reads is an input, too: it is how an app passes on the state of a recurrent layer.
  ///
  /// - Parameter read: The names that any layer reads.
  mutating func addInputs(
    of layers: CoreMLNetwork?, read: Set<String>, to network: inout CoreMLGraph
  ) throws(WeighbridgeError) {
    for feature in model.inputs {
      if feature.isOptional {
        guard case .multiArray(let array) = feature.type, read.contains(feature.name) else {
          network.omitted.insert(feature.name)
          decide(feature.name, "this optional input is left out")
          continue
        }
        decide(
          feature.name,
          feature.defaultNumber == nil
            ? "this optional input must be given; Core ML fills it with \(array.filling) where it "
              + "is not" : "this optional input is \(array.filling) where it is not given")
      }
      do throws(WeighbridgeError) {
        try add(feature, layers, to: &network)
      } catch {
        throw WeighbridgeError(error.code, "the input \(feature.name) \(error.reason)")
      }
    }
  }

  private func add(
    _ feature: CoreMLFeature, _ layers: CoreMLNetwork?, to network: inout CoreMLGraph
  ) throws(WeighbridgeError) {
    guard let type = feature.tensorType else {
      throw .unsupported("is neither an image nor an array, which are what a network can take")
    }
    var isImage = false
    if case .image = feature.type { isImage = true }
    let isExact = !isImage && layers?.arrayMapping == .exact
    guard isImage || (isExact ? (1...5).contains(type.rank) : [1, 3].contains(type.rank)) else {
      throw WeighbridgeError(
        type.rank > 5 ? .unsupported : .malformed,
        "has \(type.rank.counted("axis")), and the network takes "
          + (isExact ? "1 to 5" : "1 (channels) or 3 (channels, height, width)"))
    }
    var value = try addInput(feature.name, type, to: &network)
    let source = SourceScope(layer: feature.name, className: "input")
    var axes = CoreMLAxis.axes(rank: type.rank)
    var rank = type.rank
    if !isExact {
      // The batch, which the file leaves out, is the first axis of all that is computed.
      let given: [CoreMLAxis] = type.rank == 1 ? [.channel] : [.channel, .height, .width]
      axes = [.batch] + given
      rank = isImage && layers?.imageMapping == .rank4 ? 4 : 5
      value = try network.value(CoreMLBlob(value, given, rank: rank), axes, for: source)
    }
    if type.elementType == .int32 {
      value = try network.graph.addNode(
        Cast(to: .float32), inputs: [value], source: source.withRole("number"))[0]
    }
    network.blobs[feature.name] = CoreMLBlob(value, axes, rank: rank)
  }

  private func addInput(
    _ name: String, _ type: TensorType, to network: inout CoreMLGraph
  ) throws(WeighbridgeError) -> ValueID {
    for dimension in type.shape.compactMap(\.value) where dimension < 1 {
      throw .malformed("has a size of \(dimension), expected at least 1")
    }
    do throws(ShapeError) {
      _ = try Dimension.product(type.shape)
    } catch { throw .limitExceeded("has more elements than can be counted in 64 bits") }
    return try network.graph.addInput(name, type)
  }

  /// Subtracts the mean images of a network's preprocessing.
  func addMeanImages(
    of layers: CoreMLNetwork, to network: inout CoreMLGraph, _ store: ByteStore
  ) throws(WeighbridgeError) {
    for preprocessing in layers.preprocessing {
      guard case .meanImage(let byteRange) = preprocessing.step else { continue }
      guard let name = preprocessing.feature ?? model.inputs.first?.name,
        let blob = network.blobs[name], let shape = network.graph.type(of: blob.value).fixedShape
      else {
        throw .malformed(
          "a mean image is for \(preprocessing.feature ?? "an input"), which is no input of "
            + "a known "
            + "size")
      }
      let mean = try Tensor(.float32, shape: shape, store: store, range: byteRange.range)
      let weight = try network.graph.addWeight("\(name)/mean", mean)
      let source = SourceScope(layer: name, className: "meanImage", role: "mean")
      let value = try network.graph.addNode(
        Subtract(), named: "\(name)/subtract", inputs: [blob.value, weight], source: source)[0]
      network.blobs[name] = CoreMLBlob(value, blob.axes, rank: blob.rank)
    }
  }

  // MARK: Between members

  /// Leaves only the outputs of a member and the features that existed before it.
  func exposeOutputs(
    of member: CoreMLDescription, alongside earlier: [String: CoreMLBlob],
    in network: inout CoreMLGraph
  ) throws(WeighbridgeError) {
    var blobs = earlier
    for feature in member.outputs {
      guard let blob = network.blobs[feature.name] else {
        throw .malformed("no layer gives the feature \(feature.name), and each output needs one")
      }
      // The next member sees the feature with the axes that it has outside the network.
      let axes = Self.axes(of: feature, blob, network)
      let source = SourceScope(layer: feature.name, className: "feature")
      let value = try network.value(blob, axes, for: source)
      blobs[feature.name] = CoreMLBlob(value, rank: axes.count)
    }
    network.blobs = blobs
  }

  /// Adds the non-maximum suppression.
  mutating func add(
    _ suppression: CoreMLSuppression, to network: inout CoreMLGraph
  ) throws(WeighbridgeError) {
    var values: [ValueID] = []
    let source = SourceScope(
      layer: "nonMaximumSuppression", className: "NonMaximumSuppression")
    for name in [suppression.inputs.confidence, suppression.inputs.coordinates] {
      guard let blob = network.blobs[name] else {
        throw .malformed(
          "no earlier model of the pipeline gives \(name), which the suppression needs")
      }
      values.append(try network.value(blob, [.height, .width], for: source))
    }
    let boxes = try network.graph.addNode(
      try operation(suppression), inputs: values, source: source)
    let names = [suppression.outputs.confidence, suppression.outputs.coordinates]
    for (name, value) in zip(names, boxes) { network.blobs[name] = CoreMLBlob(value, rank: 2) }
  }

  /// The operator for a non-maximum suppression, which the description then has.
  mutating func operation(
    _ suppression: CoreMLSuppression
  ) throws(WeighbridgeError) -> NonMaxSuppression {
    guard let method = suppression.method else {
      throw .unsupported(
        "names no method of non-maximum suppression, and pickTop is the one that can be read")
    }
    for threshold in [suppression.iouThreshold, suppression.confidenceThreshold]
    where !(0...1 ~= threshold) {
      throw .malformed("chooses boxes by a threshold of \(threshold), and 0 to 1 are possible")
    }
    self.suppression = suppression
    return NonMaxSuppression(
      overlapThreshold: suppression.iouThreshold,
      confidenceThreshold: suppression.confidenceThreshold,
      scope: method.isPerClass ? .sameBestClass : .all)
  }

  // MARK: Outputs

  /// Returns the model's outputs: arrays and images, and a classifier's probabilities.
  mutating func outputs(
    of members: [CoreMLImporter.Member], in network: inout CoreMLGraph
  ) throws(WeighbridgeError) -> [Port] {
    var ports: [Port] = []
    for feature in model.outputs {
      if feature.name == model.predictedFeature, !feature.isTensor {
        if case .double = feature.type {} else { continue }
      }
      let name = layerOutput(of: feature, members) ?? feature.name
      guard let blob = network.blobs[name] else {
        throw .malformed("no layer gives the output \(feature.name), and each output needs one")
      }
      let axes = Self.axes(of: feature, blob, network)
      let producer = members.last?.network?.layers.last { $0.outputs.contains(name) }
      let source = SourceScope(
        layer: producer?.name ?? feature.name, className: producer?.kind ?? "output")
      var value = try network.value(blob, axes, for: source)
      if network.graph.constant(of: value) != nil {
        value = try network.graph.addNode(
          Identity(), inputs: [value], source: source.withRole("output"))[0]
      }
      let type = network.graph.type(of: value)
      if case .dictionary = feature.type { try checkLabels(members.last?.classes, type) }
      noteShape(of: feature, type)
      ports.append(Port(name: feature.name, value: value))
    }
    return ports
  }

  /// Checks that a classifier has a label for each probability.
  private func checkLabels(
    _ classes: CoreMLClasses?, _ type: TensorType
  ) throws(WeighbridgeError) {
    guard let labels = classes?.labels?.strings, let count = type.shape.last?.value,
      labels.count != count
    else { return }
    throw .malformed(
      "has \(labels.count.counted("label")), and the network gives \(count) probabilities")
  }

  /// The layer output with a classifier's probabilities.
  private func layerOutput(
    of feature: CoreMLFeature, _ members: [CoreMLImporter.Member]
  ) -> String? {
    guard case .dictionary = feature.type, let member = members.last,
      let classes = member.classes
    else { return nil }
    return classes.probabilities ?? member.network?.layers.last?.outputs.first
  }

  /// Returns the axes that a feature has outside the network.
  private static func axes(
    of feature: CoreMLFeature, _ blob: CoreMLBlob, _ network: CoreMLGraph
  ) -> [CoreMLAxis] {
    let type = network.graph.type(of: blob.value)
    let isNonSingleton = { (axis: CoreMLAxis) in
      blob.axes.firstIndex(of: axis).map { type.shape[$0] != 1 } ?? false
    }
    var declaredRank: Int?
    switch feature.type {
    case .image: return [.channel, .height, .width]
    case .multiArray(let array): declaredRank = array.shape.isEmpty ? nil : array.shape.count
    case .dictionary, .double: declaredRank = 1
    default: break
    }
    if blob.rank < 5, declaredRank == blob.rank { return blob.allAxes }
    if blob.rank < 5, declaredRank != 1, declaredRank != 3 { return blob.allAxes }
    let sequence: [CoreMLAxis] = isNonSingleton(.sequence) ? [.sequence] : []
    let batch: [CoreMLAxis] = isNonSingleton(.batch) ? [.batch] : []
    let isVector = !isNonSingleton(.height) && !isNonSingleton(.width)
    switch declaredRank {
    case 5: return CoreMLAxis.allCases
    case 4: return CoreMLAxis.image
    case 2 where !isNonSingleton(.channel) && !isNonSingleton(.sequence): return [.height, .width]
    case 1 where isVector, nil where isVector: return sequence + batch + [.channel]
    case 1 where !isNonSingleton(.channel) && !isNonSingleton(.height): return [.width]
    default: return sequence + batch + [.channel, .height, .width]
    }
  }

  /// Records an output whose shape differs from the one in the file.
  private mutating func noteShape(of feature: CoreMLFeature, _ type: TensorType) {
    guard case .multiArray(let array) = feature.type, !array.shape.isEmpty,
      array.flexibility == nil,
      !type.agrees(with: type.with(shape: array.shape.map { .fixed($0) }))
    else { return }
    decide(feature.name, "this output is said to be \(array.shape), and is \(type.shape)")
  }
}

extension CoreMLFeature {
  /// Whether it is an array or an image.
  fileprivate var isTensor: Bool {
    switch type {
    case .image, .multiArray: true
    default: false
    }
  }
}

extension CoreMLImage {
  /// The order of its components.
  var colors: ImageInput.ColorOrder {
    switch colorSpace {
    case .grayscale, .grayscaleFloat16: .gray
    case .bgr: .bgr
    case .rgb, nil: .rgb
    }
  }

  /// The height and the width, unknown where several sizes are allowed.
  fileprivate var dimensions: [Dimension] {
    let varies = { (sizes: [Int]) in sizes.contains { $0 != sizes[0] } }
    switch flexibility {
    case nil: return [.fixed(size.height), .fixed(size.width)]
    case .enumerated(let sizes):
      let allSizes = sizes + [size]
      return [
        varies(allSizes.map(\.height)) ? .unknown : .fixed(size.height),
        varies(allSizes.map(\.width)) ? .unknown : .fixed(size.width),
      ]
    case .range(let width, let height):
      return [
        height.isFixed ? .fixed(size.height) : .unknown,
        width.isFixed ? .fixed(size.width) : .unknown,
      ]
    }
  }
}

extension CoreMLFeature {
  /// The type in the graph; `nil` for a feature that is not a tensor.
  var tensorType: TensorType? {
    switch type {
    case .image(let image):
      return TensorType(.float32, [.fixed(image.colors.componentCount)] + image.dimensions)
    case .multiArray(let array):
      let isInteger = array.element == .int32 || array.element == .int8
      return TensorType(isInteger ? .int32 : .float32, array.dimensions)
    default: return nil
    }
  }

  /// The elements of an optional array where it is omitted; `nil` for a feature that must be given,
  /// also because its size is not known.
  var defaultNumber: Double? {
    guard isOptional, case .multiArray(let array) = type,
      tensorType?.canBeFilled(with: array.filling) == true
    else { return nil }
    return array.filling
  }
}

extension CoreMLArray {
  /// The elements of an optional input that is omitted.
  fileprivate var filling: Double {
    switch defaultValue {
    case .integer(let number): Double(number)
    case .float(let number), .double(let number): number
    case nil: 0
    }
  }

  /// The dimensions, unknown where several sizes are allowed.
  fileprivate var dimensions: [Dimension] {
    shape.enumerated().map { axis, dimension in
      switch flexibility {
      case nil: .fixed(dimension)
      case .enumerated(let shapes):
        shapes.allSatisfy { $0.count == shape.count && $0[axis] == dimension }
          ? .fixed(dimension) : .unknown
      case .ranges(let ranges):
        ranges.indices.contains(axis) && !ranges[axis].isFixed ? .unknown : .fixed(dimension)
      }
    }
  }
}

extension CoreMLSizeRange {
  /// Whether there is only one possible size.
  fileprivate var isFixed: Bool { lowerBound == upperBound }
}
