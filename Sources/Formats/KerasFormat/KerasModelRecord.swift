package import JSON

/// A model as Keras describes it in JSON: layers and their calls. Nothing is interpreted.
package struct KerasModelRecord: Hashable, Sendable {
  /// The class as written: `Model`, `Functional`, `Sequential`, ...
  package let className: String
  /// The model's name; `nil` where the file has none (Sequential before Keras 2.2.3).
  package let name: String?
  /// Whether the model is a chain of layers, whose calls are not written but follow from the order.
  package let isSequential: Bool
  /// `build_input_shape` of a Sequential, where written: the shape with the batch axis.
  package let buildInputShape: JSONValue?
  /// The layers, in the order of the file.
  package internal(set) var layers: [KerasLayerRecord]
  /// Every call of every layer in the order of the file, except that each call comes after those
  /// that it depends on.
  package internal(set) var callOrder: [KerasCallReference]
  /// The model's inputs. Empty for a Sequential that does not begin with an InputLayer: its input
  /// is that of the first layer, with that layer's `batch_input_shape`.
  package internal(set) var inputs: [KerasTensorReference]
  /// Whether the model takes its inputs as a dictionary, whose keys are in the order of ``inputs``.
  package let takesDictionary: Bool
  /// The model's outputs.
  package internal(set) var outputs: [KerasTensorReference]
  /// The index in ``layers`` of each layer, by its name.
  package internal(set) var layerIndices: [String: Int]
  /// The types of layers' outputs, where the file states them: Keras 3 writes them wherever a layer
  /// reads a tensor.
  package let statedTypes: [KerasTensorReference: KerasStatedType]
}

/// The type of a tensor as a file states it.
package struct KerasStatedType: Hashable, Sendable {
  /// The sizes with the batch axis, `nil` where they are dynamic.
  package let shape: [Int?]
  /// The element type's name.
  package let dtype: String

  /// Creates a type.
  package init(shape: [Int?], dtype: String) {
    self.shape = shape
    self.dtype = dtype
  }
}

extension KerasModelRecord {
  /// Whether the model is written in a way that only Keras 3 uses: with `batch_shape`, or element
  /// types as a `DTypePolicy`.
  package var isWrittenByKeras3: Bool {
    layers.contains { layer in
      layer.config["batch_shape"] != nil
        || layer.config["dtype"]?.object?["class_name"] == "DTypePolicy"
    }
  }
}

/// A layer of a model: its class, settings and calls.
package struct KerasLayerRecord: Hashable, Sendable {
  /// The layer's index in ``KerasModelRecord/layers``.
  package let index: Int
  /// The name, unique in its model.
  package let name: String
  /// The class as written, such as `Conv2D`; a custom class is under its own name.
  package let className: String
  /// The function, if this is a function that the model calls without a layer.
  package let function: KerasFunctionName?
  /// `registered_name`, where it is not null: `package>Class` for a registered custom class.
  package let registeredName: String?
  /// The settings as written. A nested Sequential whose settings are a bare list (before Keras
  /// 2.2.3) gets the newer form, `{"name": ..., "layers": [...]}`.
  package let config: JSONObject
  /// The shape that the layer was built for, with the batch axis, where a `.keras` file states it.
  package let buildInputShape: JSONValue?
  /// The calls, in the order in which ``KerasTensorReference/call`` numbers them. An InputLayer has
  /// one call without inputs.
  package internal(set) var calls: [KerasCall]

  /// Creates a layer.
  package init(
    index: Int = 0, name: String, className: String, function: KerasFunctionName? = nil,
    registeredName: String? = nil, config: JSONObject, buildInputShape: JSONValue? = nil,
    calls: [KerasCall] = []
  ) {
    self.buildInputShape = buildInputShape
    self.index = index
    self.name = name
    self.className = className
    self.function = function
    self.registeredName = registeredName
    self.config = config
    self.calls = calls
  }

  /// Whether the layer is a model itself; see ``KerasModelRecord/init(nestedIn:)``.
  package var isModel: Bool { config["layers"]?.array != nil }

  /// The layer's location in errors, such as `#3 lambda_1 (Lambda)`.
  package var label: String { "#\(index) \(name) (\(className))" }
}

/// One use of a layer; a shared layer has several.
package struct KerasCall: Hashable, Sendable {
  /// The tensors of the first argument, in order; of a dictionary, in the order of its keys.
  package let inputs: [KerasTensorReference]
  /// The keys of the first argument, if it is a dictionary of tensors.
  package let inputKeys: [String]?
  /// The constants among the tensors of the first argument, by their positions in it.
  package let inputConstants: [Int: JSONValue]
  /// The other arguments that are tensors, such as `value` of an attention layer.
  package let tensorArguments: [KerasTensorArgument]
  /// The other arguments that are plain values, such as `training`.
  package let arguments: JSONObject
  /// The arguments of a function, which refer to tensors by their index in ``inputs``; `nil` for a
  /// layer.
  package let operands: KerasOperands?

  /// Creates a call.
  package init(
    inputs: [KerasTensorReference], inputKeys: [String]? = nil,
    inputConstants: [Int: JSONValue] = [:], tensorArguments: [KerasTensorArgument] = [],
    arguments: JSONObject = [:],
    operands: KerasOperands? = nil
  ) {
    self.inputs = inputs
    self.inputKeys = inputKeys
    self.inputConstants = inputConstants
    self.tensorArguments = tensorArguments
    self.arguments = arguments
    self.operands = operands
  }

  /// All tensors that the call reads.
  package var allInputs: [KerasTensorReference] { inputs + tensorArguments.flatMap(\.tensors) }
}

/// A named argument of a call that is a tensor or a list of tensors.
package struct KerasTensorArgument: Hashable, Sendable {
  /// The argument's name, such as `initial_state`.
  package let name: String
  /// The tensors; one unless the argument is a list.
  package let tensors: [KerasTensorReference]
}

/// An output of a call of a layer.
package struct KerasTensorReference: Hashable, Sendable {
  /// The layer's name.
  package let layer: String
  /// The index in ``KerasLayerRecord/calls``, from 0. (Keras counts a nested model's calls from
  /// 1; this is corrected here.)
  package let call: Int
  /// The index among the layer's outputs, from 0.
  package let tensor: Int

  /// Creates a reference.
  package init(layer: String, call: Int = 0, tensor: Int = 0) {
    self.layer = layer
    self.call = call
    self.tensor = tensor
  }
}

/// A call of a layer, by index.
package struct KerasCallReference: Hashable, Sendable {
  /// The index in ``KerasModelRecord/layers``.
  package let layer: Int
  /// The index in ``KerasLayerRecord/calls``.
  package let call: Int

  /// Creates a reference.
  package init(layer: Int, call: Int) {
    self.layer = layer
    self.call = call
  }
}
