/// A Core ML file, or a member of a pipeline, without the elements of its weights.
package struct CoreMLModel: Hashable, Sendable {
  /// Which layers and rules of the format may be used.
  package var specificationVersion: Int
  /// What the model takes and gives, and what is known of it.
  package var description: CoreMLDescription
  /// Whether it can be trained on the device.
  package var isUpdatable: Bool
  /// What the model is.
  package var content: CoreMLContent

  /// Makes a model.
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

/// What a model is.
package enum CoreMLContent: Hashable, Sendable {
  case neuralNetwork(CoreMLNetwork)
  case neuralNetworkClassifier(CoreMLNetwork, CoreMLClasses)
  case neuralNetworkRegressor(CoreMLNetwork)
  case pipeline(CoreMLPipeline)
  case pipelineClassifier(CoreMLPipeline)
  case pipelineRegressor(CoreMLPipeline)
  case nonMaximumSuppression(CoreMLSuppression)
}

/// Models that run one after the other; features are matched by their names.
package struct CoreMLPipeline: Hashable, Sendable {
  /// The models in their order.
  package var models: [CoreMLModel]
  /// What the models are called; empty, or one for each.
  package var names: [String]

  /// Makes a pipeline.
  package init(models: [CoreMLModel], names: [String] = []) {
    self.models = models
    self.names = names
  }
}

/// What classes are called.
package enum CoreMLLabels: Hashable, Sendable {
  case texts([String])
  case numbers([Int])
}

/// The classes that a network tells apart.
package struct CoreMLClasses: Hashable, Sendable {
  /// What they are called.
  package var labels: CoreMLLabels?
  /// The layer's output that has their probabilities; by default that of the last layer.
  package var probabilities: String?

  /// Makes classes.
  package init(labels: CoreMLLabels?, probabilities: String?) {
    self.labels = labels
    self.probabilities = probabilities
  }
}

/// Leaves the best of boxes that overlap.
///
/// `confidence` is `[boxes, classes]`; `coordinates` is `[boxes, 4]`: centre x, centre y, width and
/// height, in the unit square.
package struct CoreMLSuppression: Hashable, Sendable {
  /// How boxes suppress each other: the one with the highest confidence first.
  package struct PickTop: Hashable, Sendable {
    /// Whether only those of the same best class do.
    package var isPerClass: Bool

    /// Makes a rule.
    package init(isPerClass: Bool) { self.isPerClass = isPerClass }
  }

  /// The names of features.
  package struct Names: Hashable, Sendable {
    package var confidence: String
    package var coordinates: String

    /// Makes names.
    package init(confidence: String, coordinates: String) {
      self.confidence = confidence
      self.coordinates = coordinates
    }
  }

  /// How it is done; `nil` when the file does not say.
  package var method: PickTop?
  /// What the classes are called.
  package var labels: CoreMLLabels?
  /// Boxes that overlap by more than this (intersection over union) suppress each other.
  package var iouThreshold: Double
  /// Boxes of less confidence are left out.
  package var confidenceThreshold: Double
  /// The features it takes.
  package var inputs: Names
  /// The features it gives.
  package var outputs: Names
  /// The optional inputs that replace the thresholds.
  package var iouThresholdInput: String
  package var confidenceThresholdInput: String

  /// Makes a suppression.
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
