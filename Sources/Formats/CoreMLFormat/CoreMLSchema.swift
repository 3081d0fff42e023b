import Bytes
import CCoreML
import CProtobufC
import ProtobufWire

/// The compiled schema `Schemas/coreml.proto`.
enum CoreMLSchema {
  /// The descriptor of a model, which is the message of a file.
  static var model: ProtobufScanner.Descriptor? { coreml_model_descriptor() }

  /// The descriptor of an ML Program.
  static var program: ProtobufScanner.Descriptor? { coreml_program_descriptor() }

  /// The contents of models other than pipelines: everything that an outline does not read.
  static var contentsInPlace: ProtobufFieldsInPlace {
    guard let model else { return [:] }
    let pipelines: Set<UInt32> = [200, 201, 202]
    return [model: Set<UInt32>(200...3000).subtracting(pipelines)]
  }

  /// The fields that are never copied: the elements of weights and of mean images.
  static var fieldsInPlace: ProtobufFieldsInPlace {
    var fields: ProtobufFieldsInPlace = [:]
    if let weights = coreml_weights_descriptor() { fields[weights] = [1, 2, 30, 31] }
    if let image = coreml_mean_image_descriptor() { fields[image] = [1] }
    return fields
  }

  /// The kinds of models in a message: the members of its oneof that are present.
  static func kinds(_ numbers: Set<UInt32>) -> [String] {
    numbers.sorted().compactMap { number in
      guard let field = protobuf_c_message_descriptor_get_field(model, number),
        field.pointee.flags & PROTOBUF_C_FIELD_FLAG_ONEOF.rawValue != 0
      else { return nil }
      return String(cString: field.pointee.name)  // constant data of the program
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
      "pipelineClassifier", "pipelineRegressor", "nonMaximumSuppression":
      true
    default: false
    }
  }

  /// The error for a model of an unsupported kind.
  static func unsupportedKindError(_ kind: String) -> WeighbridgeError {
    WeighbridgeError(
      .unsupported,
      "is a Core ML model of the kind \(kind); neural networks, and pipelines of them with"
        + " non-maximum suppression, can be read")
  }
}

extension CoreMLLayer {
  /// The field number of a kind of layer in the schema; `nil` for anything else.
  package static func fieldNumber(of kind: String) -> Int? {
    protobuf_c_message_descriptor_get_field_by_name(coreml_layer_descriptor(), kind).map {
      Int($0.pointee.id)
    }
  }
}
