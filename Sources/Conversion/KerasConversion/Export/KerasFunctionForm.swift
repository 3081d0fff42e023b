import ConversionCore
import GraphIR
import LayerCatalog

/// A function of Keras 3's operations, and the one of TensorFlow that is the same.
struct KerasFunctionForm: Sendable {
  /// The module of the operation, for example `numpy`.
  let module: String
  /// The operation's class, for example `Add`.
  let operation: String
  /// TensorFlow's name, for example `math.add`; `nil` when it has no such function.
  let tensorFlow: String?
  /// The names of the tensors that TensorFlow's function takes.
  let names: [String]
  /// The class of the layers that Keras 2 makes of the function.
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

  /// A function of one tensor.
  static func unary(_ operation: String, tf: String?, module: String = "numpy") -> Self {
    Self(module, operation, tf: tf)
  }

  /// A function of two tensors.
  static func binary(_ operation: String, tf: String?) -> Self {
    Self("numpy", operation, tf: tf, ["x", "y"])
  }

  /// Whether it adds two tensors.
  var isSum: Bool { operation == "Add" }

  static let add = binary("Add", tf: "math.add")
  static let subtract = binary("Subtract", tf: "math.subtract")
  static let multiply = binary("Multiply", tf: "math.multiply")
  static let divide = binary("Divide", tf: "math.divide")
  static let maximum = binary("Maximum", tf: "math.maximum")
  static let minimum = binary("Minimum", tf: "math.minimum")
  static let greater = binary("Greater", tf: "math.greater")
  static let greaterEqual = binary("GreaterEqual", tf: "math.greater_equal")
  static let equal = binary("Equal", tf: "math.equal")
  static let notEqual = binary("NotEqual", tf: "math.not_equal")
  static let less = binary("Less", tf: "math.less")
  static let lessEqual = binary("LessEqual", tf: "math.less_equal")
  static let logicalAnd = binary("LogicalAnd", tf: "math.logical_and")
  static let logicalOr = binary("LogicalOr", tf: "math.logical_or")
  static let logicalNot = unary("LogicalNot", tf: "math.logical_not")
  static let select = Self("numpy", "Where", tf: "where", ["condition", "x", "y"])
  static let cast = Self("core", "Cast", tf: "cast")
  static let matrixProduct = Self("numpy", "Matmul", tf: "linalg.matmul", ["a", "b"])
  static let reshape = Self("numpy", "Reshape", tf: "reshape", ["tensor"])
  static let transpose = Self("numpy", "Transpose", tf: "transpose", ["a"])
  static let reverse = Self("numpy", "Flip", tf: "reverse", ["tensor"])
  static let pad = Self("numpy", "Pad", tf: "pad", ["tensor"])
  static let item = Self(
    "numpy", "GetItem", tf: "__operators__.getitem", olderClass: "SlicingOpLambda")
  static let floor = unary("Floor", tf: "math.floor")
  static let squareRoot = unary("Sqrt", tf: "math.sqrt")
  static let tanh = unary("Tanh", tf: "math.tanh")
}
