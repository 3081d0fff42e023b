public import Bytes
public import GraphIR
import NumPyFormat

/// A tensor with a name.
public struct NamedTensor: Sendable {
  /// The name of the input, output or layer; empty in a `.npy` file.
  public var name: String
  /// The elements; the axes are those of the model, for a Keras image `[batch, height, width,
  /// channels]`.
  public var tensor: Tensor

  /// Creates a named tensor.
  public init(name: String, tensor: Tensor) {
    self.name = name
    self.tensor = tensor
  }
}

/// Files of arrays: `.npy` and `.npz`.
public enum ArrayFile {
  /// Reads all arrays of a file, in its order. The format is determined from the content.
  ///
  /// - Parameter path: The file.
  /// - Returns: One array, without a name, for `.npy`; one for each member of an `.npz`.
  /// - Throws: ``WeighbridgeError/Code/missing`` when the file cannot be opened,
  ///   ``WeighbridgeError/Code/malformed`` when its bytes are wrong,
  ///   ``WeighbridgeError/Code/unsupported`` for element types other than those of `ElementType`,
  ///   ``WeighbridgeError/Code/limitExceeded`` for archives with too many or too large members.
  public static func read(_ path: String) throws(WeighbridgeError) -> [NamedTensor] {
    var result: [NamedTensor] = []
    for array in try NumPyFile.read(path: path) {
      let tensor = try Tensor(
        array.elementType, shape: array.shape, store: array.storage, range: array.range)
      result.append(NamedTensor(name: array.name, tensor: tensor))
    }
    return result
  }

  /// Writes arrays: `.npy` when the path has that extension and there is one array, else `.npz`.
  /// bfloat16, which NumPy lacks, is written as float32.
  ///
  /// The file appears under its name only when it is complete, and replaces any existing one.
  ///
  /// - Parameters:
  ///   - arrays: The arrays; in an `.npz` their names are those of the members.
  ///   - path: The file to write.
  /// - Throws: ``WeighbridgeError/Code/outputFailed`` when it cannot be written;
  ///   ``WeighbridgeError/Code/mismatch`` for names that an archive cannot contain.
  public static func write(
    _ arrays: [NamedTensor], to path: String
  ) throws(WeighbridgeError) {
    var records: [NumPyArray] = []
    for array in arrays {
      let tensor =
        array.tensor.elementType == .bfloat16
        ? Tensor(.float32, shape: array.tensor.shape, array.tensor.doubles)
        : array.tensor.contiguous()
      records.append(
        try NumPyArray(
          name: array.name, elementType: tensor.elementType, shape: tensor.shape,
          storage: tensor.store, range: tensor.offset..<tensor.offset + tensor.byteCount))
    }
    try NumPyFile.write(records, to: path)
  }
}
