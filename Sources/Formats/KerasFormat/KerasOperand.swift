package import JSON

/// A function that a model calls without a layer.
package enum KerasFunctionName: Hashable, Sendable {
  /// An operation of Keras 3, by its class name, such as `Add` for `keras.ops.add`.
  case operation(String)
  /// A function of TensorFlow, as Keras 2.4 to 2.15 name it, such as `math.add`.
  case tensorFlow(String)
  /// A node of TensorFlow's graph, as stored by Keras in TensorFlow 2.0 to 2.3, such as `AddV2`.
  case graphNode(String)

  /// The function of a layer's record; `nil` when it is a layer.
  ///
  /// An `.h5` file of Keras 3 omits the module; there, the settings of nearly all layers, but of no
  /// operation, have the key `trainable`.
  ///
  /// - Parameter hasArguments: Whether the calls have the form of Keras 3.
  init?(className: String, module: String?, config: JSONObject, hasArguments: Bool) {
    if let module, module.hasPrefix("keras.src.ops.") || module.hasPrefix("keras.ops") {
      self = .operation(className)
    } else if className == "TFOpLambda" || className == "SlicingOpLambda",
      let function = config["function"]?.string
    {
      self = .tensorFlow(function)
    } else if className == "TensorFlowOpLayer",
      let operation = config["node_def"]?.object?["op"]?.string
    {
      self = .graphNode(operation)
    } else if module == nil, hasArguments, config["trainable"] == nil, config["layers"] == nil,
      !Self.layersWithoutTrainableKey.contains(className)
    {
      self = .operation(className)
    } else {
      return nil
    }
  }

  /// Layers of Keras 3 whose settings do not have the key `trainable`.
  private static let layersWithoutTrainableKey: Set<String> = [
    "Discretization", "HashedCrossing", "InputLayer", "SpatialDropout1D", "SpatialDropout2D",
    "SpatialDropout3D",
  ]

  /// The name as given in the file.
  package var text: String {
    switch self {
    case .operation(let name): name
    case .tensorFlow(let name): "tf.\(name)"
    case .graphNode(let name): "TensorFlow's \(name)"
    }
  }
}

/// An argument of a call of a function.
package indirect enum KerasOperand: Hashable, Sendable {
  /// A tensor, by its index among the call's inputs.
  case tensor(Int)
  /// A plain value without tensors.
  case value(JSONValue)
  /// A list that contains tensors.
  case list([KerasOperand])
  /// A dictionary that contains tensors.
  case dictionary([String: KerasOperand])
}

/// The arguments of a call of a function.
package struct KerasOperands: Hashable, Sendable {
  /// The positional arguments, in order.
  package let positional: [KerasOperand]
  /// The named arguments.
  package let named: [String: KerasOperand]

  /// Creates arguments.
  package init(positional: [KerasOperand], named: [String: KerasOperand]) {
    self.positional = positional
    self.named = named
  }
}
