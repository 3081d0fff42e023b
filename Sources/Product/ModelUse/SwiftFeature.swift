import GraphIR

/// An input or output of a model as a property of a struct.
struct SwiftFeature {
  /// The name in the model.
  let name: String
  /// The identifier.
  let property: String
  /// Whether it is an image; otherwise it is a tensor.
  let isImage: Bool
  /// Whether it may be left out.
  let isOptional: Bool
  /// The lines of its documentation.
  let documentation: [String]
  private let typeDescription: String

  /// - Parameter usedNames: The identifiers that are in use; the new one is added.
  init(
    _ name: String, _ type: TensorType, _ feature: ModelDescription.Feature?, isInput: Bool,
    usedNames: inout UniqueNames
  ) {
    self.name = name
    property = SwiftName.property(name, &usedNames)
    let image = isInput ? feature?.image : nil
    isImage = image != nil
    let shape = image.map { Self.description($0, type) } ?? "\(type)"
    let summary = feature?.summary?.split(whereSeparator: \.isNewline).map(String.init) ?? []
    let defaultValue = isInput ? feature?.defaultValue : nil
    isOptional = defaultValue != nil
    let omission = defaultValue.map { ["", "Each element is \($0) where it is left out."] } ?? []
    documentation = (summary.isEmpty ? [shape] : summary + ["", shape]) + omission
    typeDescription = "\(type)"
  }

  /// The identifier as an argument label, where keywords need no backticks.
  var label: String { property.filter { $0 != "`" } }

  /// The type of the property.
  var type: String {
    (isImage ? "Weighbridge.Image" : "Weighbridge.Tensor") + (isOptional ? "?" : "")
  }

  /// The parameter of a function that takes it.
  var parameter: String { "\(property): \(type)\(isOptional ? " = nil" : "")" }

  /// The value that is passed to the interface, from the input struct.
  var value: String {
    let form = isImage ? "image" : "tensor"
    let value =
      isOptional
      ? "input.\(property).map(Weighbridge.ModelInterface.Value.\(form))"
      : ".\(form)(input.\(property))"
    return "(\(name.swiftLiteral), \(value))"
  }

  /// The name and the type in the model, as an element of a dictionary.
  var expectation: String { "\(name.swiftLiteral): \(typeDescription.swiftLiteral)" }

  /// Returns a description, for example `RGB image, 416 pixels wide by 416 pixels high`.
  private static func description(_ image: ImageInput, _ type: TensorType) -> String {
    let color =
      switch image.colorOrder {
      case .rgb: "RGB image"
      case .bgr: "BGR image"
      case .gray: "Grayscale image"
      }
    guard let axes = image.layout.imageAxes(rank: type.rank),
      let width = type.shape[axes.width].value, let height = type.shape[axes.height].value
    else { return "\(color) of any size" }
    return "\(color), \(width) pixels wide by \(height) pixels high"
  }
}
