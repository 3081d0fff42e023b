import Bytes
import ProtobufWire

extension CoreMLModel {
  /// The model as a protobuf message.
  var record: ProtobufRecord {
    var record: ProtobufRecord = [
      "specificationVersion": .integer(specificationVersion),
      "description": .record(description.record), "isUpdatable": .boolean(isUpdatable),
    ]
    let (kind, message) = content.field
    record[kind] = .record(message)
    return record
  }

  init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    guard let content = try CoreMLContent(record) else {
      throw .malformed("the model has no type, expected one such as neuralNetwork")
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
  /// The name of the field for the content's kind, and its message.
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
    case .program(let program): ("mlProgram", program.record)
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
    } else if let record = model.record("mlProgram") {
      self = .program(try MILProgram(record))
    } else if let kind = CoreMLSchema.unsupportedKind(of: model) {
      throw CoreMLSchema.unsupportedKindError(kind)
    } else {
      return nil
    }
  }
}

extension CoreMLPipeline {
  fileprivate var record: ProtobufRecord {
    ["models": .records(models.map(\.record)), "names": .strings(names)]
  }

  fileprivate init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    var models: [CoreMLModel] = []
    for model in record.records("models") { models.append(try CoreMLModel(model)) }
    self.init(models: models, names: record.strings("names"))
  }
}

extension CoreMLLabels {
  /// The member of `ClassLabels` that contains the labels.
  fileprivate var record: ProtobufRecord {
    switch self {
    case .strings(let strings): ["stringClassLabels": .record(["vector": .strings(strings)])]
    case .integers(let integers): ["int64ClassLabels": .record(["vector": .integers(integers)])]
    }
  }

  fileprivate init?(_ record: ProtobufRecord) {
    if let labels = record.record("stringClassLabels") {
      self = .strings(labels.strings("vector"))
    } else if let labels = record.record("int64ClassLabels") {
      self = .integers(labels.integers("vector"))
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
      probabilities: record.nonEmptyString("labelProbabilityLayerName"))
  }
}

extension CoreMLSuppression {
  fileprivate var record: ProtobufRecord {
    var record: ProtobufRecord = [
      "iouThreshold": .double(iouThreshold), "confidenceThreshold": .double(confidenceThreshold),
      "confidenceInputFeatureName": .string(inputs.confidence),
      "coordinatesInputFeatureName": .string(inputs.coordinates),
      "confidenceOutputFeatureName": .string(outputs.confidence),
      "coordinatesOutputFeatureName": .string(outputs.coordinates),
      "iouThresholdInputFeatureName": .string(iouThresholdInput),
      "confidenceThresholdInputFeatureName": .string(confidenceThresholdInput),
    ]
    if let method { record["pickTop"] = .record(["perClass": .boolean(method.isPerClass)]) }
    return record.merging(labels?.record ?? [:])
  }

  fileprivate init(_ record: ProtobufRecord) {
    self.init(
      method: record.record("pickTop").map { PickTop(isPerClass: $0.boolean("perClass")) },
      labels: CoreMLLabels(record), iouThreshold: record.double("iouThreshold"),
      confidenceThreshold: record.double("confidenceThreshold"),
      inputs: Names(
        confidence: record.string("confidenceInputFeatureName"),
        coordinates: record.string("coordinatesInputFeatureName")),
      outputs: Names(
        confidence: record.string("confidenceOutputFeatureName"),
        coordinates: record.string("coordinatesOutputFeatureName")),
      iouThresholdInput: record.string("iouThresholdInputFeatureName"),
      confidenceThresholdInput: record.string("confidenceThresholdInputFeatureName"))
  }
}

extension ProtobufRecord {
  /// The record with the fields of another, whose names must differ.
  fileprivate func merging(_ other: ProtobufRecord) -> ProtobufRecord {
    ProtobufRecord(fields.merging(other.fields) { first, _ in first })
  }

  /// Sets a string unless it is `nil`.
  mutating func set(_ name: String, _ string: String?) {
    if let string { self[name] = .string(string) }
  }
}
