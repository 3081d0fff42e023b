/// A Core ML file, or a member of a pipeline, without the elements of its weights.
package struct CoreMLModel: Hashable, Sendable {
  /// The version of the specification, which determines the layers and rules that may be used.
  package var specificationVersion: Int
  /// The model's inputs, outputs and metadata.
  package var description: CoreMLDescription
  /// Whether it can be trained on the device.
  package var isUpdatable: Bool
  /// The content, by kind of model.
  package var content: CoreMLContent

  /// Creates a model.
  package init(
    specificationVersion: Int, description: CoreMLDescription, isUpdatable: Bool = false,
    content: CoreMLContent
  ) {
    self.specificationVersion = specificationVersion
    self.description = description
    self.isUpdatable = isUpdatable
    self.content = content
  }
}

/// The content of a model.
package enum CoreMLContent: Hashable, Sendable {
  case neuralNetwork(CoreMLNetwork)
  case neuralNetworkClassifier(CoreMLNetwork, CoreMLClasses)
  case neuralNetworkRegressor(CoreMLNetwork)
  case pipeline(CoreMLPipeline)
  case pipelineClassifier(CoreMLPipeline)
  case pipelineRegressor(CoreMLPipeline)
  case nonMaximumSuppression(CoreMLSuppression)
  case program(MILProgram)
}

/// Models that run one after another; features are matched by name.
package struct CoreMLPipeline: Hashable, Sendable {
  /// The models in order.
  package var models: [CoreMLModel]
  /// The names of the models; empty, or one for each.
  package var names: [String]

  /// Creates a pipeline.
  package init(models: [CoreMLModel], names: [String] = []) {
    self.models = models
    self.names = names
  }
}

/// The names of classes.
package enum CoreMLLabels: Hashable, Sendable {
  case strings([String])
  case integers([Int])
}

/// The classes of a classifier.
package struct CoreMLClasses: Hashable, Sendable {
  /// The names of the classes.
  package var labels: CoreMLLabels?
  /// The output of the layer that computes the probabilities; by default the last layer.
  package var probabilities: String?

  /// Creates classes.
  package init(labels: CoreMLLabels?, probabilities: String?) {
    self.labels = labels
    self.probabilities = probabilities
  }
}

/// Non-maximum suppression, which keeps the best of overlapping boxes.
///
/// `confidence` is `[boxes, classes]`; `coordinates` is `[boxes, 4]`: center x, center y, width and
/// height, in the unit square.
package struct CoreMLSuppression: Hashable, Sendable {
  /// The rule by which boxes suppress others, the most confident one first.
  package struct PickTop: Hashable, Sendable {
    /// Whether only boxes with the same best class suppress each other.
    package var isPerClass: Bool

    /// Creates a rule.
    package init(isPerClass: Bool) { self.isPerClass = isPerClass }
  }

  /// The names of features.
  package struct Names: Hashable, Sendable {
    package var confidence: String
    package var coordinates: String

    /// Creates names.
    package init(confidence: String, coordinates: String) {
      self.confidence = confidence
      self.coordinates = coordinates
    }
  }

  /// The rule; `nil` when the file does not specify it.
  package var method: PickTop?
  /// The names of the classes.
  package var labels: CoreMLLabels?
  /// Boxes that overlap by more than this (intersection over union) suppress each other.
  package var iouThreshold: Double
  /// Boxes with a lower confidence are left out.
  package var confidenceThreshold: Double
  /// The input features.
  package var inputs: Names
  /// The output features.
  package var outputs: Names
  /// The optional inputs that replace the thresholds.
  package var iouThresholdInput: String
  package var confidenceThresholdInput: String

  /// Creates a non-maximum suppression.
  package init(
    method: PickTop?, labels: CoreMLLabels?, iouThreshold: Double, confidenceThreshold: Double,
    inputs: Names, outputs: Names, iouThresholdInput: String, confidenceThresholdInput: String
  ) {
    self.method = method
    self.labels = labels
    self.iouThreshold = iouThreshold
    self.confidenceThreshold = confidenceThreshold
    self.inputs = inputs
    self.outputs = outputs
    self.iouThresholdInput = iouThresholdInput
    self.confidenceThresholdInput = confidenceThresholdInput
  }
}
