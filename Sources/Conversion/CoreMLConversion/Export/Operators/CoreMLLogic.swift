import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Booleans: 1 for true, 0 for false.
enum CoreMLLogic {
  static let rows: [CoreMLRow] = [
    CoreMLRow(Comparison.self) { (operation, builder) throws(WeighbridgeError) in
      let kind =
        switch operation.relation {
        case .equal: "equal"
        case .notEqual: "notEqual"
        case .less: "lessThan"
        case .lessOrEqual: "lessEqual"
        case .greater: "greaterThan"
        case .greaterOrEqual: "greaterEqual"
        }
      return try builder.add(kind, try builder.allInputs())
    },
    CoreMLRow(LogicalAnd.self) { (_, builder) throws(WeighbridgeError) in
      try builder.chain("logicalAnd", try builder.allInputs())
    },
    CoreMLRow(LogicalOr.self) { (_, builder) throws(WeighbridgeError) in
      try builder.chain("logicalOr", try builder.allInputs())
    },
    CoreMLRow(LogicalNot.self) { (_, builder) throws(WeighbridgeError) in
      try builder.add("logicalNot", [try builder.input()])
    },
    CoreMLRow(Where.self) { (_, builder) throws(WeighbridgeError) in
      try builder.choose(try builder.input(0), try builder.input(1), try builder.input(2))
    },
  ]
}
