import Bytes

/// The encoding of a dataset's elements in the file.
struct HDF5ElementType {
  /// The type of the elements after conversion to little-endian.
  let elementType: ElementType
  let conversion: Conversion
  /// The size of an element in the file in bytes.
  let storedByteCount: Int
  /// The sizes of elements that are arrays, which become additional dimensions.
  let innerShape: [Int]

  /// Finds the number type of a datatype. An enumeration counts as its base type, an array adds
  /// dimensions, and a compound of one member counts as that member.
  ///
  /// Numbers in an uncommon layout become the smallest type of at least their size, or of at least
  /// their range and precision.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a type without an ``ElementType``.
  init(_ type: Datatype) throws(WeighbridgeError) {
    switch type.kind {
    case .array(let shape, let base):
      let inner = try HDF5ElementType(base)
      self.init(
        inner.elementType, inner.conversion, inner.storedByteCount, shape + inner.innerShape)
    case .compound(let members) where members.count == 1 && members[0].type.size == type.size:
      self = try HDF5ElementType(members[0].type)
    case .enumeration(_, isBool: true): self.init(.bool, .none, 1)
    case .enumeration(let base, _): self = try HDF5ElementType(base)
    case .float(let layout):
      guard layout.isReadable else {
        throw .unsupported("has elements of \(type.name), which cannot be read")
      }
      self.init(layout, type.size)
    case .integer(let layout): self.init(layout, type.size)
    // h5py stores bfloat16, which NumPy lacks, as two opaque bytes.
    case .opaque(hasTag: false) where type.size == 2: self.init(.bfloat16, .none, 2)
    default: throw Self.unsupported(type)
    }
  }

  private init(
    _ elementType: ElementType, _ conversion: Conversion, _ size: Int, _ innerShape: [Int] = []
  ) {
    self.elementType = elementType
    self.conversion = conversion
    storedByteCount = size
    self.innerShape = innerShape
  }

  private init(_ layout: FloatLayout, _ size: Int) {
    if let element = Self.float(layout, size) {
      self.init(element, layout.isBigEndian ? .byteOrder : .none, size)
    } else {
      self.init(layout.fitsFloat32 ? .float32 : .float64, .float(layout), size)
    }
  }

  private init(_ layout: IntegerLayout, _ size: Int) {
    if layout.bits == BitRange(start: 0, count: 8 * size),
      let element = Self.integer(size, layout.isSigned)
    {
      self.init(element, layout.isBigEndian && size > 1 ? .byteOrder : .none, size)
    } else {
      let width = [1, 2, 4].first { size <= $0 } ?? 8
      let element = Self.integer(width, layout.isSigned) ?? .int64
      self.init(element, .integer(layout), size)
    }
  }

  /// Whether the bytes in the file can be used without conversion.
  var isPlain: Bool { if case .none = conversion { true } else { false } }

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
      layout.bias == (1 << (exponent.count - 1)) - 1
    else { return nil }
    switch (exponent.count, fraction.count) {
    case (5, 10): return .float16
    case (8, 7): return .bfloat16
    case (8, 23): return .float32
    case (11, 52): return .float64
    default: return nil
    }
  }

  private static func integer(_ size: Int, _ isSigned: Bool) -> ElementType? {
    switch (size, isSigned) {
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
}
