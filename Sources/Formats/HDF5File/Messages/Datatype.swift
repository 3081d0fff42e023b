/// The type of an element (HDF5 file format specification 3.0, section IV.A.2.d).
struct Datatype: Sendable {
  /// The padding of a string up to its fixed size.
  enum Padding: UInt8, Sendable {
    /// The string ends at its first zero.
    case zeroTerminated
    case zeros
    case spaces
  }

  /// The class of a type and its properties.
  indirect enum Kind: Sendable {
    case integer(IntegerLayout)
    case float(FloatLayout)
    case time
    case string(Padding)
    case bitField
    case opaque(hasTag: Bool)
    case compound([Member])
    case reference
    /// The base type; whether the members are those of a boolean, FALSE 0 and TRUE 1.
    case enumeration(Datatype, isBool: Bool)
    case variableString
    case variableList
    case array([Int], Datatype)
    case complex
  }

  /// A member of a compound.
  struct Member: Sendable {
    let offset: Int
    let type: Datatype
  }

  let kind: Kind
  /// The size of an element in bytes.
  let size: Int

  /// The description of the type for messages.
  var name: String {
    switch kind {
    case .float: "floating-point numbers of \(size) bytes in an uncommon layout"
    case .integer: "integers of \(size) bytes in an uncommon layout"
    case .string, .variableString: "type string"
    case .bitField: "type bit field"
    case .opaque: "type opaque"
    case .compound: "type compound"
    case .reference: "type reference"
    case .enumeration: "type enumeration"
    case .variableList: "type variable-length list"
    case .array: "type array"
    case .time: "type time"
    case .complex: "type complex"
    }
  }
}
