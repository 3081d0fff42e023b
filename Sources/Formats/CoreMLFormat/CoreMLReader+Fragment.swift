import Bytes
import ProtobufWire

extension CoreMLReader {
  /// Reads as much as possible of a file that ``read(_:limits:)`` rejects, to show its contents. A
  /// layer of an unknown kind has no settings, and invalid parts are left out.
  ///
  /// - Returns: `nil` for models without a network.
  package static func fragment(_ bytes: RawSpan) -> CoreMLModel? {
    guard let descriptor = CoreMLSchema.model else { return nil }
    return try? CoreMLModel(
      ProtobufRecordReader.fragment(
        bytes, as: descriptor, inPlace: CoreMLSchema.fieldsInPlace
      ).readableModel)
  }
}

extension ProtobufRecord {
  /// A model's message without the parts that cannot be read.
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
    // The recursion is no deeper than that of the fragment reader.
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
