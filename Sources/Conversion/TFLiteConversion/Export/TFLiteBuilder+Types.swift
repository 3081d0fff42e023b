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

  /// Operators that make whole numbers of others.
  private static let steps: Set<TFLiteBuiltin> = [
    .ceiling, .floor, .floorDivide, .floorModulo, .round,
  ]

  /// Checks the type of the first input.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a type that the kernel lacks, or if numbers
  ///   that are rounded to another type than in the model would give other whole numbers.
  func checkInput(
    _ type: ElementType, of builtin: TFLiteBuiltin, giving result: ElementType
  ) throws(WeighbridgeError) {
    guard builtin.takes(fileType(type)) else {
      throw .unsupported("takes \(type.rawValue), and TFLite's \(builtin) takes other types only")
    }
    let isStep = Self.steps.contains(builtin) || builtin == .cast && !result.isFloat
    guard !isStep || !replacedTypes.contains(type) else {
      throw .unsupported(
        "makes whole numbers of \(type.rawValue), and TFLite computes in float32, which rounds to "
          + "other ones")
    }
  }
}
