import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR

/// An operation under construction, which refers to values and constants by name.
struct MILNode: ExportNode {
  /// An input by its name in the operator's definition: one value, or a list.
  struct Slot: Sendable {
    let name: String
    var values: [String]
  }

  /// A block of a loop or a branch, which can read the values around it.
  struct Block: Sendable {
    let inputs: [String]
    var nodes: [MILNode]
    var outputs: [String]
  }

  let type: String
  var slots: [Slot]
  var outputs: [String]
  var blocks: [Block] = []

  var reads: Set<String> {
    Set(inputs + blocks.flatMap { $0.outputs + $0.nodes.flatMap(\.reads) })
  }

  func renaming(_ names: [String: String]) -> MILNode {
    var result = self
    result.inputs = inputs.map { names[$0] ?? $0 }
    result.outputs = outputs.map { names[$0] ?? $0 }
    for index in blocks.indices {
      result.blocks[index].nodes = blocks[index].nodes.map { $0.renaming(names) }
      result.blocks[index].outputs = blocks[index].outputs.map { names[$0] ?? $0 }
    }
    return result
  }

  var inputs: [String] {
    get { slots.flatMap(\.values) }
    set {
      var rest = newValue[...]
      for index in slots.indices {
        let count = slots[index].values.count
        slots[index].values = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
    }
  }
}

/// What an operation takes.
enum MILArgument {
  case value(ExportOperand)
  case values([ExportOperand])
  case integer(Int)
  case integers([Int])
  case boolean(Bool)
  case booleans([Bool])
  /// A number of the type in which floating-point numbers are computed.
  case number(Double)
  case text(String)
}

extension MILArgument: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral
{
  init(stringLiteral text: String) { self = .text(text) }
  init(booleanLiteral flag: Bool) { self = .boolean(flag) }
  init(integerLiteral number: Int) { self = .integer(number) }
}

/// A constant of a program.
enum MILConstant: Sendable {
  /// Numbers, and the type in which they are stored.
  case tensor(Tensor, ElementType)
  case text(String)
}

extension String {
  /// A name as MIL allows it: letters, digits and underscores, and no digit at the start.
  var milName: String {
    let bytes = utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        byte
      default: UInt8(ascii: "_")
      }
    }
    let name = String(decoding: bytes, as: UTF8.self)
    let isValid = name.first.map { !$0.isNumber } ?? false
    return isValid && !Self.reservedByMIL.contains(name) ? name : "var_" + name
  }

  /// The keywords of MIL's text form, and the names of its types.
  private static let reservedByMIL: Set = [
    "any", "bool", "program", "func", "tensor", "list", "dict", "tuple", "true", "false", "string",
    "bf16", "fp16", "fp32", "fp64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
    "uint64", "state",
  ]
}
