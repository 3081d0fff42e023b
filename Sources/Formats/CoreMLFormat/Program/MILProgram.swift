package import ProtobufWire

/// An ML Program: functions in Core ML's intermediate language, MIL, in which each value is assigned
/// once. Large constants are in a file beside it (``MILBlob``).
package struct MILProgram: Hashable, Sendable {
  /// The functions; `main` runs unless another is named.
  package var functions: [MILFunction]

  /// Creates a program.
  package init(functions: [MILFunction]) { self.functions = functions }
}

/// A function of a program.
package struct MILFunction: Hashable, Sendable {
  package var name: String
  package var inputs: [MILNamedType]
  /// The set of operators, such as `CoreML6`.
  package var opset: String
  /// The operations for that set.
  package var block: MILBlock

  /// Creates a function.
  package init(name: String, inputs: [MILNamedType], opset: String, block: MILBlock) {
    (self.name, self.inputs, self.opset, self.block) = (name, inputs, opset, block)
  }
}

/// Operations in their order.
package struct MILBlock: Hashable, Sendable {
  /// What an operation that repeats the block passes to it; none in a function's own block.
  package var inputs: [MILNamedType] = []
  /// The names of the results.
  package var outputs: [String]
  package var operations: [MILOperation]

  /// Creates a block.
  package init(outputs: [String], operations: [MILOperation]) {
    (self.outputs, self.operations) = (outputs, operations)
  }
}

/// An operation.
package struct MILOperation: Hashable, Sendable {
  /// A value that an operation takes.
  package enum Binding: Hashable, Sendable {
    /// The value that an operation before this one gives, by name.
    case name(String)
    case value(MILValue)
  }

  /// An input by its name in the operator's definition: one value, or a list.
  package struct Input: Hashable, Sendable {
    package var name: String
    package var bindings: [Binding]

    /// Creates an input.
    package init(_ name: String, _ bindings: [Binding]) {
      (self.name, self.bindings) = (name, bindings)
    }
  }

  /// A setting that is part of the operation.
  package struct Attribute: Hashable, Sendable {
    package var name: String
    package var value: MILValue

    /// Creates an attribute.
    package init(_ name: String, _ value: MILValue) { (self.name, self.value) = (name, value) }
  }

  /// The operator, such as `conv`.
  package var type: String
  package var inputs: [Input]
  package var outputs: [MILNamedType]
  /// The blocks of a loop or a condition.
  package var blocks: [MILBlock] = []
  package var attributes: [Attribute]

  /// Creates an operation.
  package init(
    _ type: String, inputs: [Input] = [], outputs: [MILNamedType], attributes: [Attribute]
  ) {
    (self.type, self.inputs) = (type, inputs)
    (self.outputs, self.attributes) = (outputs, attributes)
  }
}

/// A value's name and type.
package struct MILNamedType: Hashable, Sendable {
  package var name: String
  package var type: MILType

  /// Creates a named type.
  package init(_ name: String, _ type: MILType) { (self.name, self.type) = (name, type) }
}

/// The type of a value.
package indirect enum MILType: Hashable, Sendable {
  /// A tensor; a size that is known only when the program runs is `nil`. No axes: one element.
  case tensor(MILDataType, shape: [Int?])
  /// A list of values of one type.
  case list(MILType, count: Int?)
  case dictionary(key: MILType, value: MILType)

  /// The type of a text.
  package static let string = MILType.tensor(.string, shape: [])
}

/// The type of a tensor's elements, by its name in the specification.
package enum MILDataType: String, Hashable, Sendable {
  case bool = "BOOL"
  case string = "STRING"
  case float16 = "FLOAT16"
  case float32 = "FLOAT32"
  case float64 = "FLOAT64"
  case bfloat16 = "BFLOAT16"
  case int8 = "INT8"
  case int16 = "INT16"
  case int32 = "INT32"
  case int64 = "INT64"
  case int4 = "INT4"
  case uint8 = "UINT8"
  case uint16 = "UINT16"
  case uint32 = "UINT32"
  case uint64 = "UINT64"
  case uint4 = "UINT4"
  case uint2 = "UINT2"
  case uint1 = "UINT1"
  case uint6 = "UINT6"
  case uint3 = "UINT3"
  case float8E4M3 = "FLOAT8E4M3FN"
  case float8E5M2 = "FLOAT8E5M2"
}

/// A constant.
package struct MILValue: Hashable, Sendable {
  /// Where the elements are: in row-major order.
  package enum Content: Hashable, Sendable {
    case floats([Double])
    case integers([Int])
    case booleans([Bool])
    case strings([String])
    /// Elements of 8 or 16 bits, little-endian, or of fewer bits.
    case bytes([UInt8])
    /// As ``bytes(_:)``, in the bytes that were read.
    case byteRange(ProtobufByteRange)
    case list([MILValue])
    /// The record at an offset of a file; a path that begins with `@model_path/` is relative to the
    /// model's folder.
    case blob(file: String, offset: Int)
  }

  package var type: MILType
  package var content: Content

  /// Creates a constant.
  package init(_ type: MILType, _ content: Content) { (self.type, self.content) = (type, content) }

  /// A text.
  package static func string(_ text: String) -> MILValue { MILValue(.string, .strings([text])) }
}
