import Bytes
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Truth values: 1 for true, 0 for false.
enum CoreMLLogic {
  static let rows: [CoreMLRow] = [
    CoreMLRow(Comparison.self) { (operation, draft) throws(WeighbridgeError) in
      let kind =
        switch operation.relation {
        case .equal: "equal"
        case .notEqual: "notEqual"
        case .less: "lessThan"
        case .lessOrEqual: "lessEqual"
        case .greater: "greaterThan"
        case .greaterOrEqual: "greaterEqual"
        }
      return try draft.add(kind, try draft.allInputs())
    },
    CoreMLRow(LogicalAnd.self) { (_, draft) throws(WeighbridgeError) in
      try draft.chain("logicalAnd", try draft.allInputs())
    },
    CoreMLRow(LogicalOr.self) { (_, draft) throws(WeighbridgeError) in
      try draft.chain("logicalOr", try draft.allInputs())
    },
    CoreMLRow(LogicalNot.self) { (_, draft) throws(WeighbridgeError) in
      try draft.add("logicalNot", [try draft.input()])
    },
    CoreMLRow(Select.self) { (_, draft) throws(WeighbridgeError) in
      try draft.choose(try draft.input(0), try draft.input(1), try draft.input(2))
    },
  ]
}
