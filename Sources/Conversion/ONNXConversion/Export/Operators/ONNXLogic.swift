import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Booleans.
enum ONNXLogic {
  static let rows: [ONNXRow] = [
    ONNXRow(Comparison.self) { (operation, builder) throws(WeighbridgeError) in
      let inputs = builder.allInputs()
      switch operation.relation {
      case .equal: return builder.add("Equal", inputs)
      case .notEqual: return builder.add("Not", [builder.add("Equal", inputs)])
      case .less: return builder.add("Less", inputs)
      case .lessOrEqual: return builder.add("LessOrEqual", inputs)
      case .greater: return builder.add("Greater", inputs)
      case .greaterOrEqual: return builder.add("GreaterOrEqual", inputs)
      }
    },
    ONNXRow(LogicalAnd.self) { (_, builder) throws(WeighbridgeError) in
      builder.chain("And", builder.allInputs())
    },
    ONNXRow(LogicalOr.self) { (_, builder) throws(WeighbridgeError) in
      builder.chain("Or", builder.allInputs())
    },
    ONNXRow(LogicalNot.self, is: "Not"),
    ONNXRow(Where.self, is: "Where"),
  ]
}
