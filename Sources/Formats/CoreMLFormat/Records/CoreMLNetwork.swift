package import ProtobufWire

/// Layers in execution order.
package struct CoreMLNetwork: Hashable, Sendable {
  /// The mapping of the axes of array inputs to those of the network.
  package enum ArrayMapping: String, Hashable, Sendable {
    /// One axis is C, three are C, H, W; those of the network are S, B, C, H, W.
    case rank5 = "RANK5_ARRAY_MAPPING"
    /// The axes are unchanged.
    case exact = "EXACT_ARRAY_MAPPING"
  }

  /// The mapping of the axes of images to those of the network.
  package enum ImageMapping: String, Hashable, Sendable {
    /// S, B, C, H, W.
    case rank5 = "RANK5_IMAGE_MAPPING"
    /// B, C, H, W.
    case rank4 = "RANK4_IMAGE_MAPPING"
  }

  /// The layers.
  package var layers: [CoreMLLayer]
  /// The preprocessing of images.
  package var preprocessing: [CoreMLPreprocessing]
  /// The mapping of the axes of array inputs.
  package var arrayMapping: ArrayMapping
  /// The mapping of the axes of images.
  package var imageMapping: ImageMapping

  /// Creates a network.
  package init(
    layers: [CoreMLLayer], preprocessing: [CoreMLPreprocessing] = [],
    arrayMapping: ArrayMapping = .rank5, imageMapping: ImageMapping = .rank5
  ) {
    self.layers = layers
    self.preprocessing = preprocessing
    self.arrayMapping = arrayMapping
    self.imageMapping = imageMapping
  }
}

/// A layer.
package struct CoreMLLayer: Hashable, Sendable {
  /// The unique name of the layer.
  package var name: String
  /// The kind: a member of `NeuralNetworkLayer.layer` in `Schemas/coreml.proto`.
  package var kind: String
  /// The values it reads.
  package var inputs: [String]
  /// The values it computes.
  package var outputs: [String]
  /// The shapes of the inputs, where the file specifies them.
  package var inputShapes: [CoreMLShape]
  /// The shapes of the outputs, where the file specifies them.
  package var outputShapes: [CoreMLShape]
  /// The settings, by field name in the schema; weights are the records of ``CoreMLWeights``.
  package var settings: ProtobufRecord

  /// Creates a layer.
  package init(
    name: String, kind: String, inputs: [String], outputs: [String],
    inputShapes: [CoreMLShape] = [], outputShapes: [CoreMLShape] = [],
    settings: ProtobufRecord = [:]
  ) {
    self.name = name
    self.kind = kind
    self.inputs = inputs
    self.outputs = outputs
    self.inputShapes = inputShapes
    self.outputShapes = outputShapes
    self.settings = settings
  }
}

/// The shape of a layer's input or output.
package struct CoreMLShape: Hashable, Sendable {
  /// The number of axes.
  package var rank: Int
  /// The sizes; a negative size is unknown. May be empty.
  package var dimensions: [Int]

  /// Creates a shape.
  package init(rank: Int, dimensions: [Int]) {
    self.rank = rank
    self.dimensions = dimensions
  }
}

/// The preprocessing of an image.
package struct CoreMLPreprocessing: Hashable, Sendable {
  /// A kind of step.
  package enum Step: Hashable, Sendable {
    /// `scale * x + bias` of each channel, with x in 0...255.
    case scaler(scale: Double, red: Double, green: Double, blue: Double, gray: Double)
    /// A float32 image that is subtracted, `[channels, height, width]`.
    case meanImage(ProtobufByteRange)
  }

  /// The input; `nil` if there is only one.
  package var feature: String?
  /// The step.
  package var step: Step

  /// Creates a step.
  package init(feature: String?, step: Step) {
    self.feature = feature
    self.step = step
  }
}
