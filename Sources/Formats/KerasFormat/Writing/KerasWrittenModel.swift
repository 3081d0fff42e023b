package import Bytes
package import JSON

/// The formats in which models are written.
package enum KerasOutputFormat: Hashable, Sendable {
  /// A `.keras` archive, as written by Keras 3.
  case archive
  /// An `.h5` file, as written by Keras 2.15.
  case hdf5
  /// A `model.json` with its weights for TensorFlow.js, in the dialect of Keras 2.
  case tensorFlowJS

  /// The version of Keras whose semantics a written model has.
  package var version: String { self == .archive ? "3.15.0" : "2.15.0" }
}

/// A model to be written: layers and their calls, without the elements of the weights.
package struct KerasWrittenModel: Sendable {
  /// The model's name.
  package var name: String
  /// The layers in any order, including inputs.
  package var layers: [KerasWrittenLayer]
  /// The model's inputs.
  package var inputs: [KerasTensorReference]
  /// The model's outputs.
  package var outputs: [KerasTensorReference]
  /// Metadata that Keras ignores: strings with their keys.
  package var customMetadata: [(key: String, value: String)]

  /// Creates a model.
  package init(
    name: String, layers: [KerasWrittenLayer], inputs: [KerasTensorReference],
    outputs: [KerasTensorReference], customMetadata: [(key: String, value: String)]
  ) {
    self.name = name
    self.layers = layers
    self.inputs = inputs
    self.outputs = outputs
    self.customMetadata = customMetadata
  }
}

/// A layer to be written, or a function that the model calls like a layer.
package struct KerasWrittenLayer: Sendable {
  /// The name; unique in the model.
  package let name: String
  /// The class, for example `Conv2D`.
  package let className: String
  /// The module of the class in Keras 3, for example `keras.layers`.
  package let module: String
  /// The settings without the name.
  package var config: JSONObject
  /// The weights in Keras' order: trainable ones come first.
  package let weights: [KerasWrittenWeight]
  /// The calls in order; empty for an input.
  package var calls: [KerasWrittenCall]

  /// Creates a layer.
  package init(
    name: String, className: String, module: String, config: JSONObject,
    weights: [KerasWrittenWeight] = [], calls: [KerasWrittenCall] = []
  ) {
    self.name = name
    self.className = className
    self.module = module
    self.config = config
    self.weights = weights
    self.calls = calls
  }
}

/// A weight of a layer to be written.
package struct KerasWrittenWeight: Hashable, Sendable {
  /// The name of the variable, for example `kernel`.
  package let name: String
  /// The object inside the layer that it belongs to, for example `cell`; empty for the layer
  /// itself.
  package let owner: String
  /// The type of the elements.
  package let elementType: ElementType
  /// The sizes in Keras' axis order.
  package let shape: [Int]

  /// Creates a weight.
  package init(name: String, owner: String = "", elementType: ElementType, shape: [Int]) {
    self.name = name
    self.owner = owner
    self.elementType = elementType
    self.shape = shape
  }
}

/// A call of a layer.
package struct KerasWrittenCall: Sendable {
  /// The positional arguments.
  package let arguments: [KerasWrittenArgument]
  /// The named arguments, sorted by name, which is the order in which Keras processes them.
  package let keywords: [(name: String, value: KerasWrittenArgument)]

  /// Creates a call.
  package init(
    _ arguments: [KerasWrittenArgument],
    keywords: [(name: String, value: KerasWrittenArgument)] = []
  ) {
    self.arguments = arguments
    self.keywords = keywords.sorted { $0.name < $1.name }
  }

  /// The tensors in the order in which Keras processes them.
  package var tensors: [KerasTensorReference] {
    arguments.flatMap(\.tensors) + keywords.flatMap { $0.value.tensors }
  }
}

/// An argument of a call.
package indirect enum KerasWrittenArgument: Sendable {
  /// An output of a layer, with its type as stated by Keras 3.
  case tensor(KerasTensorReference, ElementType, [Int?])
  /// A plain value.
  case value(JSONValue)
  /// A list that contains tensors.
  case list([KerasWrittenArgument])

  var tensors: [KerasTensorReference] {
    switch self {
    case .tensor(let reference, _, _): [reference]
    case .value: []
    case .list(let elements): elements.flatMap(\.tensors)
    }
  }

  /// The argument with other references.
  func mapping(
    _ change: (KerasTensorReference) -> KerasTensorReference
  ) -> KerasWrittenArgument {
    switch self {
    case .tensor(let reference, let type, let shape): .tensor(change(reference), type, shape)
    case .value: self
    case .list(let elements): .list(elements.map { $0.mapping(change) })
    }
  }
}
