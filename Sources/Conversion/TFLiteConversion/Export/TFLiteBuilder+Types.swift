import Bytes
import ConversionCore
import GraphIR
import TFLiteFormat

/// The types with which operators compute.
extension TFLiteBuilder {
  /// The types in which TFLite's kernels compute, and that of images before they are converted.
  static let elementTypes: Set<ElementType> = [.float32, .int32, .int64, .bool, .uint8]

  /// The type in the file.
  func fileType(_ type: ElementType) -> ElementType {
    replacedTypes.contains(type) ? .float32 : type
  }

  func fileType(_ type: TensorType) -> TensorType {
    TensorType(fileType(type.elementType), type.shape)
  }

  func problem(of type: TensorType) -> String? {
    Self.elementTypes.contains(fileType(type.elementType))
      ? nil : "TFLite's operators do not compute with \(type.elementType.rawValue)"
  }

  /// Checks the type of the first input.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a type that the kernel lacks.
  func checkInput(
    _ type: ElementType, of builtin: TFLiteBuiltin
  ) throws(WeighbridgeError) {
    guard builtin.takes(fileType(type)) else {
      throw .unsupported("takes \(type.rawValue), and TFLite's \(builtin) takes other types only")
    }
    guard builtin != .floorDivide || !replacedTypes.contains(type) else {
      throw .unsupported(
        "divides \(type.rawValue), and the floor of a quotient may differ in float32, in which "
          + "TFLite computes")
    }
  }
}
