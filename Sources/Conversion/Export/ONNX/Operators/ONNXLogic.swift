import Bytes
import GraphIR
import LayerCatalog
import ONNXFormat

/// Truth values.
enum ONNXLogic {
  static let rows: [ONNXRow] = [
    ONNXRow(Comparison.self) { (operation, draft) throws(WeighbridgeError) in
      let inputs = draft.allInputs()
      switch operation.relation {
      case .equal: return draft.add("Equal", inputs)
      case .notEqual: return draft.add("Not", [draft.add("Equal", inputs)])
      case .less: return draft.add("Less", inputs)
      case .lessOrEqual: return draft.add("LessOrEqual", inputs)
      case .greater: return draft.add("Greater", inputs)
      case .greaterOrEqual: return draft.add("GreaterOrEqual", inputs)
      }
    },
    ONNXRow(LogicalAnd.self) { (_, draft) throws(WeighbridgeError) in
      draft.chain("And", draft.allInputs())
    },
    ONNXRow(LogicalOr.self) { (_, draft) throws(WeighbridgeError) in
      draft.chain("Or", draft.allInputs())
    },
    ONNXRow(LogicalNot.self, is: "Not"),
    ONNXRow(Select.self, is: "Where"),
  ]
}
