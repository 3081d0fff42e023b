import Bytes
import ConversionCore
import CoreMLFormat
public import GraphIR
import LayerCatalog

/// The contents of a Core ML file that cannot be converted: an ML Program, or a model without a
/// network.
public struct CoreMLContents: Sendable {
  /// An input, an output or a state.
  public struct Feature: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// A description of its type: `float32 [1, 3, 8, 8]`, `image RGB 299 x 299` or `string`, for
    /// example.
    public let type: String
    /// A human-readable description.
    public let summary: String?
  }

  /// A function of an ML Program.
  public struct Function: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// Its inputs, where the model has several functions.
    public let inputs: [Feature]
    /// Its outputs, where the model has several functions.
    public let outputs: [Feature]
    /// Its states, kept between runs, where the model has several functions.
    public let states: [Feature]
    /// The number of operations of each type, except constants; `nil` where unknown.
    public let operations: [String: Int]?
  }

  /// The size of the model's file in bytes, without weights in separate files.
  public let fileSize: Int
  /// The kind of model, as named in Core ML's specification, such as `mlProgram`.
  public let kind: String
  /// The version of Core ML's specification.
  public let specificationVersion: Int
  /// The model's description.
  public let description: ModelDescription
  /// The model's inputs.
  public let inputs: [Feature]
  /// The model's outputs.
  public let outputs: [Feature]
  /// The states that it keeps between runs.
  public let states: [Feature]
  /// The functions of an ML Program.
  public let functions: [Function]
  /// The kinds of a pipeline's members.
  public let members: [String]
  /// The class that a classifier returns; `nil` for other models.
  public let classLabel: ClassLabel?
  /// Whether an app can train the model further.
  public let isUpdatable: Bool
  /// Why it cannot be converted, and what can be done.
  public let reason: String

  /// - Returns: `nil` for a model that can be converted.
  init?(_ outline: CoreMLOutline, name: String, fileSize: Int) {
    guard let refusal = outline.refusal else { return nil }
    self.fileSize = fileSize
    kind = outline.kind
    specificationVersion = outline.specificationVersion
    inputs = outline.inputs.map(Feature.init)
    outputs = outline.outputs.map(Feature.init)
    states = outline.states.map(Feature.init)
    functions = outline.functions.map { function in
      Function(
        name: function.name, inputs: function.inputs.map(Feature.init),
        outputs: function.outputs.map(Feature.init), states: function.states.map(Feature.init),
        operations: function.operations)
    }
    members = outline.memberKinds
    classLabel = ClassLabel(outline)
    isUpdatable = outline.isUpdatable
    reason = refusal.reason
    var description = ModelDescription(inputs: [], outputs: [])
    description.name = name
    description.author = outline.metadata.author
    description.license = outline.metadata.license.map { License(parsing: $0) }
    description.version = outline.metadata.version
    description.summary = outline.metadata.summary
    description.userDefined = outline.metadata.userDefined
    self.description = description
  }
}

extension CoreMLContents.Feature {
  init(_ feature: CoreMLOutline.Feature) {
    name = feature.name
    type = feature.type?.phrase ?? "of a type that is not known"
    summary = feature.summary
  }
}

extension ClassLabel {
  /// The class label of a model that cannot be converted; `nil` when it has none.
  fileprivate init?(_ outline: CoreMLOutline) {
    let label = outline.outputs.first { $0.name == outline.predictedFeature }
    switch label?.type {
    case .int64, .string:
      self.init(
        name: label?.name ?? "", type: label?.type?.phrase ?? "",
        probabilities: outline.predictedProbabilities)
    default: return nil
    }
  }
}

extension CoreMLFeatureType {
  /// The type as a phrase, such as `image RGB 299 x 299`.
  fileprivate var phrase: String {
    switch self {
    case .int64: return "int64"
    case .double: return "double"
    case .string: return "string"
    case .image(let image):
      let colors = image.colorSpace.map { " \($0.rawValue)" } ?? ""
      return "image\(colors) \(image.size.width) x \(image.size.height)"
        + (image.flexibility == nil ? "" : " or others")
    case .multiArray(let array):
      return "\(array.element?.rawValue.lowercased() ?? "array") \(array.shape)"
        + (array.flexibility == nil ? "" : " or others")
    case .dictionary(let key): return "numbers by \(key.rawValue)"
    case .sequence(let element, _): return "sequence of \(element.rawValue)"
    }
  }
}
