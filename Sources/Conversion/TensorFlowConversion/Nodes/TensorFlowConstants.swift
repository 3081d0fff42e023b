import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Constants, variables, and operators that pass values on.
enum TensorFlowConstants {
  static let nodes: TensorFlowOperators.Table = [
    "CheckNumerics": passing,
    "Const": { (layer) throws(WeighbridgeError) in
      let name = layer.operation.name
      let own = try layer.tensor("value")
      let tensor = try layer.network.context.variables(name) ?? own
      layer.network.countStored(tensor)
      return [.constant(name, tensor)]
    },
    "EnsureShape": passing,
    "Identity": passing,
    "IdentityN": { (layer) throws(WeighbridgeError) in try layer.inputs() },
    "PlaceholderWithDefault": { (layer) throws(WeighbridgeError) in
      layer.ignore("shape")
      layer.decide("the input \(layer.operation.name) has its default value")
      return [try layer.input()]
    },
    "PreventGradient": passing,
    "ReadVariableOp": passing,
    "Snapshot": passing,
    "StopGradient": passing,
    "VarHandleOp": variable,
    "Variable": variable,
    "VariableV2": variable,
  ]

  private static let passing: TensorFlowLayer.Build = { (layer) throws(WeighbridgeError) in
    layer.ignore("message", "shape")
    return [try layer.input()]
  }

  private static let variable: TensorFlowLayer.Build = { (layer) throws(WeighbridgeError) in
    layer.ignore("shape")
    let name = layer.operation.name
    guard let tensor = try layer.network.context.variables(name) else {
      throw layer.unsupported("is a variable whose elements are not in the files of the model")
    }
    layer.network.countStored(tensor)
    return [.constant(name, tensor)]
  }
}
