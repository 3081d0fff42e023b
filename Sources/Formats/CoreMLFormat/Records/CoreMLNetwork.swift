package import ProtobufWire

/// Layers in an order in which they can be computed.
package struct CoreMLNetwork: Hashable, Sendable {
  /// What the axes of array inputs are inside.
  package enum ArrayMapping: String, Hashable, Sendable {
    /// One axis is C, three are C, H, W; inside there are S, B, C, H, W.
    case rank5 = "RANK5_ARRAY_MAPPING"
    /// Exactly what they are outside.
    case exact = "EXACT_ARRAY_MAPPING"
  }

  /// What the axes of images are inside.
  package enum ImageMapping: String, Hashable, Sendable {
    /// S, B, C, H, W.
    case rank5 = "RANK5_IMAGE_MAPPING"
    /// B, C, H, W.
    case rank4 = "RANK4_IMAGE_MAPPING"
  }

  /// The layers.
  package var layers: [CoreMLLayer]
  /// What happens to images before the layers see them.
  package var preprocessing: [CoreMLPreprocessing]
  /// What the axes of array inputs are inside.
  package var arrayMapping: ArrayMapping
  /// What the axes of images are inside.
  package var imageMapping: ImageMapping

  /// Makes a network.
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

/// One layer.
package struct CoreMLLayer: Hashable, Sendable {
  /// The layer's name, which no other has.
  package var name: String
  /// What it is: a member of `NeuralNetworkLayer.layer` in `Schemas/coreml.proto`.
  package var kind: String
  /// The values it reads.
  package var inputs: [String]
  /// The values it makes.
  package var outputs: [String]
  /// The shapes of the inputs, where the file says them.
  package var inputShapes: [CoreMLShape]
  /// The shapes of the outputs, where the file says them.
  package var outputShapes: [CoreMLShape]
  /// Its settings, by their names in the schema; weights are ``CoreMLWeights`` as records.
  package var settings: ProtobufRecord

  /// Makes a layer.
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
  /// The sizes; a negative one is not known. May be empty.
  package var dimensions: [Int]

  /// Makes a shape.
  package init(rank: Int, dimensions: [Int]) {
    self.rank = rank
    self.dimensions = dimensions
  }
}

/// What happens to an image before the layers see it.
package struct CoreMLPreprocessing: Hashable, Sendable {
  /// The steps there are.
  package enum Step: Hashable, Sendable {
    /// `scale * x + bias` of each channel; x counts from 0 to 255.
    case scaler(scale: Double, red: Double, green: Double, blue: Double, gray: Double)
    /// Float32 numbers that are subtracted, `[channels, height, width]`.
    case meanImage(ProtobufPlace)
  }

  /// The input; `nil` for the only one.
  package var feature: String?
  /// What happens.
  package var step: Step

  /// Makes a step.
  package init(feature: String?, step: Step) {
    self.feature = feature
    self.step = step
  }
}
