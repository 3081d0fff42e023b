import Bytes
import CWBM
import ProtobufWire
import TensorEncoding

extension TensorEncoding {
  /// Sets the encoding of a message, and its parameters.
  func pack(
    into message: inout Weighbridge__V1__Tensor, in arena: MessageArena
  ) throws(WeighbridgeError) {
    switch self {
    case .plain: message.encoding = WEIGHBRIDGE__V1__TENSOR_ENCODING__TENSOR_ENCODING_PLAIN
    case .half(.float16):
      message.encoding = WEIGHBRIDGE__V1__TENSOR_ENCODING__TENSOR_ENCODING_FLOAT16
    case .half: message.encoding = WEIGHBRIDGE__V1__TENSOR_ENCODING__TENSOR_ENCODING_BFLOAT16
    case .bytePlanes:
      message.encoding = WEIGHBRIDGE__V1__TENSOR_ENCODING__TENSOR_ENCODING_BYTE_PLANES
    case .rans: message.encoding = WEIGHBRIDGE__V1__TENSOR_ENCODING__TENSOR_ENCODING_RANS
    case .linear(let linear):
      message.encoding = WEIGHBRIDGE__V1__TENSOR_ENCODING__TENSOR_ENCODING_LINEAR
      message.parameters_case = WEIGHBRIDGE__V1__TENSOR__PARAMETERS_LINEAR
      message.linear = try linear.packed(in: arena)
    case .lookup(let lookup):
      message.encoding = WEIGHBRIDGE__V1__TENSOR_ENCODING__TENSOR_ENCODING_LOOKUP
      message.parameters_case = WEIGHBRIDGE__V1__TENSOR__PARAMETERS_LOOKUP
      message.lookup = try lookup.packed(in: arena)
    }
  }

  /// The encoding of a message.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when its parameters are not those of the encoding,
  ///   ``WeighbridgeError/Code/unsupported`` for an encoding that this version does not know.
  init(_ message: Weighbridge__V1__Tensor) throws(WeighbridgeError) {
    switch message.encoding {
    case WEIGHBRIDGE__V1__TENSOR_ENCODING__TENSOR_ENCODING_PLAIN: self = .plain
    case WEIGHBRIDGE__V1__TENSOR_ENCODING__TENSOR_ENCODING_FLOAT16: self = .half(.float16)
    case WEIGHBRIDGE__V1__TENSOR_ENCODING__TENSOR_ENCODING_BFLOAT16: self = .half(.bfloat16)
    case WEIGHBRIDGE__V1__TENSOR_ENCODING__TENSOR_ENCODING_BYTE_PLANES: self = .bytePlanes
    case WEIGHBRIDGE__V1__TENSOR_ENCODING__TENSOR_ENCODING_RANS: self = .rans
    case WEIGHBRIDGE__V1__TENSOR_ENCODING__TENSOR_ENCODING_LINEAR:
      guard message.parameters_case == WEIGHBRIDGE__V1__TENSOR__PARAMETERS_LINEAR,
        let linear = message.linear
      else { throw Self.withoutParameters }
      self = .linear(try LinearIntegers(linear.pointee))
      return
    case WEIGHBRIDGE__V1__TENSOR_ENCODING__TENSOR_ENCODING_LOOKUP:
      guard message.parameters_case == WEIGHBRIDGE__V1__TENSOR__PARAMETERS_LOOKUP,
        let lookup = message.lookup
      else { throw Self.withoutParameters }
      self = .lookup(try LookupTables(lookup.pointee))
      return
    case WEIGHBRIDGE__V1__TENSOR_ENCODING__TENSOR_ENCODING_UNSPECIFIED:
      throw WeighbridgeError(.malformed, "the tensor encoding is missing")
    default:
      throw WeighbridgeError(
        .unsupported,
        "the tensor encoding \(message.encoding.rawValue) is not one this version knows")
    }
    guard message.parameters_case == WEIGHBRIDGE__V1__TENSOR__PARAMETERS__NOT_SET else {
      throw WeighbridgeError(.malformed, "a tensor has the parameters of another encoding")
    }
  }

  private static var withoutParameters: WeighbridgeError {
    WeighbridgeError(.malformed, "a tensor lacks the parameters of its encoding")
  }
}

extension LinearIntegers {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__LinearEncoding> {
    let message = arena.message(weighbridge__v1__linear_encoding__init)
    message.pointee.bits = try SchemaNumber.of(bits, "a number of bits")
    message.pointee.is_signed = isSigned ? 1 : 0
    let sizes = try SchemaNumber.list(blockShape, UInt64.self, "the size of a block")
    message.pointee.n_block_shape = sizes.count
    message.pointee.block_shape = arena.numbers(sizes)
    message.pointee.has_zero_points = hasZeroPoints ? 1 : 0
    message.pointee.has_offsets = hasOffsets ? 1 : 0
    return message
  }

  fileprivate init(_ message: Weighbridge__V1__LinearEncoding) throws(WeighbridgeError) {
    self.init(
      bits: Int(message.bits), isSigned: message.is_signed != 0,
      blockShape: try blockSizes(message.n_block_shape, message.block_shape),
      hasZeroPoints: message.has_zero_points != 0, hasOffsets: message.has_offsets != 0)
  }
}

extension LookupTables {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__LookupEncoding> {
    let message = arena.message(weighbridge__v1__lookup_encoding__init)
    message.pointee.bits = try SchemaNumber.of(bits, "a number of bits")
    let sizes = try SchemaNumber.list(blockShape, UInt64.self, "the size of a block")
    message.pointee.n_block_shape = sizes.count
    message.pointee.block_shape = arena.numbers(sizes)
    return message
  }

  fileprivate init(_ message: Weighbridge__V1__LookupEncoding) throws(WeighbridgeError) {
    self.init(
      bits: Int(message.bits),
      blockShape: try blockSizes(message.n_block_shape, message.block_shape))
  }
}

private func blockSizes(
  _ count: Int, _ sizes: UnsafeMutablePointer<UInt64>?
) throws(WeighbridgeError) -> [Int] {
  var shape: [Int] = []
  for size in MessageParts.numbers(count, sizes) {
    shape.append(try Checked.count(size, of: "the size of a block"))
  }
  return shape
}
