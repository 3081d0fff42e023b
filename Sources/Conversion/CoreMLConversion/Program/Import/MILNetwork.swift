import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import ProtobufWire
import TensorEncoding

/// The graph of an ML Program under construction.
typealias MILNetwork = ValueNetwork<MILContext>

/// What the operations of a program share besides their values.
struct MILContext {
  let files: MILFiles
  /// The opset's number, 5 (iOS 15) and up.
  let opset: Int
  /// The constants that are texts, or lists of them, by name.
  var texts: [String: [String]] = [:]
  /// The lists of values, by name.
  var lists: [String: List] = [:]

  /// Values that a loop reads or writes one by one.
  enum List {
    /// A list of a known length; `nil` where nothing was put.
    case elements([SourceValue?])
    /// The list of a loop that runs as often as only a run tells, with what a step puts into it.
    case collecting((place: SourceValue, value: SourceValue)?)
    /// The elements along the first axis of a tensor.
    case stacked(SourceValue)
  }

  /// What the operations of a subgraph share, whose values are its own.
  var ofSubgraph: MILContext {
    var context = self
    context.lists = [:]
    return context
  }
}

/// The files of a program's constants.
struct MILFiles: Sendable {
  /// The model's own file.
  let model: ByteStore
  /// The files of constants that it refers to, by the names that it has for them.
  let blobs: [String: ByteStore]

  /// Opens the files that a program refers to, in the folder of the model's file.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing``; ``WeighbridgeError/Code/malformed`` for a path
  ///   that leads out of the folder, and for another file than one of constants;
  ///   ``WeighbridgeError/Code/unsupported`` where it is known what that is, such as a pointer of
  ///   Git LFS.
  init(
    _ program: MILProgram, model: ByteStore, folder: String
  ) throws(WeighbridgeError) {
    var blobs: [String: ByteStore] = [:]
    for name in program.blobFiles.sorted() {
      let path = try Self.path(name, folder)
      let store = ByteStore(try MappedFile(path: path))
      if !store.withBytes({ MILBlob.recognizes($0) }) {
        try ForeignFile.refuse(store, path: path)
        throw .malformed(
          "refers to the constants in \(name), which is no file of constants of version 2")
      }
      blobs[name] = store
    }
    (self.model, self.blobs) = (model, blobs)
  }

  /// The path of a file of constants.
  private static func path(_ name: String, _ folder: String) throws(WeighbridgeError) -> String {
    let prefix = "@model_path/"
    let parts = name.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false)
    guard name.hasPrefix(prefix), !name.utf8.contains(0),
      parts.allSatisfy({ !["", ".", ".."].contains($0) })
    else {
      throw .malformed(
        "refers to the constants in \(name), expected a file in the model's folder (\(prefix)...)")
    }
    var path = folder
    for part in parts {
      path += "/\(part)"
      guard !isLink(path) else {
        throw .malformed("refers to the constants in \(name), which is a link")
      }
    }
    guard exists(path) else {
      throw .missing(
        "has no file \(parts.joined(separator: "/")), in which its constants are: copy the package "
          + "as a whole")
    }
    return path
  }
}

extension MILProgram {
  /// The names of the files that hold constants.
  fileprivate var blobFiles: Set<String> {
    var names: Set<String> = []
    for function in functions { function.block.collectFiles(&names) }
    return names
  }
}

extension MILBlock {
  fileprivate func collectFiles(_ names: inout Set<String>) {
    for operation in operations {
      let bound = operation.inputs.flatMap(\.bindings).compactMap { binding -> MILValue? in
        if case .value(let value) = binding { value } else { nil }
      }
      for value in operation.attributes.map(\.value) + bound {
        if case .blob(let file, _) = value.content { names.insert(file) }
      }
      // The recursion is no deeper than messages may be nested.
      for block in operation.blocks { block.collectFiles(&names) }
    }
  }
}

extension MILFiles {
  /// The elements of a constant.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when they do not fit its type;
  ///   ``WeighbridgeError/Code/unsupported`` for types without one in a graph.
  func tensor(_ value: MILValue) throws(WeighbridgeError) -> Tensor {
    let (type, shape) = try fixedType(value)
    let count = try Checked.product(shape, of: "the size of a constant")
    if let packed = type.packedBits {
      let integers = try packedIntegers(value, bits: packed, count: count, isSigned: type == .int4)
      return Tensor(type == .int4 ? .int8 : .uint8, shape: shape, bytes: integers)
    }
    guard let elementType = ElementType(type) else {
      throw .unsupported("has a constant of \(type.rawValue), which cannot be read")
    }
    func check(_ actual: Int) throws(WeighbridgeError) {
      guard actual == count else {
        throw .malformed(
          "has a constant \(type.rawValue) \(shape) with \(actual) elements, expected \(count)")
      }
    }
    if type == .float16 { return try halves(value, shape, count) }
    switch value.content {
    case .floats(let numbers):
      try check(numbers.count)
      return Tensor(elementType, shape: shape, numbers)
    case .integers(let numbers):
      try check(numbers.count)
      return Tensor(elementType, shape: shape, numbers.map(Double.init))
    case .booleans(let flags):
      try check(flags.count)
      return Tensor(elementType, shape: shape, flags.map { $0 ? 1 : 0 })
    case .byteRange(let range):
      return try Tensor(elementType, shape: shape, store: model, range: range.range)
    case .blob(let file, let offset):
      let (store, blob) = try self.blob(file, offset)
      guard blob.type == type else {
        throw .malformed(
          "has a constant of \(type.rawValue), whose record holds \(blob.type.rawValue)")
      }
      return try Tensor(elementType, shape: shape, store: store, range: blob.range)
    case .strings, .list, .bytes:
      throw .malformed("has a text where a constant of numbers is expected")
    }
  }

