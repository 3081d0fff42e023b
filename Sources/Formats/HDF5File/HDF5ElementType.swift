import Bytes

/// The encoding of a dataset's elements in the file.
struct HDF5ElementType {
  /// The type of the elements after conversion to little-endian.
  let elementType: ElementType
  /// Whether the bytes can be used without conversion.
  let isLittleEndian: Bool
  /// The sizes of elements that are arrays, which become additional dimensions.
  let innerShape: [Int]

  /// Finds the number type of a datatype. An enumeration counts as its base type, an array adds
  /// dimensions, and a compound of one member counts as that member.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a type without an ``ElementType``.
  init(_ type: Datatype) throws(WeighbridgeError) {
    switch type.kind {
    case .array(let shape, let base):
      let inner = try HDF5ElementType(base)
      self.init(inner.elementType, inner.isLittleEndian, shape + inner.innerShape)
    case .compound(let members) where members.count == 1 && members[0].type.size == type.size:
      self = try HDF5ElementType(members[0].type)
    case .enumeration(let base, let members):
      if Self.isBool(type, members) {
        self.init(.bool, true)
      } else {
        self = try HDF5ElementType(base)
      }
    case .float(let layout):
      guard let element = Self.float(layout, type.size) else { throw Self.unsupported(type) }
      self.init(element, !layout.isBigEndian)
    case .integer(let layout):
      guard let element = Self.integer(layout, type.size) else { throw Self.unsupported(type) }
      self.init(element, !layout.isBigEndian || type.size == 1)
    // h5py stores bfloat16, which NumPy lacks, as two opaque bytes.
    case .opaque where type.size == 2: self.init(.bfloat16, true)
    default: throw Self.unsupported(type)
    }
  }

  private init(_ elementType: ElementType, _ isLittleEndian: Bool, _ innerShape: [Int] = []) {
    self.elementType = elementType
    self.isLittleEndian = isLittleEndian
    self.innerShape = innerShape
  }

  private static func unsupported(_ type: Datatype) -> WeighbridgeError {
    WeighbridgeError(.unsupported, "has elements of \(type.name), which is not a number type")
  }

  /// Returns the type of an IEEE 754 format or bfloat16: sign, exponent and fraction without gaps,
  /// and a biased exponent.
  private static func float(_ layout: FloatLayout, _ size: Int) -> ElementType? {
    let (exponent, fraction) = (layout.exponent, layout.fraction)
    guard !layout.isVAX, layout.bits == BitRange(start: 0, count: 8 * size),
      fraction.start == 0, exponent.start == fraction.count,
      layout.sign == exponent.start + exponent.count, layout.sign == 8 * size - 1,
      layout.normalization == .implied, exponent.count < 32,
      layout.bias == 1 << (exponent.count - 1) - 1
    else { return nil }
    switch (exponent.count, fraction.count) {
    case (5, 10): return .float16
    case (8, 7): return .bfloat16
    case (8, 23): return .float32
    case (11, 52): return .float64
    default: return nil
    }
  }

  private static func integer(_ layout: IntegerLayout, _ size: Int) -> ElementType? {
    guard layout.bits == BitRange(start: 0, count: 8 * size) else { return nil }
    switch (size, layout.isSigned) {
    case (1, true): return .int8
    case (2, true): return .int16
    case (4, true): return .int32
    case (8, true): return .int64
    case (1, false): return .uint8
    case (2, false): return .uint16
    case (4, false): return .uint32
    case (8, false): return .uint64
    default: return nil
    }
  }

  /// Whether a type is h5py's boolean: an enumeration of one byte, FALSE 0 and TRUE 1.
  private static func isBool(
    _ type: Datatype, _ members: [(name: [UInt8], value: [UInt8])]
  ) -> Bool {
    let values = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
    return type.size == 1 && members.count == 2 && values[Array("FALSE".utf8)] == [0]
      && values[Array("TRUE".utf8)] == [1]
  }
}
