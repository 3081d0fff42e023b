import Bytes
import CCoreML
import CProtobufC
import ProtobufWire

/// The compiled schema `Schemas/coreml.proto`.
enum CoreMLSchema {
  /// The descriptor of a model, which is the message of a file.
  static var model: MessageDescriptor? { unsafe MessageDescriptor(coreml_model_descriptor()) }

  /// The descriptor of an ML Program.
  static var program: MessageDescriptor? { unsafe MessageDescriptor(coreml_program_descriptor()) }

  /// The contents of models other than pipelines: everything that an outline does not read.
  static var contentsInPlace: ProtobufFieldsInPlace {
    guard let model else { return [:] }
    let pipelines: Set<UInt32> = [200, 201, 202]
    return [model: Set<UInt32>(200...3000).subtracting(pipelines)]
  }

  /// The fields that are never copied: the elements of weights and of mean images.
  static var fieldsInPlace: ProtobufFieldsInPlace {
    var fields: ProtobufFieldsInPlace = [:]
    if let weights = unsafe MessageDescriptor(coreml_weights_descriptor()) {
      fields[weights] = [1, 2, 30, 31]
    }
    if let image = unsafe MessageDescriptor(coreml_mean_image_descriptor()) { fields[image] = [1] }
    return fields
  }

  /// The kinds of models in a message: the members of its oneof that are present.
  static func kinds(_ numbers: Set<UInt32>) -> [String] {
    numbers.sorted().compactMap { number in
      guard let field = model?.field(number), field.isOneofMember else { return nil }
      return field.name
    }
  }

  /// The kind of a model that cannot be read.
  static func unsupportedKind(of record: ProtobufRecord) -> String? {
    record.fields.first { field in
      if case .byteRange = field.value { true } else { false }
    }?.key
  }

  /// Whether models of a kind can be read.
  static func isReadable(_ kind: String) -> Bool {
    switch kind {
    case "neuralNetwork", "neuralNetworkClassifier", "neuralNetworkRegressor", "pipeline",
      "pipelineClassifier", "pipelineRegressor", "nonMaximumSuppression", "mlProgram":
      true
    default: false
    }
  }

  /// The error for a model of an unsupported kind.
  static func unsupportedKindError(_ kind: String) -> WeighbridgeError {
    WeighbridgeError(
      .unsupported,
      "is a Core ML model of the kind \(kind); neural networks, ML Programs, and pipelines of them"
        + " with non-maximum suppression can be read")
  }
}

extension CoreMLLayer {
  /// The field number of a kind of layer in the schema; `nil` for anything else.
  package static func fieldNumber(of kind: String) -> Int? {
    unsafe MessageDescriptor(coreml_layer_descriptor())?.field(named: kind)?.number
  }
}
