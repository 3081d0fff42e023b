import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR

/// The operations of a program in their order, each constant before its first use.
struct MILLayout {
  /// A constant in the file beside the model.
  struct Blob {
    let name: String
    let tensor: Tensor
    let type: ElementType
  }

  private(set) var operations: [MILOperation] = []
  private(set) var blobs: [Blob] = []
  private(set) var places = MILBlob.Layout()
  /// The weights that take more space than in the model.
  private(set) var widened = WidenedWeights()
  let builder: MILBuilder
  /// The names that values had in the builder, by their names in the file.
  private var oldNames: [String: String] = [:]
  private var writtenConstants: Set<String> = []

  /// Constants with fewer elements are part of the program.
  private static let minimumBlobCount = 10

  init(_ builder: MILBuilder) { self.builder = builder }

  /// Adds operations.
  ///
  /// - Parameter newNames: The names in the file of values that have other names in the builder.
  mutating func add(_ nodes: [MILNode], _ newNames: [String: String]) {
    oldNames.merge(newNames.map { ($1, $0) }) { first, _ in first }
    for node in nodes {
      addConstants(of: node)
      operations.append(operation(node))
    }
  }

  /// Adds the constants that an operation and its blocks read.
  private mutating func addConstants(of node: MILNode) {
    for name in node.inputs { addConstant(name) }
    for inner in node.blocks.flatMap(\.nodes) { addConstants(of: inner) }
  }

  private func operation(_ node: MILNode) -> MILOperation {
    var operation = MILOperation(
      node.type,
      inputs: node.slots.map { slot in
        MILOperation.Input(slot.name, slot.values.map { .name($0) })
      },
      outputs: node.outputs.map { namedType($0) },
      attributes: [.init("name", .string(node.outputs[0]))])
    operation.blocks = node.blocks.map { block in
      var result = MILBlock(outputs: block.outputs, operations: block.nodes.map(self.operation))
      result.inputs = block.inputs.map { namedType($0) }
      return result
    }
    return operation
  }

  /// The name and the type of a value.
  func namedType(_ name: String) -> MILNamedType {
    if let element = builder.lists[name] {
      return MILNamedType(name, .list(MILType(element), count: nil))
    }
    let type = builder.types[oldNames[name] ?? name] ?? builder.types[name]
    return MILNamedType(name, type.map { MILType($0) } ?? .string)
  }

  private mutating func addConstant(_ name: String) {
    guard let constant = builder.constants[name], writtenConstants.insert(name).inserted else {
      return
    }
    if case .tensor(let tensor, let type) = constant, type.isFloat,
      let packed = packed(tensor, as: type, named: name)
    {
      operations.append(packed)
      return
    }
    let value =
      switch constant {
      case .text(let text): MILValue.string(text)
      case .tensor(let tensor, let type): value(tensor, as: type, named: name)
      }
    operations.append(
      MILOperation(
        "const", outputs: [MILNamedType(name, value.type)],
        attributes: [.init("name", .string(name)), .init("val", value)]))
  }

  mutating func value(
    _ tensor: Tensor, as type: ElementType, named name: String
  ) -> MILValue {
    let milType = MILType(TensorType(type, tensor.type.shape))
    let isList = type == .float16 && !tensor.shape.isEmpty
    if type.isFloat, isList || tensor.count >= Self.minimumBlobCount {
      widened.add(tensor)
      return blob(tensor, as: type, milType, named: name)
    }
    switch type {
    case .bool: return MILValue(milType, .booleans(tensor.doubles.map { $0 != 0 }))
    case .float32: return MILValue(milType, .floats(tensor.doubles))
    case .float16:
      let stored = Tensor(.float16, shape: tensor.shape, tensor.doubles)
      return MILValue(milType, .bytes(stored.contiguousBytes()))
    default: return MILValue(milType, .integers(tensor.wrappedIntegers.map { Int($0) }))
    }
  }
}

extension MILLayout {
  /// Stores elements in the file beside the model.
  ///
  /// - Parameter milType: The type of the constant: that of the elements, or integers of fewer bits
  ///   of which the elements are the bytes.
  mutating func blob(
    _ tensor: Tensor, as type: ElementType, _ milType: MILType, named name: String,
    paddingBits: Int = 0
  ) -> MILValue {
    guard case .tensor(let dataType, _) = milType else { preconditionFailure("is no tensor") }
    blobs.append(Blob(name: name, tensor: tensor, type: type))
    let offset = places.add(
      dataType, byteCount: tensor.count * type.byteCount, paddingBits: paddingBits)
    return MILValue(milType, .blob(file: CoreMLPackageWriter.blobFile, offset: offset))
  }
}

extension MILType {
  init(_ type: TensorType) {
    self = .tensor(MILDataType(type.elementType), shape: type.shape.map(\.value))
  }
}

extension MILDataType {
  init(_ type: ElementType) {
    switch type {
    case .float16: self = .float16
    case .float32: self = .float32
    case .bool: self = .bool
    default: self = .int32
    }
  }
}
