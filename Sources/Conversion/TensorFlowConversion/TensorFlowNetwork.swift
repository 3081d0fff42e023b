import Bytes
import ConversionCore
import GraphIR
import TensorFlowFormat

/// The graph of a TensorFlow program under construction.
typealias TensorFlowNetwork = ValueNetwork<TensorFlowContext>

/// What the operations of a program share besides their values.
struct TensorFlowContext {
  /// The file with the graph, in which its constants are.
  let store: ByteStore
  /// The variables of the model, by the names of the operations that are them.
  let variables: TensorFlowVariableReader
}

/// Returns the elements of the variable that an operation is; `nil` where there is none.
typealias TensorFlowVariableReader = @Sendable (String) throws(WeighbridgeError) -> Tensor?

extension TensorFlowType {
  /// The type of elements here.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for strings and others without one.
  func requiredElementType() throws(WeighbridgeError) -> ElementType {
    guard let elementType else {
      throw .unsupported("has elements of type \(name); only numbers can be read")
    }
    return elementType
  }
}

extension TensorFlowTensor {
  /// The tensor's elements.
  ///
  /// - Parameter store: The file that it is in.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for strings and others without a type;
  ///   ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/limitExceeded``.
  func tensor(in store: ByteStore) throws(WeighbridgeError) -> Tensor {
    let elementType = try type.requiredElementType()
    let count = try Checked.product(shape, of: "the size of a constant")
    let size = try Checked.product([count, elementType.byteCount], of: "the size of a constant")
    if let contents, contents.count == size {
      return try Tensor(elementType, shape: shape, store: store, range: contents)
    }
    let listed = contents.map { range in store.withBytes { $0.copied(range) } } ?? elements
    let width = elementType.byteCount
    guard listed.count % width == 0, listed.count <= size else {
      throw .malformed(
        "has \(listed.count) bytes of elements, and \(type.name) \(shape) takes \(size)")
    }
    if listed.count == size { return Tensor(elementType, shape: shape, bytes: listed) }
    let last = listed.isEmpty ? [UInt8](repeating: 0, count: width) : Array(listed.suffix(width))
    if listed.count <= width {
      let one = Tensor(elementType, shape: shape.map { _ in 1 }, bytes: last)
      return one.broadcast(to: shape)
    }
    guard size <= 1 << 28 else {
      throw .limitExceeded("repeats an element up to \(size) bytes, and 2^28 are the limit")
    }
    let rest = (size - listed.count) / width
    return Tensor(
      elementType, shape: shape, bytes: listed + (0..<rest).flatMap { _ in last })
  }
}
