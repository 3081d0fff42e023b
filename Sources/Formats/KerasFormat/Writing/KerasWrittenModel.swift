package import Bytes
package import JSON

/// The forms in which models are written.
package enum KerasForm: Hashable, Sendable {
  /// A `.keras` archive, as Keras 3 writes it.
  case archive
  /// An `.h5` file, as Keras 2.15 writes it.
  case hdf5

  /// The version whose meaning a written model has.
  package var version: String { self == .archive ? "3.15.0" : "2.15.0" }
}

/// A model that will be written: layers and how they are called, without the weights' elements.
package struct KerasWrittenModel: Sendable {
  /// The model's name.
  package var name: String
  /// The layers in any order, inputs among them.
  package var layers: [KerasWrittenLayer]
  /// What the model takes.
  package var inputs: [KerasTensorReference]
  /// What the model gives.
  package var outputs: [KerasTensorReference]
  /// Texts about the model, which Keras passes over.
  package var texts: [(key: String, value: String)]

  /// Makes a model.
  package init(
    name: String, layers: [KerasWrittenLayer], inputs: [KerasTensorReference],
    outputs: [KerasTensorReference], texts: [(key: String, value: String)]
  ) {
    self.name = name
    self.layers = layers
    self.inputs = inputs
    self.outputs = outputs
    self.texts = texts
  }
}

/// A layer that will be written, or a function that stands in the model like one.
package struct KerasWrittenLayer: Sendable {
  /// The name; unique in the model.
  package let name: String
  /// The class, for example `Conv2D`.
  package let className: String
  /// Where Keras 3 has the class, for example `keras.layers`.
  package let module: String
  /// The settings without the name.
  package var config: JSONObject
  /// The weights in the order of Keras: those that training changes come first.
  package let weights: [KerasWrittenWeight]
  /// The calls in their order; empty for an input.
  package var calls: [KerasWrittenCall]

  /// Makes a layer.
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

/// A weight of a layer that will be written.
package struct KerasWrittenWeight: Hashable, Sendable {
  /// What it is, for example `kernel`.
  package let name: String
  /// The object inside the layer that has it, for example `cell`; empty for the layer itself.
  package let owner: String
  /// The type of the elements.
  package let elementType: ElementType
  /// The sizes in Keras' order of axes.
  package let shape: [Int]

  /// Makes a weight.
  package init(name: String, owner: String = "", elementType: ElementType, shape: [Int]) {
    self.name = name
    self.owner = owner
    self.elementType = elementType
    self.shape = shape
  }
}

/// A call of a layer.
package struct KerasWrittenCall: Sendable {
  /// The arguments without a name.
  package let arguments: [KerasWrittenArgument]
  /// The arguments with one, in the order of their names, which is that in which Keras sees them.
  package let keywords: [(name: String, value: KerasWrittenArgument)]

  /// Makes a call.
  package init(
    _ arguments: [KerasWrittenArgument],
    keywords: [(name: String, value: KerasWrittenArgument)] = []
  ) {
    self.arguments = arguments
    self.keywords = keywords.sorted { $0.name < $1.name }
  }

  /// The tensors in the order in which Keras sees them.
  var tensors: [KerasTensorReference] {
    arguments.flatMap(\.tensors) + keywords.flatMap { $0.value.tensors }
  }
}

/// An argument of a call.
package indirect enum KerasWrittenArgument: Sendable {
  /// What a layer gives, with its type as Keras 3 states it.
  case tensor(KerasTensorReference, ElementType, [Int?])
  /// A plain value.
  case value(JSONValue)
  /// A list with tensors in it.
  case list([KerasWrittenArgument])

  var tensors: [KerasTensorReference] {
    switch self {
    case .tensor(let reference, _, _): [reference]
    case .value: []
    case .list(let elements): elements.flatMap(\.tensors)
    }
  }
}
