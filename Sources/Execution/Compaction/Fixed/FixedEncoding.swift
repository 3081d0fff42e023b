package import Bytes

/// An encoding that a user chose for all weights.
package enum FixedEncoding: Hashable, Sendable {
  /// Integers of 2 to 8 bits with a scale for each output channel.
  case linear(bits: Int)
  /// Integers of 2 to 8 bits with a scale for each block of `size` elements along the inputs.
  case blocks(bits: Int, size: Int)
  /// Indices of 1 to 8 bits into a table of 2^bits values.
  case palette(bits: Int)
  /// float16 or bfloat16.
  case half(ElementType)

  /// The encoding of a name: `int2` to `int8`, `int4-block32`, `palette1` to `palette8`, `float16`,
  /// `bfloat16`.
  package init?(name: String) {
    func bits(_ prefix: String, _ range: ClosedRange<Int>) -> Int? {
      guard name.hasPrefix(prefix), let bits = Int(name.dropFirst(prefix.count)),
        range.contains(bits), name == "\(prefix)\(bits)"
      else { return nil }
      return bits
    }
    if let type = ElementType(rawValue: name), [.float16, .bfloat16].contains(type) {
      self = .half(type)
    } else if let bits = bits("int", 2...8) {
      self = .linear(bits: bits)
    } else if let bits = bits("palette", 1...8) {
      self = .palette(bits: bits)
    } else if let encoding = Self.blocks.first(where: { $0.name == name }) {
      self = encoding
    } else {
      return nil
    }
  }

  private static let blocks = (2...8).map { FixedEncoding.blocks(bits: $0, size: 32) }

  /// All named encodings.
  package static let all: [FixedEncoding] =
    (2...8).map { .linear(bits: $0) } + blocks + (1...8).map { .palette(bits: $0) } + [
      .half(.float16), .half(.bfloat16),
    ]

  /// The name, as ``init(name:)`` takes it.
  package var name: String {
    switch self {
    case .linear(let bits): "int\(bits)"
    case .blocks(let bits, let size): "int\(bits)-block\(size)"
    case .palette(let bits): "palette\(bits)"
    case .half(let type): type.rawValue
    }
  }
}
