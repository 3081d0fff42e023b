import Bytes
import ProtobufWire

extension CoreMLModel {
  /// The model as a protobuf message.
  var record: ProtobufRecord {
    var record: ProtobufRecord = [
      "specificationVersion": .integer(specificationVersion),
      "description": .record(description.record), "isUpdatable": .boolean(isUpdatable),
    ]
    let (kind, inner) = content.field
    record[kind] = .record(inner)
    return record
  }

  init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    guard let content = try CoreMLContent(record) else {
      throw .malformed("the model is of no kind")
    }
    let description = record.record("description") ?? [:]
    for field in ["state", "functions", "defaultFunctionName"] where description[field] != nil {
      throw .unsupported("the description holds \(field), which only ML Programs have")
    }
    self.init(
      specificationVersion: record.integer("specificationVersion"),
      description: try CoreMLDescription(description),
      isUpdatable: record.boolean("isUpdatable"), content: content)
  }
}

extension CoreMLContent {
  /// The field of the content's kind, and its message.
  fileprivate var field: (kind: String, ProtobufRecord) {
    switch self {
    case .neuralNetwork(let network): ("neuralNetwork", network.record)
    case .neuralNetworkRegressor(let network): ("neuralNetworkRegressor", network.record)
    case .neuralNetworkClassifier(let network, let classes):
      ("neuralNetworkClassifier", network.record.merging(classes.record))
    case .pipeline(let pipeline): ("pipeline", pipeline.record)
    case .pipelineClassifier(let pipeline):
      ("pipelineClassifier", ["pipeline": .record(pipeline.record)])
    case .pipelineRegressor(let pipeline):
      ("pipelineRegressor", ["pipeline": .record(pipeline.record)])
    case .nonMaximumSuppression(let suppression): ("nonMaximumSuppression", suppression.record)
    }
  }

  fileprivate init?(_ model: ProtobufRecord) throws(WeighbridgeError) {
    if let record = model.record("neuralNetwork") {
      self = .neuralNetwork(try CoreMLNetwork(record))
    } else if let record = model.record("neuralNetworkRegressor") {
      self = .neuralNetworkRegressor(try CoreMLNetwork(record))
    } else if let record = model.record("neuralNetworkClassifier") {
      self = .neuralNetworkClassifier(try CoreMLNetwork(record), CoreMLClasses(record))
    } else if let record = model.record("pipeline") {
      self = .pipeline(try CoreMLPipeline(record))
    } else if let record = model.record("pipelineClassifier") {
      self = .pipelineClassifier(try CoreMLPipeline(record.record("pipeline") ?? [:]))
    } else if let record = model.record("pipelineRegressor") {
      self = .pipelineRegressor(try CoreMLPipeline(record.record("pipeline") ?? [:]))
    } else if let record = model.record("nonMaximumSuppression") {
      self = .nonMaximumSuppression(CoreMLSuppression(record))
    } else if let kind = CoreMLSchema.otherKind(of: model) {
      throw CoreMLSchema.refusal(of: kind)
    } else {
      return nil
    }
  }
}

extension CoreMLPipeline {
  fileprivate var record: ProtobufRecord {
    ["models": .records(models.map(\.record)), "names": .texts(names)]
  }

  fileprivate init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    var models: [CoreMLModel] = []
    for model in record.records("models") { models.append(try CoreMLModel(model)) }
    self.init(models: models, names: record.texts("names"))
  }
}

extension CoreMLLabels {
  /// The member of `ClassLabels` that contains the labels.
  fileprivate var record: ProtobufRecord {
    switch self {
    case .texts(let texts): ["stringClassLabels": .record(["vector": .texts(texts)])]
    case .numbers(let numbers): ["int64ClassLabels": .record(["vector": .integers(numbers)])]
    }
  }

  fileprivate init?(_ record: ProtobufRecord) {
    if let labels = record.record("stringClassLabels") {
      self = .texts(labels.texts("vector"))
    } else if let labels = record.record("int64ClassLabels") {
      self = .numbers(labels.integers("vector"))
    } else {
      return nil
    }
  }
}

extension CoreMLClasses {
  fileprivate var record: ProtobufRecord {
    var record = labels?.record ?? [:]
    record.set("labelProbabilityLayerName", probabilities)
    return record
  }

  fileprivate init(_ record: ProtobufRecord) {
    self.init(
      labels: CoreMLLabels(record),
      probabilities: record.nonEmptyText("labelProbabilityLayerName"))
  }
}

extension CoreMLSuppression {
  fileprivate var record: ProtobufRecord {
    var record: ProtobufRecord = [
      "iouThreshold": .real(iouThreshold), "confidenceThreshold": .real(confidenceThreshold),
      "confidenceInputFeatureName": .text(inputs.confidence),
      "coordinatesInputFeatureName": .text(inputs.coordinates),
      "confidenceOutputFeatureName": .text(outputs.confidence),
      "coordinatesOutputFeatureName": .text(outputs.coordinates),
      "iouThresholdInputFeatureName": .text(iouThresholdInput),
      "confidenceThresholdInputFeatureName": .text(confidenceThresholdInput),
    ]
    if let method { record["pickTop"] = .record(["perClass": .boolean(method.isPerClass)]) }
    return record.merging(labels?.record ?? [:])
  }

  fileprivate init(_ record: ProtobufRecord) {
    self.init(
      method: record.record("pickTop").map { PickTop(isPerClass: $0.boolean("perClass")) },
      labels: CoreMLLabels(record), iouThreshold: record.real("iouThreshold"),
      confidenceThreshold: record.real("confidenceThreshold"),
      inputs: Names(
        confidence: record.text("confidenceInputFeatureName"),
        coordinates: record.text("coordinatesInputFeatureName")),
      outputs: Names(
        confidence: record.text("confidenceOutputFeatureName"),
        coordinates: record.text("coordinatesOutputFeatureName")),
      iouThresholdInput: record.text("iouThresholdInputFeatureName"),
      confidenceThresholdInput: record.text("confidenceThresholdInputFeatureName"))
  }
}

extension ProtobufRecord {
  /// The record with the fields of another, whose names must differ.
  fileprivate func merging(_ other: ProtobufRecord) -> ProtobufRecord {
    ProtobufRecord(fields.merging(other.fields) { own, _ in own })
  }

  /// Sets a string that may be missing.
  mutating func set(_ name: String, _ text: String?) {
    if let text { self[name] = .text(text) }
  }
}
