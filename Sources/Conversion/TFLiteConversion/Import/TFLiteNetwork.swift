import Bytes
import ConversionCore
import GraphIR
import TFLiteFormat

/// The graph of a TFLite file under construction.
typealias TFLiteNetwork = ValueNetwork<TFLiteContext>

/// What the operators of a TFLite file share besides their values.
struct TFLiteContext {
  let file: TFLiteFile
  /// The file's graphs with the names of their tensors; the first one is the model.
  var scopes: [TFLiteScope] = []
  /// The number of graphs within which operators are being added, besides the model.
  var depth = 0
  /// The numbers that computed integers stand for.
  var reals: [ValueID: SourceValue] = [:]
  /// The numbers that constant integers stand for, by the names of their tensors.
  var constantReals: [String: SourceValue] = [:]

  /// What the operators of a subgraph share, whose computed values are its own.
  var ofSubgraph: TFLiteContext {
    var context = self
    context.reals = [:]
    return context
  }
}

/// The tensors of a graph of the file, each with a name of its own.
struct TFLiteScope {
  let graph: TFLiteFile.Graph
  /// The names, by the positions of the tensors.
  let names: [String]

  /// - Parameters:
  ///   - known: The names of tensors that have one in the signature, by position.
  ///   - used: The names of other tensors, to which these are added.
  init(
    _ graph: TFLiteFile.Graph, known: [Int: String] = [:], used: inout UniqueNames
  ) {
    self.graph = graph
    var names = [String](repeating: "", count: graph.tensors.count)
    for (position, name) in known.sorted(by: { $0.key < $1.key }) {
      names[position] = used.unused(name)
    }
    for (position, tensor) in graph.tensors.enumerated() where known[position] == nil {
      names[position] = used.unused(tensor.name.isEmpty ? "tensor_\(position)" : tensor.name)
    }
    self.names = names
  }
}

extension TFLiteFile.Tensor {
  /// The type of its elements in a graph. Integers of 4 bits are held in 8.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for texts and other types without one.
  func elementType() throws(WeighbridgeError) -> ElementType {
    if isPacked { return .int8 }
    guard let type = ElementType(tfliteNumber: type) else {
      throw .unsupported(
        "the tensor \(name) has elements of \(Self.typeName(self.type)), and only numbers of 8 "
          + "to 64 bits, integers of 4 bits and booleans can be read")
    }
    return type
  }

  /// Whether two elements are in one byte.
  var isPacked: Bool { type == 17 }

  private static func typeName(_ number: Int) -> String {
    let names = [
      5: "texts", 8: "complex numbers", 11: "complex numbers", 13: "resources", 14: "variants",
      19: "integers of 2 bits", 20: "unsigned integers of 4 bits", 21: "8-bit floating-point",
      22: "8-bit floating-point",
    ]
    return names[number] ?? "the type number \(number)"
  }
}

extension TFLiteFile {
  /// Whether elements of a tensor are in the file.
  func hasElements(_ tensor: Tensor) -> Bool {
    tensor.buffer < buffers.count && buffers[tensor.buffer] != nil
  }

  /// Returns the elements of a tensor; `nil` for one that has none in the file.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the buffer does not fit the shape.
  func constant(_ tensor: Tensor) throws(WeighbridgeError) -> GraphIR.Tensor? {
    guard tensor.buffer < buffers.count else { return nil }
    let shape = tensor.shape.compactMap(\.self)
    let range = buffers[tensor.buffer]
    guard range != nil || shape.contains(0) else { return nil }
    guard shape.count == tensor.shape.count else {
      throw .malformed("has elements in the file, and a size that is not known")
    }
    guard !tensor.isSparse else {
      throw .unsupported("is stored as a sparse tensor, and only dense ones can be read")
    }
    let type = try tensor.elementType()
    let count = try Checked.product(shape, of: "the size of a tensor")
    let size = try Checked.product([count, type.byteCount], of: "the size of a tensor")
    let stored = tensor.isPacked ? (count + 1) / 2 : size
    let data = range ?? 0..<0
    guard data.count == stored else {
      throw .malformed(
        "has \(data.count) bytes of elements, and \(type.rawValue) \(shape) takes \(stored)")
    }
    guard tensor.isPacked else {
      return try GraphIR.Tensor(type, shape: shape, store: store, range: data)
    }
    let packed = store.withBytes { $0.copied(data) }
    let integers = (0..<count).map { index -> UInt8 in
      let half = index % 2 == 0 ? packed[index / 2] << 4 : packed[index / 2]
      return UInt8(bitPattern: Int8(bitPattern: half) >> 4)
    }
    return GraphIR.Tensor(type, shape: shape, bytes: integers)
  }
}