  /// Numbers of float16, which are float32 in the graph and stay as they are stored.
  private func halves(
    _ value: MILValue, _ shape: [Int], _ count: Int
  ) throws(WeighbridgeError) -> Tensor {
    let (store, range): (ByteStore, Range<Int>)
    switch value.content {
    case .byteRange(let bytes): (store, range) = (model, bytes.range)
    case .blob(let file, let offset):
      let (file, blob) = try self.blob(file, offset)
      guard blob.type == .float16 else {
        throw .malformed(
          "has a constant of FLOAT16, whose record holds \(blob.type.rawValue), expected the same")
      }
      (store, range) = (file, blob.range)
    default: throw .malformed("has a constant of FLOAT16 without its bytes, expected two for each")
    }
    guard range.count == (try Checked.product([count, 2], of: "the size of a constant")) else {
      throw .malformed(
        "has \(range.count) bytes for FLOAT16 \(shape), expected two for each element")
    }
    return try Tensor(
      EncodedElements(.half(.float16), .float32, shape: shape, store: store, range: range))
  }

  private func blob(
    _ file: String, _ offset: Int
  ) throws(WeighbridgeError) -> (ByteStore, MILBlob) {
    guard let store = blobs[file] else { preconditionFailure("a file was not opened") }
    do throws(WeighbridgeError) {
      let blob = try store.withBytes { (bytes) throws(WeighbridgeError) in
        try MILBlob(bytes, at: offset)
      }
      return (store, blob)
    } catch { throw WeighbridgeError(error.code, "\(file) \(error.reason)", place: error.place) }
  }

  private func fixedType(
    _ value: MILValue
  ) throws(WeighbridgeError) -> (type: MILDataType, shape: [Int]) {
    guard case .tensor(let type, let sizes) = value.type else {
      throw .malformed("has a list where a constant of numbers is expected")
    }
    let shape = sizes.compactMap(\.self)
    guard shape.count == sizes.count else {
      throw .malformed("has a constant with a size that is not known")
    }
    return (type, shape)
  }

  /// Integers of less than 8 bits, each in a byte; they are packed from the lowest bit on.
  private func packedIntegers(
    _ value: MILValue, bits: Int, count: Int, isSigned: Bool
  ) throws(WeighbridgeError) -> [UInt8] {
    let bytes: [UInt8]
    switch value.content {
    case .byteRange(let range): bytes = model.withBytes { $0.copied(range.range) }
    case .blob(let file, let offset):
      let (store, blob) = try self.blob(file, offset)
      bytes = store.withBytes { $0.copied(blob.range) }
    default: throw .malformed("has a constant of packed integers without its bytes")
    }
    guard bytes.count == (try Checked.product([count, bits], of: "a constant") + 7) / 8 else {
      throw .malformed(
        "has \(bytes.count) bytes for \(count) integers of \(bits) bits, expected as many as they take"
      )
    }
    let integers = Self.unpacked(bytes, bits: bits, count: count)
    guard isSigned else { return integers }
    let sign = UInt8(1) << UInt8(bits - 1)
    return integers.map { $0 & sign == 0 ? $0 : $0 | ~(sign | (sign - 1)) }
  }

  /// Unsigned integers of up to 8 bits, each in a byte; they are packed from the lowest bit on.
  ///
  /// - Parameter bytes: At least as many as the integers take.
  static func unpacked(_ bytes: [UInt8], bits: Int, count: Int) -> [UInt8] {
    let mask = UInt16(1) << UInt16(bits) - 1
    return (0..<count).map { index in
      let (byte, shift) = (index * bits / 8, index * bits % 8)
      let pair = UInt16(bytes[byte]) | (byte + 1 < bytes.count ? UInt16(bytes[byte + 1]) << 8 : 0)
      return UInt8(truncatingIfNeeded: pair >> UInt16(shift) & mask)
    }
  }
}

extension MILDataType {
  /// The number of bits of integers of less than 8; `nil` for other types.
  var packedBits: Int? {
    switch self {
    case .int4, .uint4: 4
    case .uint1: 1
    case .uint2: 2
    case .uint3: 3
    case .uint6: 6
    default: nil
    }
  }
}

extension ElementType {
  /// The type in a graph; `nil` for those without one.
  init?(_ type: MILDataType) {
    switch type {
    case .bool: self = .bool
    // Where Core ML computes in float16, it may compute in float32, too.
    case .float16, .float32: self = .float32
    case .float64: self = .float64
    case .bfloat16: self = .bfloat16
    case .int8, .int4: self = .int8
    case .int16: self = .int16
    case .int32: self = .int32
    case .int64: self = .int64
    case .uint8, .uint1, .uint2, .uint3, .uint4, .uint6: self = .uint8
    case .uint16: self = .uint16
    case .uint32: self = .uint32
    case .uint64: self = .uint64
    default: return nil
    }
  }
}

extension TensorType {
  /// The type of a tensor of a program.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a type that is not that of a tensor, or
  ///   has no such elements.
  init(_ type: MILType) throws(WeighbridgeError) {
    guard case .tensor(let dataType, let shape) = type, let elementType = ElementType(dataType)
    else { throw .unsupported("is \(type), and only tensors of numbers can be read") }
    self.init(elementType, shape.map { size in size.map { .fixed($0) } ?? .unknown })
  }
}
