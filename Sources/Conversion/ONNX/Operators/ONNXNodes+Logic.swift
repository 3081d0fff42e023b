import Bytes
import GraphIR
import LayerCatalog

extension ONNXNodes {
  /// Truth values.
  static let logic: [String: ONNXLayer.Build] = [
    "And": combining { LogicalAnd() },
    "Equal": combining { Comparison(.equal) },
    "Greater": combining { Comparison(.greater) },
    "GreaterOrEqual": combining { Comparison(.greaterOrEqual) },
    "Less": combining { Comparison(.less) },
    "LessOrEqual": combining { Comparison(.lessOrEqual) },
    "Not": plain { LogicalNot() },
    "Or": combining { LogicalOr() },
    "Where": combining { Select() },
    "Xor": { (layer) throws(WeighbridgeError) in
      // Of truth values, those that are not equal.
      let numbers = try layer.aligned(try layer.allInputs()).enumerated().map {
        (position, value) throws(WeighbridgeError) in
        try layer.apply(Cast(to: .int32), to: value, role: "number_\(position)")
      }
      return try layer.apply(Comparison(.notEqual), numbers)
    },
  ]
}
