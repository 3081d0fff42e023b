import ConversionCore
import GraphIR
import LayerCatalog

/// An operation of Keras 3, and TensorFlow's equivalent function.
struct KerasFunctionForm: Sendable {
  /// The module of the operation, for example `numpy`.
  let module: String
  /// The operation's class, for example `Add`.
  let operation: String
  /// TensorFlow's name, for example `math.add`; `nil` when it has no such function.
  let tensorFlow: String?
  /// The names of the tensors among the arguments of TensorFlow's function.
  let names: [String]
  /// The class of the layer that Keras 2 uses for the function.
  let olderClass: String

  init(
    _ module: String, _ operation: String, tf tensorFlow: String?, _ names: [String] = ["x"],
    olderClass: String = "TFOpLambda"
  ) {
    self.olderClass = olderClass
    self.module = module
    self.operation = operation
    self.tensorFlow = tensorFlow
    self.names = names
  }

  /// A function of two tensors.
  static func binary(_ operation: String, tf: String?) -> Self {
    Self("numpy", operation, tf: tf, ["x", "y"])
  }

  /// The forms of the functions that have a name in TensorFlow.
  private static func all<Function: Hashable>(
    _ all: [KerasFunctionTable.Names<Function>], _ arguments: [String]
  ) -> [Function: Self] {
    var forms: [Function: Self] = [:]
    for names in all {
      guard let module = names.module, let operation = names.operations.first,
        let tensorFlow = names.tensorFlow.first
      else { continue }
      forms[names.function] = Self(module, operation, tf: tensorFlow, arguments)
    }
    return forms
  }

  static let unary = all(KerasFunctionTable.unaryNames, ["x"])
  static let binary = all(KerasFunctionTable.binaryNames, ["x", "y"])
    .merging([.arcTangent2: Self("numpy", "Arctan2", tf: "math.atan2", ["y", "x"])]) { $1 }
  static let comparisons = all(KerasFunctionTable.comparisonNames, ["x", "y"])
  static let reductions = all(KerasFunctionTable.reductionNames, ["input_tensor"])

  /// Whether it is the sum of two tensors.
  var isSum: Bool { operation == "Add" }

  static let add = binary("Add", tf: "math.add")
  static let subtract = binary("Subtract", tf: "math.subtract")
  static let multiply = binary("Multiply", tf: "math.multiply")
  static let maximum = binary("Maximum", tf: "math.maximum")
  static let minimum = binary("Minimum", tf: "math.minimum")
  static let logicalAnd = binary("LogicalAnd", tf: "math.logical_and")
  static let logicalOr = binary("LogicalOr", tf: "math.logical_or")
  static let logicalNot = Self("numpy", "LogicalNot", tf: "math.logical_not")
  static let select = Self("numpy", "Where", tf: "where", ["condition", "x", "y"])
  static let exponential = Self("numpy", "Exp", tf: "math.exp")
  static let approximateGELU = Self("nn", "Gelu", tf: "nn.gelu", ["features"])
  static let cast = Self("core", "Cast", tf: "cast")
  static let matrixProduct = Self("numpy", "Matmul", tf: "linalg.matmul", ["a", "b"])
  static let reshape = Self("numpy", "Reshape", tf: "reshape", ["tensor"])
  static let transpose = Self("numpy", "Transpose", tf: "transpose", ["a"])
  static let reverse = Self("numpy", "Flip", tf: "reverse", ["tensor"])
  static let pad = Self("numpy", "Pad", tf: "pad", ["tensor"])
  static let item = Self(
    "numpy", "GetItem", tf: "__operators__.getitem", olderClass: "SlicingOpLambda")
}
