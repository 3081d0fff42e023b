import Bytes
import ProtobufWire

extension CoreMLReader {
  /// What can be read of a file that ``read(_:limits:)`` refuses, to show what is in it: a layer of no
  /// kind that is known has no settings, and what makes no sense is left out.
  ///
  /// - Returns: `nil` for models that hold no network.
  package static func fragment(_ bytes: RawSpan) -> CoreMLModel? {
    guard let descriptor = CoreMLSchema.model else { return nil }
    return try? CoreMLModel(
      ProtobufRecordReader.fragment(
        bytes, as: descriptor, inPlace: CoreMLSchema.fieldsInPlace
      ).readableModel)
  }
}

extension ProtobufRecord {
  /// A model's message without what cannot be read of it.
  fileprivate var readableModel: ProtobufRecord {
    var model = self
    if var description = record("description") {
      for key in ["state", "functions", "defaultFunctionName"] { description[key] = nil }
      for key in ["input", "output"] {
        description[key] = .records(
          description.records(key).filter { (try? CoreMLFeature($0)) != nil })
      }
      model["description"] = .record(description)
    }
    for kind in ["neuralNetwork", "neuralNetworkClassifier", "neuralNetworkRegressor"] {
      if let network = record(kind) { model[kind] = .record(network.readableNetwork) }
    }
    for kind in ["pipelineClassifier", "pipelineRegressor"] {
      guard var outer = record(kind), let inner = outer.record("pipeline") else { continue }
      outer["pipeline"] = .record(inner.readablePipeline)
      model[kind] = .record(outer)
    }
    if let pipeline = record("pipeline") { model["pipeline"] = .record(pipeline.readablePipeline) }
    return model
  }

  private var readablePipeline: ProtobufRecord {
    var pipeline = self
    // No deeper than fragments are read.
    pipeline["models"] = .records(records("models").map(\.readableModel))
    return pipeline
  }

  private var readableNetwork: ProtobufRecord {
    var network = self
    network["layers"] = .records(
      records("layers").filter { !$0.fields.isEmpty }.map(\.readableLayer))
    network["preprocessing"] = .records(
      records("preprocessing").filter { (try? CoreMLPreprocessing($0)) != nil })
    return network
  }

  /// A layer's message with one kind, whose settings are a record.
  private var readableLayer: ProtobufRecord {
    let kinds = fields.keys.filter { !CoreMLLayer.commonFields.contains($0) }.sorted()
    let known = kinds.first { record($0) != nil }
    var layer = self
    for kind in kinds where kind != known { layer[kind] = nil }
    if known == nil { layer[kinds.first ?? "no kind"] = .record([:]) }
    return layer
  }
}
